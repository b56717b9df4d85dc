/* SPDX-License-Identifier: Apache-2.0 */
/* What a consumer does. */
#include "parts.h"

#include <errno.h>
#include <string.h>

static int64_t
desired(const struct model_item *item)
{
	/*
	 * Without a time it is for when it was queued: by the clock, later than any that is said
	 * here.
	 */
	return item->time == INT64_MIN ? INT64_MAX / 2 : item->time;
}

static void
unqueue(struct model *m)
{
	memmove(m->queue, m->queue + 1, --m->queued * sizeof(m->queue[0]));
}

/* A slot is held once, by its newest frame. */
static struct model_item *
find_held(struct model *m, uint32_t slot)
{
	for (uint32_t i = 0; i < m->held_count; i++) {
		if (m->held[i].slot == slot)
			return &m->held[i];
	}
	return NULL;
}

static void
drop_overtaken(struct model *m, const struct op *op)
{
	while (op->time && m->queued > 1 && m->queue[0].time != INT64_MIN) {
		struct model_item old = m->queue[0];
		const struct model_item *next = &m->queue[1];

		/* Krafla: a held slot is released once, by its newest frame. */
		if (find_held(m, old.slot))
			return;
		if (op->number && next->number > op->number)
			return;
		if (desired(next) < op->time - SECOND || desired(next) > op->time)
			return;
		unqueue(m);
		model_give_up(m, &old);
	}
}

static bool
is_later(const struct op *op, const struct model_item *item)
{
	if (!op->time)
		return false;
	return (op->number && item->number > op->number) ||
		(desired(item) > op->time && desired(item) <= op->time + SECOND);
}

void
model_acquire(struct model *m, const struct op *op, struct outcome *o)
{
	struct model_item *item = &m->queue[0], *held;
	uint32_t room = m->max_acquired + 1;

	drop_overtaken(m, op);
	if (!m->queued) {
		if (!op->b || m->again.slot == MODEL_SLOTS) {
			o->err = -EAGAIN;
			return;
		}
		o->slot = m->again.slot;
		o->number = m->again.number;
		o->buffer = m->again.buffer;
		return;
	}
	held = find_held(m, item->slot);
	if (!held && m->held_count >= room && !(op->a && m->held_count == room && !item->droppable))
		o->err = -EBUSY;
	else if (is_later(op, item))
		o->err = -ETIME;
	if (o->err)
		return;
	o->slot = item->slot;
	o->number = item->number;
	o->buffer = item->buffer;
	o->fence = item->fence;
	if (held)
		*held = *item;
	else
		m->held[m->held_count++] = *item;
	m->slots[item->slot].taken = true;
	m->again = *item;
	if (!item->again)
		m->again.slot = MODEL_SLOTS;
	unqueue(m);
}

static void
unhold(struct model *m, uint32_t which)
{
	if (m->again.slot == m->held[which].slot)
		m->again.slot = MODEL_SLOTS;
	memmove(m->held + which, m->held + which + 1,
		(--m->held_count - which) * sizeof(m->held[0]));
}

void
model_release(struct model *m, const struct op *op, struct outcome *o)
{
	struct model_item item;
	struct model_slot *s;

	if (op->a >= m->held_count) {
		o->err = -ESTALE;
		return;
	}
	item = m->held[op->a];
	if (op->b) {
		/* An older frame of a shared slot is passed over. */
		o->err = item.shared ? 0 : -ESTALE;
		return;
	}
	unhold(m, op->a);
	s = &m->slots[item.slot];
	/* A newer frame of a shared slot is queued: it is the one that is released. */
	if (s->far != item.number) {
		s->taken = false;
		return;
	}
	if (!s->stale)
		model_tell(m, TO_PRODUCER, N_RELEASED, item.slot, item.number, 0);
	model_make_free(m, item.slot, op->fence);
}

void
model_detach_held(struct model *m, const struct op *op, struct outcome *o)
{
	struct model_item item;

	if (op->a >= m->held_count) {
		o->err = -ESTALE;
		return;
	}
	item = m->held[op->a];
	/* Krafla: in another process the shared buffer alone is known to be one. */
	if (item.shared || (m->shared && m->exact)) {
		o->err = -EINVAL;
		return;
	}
	unhold(m, op->a);
	o->buffer = item.buffer;
	model_keep(m, TO_CONSUMER, item.buffer);
	model_tell(m, TO_PRODUCER, N_DETACHED, item.slot, item.number, 0);
	model_clear(m, item.slot);
	model_trim(m);
}

void
model_attach_far(struct model *m, const struct op *op, struct outcome *o)
{
	uint32_t buffer = model_choose(m, TO_CONSUMER, op), slot;

	o->err = m->held_count > m->max_acquired ? -EBUSY : model_check_buffer(m, buffer);
	if (!o->err && !model_first_empty(m, &slot)) {
		if (model_first_free(m, &slot))
			model_tell(m, TO_PRODUCER, N_DISCARDED, slot, 0, 0);
		else
			o->err = -ENOMEM;
	}
	if (o->err)
		return;
	model_forget_kept(m, TO_CONSUMER, buffer);
	model_clear(m, slot);
	m->slots[slot].buffer = buffer;
	m->slots[slot].far = BROUGHT;
	m->slots[slot].taken = true;
	m->held[m->held_count++] =
		(struct model_item){.slot = slot, .buffer = buffer, .number = BROUGHT};
	model_tell(m, TO_PRODUCER, N_BROUGHT, slot, 0, 0);
	o->buffer = buffer;
}

int
model_set_max_acquired(struct model *m, uint32_t n)
{
	if (m->held_count > n || !n || n > MODEL_SLOTS - 2)
		return -EINVAL;
	/* Krafla: what a producer in another process may dequeue isn't known. */
	if (m->exact && n + m->max_dequeued + (m->async || m->cannot_block) > m->max_buffers)
		return -EINVAL;
	m->max_acquired = n;
	model_trim(m);
	return 0;
}

int
model_set_max_buffers(struct model *m, uint32_t n)
{
	if (!n || n > MODEL_SLOTS)
		return -EINVAL;
	if (n <= m->max_acquired)
		return -EINVAL;
	/* Krafla: in another process it is too late once the producer knows the window. */
	if (m->api || !m->exact)
		return -ENOSYS;
	m->max_buffers = n;
	return 0;
}

void
model_discard(struct model *m)
{
	for (uint32_t i = 0; i < MODEL_SLOTS; i++) {
		if (model_in_use(&m->slots[i]) || !m->slots[i].buffer)
			continue;
		model_tell(m, TO_PRODUCER, N_DISCARDED, i, 0, 0);
		model_clear(m, i);
	}
}
