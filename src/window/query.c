/* SPDX-License-Identifier: Apache-2.0 */
/* What a window answers to query(). */
#include <errno.h>
#include <krafla/hardware_buffer.h>

#include "window/state.h"

/* What the window's own state says; false when it isn't in there. */
static bool
query_state(struct kr_window *window, const struct kr_queue_config *config, int what, int *value)
{
	struct kr_window_state state;

	kr_mutex_lock(&window->lock);
	state = window->state;
	kr_mutex_unlock(&window->lock);
	switch (what) {
	case NATIVE_WINDOW_WIDTH:
		*value = (int)(state.user_width ? state.user_width : config->default_width);
		return true;
	case NATIVE_WINDOW_HEIGHT:
		*value = (int)(state.user_height ? state.user_height : config->default_height);
		return true;
	case NATIVE_WINDOW_FORMAT:
		*value = (int)(state.format ? state.format : config->default_format);
		return true;
	case NATIVE_WINDOW_BUFFER_AGE:
		*value = state.buffer_age;
		return true;
	case NATIVE_WINDOW_LAST_DEQUEUE_DURATION:
		*value = (int)(state.dequeue_duration_ns / 1000);
		return true;
	case NATIVE_WINDOW_LAST_QUEUE_DURATION:
		*value = (int)(state.queue_duration_ns / 1000);
		return true;
	case NATIVE_WINDOW_DATASPACE:
		*value = state.input.dataspace;
		return true;
	case NATIVE_WINDOW_STICKY_TRANSFORM:
		*value = state.sticky_transform;
		return true;
	case NATIVE_WINDOW_TRANSFORM_HINT:
		/* Who turns what he draws himself, or against the display, is told of no turn. */
		*value = state.sticky_transform ||
				(state.input.transform & NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY)
			? 0
			: (int)config->transform_hint;
		return true;
	default:
		return false;
	}
}

static int
query_queue(struct kr_queue *queue, const struct kr_queue_config *config, int what, int *value)
{
	switch (what) {
	case NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS:
		*value = (int)kr_queue_min_undequeued(queue);
		return 0;
	case NATIVE_WINDOW_QUEUES_TO_WINDOW_COMPOSER:
		*value = !!(config->consumer_usage & AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY);
		return 0;
	case NATIVE_WINDOW_DEFAULT_WIDTH:
		*value = (int)config->default_width;
		return 0;
	case NATIVE_WINDOW_DEFAULT_HEIGHT:
		*value = (int)config->default_height;
		return 0;
	case NATIVE_WINDOW_DEFAULT_DATASPACE:
		*value = config->default_dataspace;
		return 0;
	case NATIVE_WINDOW_CONSUMER_IS_PROTECTED:
		*value = config->is_protected;
		return 0;
	case NATIVE_WINDOW_CONSUMER_RUNNING_BEHIND:
		*value = kr_queue_running_behind(queue);
		return 0;
	case NATIVE_WINDOW_CONSUMER_USAGE_BITS:
		*value = (int)(uint32_t)config->consumer_usage;
		return 0;
	case NATIVE_WINDOW_FRAME_TIMESTAMPS_SUPPORTS_PRESENT:
		*value = config->timing.events >> KR_EVENT_SHOWN & 1;
		return 0;
	case NATIVE_WINDOW_IS_VALID:
		*value = kr_queue_alive(queue);
		return 0;
	case NATIVE_WINDOW_MAX_BUFFER_COUNT:
		*value = (int)kr_queue_max_buffers(queue);
		return 0;
	default:
		return -EINVAL;
	}
}

int
kr_window_query(const ANativeWindow *base, int what, int *value)
{
	struct kr_window *window = kr_window_from_base(base);
	struct kr_queue_config config;

	if (!value)
		return -EINVAL;
	switch (what) {
	case NATIVE_WINDOW_CONCRETE_TYPE:
		*value = NATIVE_WINDOW_SURFACE;
		return 0;
	case NATIVE_WINDOW_LAYER_COUNT:
		*value = 1;
		return 0;
	default:
		break;
	}
	kr_queue_get_config(window->queue, &config);
	if (query_state(window, &config, what, value))
		return 0;
	return query_queue(window->queue, &config, what, value);
}
