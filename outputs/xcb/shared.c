/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one buffer of shared modes: put into the window with each frame of it, and in the continuous
 * mode by a thread besides (refresh.c). It goes back when another frame is shown in its place and
 * the server has answered for its last put.
 */
#include "outputs/xcb/x_window.h"

/* Requests that may be on their way for it: more wait for the server's answers. */
#define PUTS_MAX 8

static bool
is_shared(const struct kr_frame *frame)
{
	return frame->presentation.mode == KR_PRESENT_SHARED_DEMAND ||
		frame->presentation.mode == KR_PRESENT_SHARED_CONTINUOUS;
}

/* Its newest put that is on its way; *count of all. */
static struct x_pending *
newest_put(struct x_window *x, uint32_t *count)
{
	struct x_pending *newest = NULL;

	*count = 0;
	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		struct x_pending *p = &x->pending[i];

		if (p->kind == X_PENDING_NONE || p->slot != x->shared_slot.slot)
			continue;
		(*count)++;
		if (!newest || p->order > newest->order)
			newest = p;
	}
	return newest;
}

static bool
has_room(const struct x_window *x)
{
	uint32_t count = 0;

	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++)
		count += x->pending[i].kind != X_PENDING_NONE &&
			x->pending[i].slot == x->shared_slot.slot;
	return count < PUTS_MAX;
}

static void
stop_refresh(struct x_window *x)
{
	x_refresh_stop(x->shared_slot.refresh);
	x->shared_slot.refresh = NULL;
}

/* Another has taken its place. */
static void
end(struct x_window *x)
{
	struct x_pending *last;
	uint32_t count;

	stop_refresh(x);
	x->shared_slot.on = false;
	last = newest_put(x, &count);
	if (last)
		last->stays = false;
	else
		(void)x->host->queue_release(
			x->queue, x->shared_slot.slot, x->shared_slot.number, -1);
}

int
x_shared_begin(struct x_window *x, const struct kr_frame *frame)
{
	if (!is_shared(frame))
		return 0;
	/* One swapchain after another: the producer was disconnected in between. */
	if (x->shared_slot.on && x->shared_slot.slot != frame->slot)
		end(x);
	x->shared_slot.on = true;
	x->shared_slot.slot = frame->slot;
	x->shared_slot.number = frame->number;
	return x_wait_until(x, has_room);
}

void
x_shared_end(struct x_window *x, const struct kr_frame *frame)
{
	if (!x->shared_slot.on)
		return;
	if (frame->slot != x->shared_slot.slot)
		end(x);
	else if (frame->presentation.mode != KR_PRESENT_SHARED_CONTINUOUS)
		stop_refresh(x);
	else if (!x->shared_slot.refresh && x_refresh_start(x, frame, &x->shared_slot.refresh))
		(void)x_lose(x, "a shared buffer can't be read at each refresh");
}

void
x_shared_forget(struct x_window *x)
{
	stop_refresh(x);
	x->shared_slot.on = false;
}
