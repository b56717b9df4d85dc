/* SPDX-License-Identifier: Apache-2.0 */
/* Displays: the objects, and what is asked and said of them between pictures. */
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "hwc/composer.h"
#include "util/fd.h"

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

KR_EXPORT int
krafla_display_get_type(struct krafla_composer *composer, krafla_display_t handle, int *type)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!type)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	*type = display->state.type;
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_display_get_name(
	struct krafla_composer *composer, krafla_display_t handle, uint32_t *size, char *name)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	uint32_t length;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!size)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	length = (uint32_t)strlen(display->name);
	if (name) {
		length = KR_MIN(length, *size);
		memcpy(name, display->name, length);
	}
	*size = length;
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_display_get_configs(struct krafla_composer *composer, krafla_display_t handle,
	uint32_t *count, krafla_config_t *configs)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_hwc_device *device;
	uint32_t there;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!count)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	device = display->composer->device;
	there = device->impl->get_configs(device, &display->state, configs ? *count : 0, configs);
	*count = configs ? KR_MIN(there, *count) : there;
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}

#define MAX_CONFIGS 1024

static bool
has_config_locked(struct kr_hwc_display *display, krafla_config_t config)
{
	struct kr_hwc_device *device = display->composer->device;
	krafla_config_t configs[MAX_CONFIGS];
	uint32_t count = device->impl->get_configs(device, &display->state, MAX_CONFIGS, configs);

	for (uint32_t i = 0; i < KR_MIN(count, (uint32_t)MAX_CONFIGS); i++) {
		if (configs[i] == config)
			return true;
	}
	return false;
}

KR_EXPORT int
krafla_display_get_attribute(struct krafla_composer *composer, krafla_display_t handle,
	krafla_config_t config, enum krafla_attribute attribute, int32_t *value)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_hwc_device *device;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!has_config_locked(display, config))
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_CONFIG);
	if (!value || (int)attribute < KRAFLA_ATTRIBUTE_WIDTH || attribute > KRAFLA_ATTRIBUTE_DPI_Y)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	device = display->composer->device;
	*value = device->impl->get_attribute(device, &display->state, config, attribute);
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_display_get_active_config(
	struct krafla_composer *composer, krafla_display_t handle, krafla_config_t *config)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!config)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	*config = display->state.config;
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_display_set_active_config(
	struct krafla_composer *composer, krafla_display_t handle, krafla_config_t config)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_hwc_device *device;
	int error;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!has_config_locked(display, config))
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_CONFIG);
	device = display->composer->device;
	error = device->impl->set_active_config(device, &display->state, config);
	if (!error) {
		kr_hwc_display_update_config_locked(display);
		kr_hwc_display_drop_target_locked(display);
		kr_hwc_invalidate_locked(display);
	}
	return kr_hwc_display_leave(display, error);
}

KR_EXPORT int
krafla_display_set_power_mode(
	struct krafla_composer *composer, krafla_display_t handle, enum krafla_power mode)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_hwc_device *device;
	int error;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if ((int)mode < KRAFLA_POWER_OFF || mode > KRAFLA_POWER_DOZE_SUSPEND)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	if (display->state.type == KRAFLA_DISPLAY_VIRTUAL)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_UNSUPPORTED);
	device = display->composer->device;
	error = device->impl->set_power_mode(device, &display->state, mode);
	if (!error)
		display->state.power = mode;
	return kr_hwc_display_leave(display, error);
}

KR_EXPORT int
krafla_display_set_vsync_enabled(
	struct krafla_composer *composer, krafla_display_t handle, bool enabled)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_hwc_device *device;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (display->state.type == KRAFLA_DISPLAY_VIRTUAL)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_UNSUPPORTED);
	device = display->composer->device;
	return kr_hwc_display_leave(
		display, device->impl->set_vsync(device, &display->state, enabled));
}

KR_EXPORT int
krafla_display_set_expected_present_time(
	struct krafla_composer *composer, krafla_display_t handle, int64_t time_ns)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (time_ns < 0)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	display->state.expected_ns = time_ns;
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}
