/* SPDX-License-Identifier: Apache-2.0 */
/* How many there may be and are, what becomes of a slot, and what is told of it. */
#include "parts.h"

#include <errno.h>
#include <string.h>

uint32_t
model_min_undequeued(const struct model *m)
{
	return m->max_acquired + (m->async || m->cannot_block ? 1 : 0);
}

uint32_t
model_total(const struct model *m)
{
	uint32_t sum = model_min_undequeued(m) + m->max_dequeued;

	return sum < m->max_buffers ? sum : m->max_buffers;
}

bool
model_in_use(const struct model_slot *s)
{
	return s->dequeued || s->far;
}

uint32_t
model_count(const struct model *m, bool (*what)(const struct model_slot *s))
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < MODEL_SLOTS; i++)
		n += what(&m->slots[i]);
	return n;
}

bool
model_is_dequeued(const struct model_slot *s)
{
	return s->dequeued;
}

bool
model_is_far(const struct model_slot *s)
{
	return s->far != 0;
}

static bool
is_taken(const struct model_slot *s)
{
	return s->taken;
}

bool
model_is_taken_now(const struct model_slot *s)
{
	return s->taken && !s->stale;
}

static bool
is_active(const struct model_slot *s)
{
	return !s->stale && (model_in_use(s) || s->buffer);
}

/* Krafla: what is queued and not acquired; by the producer's knowledge in another process. */
uint32_t
model_pending(const struct model *m)
{
	uint32_t far = model_count(m, model_is_far);
	uint32_t taken = m->exact ? model_count(m, is_taken) : m->max_acquired + 1;

	return far > taken ? far - taken : 0;
}

void
model_tell(struct model *m, int whom, enum model_notice_kind kind, uint32_t slot, uint64_t number,
	uint64_t other)
{
	struct model_notices *n = &m->notices[whom];

	if (n->count < MODEL_NOTICES)
		n->list[n->count++] = (struct model_notice){kind, slot, number, other};
}

void
model_leave_free(struct model *m, uint32_t slot)
{
	for (uint32_t i = 0; i < m->free_count; i++) {
		if (m->free[i] == slot) {
			memmove(m->free + i, m->free + i + 1,
				(--m->free_count - i) * sizeof(m->free[0]));
			return;
		}
	}
}

void
model_clear(struct model *m, uint32_t slot)
{
	model_leave_free(m, slot);
	m->slots[slot] = (struct model_slot){0};
	if (m->last.slot == slot)
		m->last.slot = MODEL_SLOTS;
}

/* Krafla: a lower limit takes away what is free, and the rest when it comes back. */
void
model_trim(struct model *m)
{
	while (model_count(m, is_active) > model_total(m) && m->free_count) {
		uint32_t slot = m->free[m->free_count - 1];

		model_tell(m, TO_PRODUCER, N_DISCARDED, slot, 0, 0);
		model_clear(m, slot);
	}
}

/* The slot comes to the end of the free ones, unless somebody has it still. */
void
model_make_free(struct model *m, uint32_t slot, uint32_t fence)
{
	struct model_slot *s = &m->slots[slot];

	s->far = 0;
	s->taken = s->over = false;
	s->fence = fence;
	s->shared = slot == m->shared_slot;
	if (!s->dequeued) {
		if (s->stale) {
			model_clear(m, slot);
		} else {
			model_leave_free(m, slot);
			m->free[m->free_count++] = slot;
		}
	}
	model_trim(m);
}

bool
model_is_active_fence(const struct model *m, uint32_t fence)
{
	return fence && !m->signalled[fence];
}

/* Krafla: the first whose fence nobody has to wait for; if there is none, the first. */
bool
model_first_free(const struct model *m, uint32_t *slot)
{
	if (!m->free_count)
		return false;
	*slot = m->free[0];
	for (uint32_t i = 0; i < m->free_count; i++) {
		if (!model_is_active_fence(m, m->slots[m->free[i]].fence)) {
			*slot = m->free[i];
			break;
		}
	}
	return true;
}

bool
model_first_empty(const struct model *m, uint32_t *slot)
{
	if (model_count(m, is_active) >= model_total(m))
		return false;
	for (uint32_t i = 0; i < MODEL_SLOTS; i++) {
		if (!model_in_use(&m->slots[i]) && !m->slots[i].buffer) {
			*slot = i;
			return true;
		}
	}
	return false;
}

uint32_t
model_new_buffer(struct model *m, uint32_t width, uint32_t height, uint32_t format, uint64_t usage,
	uint32_t generation)
{
	m->buffers[++m->buffer_count] =
		(struct model_buffer){width, height, format, generation, usage};
	return m->buffer_count;
}

bool
model_fits(const struct model *m, uint32_t buffer, const struct model_buffer *wanted)
{
	const struct model_buffer *b = &m->buffers[buffer];

	return b->width == wanted->width && b->height == wanted->height &&
		b->format == wanted->format && (b->usage & wanted->usage) == wanted->usage;
}

bool
model_has(const struct model *m, uint32_t slot)
{
	return slot < MODEL_SLOTS && m->slots[slot].dequeued && m->slots[slot].buffer;
}

/* The consumer never sees it: its slot is free, once who draws it is done. */
void
model_give_up(struct model *m, const struct model_item *item)
{
	struct model_slot *s = &m->slots[item->slot];

	if (s->far != item->number)
		return;
	if (!s->stale)
		model_tell(m, TO_PRODUCER, N_RELEASED, item->slot, item->number, 0);
	model_make_free(m, item->slot, item->fence);
}

/* A kept one, or a new one. */
uint32_t
model_choose(struct model *m, int end, const struct op *op)
{
	if (op->a < KEPT && m->kept[end][op->a])
		return m->kept[end][op->a];
	return model_new_buffer(m, 64, 32, 1, 3, op->b);
}

void
model_keep(struct model *m, int end, uint32_t buffer)
{
	for (uint32_t i = 0; i < KEPT; i++) {
		if (!m->kept[end][i]) {
			m->kept[end][i] = buffer;
			return;
		}
	}
	m->kept[end][0] = buffer;
}

void
model_forget_kept(struct model *m, int end, uint32_t buffer)
{
	for (uint32_t i = 0; i < KEPT; i++) {
		if (m->kept[end][i] == buffer)
			m->kept[end][i] = 0;
	}
}

int
model_check_buffer(const struct model *m, uint32_t buffer)
{
	if (m->abandoned || !m->api)
		return -ENODEV;
	if (m->shared || m->buffers[buffer].generation != m->generation)
		return -EINVAL;
	for (uint32_t i = 0; i < MODEL_SLOTS; i++) {
		if (m->slots[i].buffer == buffer)
			return -EINVAL;
	}
	return 0;
}
