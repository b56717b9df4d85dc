/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures, turned into commits. */
#include "outputs/display/wayland/pane.h"

#include <presentation-time-client.h>
#include <xdg-shell-client.h>
#include <errno.h>
#include <stdlib.h>

#include "util/clock.h"

static struct pane_slot *
known_of(struct pane *pane, const struct slot *slot)
{
	return &pane->known[slot_index(&pane->slots, slot)];
}

static struct slot *
slot_of(struct pane *pane, const struct pane_slot *known)
{
	return &pane->slots.items[known - pane->known];
}

static void
end_feedback(struct pane_slot *known, bool shown, int64_t shown_ns)
{
	struct pane *pane = known->pane;

	wp_presentation_feedback_destroy(known->feedback);
	known->feedback = NULL;
	slot_complete(&pane->slots, slot_of(pane, known), shown, shown_ns);
}

static void
handle_sync_output(
	void *data, struct wp_presentation_feedback *feedback, struct wl_output *wl_output)
{
}

static void
handle_presented(void *data, struct wp_presentation_feedback *feedback, uint32_t sec_high,
	uint32_t sec_low, uint32_t nsec, uint32_t refresh, uint32_t seq_high, uint32_t seq_low,
	uint32_t flags)
{
	struct pane_slot *known = data;
	uint64_t seconds = (uint64_t)sec_high << 32 | sec_low;
	int64_t at = known->pane->clock_is_ours ? slots_time(seconds, nsec) : 0;

	if (at)
		known->pane->refresh_ns = at;
	known->pane->period_ns = refresh;
	end_feedback(known, true, at);
}

static void
handle_discarded(void *data, struct wp_presentation_feedback *feedback)
{
	end_feedback(data, false, 0);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

/* The compositor wants another picture. Without presentation times this one counts as shown. */
static void
handle_frame(void *data, struct wl_callback *callback, uint32_t time)
{
	struct pane *pane = data;

	wl_callback_destroy(callback);
	pane->frame = NULL;
	for (unsigned i = 0; i < SLOTS && !pane->presentation; i++) {
		struct slot *slot = &pane->slots.items[i];

		if (slot->number && slot->state != SLOT_WAITING && !slot->counted)
			slot_complete(&pane->slots, slot, true, 0);
	}
}

static const struct wl_callback_listener frame_listener = {.done = handle_frame};

void
pane_forget_slots(struct pane *pane)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		struct pane_slot *known = &pane->known[i];

		if (known->feedback)
			wp_presentation_feedback_destroy(known->feedback);
		/* What a surface shows may be destroyed: it keeps its content. */
		if (known->memory)
			wl_buffer_destroy(known->memory);
		*known = (struct pane_slot){.pane = pane};
	}
}

static void
resize(struct pane *pane, uint32_t width, uint32_t height)
{
	/* Of buffers that are lent no release is heard then; the next ones are of this size. */
	pane_forget_slots(pane);
	pane_forget_imports(pane);
	slots_resize(&pane->slots, width, height);
	xdg_toplevel_set_min_size(pane->toplevel, (int32_t)width, (int32_t)height);
	xdg_toplevel_set_max_size(pane->toplevel, (int32_t)width, (int32_t)height);
}

/* The slot's own memory as a buffer. NULL: it can't be had. */
static struct wl_buffer *
own_buffer(struct pane *pane, struct slot *slot)
{
	struct pane_slot *known = known_of(pane, slot);
	uint64_t size = (uint64_t)pane->slots.row_bytes * pane->slots.height;
	struct wl_shm_pool *pool;

	if (known->memory || size > INT32_MAX)
		return known->memory;
	pool = wl_shm_create_pool(pane->shm, slot->fd, (int32_t)size);
	if (!pool)
		return NULL;
	known->memory = wl_shm_pool_create_buffer(pool, 0, (int32_t)pane->slots.width,
		(int32_t)pane->slots.height, (int32_t)pane->slots.row_bytes,
		WL_SHM_FORMAT_XRGB8888);
	wl_shm_pool_destroy(pool);
	if (known->memory)
		pane_listen_to_buffer(pane, known->memory);
	return known->memory;
}

int
pane_take(struct pane *pane, const struct kr_composed_frame *frame)
{
	struct import *import;
	struct slot *slot;
	int ret;

	if (frame->width != pane->slots.width || frame->height != pane->slots.height)
		resize(pane, frame->width, frame->height);
	import = pane_import(pane, frame);
	ret = slots_take(&pane->slots, frame, import != NULL, &slot);
	if (ret || !slot)
		return ret;
	known_of(pane, slot)->next = slot->hold ? import->buffer : own_buffer(pane, slot);
	return known_of(pane, slot)->next ? 0 : -ENOMEM;
}

static void
ask_for_feedback(struct pane *pane, struct pane_slot *known)
{
	if (!pane->presentation)
		return;
	known->feedback = wp_presentation_feedback(pane->presentation, pane->surface);
	if (known->feedback)
		wp_presentation_feedback_add_listener(known->feedback, &feedback_listener, known);
}

int
pane_send(struct pane *pane)
{
	struct slot *slot = slots_waiting(&pane->slots);
	struct pane_slot *known;

	if (!slot || !pane->configured || pane->frame || pane->full)
		return 0;
	known = known_of(pane, slot);
	pane->frame = wl_surface_frame(pane->surface);
	if (!pane->frame)
		return pane_lose(pane, "no memory for a picture");
	wl_callback_add_listener(pane->frame, &frame_listener, pane);
	ask_for_feedback(pane, known);
	wl_surface_attach(pane->surface, known->next, 0, 0);
	wl_surface_damage(pane->surface, 0, 0, INT32_MAX, INT32_MAX);
	wl_surface_commit(pane->surface);
	known->sent = known->next;
	known->next = NULL;
	slot->state = SLOT_SENT;
	return 0;
}
