/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a window does for perform(). The arguments' types are those that Android's window.h passes.
 * An operation that exists on Android and can't be done here is -ENOSYS, an unknown one -ENOENT;
 * nothing succeeds without effect, except what asks for the state that is there already.
 */
#include <errno.h>
#include <string.h>

#include "window/state.h"

void
kr_window_reset_locked(struct kr_window *window)
{
	const struct kr_window_state before = window->state;

	memset(&window->state, 0, sizeof(window->state));
	/* Of the window, whoever draws into it. */
	window->state.input.window_width = before.input.window_width;
	window->state.input.window_height = before.input.window_height;
	window->state.input.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO;
}

static int
connect_api(struct kr_window *window, int api)
{
	int err = kr_queue_connect(window->queue, api);

	if (err)
		return err;
	kr_mutex_lock(&window->lock);
	window->state.api = api;
	kr_mutex_unlock(&window->lock);
	return 0;
}

static int
disconnect_api(struct kr_window *window, int api)
{
	int err;

	if (api == NATIVE_WINDOW_API_CPU)
		kr_window_draw_end(window);
	err = kr_queue_disconnect(window->queue, api);
	if (err)
		return err;
	kr_window_forget_shared(window);
	kr_mutex_lock(&window->lock);
	kr_window_reset_locked(window);
	kr_mutex_unlock(&window->lock);
	return 0;
}

static int
set_buffer_count(struct kr_window *window, size_t count)
{
	return kr_queue_set_buffer_count(
		window->queue, (uint32_t)KR_MIN(count, (size_t)KR_QUEUE_SLOTS + 1));
}

/* What the far end can't is told as what windows here can't. */
static int
not_here(int err)
{
	return err == -EOPNOTSUPP ? -ENOSYS : err;
}

static int
get_refresh(struct kr_window *window, int64_t *duration)
{
	struct kr_queue_config config;

	/* It may have said another one by now. */
	(void)kr_queue_alive(window->queue);
	kr_queue_get_config(window->queue, &config);
	if (!config.refresh_ns)
		return -ENOSYS;
	*duration = config.refresh_ns;
	return 0;
}

static int
get_long(struct kr_window *window, const int64_t *from, int64_t *to)
{
	if (!to)
		return -EINVAL;
	kr_mutex_lock(&window->lock);
	*to = *from;
	kr_mutex_unlock(&window->lock);
	return 0;
}

/* What a window can tell through a pointer. */
static int
perform_get(struct kr_window *window, int operation, va_list args)
{
	const struct kr_window_state *state = &window->state;
	struct kr_queue_config config;
	void *to = va_arg(args, void *);

	if (!to)
		return -EINVAL;
	switch (operation) {
	case NATIVE_WINDOW_GET_REFRESH_CYCLE_DURATION:
		return get_refresh(window, to);
	case NATIVE_WINDOW_GET_NEXT_FRAME_ID:
		*(uint64_t *)to = kr_queue_next_frame(window->queue);
		return 0;
	case NATIVE_WINDOW_GET_CONSUMER_USAGE64:
		kr_queue_get_config(window->queue, &config);
		*(uint64_t *)to = config.consumer_usage;
		return 0;
	case NATIVE_WINDOW_GET_LAST_DEQUEUE_START:
		return get_long(window, &state->dequeue_start_ns, to);
	case NATIVE_WINDOW_GET_LAST_DEQUEUE_DURATION:
		return get_long(window, &state->dequeue_duration_ns, to);
	default:
		return get_long(window, &state->queue_duration_ns, to);
	}
}

/* What can't be done here: turning it off is fine. */
static int
perform_off(int operation, va_list args)
{
	if (operation == NATIVE_WINDOW_SET_SIDEBAND_STREAM)
		return va_arg(args, const void *) ? -ENOSYS : 0;
	/* NATIVE_WINDOW_SET_BUFFERS_HDR10_PLUS_METADATA */
	return va_arg(args, size_t) ? -ENOSYS : 0;
}

static int
set_frame_rate(struct kr_window *window, va_list args)
{
	double rate = va_arg(args, double);
	int compatibility = va_arg(args, int);
	int strategy = va_arg(args, int);
	const struct kr_frame_rate wish = {(float)rate, (int8_t)compatibility, (int8_t)strategy};

	if (wish.compatibility != compatibility || wish.strategy != strategy)
		return -EINVAL;
	return not_here(kr_queue_set_frame_rate(window->queue, &wish));
}

static int
set_shared(struct kr_window *window, bool shared)
{
	if (!shared)
		kr_window_forget_shared(window);
	return not_here(kr_queue_set_shared(window->queue, shared));
}

static int
set_auto_refresh(struct kr_window *window, bool auto_refresh)
{
	int err = not_here(kr_queue_set_auto_refresh(window->queue, auto_refresh));

	if (err)
		return err;
	kr_mutex_lock(&window->lock);
	window->state.auto_refresh = auto_refresh;
	kr_mutex_unlock(&window->lock);
	if (!auto_refresh)
		kr_window_forget_shared(window);
	return 0;
}

#define WIDE                                                                                       \
	(KR_ABILITY(KR_COLOUR_DISPLAY_P3) | KR_ABILITY(KR_COLOUR_SCRGB) |                          \
		KR_ABILITY(KR_COLOUR_SCRGB_LINEAR))
#define HDR (KR_ABILITY(KR_COLOUR_BT2020_PQ) | KR_ABILITY(KR_COLOUR_BT2020_HLG))

static int
get_colours(struct kr_window *window, uint32_t colours, bool *shows)
{
	struct kr_queue_config config;

	if (!shows)
		return -EINVAL;
	kr_queue_get_config(window->queue, &config);
	*shows = (config.abilities.colours & colours) != 0;
	return 0;
}

