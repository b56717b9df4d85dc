/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that Krafla's own windows know and no other platform's do (window.h). */
#include <errno.h>

#include "window/state.h"

static int
describe_producer(struct kr_window *window, const char *device)
{
	if (!device)
		return -EINVAL;
	kr_queue_describe(window->queue, device);
	return 0;
}

static int
next_wanted(struct kr_window *window, bool *wanted)
{
	if (!wanted)
		return -EINVAL;
	*wanted = kr_queue_next_wanted(window->queue);
	return 0;
}

static int
say_no_pixels(struct kr_window *window)
{
	kr_mutex_lock(&window->lock);
	window->state.input.no_pixels = true;
	kr_mutex_unlock(&window->lock);
	return 0;
}

static int
set_presentation(struct kr_window *window, const struct kr_presentation *presentation)
{
	struct kr_queue_config config;
	int err;

	if (!presentation)
		return -EINVAL;
	kr_queue_get_config(window->queue, &config);
	err = kr_presentation_check(presentation, &config.abilities);
	if (err)
		return err;
	kr_mutex_lock(&window->lock);
	window->state.input.presentation = *presentation;
	window->state.presents = true;
	kr_mutex_unlock(&window->lock);
	return 0;
}

static int
get_abilities(struct kr_window *window, struct kr_abilities *abilities)
{
	struct kr_queue_config config;

	if (!abilities)
		return -EINVAL;
	kr_queue_get_config(window->queue, &config);
	*abilities = config.abilities;
	return 0;
}

static int
get_shape(struct kr_window *window, struct kr_window_shape *shape)
{
	struct kr_queue_config config;
	int hint, err;

	if (!shape)
		return -EINVAL;
	kr_queue_get_config(window->queue, &config);
	err = kr_window_query(&window->base, NATIVE_WINDOW_TRANSFORM_HINT, &hint);
	if (!err)
		*shape = (struct kr_window_shape){
			config.default_width, config.default_height, (uint32_t)hint};
	return err;
}

static int
last_shown(struct kr_window *window, uint64_t *number)
{
	if (!number)
		return -EINVAL;
	*number = kr_queue_last_shown(window->queue);
	return 0;
}

static int
shown_time(struct kr_window *window, uint64_t number, int64_t *time_ns)
{
	return time_ns ? kr_queue_shown_time(window->queue, number, time_ns) : -EINVAL;
}

static int
came_back_time(struct kr_window *window, uint64_t number, int64_t *time_ns)
{
	return time_ns ? kr_queue_came_back_time(window->queue, number, time_ns) : -EINVAL;
}

static int
set_target(struct kr_window *window, const struct kr_frame_target *target)
{
	if (!target || target->kind >= KR_TARGET_COUNT || target->time_ns < 0)
		return -EINVAL;
	kr_mutex_lock(&window->lock);
	window->state.target = *target;
	kr_mutex_unlock(&window->lock);
	return 0;
}

static int
get_timing(struct kr_window *window, struct kr_window_timing *timing)
{
	struct kr_queue_config config;

	if (!timing)
		return -EINVAL;
	/* It may have said something else by now. */
	(void)kr_queue_alive(window->queue);
	kr_queue_get_config(window->queue, &config);
	*timing = (struct kr_window_timing){config.timing, config.refresh_ns};
	return 0;
}

static int
frame_times(struct kr_window *window, uint64_t number, struct kr_frame_times *times)
{
	return times ? kr_queue_frame_times(window->queue, number, times) : -EINVAL;
}

static int
wait_vblank(struct kr_window *window, va_list args)
{
	uint64_t *count = va_arg(args, uint64_t *);
	int64_t *time_ns = va_arg(args, int64_t *);
	int64_t deadline_ns = va_arg(args, int64_t);

	return count && time_ns ? kr_queue_wait_vblank(window->queue, count, time_ns, deadline_ns)
				: -EINVAL;
}

static int
set_window_size(struct kr_window *window, uint32_t width, uint32_t height)
{
	if (width > KR_WINDOW_MAX_EXTENT || height > KR_WINDOW_MAX_EXTENT || !width != !height)
		return -EINVAL;
	kr_mutex_lock(&window->lock);
	window->state.input.window_width = width;
	window->state.input.window_height = height;
	kr_mutex_unlock(&window->lock);
	return 0;
}

/* How frames are shown, and what is told of it. */
static int
perform_presentation(struct kr_window *window, int operation, va_list args)
{
	uint64_t number;
	uint32_t width;

	switch (operation) {
	case KR_WINDOW_SET_PRESENTATION:
		return set_presentation(window, va_arg(args, const struct kr_presentation *));
	case KR_WINDOW_GET_ABILITIES:
		return get_abilities(window, va_arg(args, struct kr_abilities *));
	case KR_WINDOW_GET_SHAPE:
		return get_shape(window, va_arg(args, struct kr_window_shape *));
	case KR_WINDOW_WAIT_SHOWN:
		number = va_arg(args, uint64_t);
		return kr_queue_wait_shown(window->queue, number, va_arg(args, int64_t));
	case KR_WINDOW_LAST_SHOWN:
		return last_shown(window, va_arg(args, uint64_t *));
	case KR_WINDOW_SHOWN_TIME:
		number = va_arg(args, uint64_t);
		return shown_time(window, number, va_arg(args, int64_t *));
	case KR_WINDOW_CAME_BACK_TIME:
		number = va_arg(args, uint64_t);
		return came_back_time(window, number, va_arg(args, int64_t *));
	case KR_WINDOW_SET_TARGET:
		return set_target(window, va_arg(args, const struct kr_frame_target *));
	case KR_WINDOW_GET_TIMING:
		return get_timing(window, va_arg(args, struct kr_window_timing *));
	case KR_WINDOW_FRAME_TIMES:
		number = va_arg(args, uint64_t);
		return frame_times(window, number, va_arg(args, struct kr_frame_times *));
	case KR_WINDOW_SET_HDR:
		return kr_window_set_hdr(window, va_arg(args, const struct kr_hdr_metadata *));
	case KR_WINDOW_WAIT_VBLANK:
		return wait_vblank(window, args);
	case KR_WINDOW_SET_WINDOW_SIZE:
		width = va_arg(args, uint32_t);
		return set_window_size(window, width, va_arg(args, uint32_t));
	default:
		return -ENOENT;
	}
}

int
kr_window_perform_own(struct kr_window *window, int operation, va_list args)
{
	switch (operation) {
	case KR_WINDOW_DESCRIBE_PRODUCER:
		return describe_producer(window, va_arg(args, const char *));
	case KR_WINDOW_NEXT_WANTED:
		return next_wanted(window, va_arg(args, bool *));
	case KR_WINDOW_NO_PIXELS:
		return say_no_pixels(window);
	default:
		return perform_presentation(window, operation, args);
	}
}
