/* SPDX-License-Identifier: Apache-2.0 */
/* Connections, what a producer sets, and what it asks. */
#include "parts.h"

#include <errno.h>
#include <string.h>

void
model_connect(struct model *m, const struct op *op, struct outcome *o)
{
	bool own = op->a && m->by_app;

	o->err = m->abandoned ? -ENODEV : m->api ? -EINVAL : 0;
	if (o->err)
		return;
	m->api = EVERY_API;
	m->has_queued = false;
	m->cannot_block = own && m->timeout < 0;
	m->can_drop = own && m->timeout <= 0;
	m->legacy = m->allow = true;
	m->hint_in_use = m->hint;
	model_trim(m);
}

/* Krafla: what the consumer has keeps its slot until it comes back. */
void
model_disconnect(struct model *m, const struct op *op, struct outcome *o)
{
	if (m->abandoned || (op->a == 2 && !m->api))
		return;
	o->err = !m->api ? -ENODEV : op->a == 1 ? -EINVAL : 0;
	if (o->err)
		return;
	m->api = 0;
	m->has_queued = m->async = m->prerotate = m->shared = m->refresh = false;
	m->max_dequeued = 1;
	m->shared_slot = m->last.slot = MODEL_SLOTS;
	for (uint32_t i = 0; i < MODEL_SLOTS; i++) {
		if (m->slots[i].far) {
			m->slots[i].dequeued = false;
			m->slots[i].stale = true;
		} else if (m->slots[i].buffer) {
			model_clear(m, i);
		}
		if (!m->slots[i].far)
			m->slots[i].shared = false;
	}
	model_tell(m, TO_CONSUMER, N_DISCONNECTED, 0, 0, 0);
}

int
model_set_dequeued(struct model *m, uint32_t n)
{
	if (m->abandoned)
		return -ENODEV;
	if (n == m->max_dequeued)
		return 0;
	if (!n || n > MODEL_SLOTS || model_count(m, model_is_dequeued) > n ||
		model_min_undequeued(m) + n > m->max_buffers)
		return -EINVAL;
	m->max_dequeued = n;
	model_trim(m);
	return 0;
}

int
model_set_count(struct model *m, uint32_t n)
{
	if (m->abandoned)
		return -ENODEV;
	if (n && n <= model_min_undequeued(m))
		return -EINVAL;
	return model_set_dequeued(m, n ? n - model_min_undequeued(m) : 1);
}

int
model_set_async(struct model *m, bool async)
{
	if (m->abandoned)
		return -ENODEV;
	if (async != m->async &&
		m->max_acquired + m->max_dequeued + (async || m->cannot_block) > m->max_buffers)
		return -EINVAL;
	m->async = async;
	model_trim(m);
	return 0;
}

int
model_set_timeout(struct model *m, uint32_t which)
{
	m->timeout = which == 0 ? -1 : which == 1 ? 0 : SECOND;
	if (m->timeout > 0)
		m->can_drop = false;
	if (m->timeout >= 0)
		m->cannot_block = false;
	model_trim(m);
	return 0;
}

int
model_set_shared(struct model *m, bool on)
{
	if (m->abandoned)
		return -ENODEV;
	if (on == m->shared)
		return 0;
	m->shared = on;
	if (!on) {
		if (m->shared_slot < MODEL_SLOTS)
			m->slots[m->shared_slot].shared = m->slots[m->shared_slot].far != 0;
		m->shared_slot = MODEL_SLOTS;
		return 0;
	}
	m->shared_slot = MODEL_SLOTS;
	for (uint32_t i = 0; i < MODEL_SLOTS; i++) {
		const struct model_slot *s = &m->slots[i];

		if (s->shared && model_in_use(s) && !s->stale && !s->over) {
			m->shared_slot = i;
			break;
		}
	}
	return 0;
}

void
model_say_last(const struct model *m, struct outcome *o)
{
	if (m->abandoned) {
		o->err = -ENODEV;
	} else if (m->last.slot < MODEL_SLOTS) {
		o->buffer = m->slots[m->last.slot].buffer;
		o->fence = m->last.fence;
	}
}

void
model_say_info(const struct model *m, struct outcome *o)
{
	o->info[0] = model_min_undequeued(m);
	o->info[1] = m->max_buffers;
	o->info[2] = (int64_t)m->frames + 1;
	o->info[3] = model_pending(m);
	o->info[4] = model_pending(m) > (m->exact ? 1 : 0);
	o->info[5] = m->hint_in_use;
}