/* Of a frame timeline, and options that nobody here knows. */
static int
refuse(struct kr_window *window, int operation)
{
	int api;

	kr_mutex_lock(&window->lock);
	api = window->state.api;
	kr_mutex_unlock(&window->lock);
	return operation == NATIVE_WINDOW_SET_BUFFERS_ADDITIONAL_OPTIONS && !api ? -ENODEV
										 : -ENOSYS;
}

static int
perform_list(struct kr_window *window, int operation, va_list args)
{
	ANativeWindow_Buffer *pixels;

	switch (operation) {
	case NATIVE_WINDOW_CONNECT:
	case NATIVE_WINDOW_DISCONNECT:
		/* Nothing by definition since API connections exist. */
		return 0;
	case NATIVE_WINDOW_API_CONNECT:
		return connect_api(window, va_arg(args, int));
	case NATIVE_WINDOW_API_DISCONNECT:
		return disconnect_api(window, va_arg(args, int));
	case NATIVE_WINDOW_SET_BUFFER_COUNT:
		return set_buffer_count(window, va_arg(args, size_t));
	case NATIVE_WINDOW_SET_SHARED_BUFFER_MODE:
		return set_shared(window, va_arg(args, int) != 0);
	case NATIVE_WINDOW_SET_AUTO_REFRESH:
		return set_auto_refresh(window, va_arg(args, int) != 0);
	case NATIVE_WINDOW_SET_AUTO_PREROTATION:
		kr_queue_set_auto_prerotation(window->queue, va_arg(args, int) != 0);
		return 0;
	case NATIVE_WINDOW_SET_FRAME_RATE:
		return set_frame_rate(window, args);
	case NATIVE_WINDOW_ALLOCATE_BUFFERS:
		return kr_window_allocate(window);
	case NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER:
	case NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER2:
		return kr_window_perform_last(window, operation, args);
	case NATIVE_WINDOW_GET_WIDE_COLOR_SUPPORT:
		return get_colours(window, WIDE, va_arg(args, bool *));
	case NATIVE_WINDOW_GET_HDR_SUPPORT:
		return get_colours(window, HDR, va_arg(args, bool *));
	case NATIVE_WINDOW_GET_REFRESH_CYCLE_DURATION:
	case NATIVE_WINDOW_GET_NEXT_FRAME_ID:
	case NATIVE_WINDOW_GET_CONSUMER_USAGE64:
	case NATIVE_WINDOW_GET_LAST_DEQUEUE_START:
	case NATIVE_WINDOW_GET_LAST_DEQUEUE_DURATION:
	case NATIVE_WINDOW_GET_LAST_QUEUE_DURATION:
		return perform_get(window, operation, args);
	case NATIVE_WINDOW_SET_SIDEBAND_STREAM:
	case NATIVE_WINDOW_SET_BUFFERS_HDR10_PLUS_METADATA:
		return perform_off(operation, args);
	case KR_WINDOW_DESCRIBE_PRODUCER:
	case KR_WINDOW_NEXT_WANTED:
	case KR_WINDOW_NO_PIXELS:
	case KR_WINDOW_SET_PRESENTATION:
	case KR_WINDOW_GET_ABILITIES:
	case KR_WINDOW_WAIT_SHOWN:
	case KR_WINDOW_LAST_SHOWN:
	case KR_WINDOW_WAIT_VBLANK:
	case KR_WINDOW_SET_WINDOW_SIZE:
	case KR_WINDOW_GET_SHAPE:
	case KR_WINDOW_SHOWN_TIME:
	case KR_WINDOW_CAME_BACK_TIME:
	case KR_WINDOW_SET_TARGET:
	case KR_WINDOW_GET_TIMING:
	case KR_WINDOW_FRAME_TIMES:
	case KR_WINDOW_SET_HDR:
		return kr_window_perform_own(window, operation, args);
	case NATIVE_WINDOW_LOCK:
		pixels = va_arg(args, ANativeWindow_Buffer *);
		return kr_window_draw_lock(window, pixels, va_arg(args, ARect *));
	case NATIVE_WINDOW_UNLOCK_AND_POST:
		return kr_window_draw_post(window);
	case NATIVE_WINDOW_SET_POST_TRANSFORM_CROP:
	case NATIVE_WINDOW_SET_FRAME_TIMELINE_INFO:
	case NATIVE_WINDOW_SET_BUFFERS_ADDITIONAL_OPTIONS:
		return refuse(window, operation);
	case NATIVE_WINDOW_ENABLE_FRAME_TIMESTAMPS:
	case NATIVE_WINDOW_GET_COMPOSITOR_TIMING:
	case NATIVE_WINDOW_GET_FRAME_TIMESTAMPS:
		return kr_window_perform_times(window, operation, args);
	case KR_WINDOW_ATTACH:
	case KR_WINDOW_DETACH:
	case KR_WINDOW_DETACH_NEXT:
	case KR_WINDOW_SET_GENERATION:
	case KR_WINDOW_ALLOW_ALLOCATION:
	case KR_WINDOW_SET_LEGACY_DROP:
	case KR_WINDOW_SET_MAX_DEQUEUED:
	case KR_WINDOW_WATCH:
	case KR_WINDOW_NEXT_NOTICE:
		return kr_window_perform_buffers(window, operation, args);
	default:
		return kr_window_perform_say(window, operation, args);
	}
}

int
kr_window_perform_args(ANativeWindow *base, int operation, va_list args)
{
	return perform_list(kr_window_from_base(base), operation, args);
}

int
kr_window_perform_past(ANativeWindow *base, int operation, ...)
{
	va_list args;
	int err;

	va_start(args, operation);
	err = kr_window_perform_args(base, operation, args);
	va_end(args);
	return err;
}
