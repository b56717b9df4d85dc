/* SPDX-License-Identifier: Apache-2.0 */
/* Displays and their layers, as objects: what the calls are made of. */
#include <krafla/native_window.h>
#include <stdlib.h>

#include "gralloc/buffer.h"
#include "hwc/composer.h"
#include "util/fd.h"

void
kr_hwc_invalidate_locked(struct kr_hwc_display *display)
{
	display->validation = KR_HWC_NOT_VALIDATED;
}

struct kr_hwc_layer *
kr_hwc_layer_find_locked(struct kr_hwc_display *display, krafla_layer_t handle)
{
	struct kr_hwc_layer *layer;

	kr_list_for_each (layer, &display->layers, link) {
		if (layer->state.handle == handle)
			return layer;
	}
	return NULL;
}

void
kr_hwc_layer_destroy_locked(struct kr_hwc_display *display, struct kr_hwc_layer *layer)
{
	struct kr_hwc_device *device = display->composer->device;

	if (device->impl->layer_gone)
		device->impl->layer_gone(device, &display->state, &layer->state);
	kr_buffer_unref(layer->state.buffer);
	kr_buffer_unref(layer->presented);
	kr_fd_close(&layer->state.acquire_fence);
	kr_fd_close(&layer->release_fence);
	kr_list_remove(&layer->link);
	free(layer);
	display->layer_count--;
	display->is_sorted = false;
	display->state.count = 0;
}

void
kr_hwc_layers_sort_locked(struct kr_hwc_display *display)
{
	struct kr_hwc_layer *layer;
	unsigned count = 0, at;

	if (display->is_sorted)
		return;
	kr_list_for_each (layer, &display->layers, link) {
		for (at = count++; at && display->sorted[at - 1]->z > layer->state.z; at--)
			display->sorted[at] = display->sorted[at - 1];
		display->sorted[at] = &layer->state;
	}
	display->state.count = count;
	display->is_sorted = true;
}

struct kr_hwc_display *
kr_hwc_display_create_locked(
	struct krafla_composer *composer, krafla_display_t handle, enum krafla_display_type type)
{
	struct kr_hwc_display *display = calloc(1, sizeof(*display));

	if (!display)
		return NULL;
	display->composer = composer;
	display->state.handle = handle;
	display->state.type = type;
	display->state.dataspace = HAL_DATASPACE_SRGB;
	display->state.power = KRAFLA_POWER_ON;
	display->state.target_fence = display->state.output_fence = -1;
	display->state.layers = display->sorted;
	kr_list_init(&display->layers);
	kr_list_append(&composer->displays, &display->link);
	return display;
}

void
kr_hwc_display_forget_locked(struct kr_hwc_display *display)
{
	kr_hwc_display_drop_target_locked(display);
	kr_buffer_unref(display->state.output);
	kr_fd_close(&display->state.output_fence);
	kr_list_remove(&display->link);
	free(display);
}

void
kr_hwc_display_destroy_locked(struct kr_hwc_display *display)
{
	struct kr_hwc_device *device = display->composer->device;
	struct kr_hwc_layer *layer, *next;

	kr_list_for_each_safe (layer, next, &display->layers, link)
		kr_hwc_layer_destroy_locked(display, layer);
	device->impl->display_gone(device, &display->state);
	kr_hwc_display_forget_locked(display);
}

void
kr_hwc_display_drop_target_locked(struct kr_hwc_display *display)
{
	kr_buffer_unref(display->state.target);
	kr_fd_close(&display->state.target_fence);
	display->state.target = NULL;
}

void
kr_hwc_display_update_config_locked(struct kr_hwc_display *display)
{
	struct kr_hwc_display_state *state = &display->state;
	struct kr_hwc_device *device = display->composer->device;

	uint32_t width, height;

	state->config = device->impl->get_active_config(device, state);
	width = (uint32_t)device->impl->get_attribute(
		device, state, state->config, KRAFLA_ATTRIBUTE_WIDTH);
	height = (uint32_t)device->impl->get_attribute(
		device, state, state->config, KRAFLA_ATTRIBUTE_HEIGHT);
	/* A device's own thread may read them; it has seen to that before it has another size. */
	if (width == state->width && height == state->height)
		return;
	state->width = width;
	state->height = height;
}

struct kr_hwc_display *
kr_hwc_display_find_locked(struct krafla_composer *composer, krafla_display_t handle)
{
	struct kr_hwc_display *display;

	kr_list_for_each (display, &composer->displays, link) {
		if (display->state.handle == handle)
			return display;
	}
	return NULL;
}

struct kr_hwc_display *
kr_hwc_display_enter(struct krafla_composer *composer, krafla_display_t handle) KR_NO_THREAD_SAFETY
{
	struct kr_hwc_display *display;

	if (!composer)
		return NULL;
	kr_mutex_lock(&composer->lock);
	display = kr_hwc_display_find_locked(composer, handle);
	if (!display)
		kr_mutex_unlock(&composer->lock);
	return display;
}

int
kr_hwc_display_leave(struct kr_hwc_display *display, int error) KR_NO_THREAD_SAFETY
{
	kr_mutex_unlock(&display->composer->lock);
	return error;
}
