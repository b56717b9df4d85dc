/* SPDX-License-Identifier: Apache-2.0 */
/* What a producer does with buffers. */
#include "parts.h"

#include <errno.h>
#include <string.h>

static int
resolve(const struct model *m, const struct op *op, struct model_buffer *wanted)
{
	bool turned = m->prerotate && (m->hint_in_use & 4);

	*wanted = (struct model_buffer){op->a, op->b, m->format, m->generation, op->c | m->usage};
	if (!op->a != !op->b)
		return -EINVAL;
	if (!op->a) {
		wanted->width = turned ? m->height : m->width;
		wanted->height = turned ? m->width : m->height;
	}
	return 0;
}

/* Nobody waits here: what would is -ETIMEDOUT. */
static int
none_free(const struct model *m)
{
	uint32_t taken =
		m->exact ? model_count(m, model_is_taken_now) : model_count(m, model_is_far);

	return (m->cannot_block || (m->async && !m->has_queued)) && taken <= m->max_acquired
		? -EAGAIN
		: -ETIMEDOUT;
}

static int
find(struct model *m, const struct model_buffer *wanted, uint32_t *slot)
{
	if (m->has_queued && model_count(m, model_is_dequeued) >= m->max_dequeued)
		return -ENOSYS;
	if (wanted && m->shared && m->shared_slot < MODEL_SLOTS) {
		const struct model_slot *s = &m->slots[m->shared_slot];

		if (s->dequeued)
			return -ENOSYS;
		if (s->buffer) {
			*slot = m->shared_slot;
			return s->far && !model_fits(m, s->buffer, wanted) ? -EINVAL : 0;
		}
	}
	if (model_pending(m) > model_total(m))
		return none_free(m);
	if (!wanted)
		return model_first_empty(m, slot) || model_first_free(m, slot) ? 0 : none_free(m);
	while (model_first_free(m, slot)) {
		if (m->allow || model_fits(m, m->slots[*slot].buffer, wanted))
			return 0;
		model_tell(m, TO_PRODUCER, N_DISCARDED, *slot, 0, 0);
		model_clear(m, *slot);
	}
	return m->allow && model_first_empty(m, slot) ? 0 : none_free(m);
}

/* In the mode, the first slot that is dequeued, or queued, is the one. */
static void
share(struct model *m, uint32_t slot)
{
	uint32_t before = m->shared_slot;

	if (!m->shared)
		return;
	if (before < MODEL_SLOTS && before != slot)
		m->slots[before].shared = m->slots[before].far != 0;
	m->slots[slot].shared = true;
	m->shared_slot = slot;
}

void
model_dequeue(struct model *m, const struct op *op, struct outcome *o)
{
	struct model_buffer wanted;
	struct model_slot *s;
	uint32_t slot;

	o->err = m->abandoned || !m->api ? -ENODEV : resolve(m, op, &wanted);
	if (!o->err)
		o->err = find(m, &wanted, &slot);
	if (o->err)
		return;
	s = &m->slots[slot];
	model_leave_free(m, slot);
	s->dequeued = true;
	share(m, slot);
	if (!s->buffer || !model_fits(m, s->buffer, &wanted)) {
		if (m->last.slot == slot)
			m->last.slot = MODEL_SLOTS;
		s->buffer = model_new_buffer(
			m, wanted.width, wanted.height, wanted.format, wanted.usage, m->generation);
		s->number = 0;
		s->requested = false;
		s->fence = 0;
	}
	o->slot = slot;
	o->buffer = s->buffer;
	o->age = s->number ? (uint32_t)(m->frames + 1 - s->number) : 0;
	o->flags = !s->requested;
	o->fence = model_is_active_fence(m, s->fence) ? s->fence : 0;
	s->fence = 0;
	model_tell(m, TO_CONSUMER, N_DEQUEUED, slot, 0, 0);
}

static void
push(struct model *m, const struct model_item *item)
{
	struct model_item *last = m->queued ? &m->queue[m->queued - 1] : NULL;
	struct model_item old;

	if (last && last->slot == item->slot) {
		*last = *item; /* shared: the slot is there already */
	} else if (last && last->droppable) {
		old = *last;
		*last = *item;
		model_give_up(m, &old);
		model_tell(m, TO_CONSUMER, N_REPLACED, item->slot, item->number, old.number);
		return;
	} else {
		m->queue[m->queued++] = *item;
	}
	model_tell(m, TO_CONSUMER, N_AVAILABLE, item->slot, item->number, 0);
}

