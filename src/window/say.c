/* SPDX-License-Identifier: Apache-2.0 */
/* What perform() is told about the buffers and frames to come. */
#include <errno.h>
#include <string.h>

#include "window/state.h"

#define MAX_EXTENT 32768

static int
set_pair(struct kr_window *window, uint32_t *width_at, uint32_t *height_at, int width, int height)
{
	if (width < 0 || height < 0 || width > MAX_EXTENT || height > MAX_EXTENT ||
		!width != !height)
		return -EINVAL;
	kr_mutex_lock(&window->lock);
	*width_at = (uint32_t)width;
	*height_at = (uint32_t)height;
	kr_mutex_unlock(&window->lock);
	return 0;
}

static int
set_format(struct kr_window *window, int format)
{
	/* Whether it can be had shows at dequeue, where usage and size are known. */
	if (format < 0)
		return -EINVAL;
	kr_mutex_lock(&window->lock);
	window->state.format = (uint32_t)format;
	kr_mutex_unlock(&window->lock);
	return 0;
}

static int
set_int(struct kr_window *window, int32_t *at, int value, int last)
{
	if (value < 0 || value > last)
		return -EINVAL;
	kr_mutex_lock(&window->lock);
	*at = value;
	kr_mutex_unlock(&window->lock);
	return 0;
}

static int
set_transform(struct kr_window *window, int transform)
{
	struct kr_queue_config config;
	int32_t both;

	if (transform & ~0xf)
		return -EINVAL;
	kr_queue_get_config(window->queue, &config);
	kr_mutex_lock(&window->lock);
	both = window->state.sticky_transform ^ transform;
	kr_mutex_unlock(&window->lock);
	if (!(config.abilities.transforms & KR_ABILITY(both & 7)))
		return -ENOSYS;
	return set_int(window, &window->state.input.transform, transform, 0xf);
}

/* Beside each frame's own, which it must go together with. */
static int
set_sticky(struct kr_window *window, int transform)
{
	struct kr_queue_config config;
	int32_t both;

	if (transform & ~0xf)
		return -EINVAL;
	kr_queue_get_config(window->queue, &config);
	kr_mutex_lock(&window->lock);
	both = window->state.input.transform ^ transform;
	kr_mutex_unlock(&window->lock);
	if (!(config.abilities.transforms & KR_ABILITY(both & 7)))
		return -ENOSYS;
	return set_int(window, &window->state.sticky_transform, transform, 0xf);
}

static int
set_long(struct kr_window *window, int64_t *at, int64_t value)
{
	kr_mutex_lock(&window->lock);
	*at = value;
	kr_mutex_unlock(&window->lock);
	return 0;
}

/* Of all frames to come. One that is long past is as good as any that is. */
static int
set_timestamp(struct kr_window *window, int64_t timestamp_ns)
{
	const struct kr_frame_target target = {
		.kind = KR_TARGET_TIMESTAMP, .time_ns = KR_MAX(timestamp_ns, 0)};

	kr_mutex_lock(&window->lock);
	window->state.input.timestamp_ns = timestamp_ns;
	window->state.input.target =
		timestamp_ns == NATIVE_WINDOW_TIMESTAMP_AUTO ? (struct kr_frame_target){0} : target;
	kr_mutex_unlock(&window->lock);
	return 0;
}

static int
set_dataspace(struct kr_window *window, int dataspace)
{
	int colour = kr_present_colour_index(dataspace);
	struct kr_queue_config config;

	if (dataspace < 0)
		return -EINVAL;
	kr_queue_get_config(window->queue, &config);
	if (colour < 0 || !(config.abilities.colours & KR_ABILITY(colour)))
		return -ENOSYS;
	return set_int(window, &window->state.input.dataspace, dataspace, INT32_MAX);
}

static int
set_crop(struct kr_window *window, const android_native_rect_t *crop)
{
	kr_mutex_lock(&window->lock);
	window->state.input.crop = crop ? *crop : (android_native_rect_t){0};
	kr_mutex_unlock(&window->lock);
	return 0;
}

/*
 * Top-left origin here, unlike Android's (krafla/native_window.h). Too much to list is
 * "everything". Damage is a hint: it succeeds though a display may draw everything anew.
 */
static int
set_damage(struct kr_window *window, const android_native_rect_t *rects, size_t count)
{
	struct kr_queue_input *input = &window->state.input;

	kr_mutex_lock(&window->lock);
	input->damage_count = rects && count <= KR_FRAME_MAX_DAMAGE ? (uint32_t)count : 0;
	if (input->damage_count)
		memcpy(input->damage, rects, count * sizeof(*rects));
	kr_mutex_unlock(&window->lock);
	return 0;
}

int
kr_window_perform_say(struct kr_window *window, int operation, va_list args)
{
	struct kr_window_state *state = &window->state;
	const android_native_rect_t *rects;
	int width, height, err;

	switch (operation) {
	case NATIVE_WINDOW_SET_USAGE:
		return set_long(window, (int64_t *)&state->usage, va_arg(args, uint32_t));
	case NATIVE_WINDOW_SET_USAGE64:
		return set_long(window, (int64_t *)&state->usage, (int64_t)va_arg(args, uint64_t));
	case NATIVE_WINDOW_SET_CROP:
		return set_crop(window, va_arg(args, const android_native_rect_t *));
	case NATIVE_WINDOW_SET_BUFFERS_GEOMETRY:
	case NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS:
		width = va_arg(args, int);
		height = va_arg(args, int);
		err = set_pair(window, &state->width, &state->height, width, height);
		if (err || operation == NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS)
			return err;
		return set_format(window, va_arg(args, int));
	case NATIVE_WINDOW_SET_BUFFERS_USER_DIMENSIONS:
		width = va_arg(args, int);
		height = va_arg(args, int);
		return set_pair(window, &state->user_width, &state->user_height, width, height);
	case NATIVE_WINDOW_SET_BUFFERS_FORMAT:
		return set_format(window, va_arg(args, int));
	case NATIVE_WINDOW_SET_BUFFERS_TRANSFORM:
		return set_transform(window, va_arg(args, int));
	case NATIVE_WINDOW_SET_BUFFERS_STICKY_TRANSFORM:
		return set_sticky(window, va_arg(args, int));
	case NATIVE_WINDOW_SET_SCALING_MODE:
		return set_int(window, &state->input.scaling_mode, va_arg(args, int),
			NATIVE_WINDOW_SCALING_MODE_NO_SCALE_CROP);
	case NATIVE_WINDOW_SET_BUFFERS_DATASPACE:
		return set_dataspace(window, va_arg(args, int));
	case NATIVE_WINDOW_SET_BUFFERS_SMPTE2086_METADATA:
		return kr_window_set_mastering(
			window, va_arg(args, const struct android_smpte2086_metadata *));
	case NATIVE_WINDOW_SET_BUFFERS_CTA861_3_METADATA:
		return kr_window_set_content_light(
			window, va_arg(args, const struct android_cta861_3_metadata *));
	case NATIVE_WINDOW_SET_BUFFERS_TIMESTAMP:
		return set_timestamp(window, va_arg(args, int64_t));
	case NATIVE_WINDOW_SET_SURFACE_DAMAGE:
		rects = va_arg(args, const android_native_rect_t *);
		return set_damage(window, rects, va_arg(args, size_t));
	case NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT:
		return kr_queue_set_timeout(window->queue, va_arg(args, int64_t));
	default:
		return -ENOENT;
	}
}
