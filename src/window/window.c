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

void
kr_window_make_request(struct kr_window *window, struct kr_queue_request *request)
{
	const struct kr_window_state *state = &window->state;
	bool own;

	kr_mutex_lock(&window->lock);
	own = state->width && state->height;
	*request = (struct kr_queue_request){
		.width = own ? state->width : state->user_width,
		.height = own ? state->height : state->user_height,
		.format = state->format,
		.usage = state->usage,
		.deadline_ns = KR_FOREVER,
	};
	kr_mutex_unlock(&window->lock);
}

/*
 * In shared buffer mode with auto-refresh the buffer is given again at once, also to who has it
 * already, once a frame of it was queued.
 */
static int
dequeue_shared(struct kr_window *window, int err, struct kr_buffer **buffer, int *fence)
{
	if (err != -ENOSYS)
		return err;
	kr_mutex_lock(&window->lock);
	if (window->state.auto_refresh && window->state.shared) {
		*buffer = window->state.shared;
		*fence = -1;
		err = 0;
	}
	kr_mutex_unlock(&window->lock);
	return err;
}

int
kr_window_dequeue_buffer(ANativeWindow *base, ANativeWindowBuffer **out, int *fence)
{
	struct kr_window *window = kr_window_from_base(base);
	struct kr_queue_request request;
	struct kr_buffer *buffer;
	int64_t start = kr_clock_now();
	uint32_t slot, age;
	int err;

	if (!out || !fence)
		return -EINVAL;
	kr_window_make_request(window, &request);
	err = kr_queue_dequeue(window->queue, &request, &slot, &buffer, fence);
	age = err ? 0 : kr_queue_buffer_age(window->queue, slot);
	err = dequeue_shared(window, err, &buffer, fence);
	if (err)
		return err;
	*fence = kr_fault_fence(KRAFLA_FAULT_AT_DEQUEUE, *fence);
	kr_mutex_lock(&window->lock);
	window->state.buffer_age = (int32_t)age;
	window->state.dequeue_start_ns = start;
	window->state.dequeue_duration_ns = kr_clock_now() - start;
	kr_mutex_unlock(&window->lock);
	*out = kr_buffer_native(buffer);
	return 0;
}

/*
 * A buffer begins with its ANativeWindowBuffer, so its address says which it is. What is in there
 * isn't looked at, its handle neither: after a disconnect it may be gone.
 */
int
kr_window_slot_of(struct kr_window *window, ANativeWindowBuffer *buffer, uint32_t *slot)
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
	input.transform ^= window->state.sticky_transform;
	input.presentation.tell_events |= window->state.tells_times;
	if (window->state.target.kind)
		input.target = window->state.target;
	window->state.target = (struct kr_frame_target){0};
	kr_mutex_unlock(&window->lock);
	return input;
}

/*
 * A frame was queued: of a shared buffer, if there is one. Any other may be gone by now, with who
 * took the frame.
 */
static void
remember_shared(struct kr_window *window, const ANativeWindowBuffer *buffer)
{
	struct kr_buffer *shared =
		kr_queue_get_shared(window->queue, (const struct kr_buffer *)(const void *)buffer);
	struct kr_buffer *unused = shared;

	if (!shared)
		return;
	kr_mutex_lock(&window->lock);
	if (window->state.auto_refresh) {
		unused = window->state.shared;
		window->state.shared = shared;
	}
	kr_mutex_unlock(&window->lock);
	kr_buffer_unref(unused);
}

void
kr_window_forget_shared(struct kr_window *window)
{
	struct kr_buffer *shared;

	kr_mutex_lock(&window->lock);
	shared = window->state.shared;
	window->state.shared = NULL;
	kr_mutex_unlock(&window->lock);
	kr_buffer_unref(shared);
}

int
kr_window_queue_buffer(ANativeWindow *base, ANativeWindowBuffer *buffer, int fence)
{
	struct kr_window *window = kr_window_from_base(base);
	/* Taken whatever comes of it: the next frame is another. */
	struct kr_queue_input input = take_input(window);
	int64_t start = kr_clock_now();
	bool shares;
	uint32_t slot;
	int err = kr_window_slot_of(window, buffer, &slot);

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
	shares = window->state.auto_refresh;
	kr_mutex_unlock(&window->lock);
	if (!err && shares)
		remember_shared(window, buffer);
	return err;
}

/* It is shared with auto-refresh, and given again at once: there is nothing to give back. */
static bool
stays_shared(struct kr_window *window, const ANativeWindowBuffer *buffer)
{
	bool stays;

	kr_mutex_lock(&window->lock);
	stays = window->state.auto_refresh && window->state.shared &&
		kr_buffer_native(window->state.shared) == buffer;
	kr_mutex_unlock(&window->lock);
	return stays;
}

int
kr_window_cancel_buffer(ANativeWindow *base, ANativeWindowBuffer *buffer, int fence)
{
	struct kr_window *window = kr_window_from_base(base);
	uint32_t slot;
	int err = kr_window_slot_of(window, buffer, &slot);

	if (!err && stays_shared(window, buffer)) {
		kr_fd_close(&fence);
		return 0;
	}
	if (err) {
		kr_fd_close(&fence);
		return err;
	}
	fence = kr_fault_fence(KRAFLA_FAULT_AT_CANCEL, fence);
	/* The buffer goes back all the same: a caller has no other way to get rid of it. */
	(void)kr_window_check_fence("cancelBuffer", &fence);
	return kr_queue_cancel(window->queue, slot, fence);
}

