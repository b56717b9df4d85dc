/* SPDX-License-Identifier: Apache-2.0 */
/* What is set of layers. */
#include <math.h>
#include <stdlib.h>

#include "colour/space.h"
#include "gralloc/buffer.h"
#include "gralloc/pixels.h"
#include "hwc/composer.h"
#include "util/fd.h"

#define FRAME_LIMIT 65536

KR_EXPORT int
krafla_display_create_layer(
	struct krafla_composer *composer, krafla_display_t handle, krafla_layer_t *layer)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_hwc_layer *made;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!layer)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	made = display->layer_count < KR_HWC_MAX_LAYERS ? calloc(1, sizeof(*made)) : NULL;
	if (!made)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NO_RESOURCES);
	made->state.handle = kr_hwc_events_handle(&composer->events);
	made->state.composition = KRAFLA_COMPOSITION_DEVICE;
	made->state.blend = KRAFLA_BLEND_NONE;
	made->state.plane_alpha = 1;
	made->state.acquire_fence = made->state.release_fence = made->release_fence = -1;
	kr_list_append(&display->layers, &made->link);
	display->layer_count++;
	display->is_sorted = false;
	kr_hwc_invalidate_locked(display);
	*layer = made->state.handle;
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}

/* Between these two a public function works on a layer; NULL, without the lock: *error. */
static struct kr_hwc_layer *
enter(struct krafla_composer *composer, krafla_display_t display_handle,
	krafla_layer_t layer_handle, struct kr_hwc_display **display, int *error)
{
	struct kr_hwc_layer *layer;

	*error = KRAFLA_COMPOSER_BAD_DISPLAY;
	*display = kr_hwc_display_enter(composer, display_handle);
	if (!*display)
		return NULL;
	layer = kr_hwc_layer_find_locked(*display, layer_handle);
	if (!layer)
		*error = kr_hwc_display_leave(*display, KRAFLA_COMPOSER_BAD_LAYER);
	return layer;
}

/* With an error nothing was set; else what was validated doesn't count any more. */
static int
leave(struct kr_hwc_display *display, int error)
{
	if (!error)
		kr_hwc_invalidate_locked(display);
	return kr_hwc_display_leave(display, error);
}

KR_EXPORT int
krafla_display_destroy_layer(
	struct krafla_composer *composer, krafla_display_t handle, krafla_layer_t layer_handle)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	kr_hwc_layer_destroy_locked(display, layer);
	return leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_display_set_cursor_position(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, int32_t x, int32_t y)
{
	struct kr_hwc_device *device;
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	ARect *frame;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	if (layer->state.composition != KRAFLA_COMPOSITION_CURSOR)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_LAYER);
	if (abs(x / 2) > FRAME_LIMIT / 2 || abs(y / 2) > FRAME_LIMIT / 2)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	frame = &layer->state.frame;
	*frame = (ARect){x, y, x + frame->right - frame->left, y + frame->bottom - frame->top};
	device = composer->device;
	if (device->impl->cursor_moved)
		device->impl->cursor_moved(device, &display->state, &layer->state);
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}

/* Whether a device that took a buffer takes the other one in its place. */
static bool
alike(const struct kr_buffer *a, const struct kr_buffer *b)
{
	const struct kr_buffer_info *x, *y;

	if (!a || !b)
		return a == b;
	x = kr_buffer_get_info(a);
	y = kr_buffer_get_info(b);
	return x->desc.width == y->desc.width && x->desc.height == y->desc.height &&
		x->desc.format == y->desc.format && x->backend == y->backend &&
		x->row_bytes == y->row_bytes && x->modifier == y->modifier;
}

static int
set_buffer_locked(struct kr_hwc_display *display, struct kr_hwc_layer_state *state,
	struct kr_buffer *buffer, int acquire_fence)
{
	int kept = -1, error = KRAFLA_COMPOSER_NONE;

