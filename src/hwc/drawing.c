/* SPDX-License-Identifier: Apache-2.0 */
/* See drawing.h. */
#include "hwc/drawing.h"

#include "hwc/composer.h"

int
kr_hwc_get_drawing(
	struct krafla_composer *composer, krafla_display_t handle, struct kr_hwc_drawing *drawing)
{
	const struct kr_hwc_display_state *state = NULL;
	struct kr_hwc_device *device;
	int error = KRAFLA_COMPOSER_NONE;

	*drawing = (struct kr_hwc_drawing){0};
	if (!composer)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	kr_mutex_lock(&composer->lock);
	device = composer->device;
	if (handle) {
		struct kr_hwc_display *display = kr_hwc_display_find_locked(composer, handle);

		state = display ? &display->state : NULL;
		error = display ? KRAFLA_COMPOSER_NONE : KRAFLA_COMPOSER_BAD_DISPLAY;
	}
	if (!error && device->impl->get_drawing)
		device->impl->get_drawing(device, state, drawing);
	kr_mutex_unlock(&composer->lock);
	return error;
}

int
kr_hwc_set_no_pixels(
	struct krafla_composer *composer, krafla_display_t handle, krafla_layer_t layer_handle)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_hwc_layer *layer;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	layer = kr_hwc_layer_find_locked(display, layer_handle);
	if (!layer || !layer->state.buffer)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_LAYER);
	layer->state.no_pixels = true;
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}