int
kr_window_dequeue_ready(ANativeWindow *base, ANativeWindowBuffer **out)
{
	struct kr_window *window = kr_window_from_base(base);
	struct kr_fence_watchdog late = {0};
	ANativeWindowBuffer *buffer;
	int64_t timeout;
	int fence, err;

	if (!out)
		return -EINVAL;
	err = kr_window_dequeue_buffer(base, &buffer, &fence);
	if (err)
		return err;
	timeout = kr_queue_timeout(window->queue);
	err = kr_fence_wait_watched(fence,
		timeout < 0 ? KR_FOREVER : kr_deadline_in((uint64_t)timeout), &late,
		"ANativeWindow: dequeueBuffer");
	if (err == -ETIME) {
		err = kr_window_cancel_buffer(base, buffer, fence);
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

	return kr_window_slot_of(kr_window_from_base(base), buffer, &slot);
}

static int
queue_buffer_deprecated(ANativeWindow *base, ANativeWindowBuffer *buffer)
{
	return kr_window_queue_buffer(base, buffer, -1);
}

static int
cancel_buffer_deprecated(ANativeWindow *base, ANativeWindowBuffer *buffer)
{
	return kr_window_cancel_buffer(base, buffer, -1);
}

/* ---- the functions of the window, each with its interceptor ---- */

static int
hook_dequeue(ANativeWindow *base, ANativeWindowBuffer **out, int *fence)
{
	struct kr_interceptor set;

	if (!kr_window_find_interceptor(
		    kr_window_from_base(base), NATIVE_WINDOW_SET_DEQUEUE_INTERCEPTOR, &set))
		return kr_window_dequeue_buffer(base, out, fence);
	return ((ANativeWindow_dequeueBufferInterceptor)set.function)(
		base, kr_window_dequeue_buffer, set.data, out, fence);
}

static int
hook_queue(ANativeWindow *base, ANativeWindowBuffer *buffer, int fence)
{
	struct kr_interceptor set;

	if (!kr_window_find_interceptor(
		    kr_window_from_base(base), NATIVE_WINDOW_SET_QUEUE_INTERCEPTOR, &set))
		return kr_window_queue_buffer(base, buffer, fence);
	return ((ANativeWindow_queueBufferInterceptor)set.function)(
		base, kr_window_queue_buffer, set.data, buffer, fence);
}

static int
hook_cancel(ANativeWindow *base, ANativeWindowBuffer *buffer, int fence)
{
	struct kr_interceptor set;

	if (!kr_window_find_interceptor(
		    kr_window_from_base(base), NATIVE_WINDOW_SET_CANCEL_INTERCEPTOR, &set))
		return kr_window_cancel_buffer(base, buffer, fence);
	return ((ANativeWindow_cancelBufferInterceptor)set.function)(
		base, kr_window_cancel_buffer, set.data, buffer, fence);
}

static int
hook_query(const ANativeWindow *base, int what, int *value)
{
	struct kr_interceptor set;

	if (!kr_window_find_interceptor(
		    kr_window_from_base(base), NATIVE_WINDOW_SET_QUERY_INTERCEPTOR, &set))
		return kr_window_query(base, what, value);
	return ((ANativeWindow_queryInterceptor)set.function)(
		base, kr_window_query, set.data, what, value);
}

static int
hook_perform(ANativeWindow *base, int operation, ...)
{
	struct kr_window *window = kr_window_from_base(base);
	struct kr_interceptor set;
	va_list args;
	int err;

	va_start(args, operation);
	if (kr_window_sets_interceptor(operation))
		err = kr_window_perform_intercept(window, operation, args);
	else if (kr_window_find_interceptor(window, NATIVE_WINDOW_SET_PERFORM_INTERCEPTOR, &set))
		err = ((ANativeWindow_performInterceptor)set.function)(
			base, kr_window_perform_args, set.data, operation, args);
	else
		err = kr_window_perform_args(base, operation, args);
	va_end(args);
	return err;
}

static void
handle_inc_ref(android_native_base_t *base)
{
	atomic_fetch_add_explicit(&((struct kr_window *)base)->refs, 1, memory_order_relaxed);
}

/*
 * Who draws by the CPU may never have connected himself (ANativeWindow_lock does), and so doesn't
 * disconnect. The queue may have another window, now or later.
 */
static void
end_cpu_connection(struct kr_window *window) KR_NO_THREAD_SAFETY
{
	if (window->state.api == NATIVE_WINDOW_API_CPU)
		(void)kr_queue_disconnect_local(window->queue);
}

static void
handle_dec_ref(android_native_base_t *base)
{
	struct kr_window *window = (struct kr_window *)base;

	if (atomic_fetch_sub_explicit(&window->refs, 1, memory_order_acq_rel) != 1)
		return;
	kr_window_draw_end(window);
	kr_window_forget_shared(window);
	end_cpu_connection(window);
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
	.dequeueBuffer_DEPRECATED = kr_window_dequeue_ready,
	.lockBuffer_DEPRECATED = lock_buffer_deprecated,
	.queueBuffer_DEPRECATED = queue_buffer_deprecated,
	.query = hook_query,
	.perform = hook_perform,
	.cancelBuffer_DEPRECATED = cancel_buffer_deprecated,
	.dequeueBuffer = hook_dequeue,
	.queueBuffer = hook_queue,
	.cancelBuffer = hook_cancel,
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

int
kr_window_create_asked(struct kr_queue *queue, ANativeWindow **window)
{
	int err = kr_window_create(queue, window);

	if (!err)
		kr_queue_keep_last(queue);
	return err;
}

struct kr_queue *
kr_window_queue(ANativeWindow *window)
{
	if (!window || window->common.magic != ANDROID_NATIVE_WINDOW_MAGIC ||
		window->common.incRef != handle_inc_ref)
		return NULL;
	return kr_window_from_base(window)->queue;
}
