/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: references, and the buffers that go through them (S-10). */
#include "window/window.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "sync/fault/fault.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/state.h"

_Static_assert(sizeof(android_native_base_t) == 56, "android_native_base_t");
_Static_assert(sizeof(ANativeWindow) == 192, "ANativeWindow");
_Static_assert(offsetof(ANativeWindow, flags) == 56, "flags");
_Static_assert(offsetof(ANativeWindow, xdpi) == 68, "xdpi");
_Static_assert(offsetof(ANativeWindow, oem) == 80, "oem");
_Static_assert(offsetof(ANativeWindow, setSwapInterval) == 112, "setSwapInterval");
_Static_assert(offsetof(ANativeWindow, query) == 144, "query");
_Static_assert(offsetof(ANativeWindow, perform) == 152, "perform");
_Static_assert(offsetof(ANativeWindow, dequeueBuffer) == 168, "dequeueBuffer");
_Static_assert(offsetof(ANativeWindow, cancelBuffer) == 184, "cancelBuffer");

static int
set_swap_interval(ANativeWindow *base, int interval)
{
	struct kr_window *window = kr_window_from_base(base);
	/* Clamped to the interval that the window announces, as EGL words it. */
	bool async = interval <= base->minSwapInterval;
	int err = kr_queue_set_async(window->queue, async);

	if (err)
		return err;
	kr_mutex_lock(&window->lock);
	if (!window->state.presents)
		window->state.input.presentation.mode =
			async ? KR_PRESENT_MAILBOX : KR_PRESENT_FIFO;
	kr_mutex_unlock(&window->lock);
	return 0;
}

static void
make_request(struct kr_window *window, struct kr_queue_request *request)
{
	const struct kr_window_state *state = &window->state;
	bool own = state->width && state->height;

	kr_mutex_lock(&window->lock);
	*request = (struct kr_queue_request){
		.width = own ? state->width : state->user_width,
		.height = own ? state->height : state->user_height,
		.format = state->format,
		.usage = state->usage,
		.deadline_ns = KR_FOREVER,
	};
	kr_mutex_unlock(&window->lock);
}

static int
dequeue_buffer(ANativeWindow *base, ANativeWindowBuffer **out, int *fence)
{
	struct kr_window *window = kr_window_from_base(base);
	struct kr_queue_request request;
	struct kr_buffer *buffer;
	int64_t start = kr_clock_now();
	uint32_t slot, age;
	int err;

	if (!out || !fence)
		return -EINVAL;
	make_request(window, &request);
	err = kr_queue_dequeue(window->queue, &request, &slot, &buffer, fence);
	if (err)
		return err;
	*fence = kr_fault_fence(KRAFLA_FAULT_AT_DEQUEUE, *fence);
	age = kr_queue_buffer_age(window->queue, slot);
	kr_mutex_lock(&window->lock);
	window->state.buffer_age = (int32_t)age;
	window->state.dequeue_start_ns = start;
	window->state.dequeue_duration_ns = kr_clock_now() - start;
	kr_mutex_unlock(&window->lock);
	*out = kr_buffer_native(buffer);
	return 0;
}

/*
 * The slot of a buffer that the producer has. A buffer begins with its ANativeWindowBuffer, and
 * only the addresses are compared: whatever is handed in, it isn't looked into.
 */
static int
slot_of(struct kr_window *window, ANativeWindowBuffer *buffer, uint32_t *slot)
{
	return kr_queue_slot_of(
		window->queue, (const struct kr_buffer *)(const void *)buffer, slot);
}

bool
kr_window_check_fence(const char *function, int *fence)
{
	if (kr_fence_status(*fence) != -EINVAL)
		return true;
	kr_error("%s: the descriptor %d is no fence; give a fence or -1", function, *fence);
	kr_fd_close(fence);
	return false;
}

/* What was said about the frame. Damage is said for one, as are a target and a lack of pixels. */
static struct kr_queue_input
take_input(struct kr_window *window)
{
	struct kr_queue_input input;

	kr_mutex_lock(&window->lock);
	input = window->state.input;
	window->state.input.damage_count = 0;
	window->state.input.no_pixels = false;
	input.presentation.tell_events |= window->state.tells_times;
	if (window->state.target.kind)
		input.target = window->state.target;
	window->state.target = (struct kr_frame_target){0};
	kr_mutex_unlock(&window->lock);
	return input;
}

static int
queue_buffer(ANativeWindow *base, ANativeWindowBuffer *buffer, int fence)
{
	struct kr_window *window = kr_window_from_base(base);
	/* Taken whatever comes of it: the next frame is another. */
	struct kr_queue_input input = take_input(window);
	int64_t start = kr_clock_now();
	uint32_t slot;
	int err = slot_of(window, buffer, &slot);

	if (err) {
		kr_fd_close(&fence);
		return err;
	}
	fence = kr_fault_fence(KRAFLA_FAULT_AT_QUEUE, fence);
	/* The far end would cut off who sends it this. */
	if (!kr_window_check_fence("queueBuffer", &fence))
		return -EINVAL;
	err = kr_queue_queue(window->queue, slot, &input, fence, NULL);
	kr_mutex_lock(&window->lock);
	window->state.queue_duration_ns = kr_clock_now() - start;
	kr_mutex_unlock(&window->lock);
	return err;
}