	if (!buffer && acquire_fence != -1)
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	if (buffer &&
		(!kr_pixels_to_xrgb(kr_buffer_get_info(buffer)->desc.format) ||
			kr_buffer_is_of_cpus_alone(kr_buffer_get_info(buffer))))
		return KRAFLA_COMPOSER_UNSUPPORTED;
	if (buffer)
		error = kr_hwc_keep_fence(acquire_fence, &kept);
	if (error)
		return error;
	if (!alike(state->buffer, buffer))
		kr_hwc_invalidate_locked(display);
	if (buffer)
		kr_buffer_ref(buffer);
	kr_buffer_unref(state->buffer);
	kr_fd_close(&state->acquire_fence);
	state->buffer = buffer;
	state->acquire_fence = kept;
	state->no_content = !buffer && state->buffer_serial;
	state->no_pixels = false;
	if (buffer || state->buffer_serial)
		state->buffer_serial = ++display->composer->serial;
	return KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_layer_set_buffer(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, AHardwareBuffer *buffer, int acquire_fence)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	struct kr_buffer *own;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	error = kr_hwc_take_buffer(buffer, &own);
	if (!error)
		error = set_buffer_locked(display, &layer->state, own, acquire_fence);
	kr_buffer_unref(own);
	return kr_hwc_display_leave(display, error);
}

KR_EXPORT int
krafla_layer_set_surface_damage(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, uint32_t count, const ARect *damage)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	if (count && !damage)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	layer->state.damage_count = kr_hwc_copy_rects(layer->state.damage, count, damage);
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_layer_set_blend_mode(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, enum krafla_blend mode)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	if ((int)mode < KRAFLA_BLEND_NONE || mode > KRAFLA_BLEND_COVERAGE)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	layer->state.blend = mode;
	return leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_layer_set_color(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, krafla_color color)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	layer->state.color = color;
	return leave(display, KRAFLA_COMPOSER_NONE);
}

static int
check_composition(enum krafla_composition type)
{
	if ((int)type < KRAFLA_COMPOSITION_CLIENT || type > KRAFLA_COMPOSITION_SIDEBAND)
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	return type == KRAFLA_COMPOSITION_SIDEBAND ? KRAFLA_COMPOSER_UNSUPPORTED
						   : KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_layer_set_composition_type(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, enum krafla_composition type)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	error = check_composition(type);
	if (!error)
		layer->state.composition = type;
	return leave(display, error);
}

KR_EXPORT int
krafla_layer_set_dataspace(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, int32_t dataspace)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	if (!kr_colour_is_known(dataspace))
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_UNSUPPORTED);
	layer->state.dataspace = dataspace;
	return leave(display, KRAFLA_COMPOSER_NONE);
}

static bool
in_limit(int32_t edge)
{
	return edge >= -FRAME_LIMIT && edge <= FRAME_LIMIT;
}

static bool
good_frame(const ARect *frame)
{
	return in_limit(frame->left) && in_limit(frame->top) && in_limit(frame->right) &&
		in_limit(frame->bottom) && frame->left <= frame->right &&
		frame->top <= frame->bottom;
}

KR_EXPORT int
krafla_layer_set_display_frame(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, ARect frame)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	if (!good_frame(&frame))
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	layer->state.frame = frame;
	return leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_layer_set_plane_alpha(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, float alpha)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	if (!(alpha >= 0 && alpha <= 1))
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	layer->state.plane_alpha = alpha;
	return leave(display, KRAFLA_COMPOSER_NONE);
}

/* NaNs compare as false. */
static bool
good_crop(const struct krafla_frect *crop)
{
	return crop->left >= 0 && crop->top >= 0 && crop->right >= crop->left &&
		crop->bottom >= crop->top && isfinite(crop->right) && isfinite(crop->bottom);
}

KR_EXPORT int
krafla_layer_set_source_crop(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, krafla_frect crop)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	if (!good_crop(&crop))
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	layer->state.crop = crop;
	return leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_layer_set_transform(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, int32_t transform)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	if (transform & ~KRAFLA_TRANSFORM_ROT_270)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	layer->state.transform = transform;
	return leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_layer_set_visible_region(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, uint32_t count, const ARect *visible)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	if (count && !visible)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	layer->state.visible_count = kr_hwc_copy_rects(layer->state.visible, count, visible);
	return leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_layer_set_z_order(struct krafla_composer *composer, krafla_display_t handle,
	krafla_layer_t layer_handle, uint32_t z)
{
	struct kr_hwc_display *display;
	struct kr_hwc_layer *layer;
	int error;

	layer = enter(composer, handle, layer_handle, &display, &error);
	if (!layer)
		return error;
	layer->state.z = z;
	display->is_sorted = false;
	return leave(display, KRAFLA_COMPOSER_NONE);
}