/* After a frame of another slot nothing shared goes on. */
static void
pass_shared(struct model *m, uint32_t slot)
{
	if (m->slots[slot].shared)
		return;
	for (uint32_t i = 0; i < MODEL_SLOTS; i++) {
		if (!m->slots[i].shared || !m->slots[i].far)
			continue;
		m->slots[i].over = true;
		if (m->shared_slot == i)
			m->shared_slot = MODEL_SLOTS;
	}
}

void
model_queue(struct model *m, const struct op *op, struct outcome *o)
{
	struct model_slot *s;
	struct model_item item;

	o->err = m->abandoned || !m->api ? -ENODEV : 0;
	if (!o->err &&
		(!model_has(m, op->slot) || !m->slots[op->slot].requested ||
			m->slots[op->slot].over))
		o->err = -EINVAL;
	if (o->err)
		return;
	s = &m->slots[op->slot];
	if (m->shared && m->shared_slot == MODEL_SLOTS && !s->far)
		share(m, op->slot);
	s->dequeued = false;
	s->number = s->far = ++m->frames;
	pass_shared(m, op->slot);
	m->has_queued = true;
	m->hint_in_use = m->hint;
	item = (struct model_item){
		.slot = op->slot,
		.buffer = s->buffer,
		.fence = op->fence,
		.number = s->number,
		.time = op->time,
		.shared = s->shared,
		.again = s->shared && m->refresh,
		.droppable = !s->shared && (op->a || (m->can_drop && m->legacy)),
	};
	m->last.slot = op->slot;
	m->last.fence = op->fence;
	push(m, &item);
	o->number = item.number;
}

void
model_cancel(struct model *m, const struct op *op, struct outcome *o)
{
	struct model_slot *s = &m->slots[op->slot % MODEL_SLOTS];

	o->err = m->abandoned || !m->api               ? -ENODEV
		: m->shared || !model_has(m, op->slot) ? -EINVAL
						       : 0;
	if (o->err)
		return;
	s->dequeued = false;
	if (!s->far) {
		s->number = 0; /* Krafla: what it holds is nobody's frame */
		model_make_free(m, op->slot, op->fence);
	}
	model_tell(m, TO_CONSUMER, N_CANCELLED, op->slot, 0, 0);
}

void
model_attach(struct model *m, const struct op *op, struct outcome *o)
{
	uint32_t buffer = model_choose(m, TO_PRODUCER, op), slot;

	o->err = model_check_buffer(m, buffer);
	if (!o->err)
		o->err = find(m, NULL, &slot);
	if (o->err)
		return;
	model_forget_kept(m, TO_PRODUCER, buffer);
	model_clear(m, slot);
	m->slots[slot].buffer = buffer;
	m->slots[slot].dequeued = m->slots[slot].requested = true;
	o->slot = slot;
	o->buffer = buffer;
}

void
model_detach(struct model *m, const struct op *op, struct outcome *o)
{
	o->err = m->abandoned || !m->api ? -ENODEV
		: m->shared || !model_has(m, op->slot) || m->slots[op->slot].shared ||
			!m->slots[op->slot].requested
		? -EINVAL
		: 0;
	if (o->err)
		return;
	o->buffer = m->slots[op->slot].buffer;
	model_keep(m, TO_PRODUCER, m->slots[op->slot].buffer);
	model_clear(m, op->slot);
	model_trim(m);
	model_tell(m, TO_CONSUMER, N_DETACHED, op->slot, 0, 0);
}

void
model_detach_next(struct model *m, struct outcome *o)
{
	uint32_t slot;

	o->err = m->abandoned || !m->api     ? -ENODEV
		: m->shared                  ? -EINVAL
		: model_first_free(m, &slot) ? 0
					     : -ENOMEM;
	if (o->err)
		return;
	o->buffer = m->slots[slot].buffer;
	o->fence = model_is_active_fence(m, m->slots[slot].fence) ? m->slots[slot].fence : 0;
	model_keep(m, TO_PRODUCER, m->slots[slot].buffer);
	model_clear(m, slot);
	model_trim(m);
	model_tell(m, TO_CONSUMER, N_DETACHED, slot, 0, 0);
}

void
model_allocate(struct model *m, struct outcome *o)
{
	const struct op whole = {.kind = P_ALLOCATE};
	struct model_buffer wanted;
	uint32_t slot;

	o->err = m->abandoned || !m->api ? -ENODEV : m->allow ? 0 : -ENOSYS;
	while (!o->err && !resolve(m, &whole, &wanted) && model_first_empty(m, &slot)) {
		m->slots[slot].buffer = model_new_buffer(
			m, wanted.width, wanted.height, wanted.format, wanted.usage, m->generation);
		memmove(m->free + 1, m->free, m->free_count++ * sizeof(m->free[0]));
		m->free[0] = slot;
	}
}