static int
cancel_buffer(ANativeWindow *base, ANativeWindowBuffer *buffer, int fence)
{
	struct kr_window *window = kr_window_from_base(base);
	uint32_t slot;
	int err = slot_of(window, buffer, &slot);

	if (err) {
		kr_fd_close(&fence);
		return err;
	}
	fence = kr_fault_fence(KRAFLA_FAULT_AT_CANCEL, fence);
	/* The buffer goes back all the same: a caller has no other way to get rid of it. */
	(void)kr_window_check_fence("cancelBuffer", &fence);
	return kr_queue_cancel(window->queue, slot, fence);
}

static int
dequeue_buffer_deprecated(ANativeWindow *base, ANativeWindowBuffer **out)
{
	struct kr_window *window = kr_window_from_base(base);
	struct kr_fence_watchdog late = {0};
	ANativeWindowBuffer *buffer;
	int64_t timeout;
	int fence, err;

	if (!out)
		return -EINVAL;
	err = dequeue_buffer(base, &buffer, &fence);
	if (err)
		return err;
	timeout = kr_queue_timeout(window->queue);
	err = kr_fence_wait_watched(fence,
		timeout < 0 ? KR_FOREVER : kr_deadline_in((uint64_t)timeout), &late,
		"ANativeWindow: dequeueBuffer");
	if (err == -ETIME) {
		err = cancel_buffer(base, buffer, fence);
		return err ? err : -ETIMEDOUT;
	}
	/* A fence that failed is done, too: nobody reads the buffer any more. */
	kr_fd_close(&fence);
	*out = buffer;
	return 0;
}

static int
lock_buffer_deprecated(ANativeWindow *base, ANativeWindowBuffer *buffer)
{
	uint32_t slot;

	return slot_of(kr_window_from_base(base), buffer, &slot);
}

static int
queue_buffer_deprecated(ANativeWindow *base, ANativeWindowBuffer *buffer)
{
	return queue_buffer(base, buffer, -1);
}

static int
cancel_buffer_deprecated(ANativeWindow *base, ANativeWindowBuffer *buffer)
{
	return cancel_buffer(base, buffer, -1);
}

static void
handle_inc_ref(android_native_base_t *base)
{
	atomic_fetch_add_explicit(&((struct kr_window *)base)->refs, 1, memory_order_relaxed);
}

static void
handle_dec_ref(android_native_base_t *base)
{
	struct kr_window *window = (struct kr_window *)base;

	if (atomic_fetch_sub_explicit(&window->refs, 1, memory_order_acq_rel) != 1)
		return;
	kr_window_draw_end(window);
	kr_queue_unref(window->queue);
	kr_mutex_finish(&window->lock);
	base->magic = 0;
	free(window);
}

static const ANativeWindow window_template = {
	.common =
		{
			.magic = ANDROID_NATIVE_WINDOW_MAGIC,
			.version = sizeof(ANativeWindow),
			.incRef = handle_inc_ref,
			.decRef = handle_dec_ref,
		},
	.minSwapInterval = 0,
	.maxSwapInterval = 1,
	.setSwapInterval = set_swap_interval,
	.dequeueBuffer_DEPRECATED = dequeue_buffer_deprecated,
	.lockBuffer_DEPRECATED = lock_buffer_deprecated,
	.queueBuffer_DEPRECATED = queue_buffer_deprecated,
	.query = kr_window_query,
	.perform = kr_window_perform,
	.cancelBuffer_DEPRECATED = cancel_buffer_deprecated,
	.dequeueBuffer = dequeue_buffer,
	.queueBuffer = queue_buffer,
	.cancelBuffer = cancel_buffer,
};

int
kr_window_create(struct kr_queue *queue, ANativeWindow **window)
{
	struct kr_window *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	memcpy(&w->base, &window_template, sizeof(w->base));
	atomic_init(&w->refs, 1);
	w->queue = kr_queue_ref(queue);
	kr_mutex_init(&w->lock);
	kr_mutex_lock(&w->lock);
	kr_window_reset_locked(w);
	kr_mutex_unlock(&w->lock);
	*window = &w->base;
	return 0;
}

struct kr_queue *
kr_window_queue(ANativeWindow *window)
{
	if (!window || window->common.magic != ANDROID_NATIVE_WINDOW_MAGIC ||
		window->common.incRef != handle_inc_ref)
		return NULL;
	return kr_window_from_base(window)->queue;
}
