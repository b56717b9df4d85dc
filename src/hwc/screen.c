/* SPDX-License-Identifier: Apache-2.0 */
/* Displays that a program makes: virtual ones, and screens. */
#include <krafla/native_window.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colour/space.h"
#include "hwc/composer.h"

static uint32_t
max_virtual_locked(struct krafla_composer *composer)
{
	const struct kr_hwc_device_impl *impl = composer->device->impl;

	return impl->max_virtual_displays ? impl->max_virtual_displays(composer->device) : 0;
}

KR_EXPORT uint32_t
krafla_composer_max_virtual_displays(struct krafla_composer *composer)
{
	uint32_t most;

	if (!composer)
		return 0;
	kr_mutex_lock(&composer->lock);
	most = max_virtual_locked(composer);
	kr_mutex_unlock(&composer->lock);
	return most;
}

static bool
good_size(uint32_t width, uint32_t height)
{
	return width && height && width <= KR_HWC_MAX_SIZE && height <= KR_HWC_MAX_SIZE;
}

static int
create_virtual_locked(struct krafla_composer *composer, uint32_t width, uint32_t height,
	int32_t *format, krafla_display_t *out)
{
	struct kr_hwc_device *device = composer->device;
	struct kr_hwc_display *display;
	int error;

	if (!good_size(width, height) || !max_virtual_locked(composer))
		return KRAFLA_COMPOSER_UNSUPPORTED;
	if (composer->virtual_displays >= max_virtual_locked(composer))
		return KRAFLA_COMPOSER_NO_RESOURCES;
	display = kr_hwc_display_create_locked(
		composer, kr_hwc_events_handle(&composer->events), KRAFLA_DISPLAY_VIRTUAL);
	if (!display)
		return KRAFLA_COMPOSER_NO_RESOURCES;
	display->state.width = width;
	display->state.height = height;
	display->state.format = *format;
	display->state.dataspace = HAL_DATASPACE_SRGB;
	error = device->impl->create_virtual_display(device, &display->state);
	if (error) {
		kr_hwc_display_forget_locked(display);
		return error;
	}
	snprintf(display->name, sizeof(display->name), "virtual");
	kr_hwc_display_update_config_locked(display);
	composer->virtual_displays++;
	*format = display->state.format;
	*out = display->state.handle;
	return KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_composer_create_virtual_display(struct krafla_composer *composer, uint32_t width,
	uint32_t height, int32_t *format, krafla_display_t *display)
{
	int error;

	if (!composer || !format || !display)
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	kr_mutex_lock(&composer->lock);
	error = create_virtual_locked(composer, width, height, format, display);
	kr_mutex_unlock(&composer->lock);
	return error;
}

/* As kr_hwc_display_leave, where the display is no more. */
static int
leave(struct krafla_composer *composer) KR_NO_THREAD_SAFETY
{
	kr_mutex_unlock(&composer->lock);
	return KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_composer_destroy_virtual_display(struct krafla_composer *composer, krafla_display_t handle)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (display->state.type != KRAFLA_DISPLAY_VIRTUAL)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	kr_hwc_display_destroy_locked(display);
	composer->virtual_displays--;
	return leave(composer);
}

static bool
good_period(uint32_t period_ns)
{
	return period_ns && period_ns <= INT32_MAX;
}

/* What a program of today or of before there were dataspaces says of its screen, complete. */
static bool
read_screen(const struct krafla_screen *said, struct krafla_screen *screen)
{
	const size_t before = offsetof(struct krafla_screen, dataspace);

	if (!said || (said->size != sizeof(*said) && said->size != before))
		return false;
	memset(screen, 0, sizeof(*screen));
	memcpy(screen, said, said->size);
	screen->size = sizeof(*screen);
	return screen->show && good_period(screen->vsync_period_ns) &&
		good_size(screen->width, screen->height) &&
		kr_colour_is_for_displays(screen->dataspace);
}

static void
tell_later(struct krafla_composer *composer, enum kr_hwc_event_kind kind, krafla_display_t display)
{
	kr_hwc_events_add(&composer->events,
		&(struct kr_hwc_event){.kind = kind, .display = display, .made = true});
}

static int
create_screen_locked(
	struct krafla_composer *composer, const struct krafla_screen *screen, krafla_display_t *out)
{
	struct kr_hwc_device *device = composer->device;
	struct kr_hwc_display *display;
	int error;

	if (!device->impl->create_screen)
		return KRAFLA_COMPOSER_UNSUPPORTED;
	display = kr_hwc_display_create_locked(
		composer, kr_hwc_events_handle(&composer->events), KRAFLA_DISPLAY_PHYSICAL);
	if (!display)
		return KRAFLA_COMPOSER_NO_RESOURCES;
	display->state.width = screen->width;
	display->state.height = screen->height;
	display->state.dataspace = kr_colour_resolve(screen->dataspace, HAL_DATASPACE_SRGB);
	error = device->impl->create_screen(device, &display->state, screen);
	if (error) {
		kr_hwc_display_forget_locked(display);
		return error;
	}
	display->screen = true;
	snprintf(display->name, sizeof(display->name), "screen");
	kr_hwc_display_update_config_locked(display);
	*out = display->state.handle;
	tell_later(composer, KR_HWC_EVENT_CONNECTED, *out);
	return KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_composer_create_screen(struct krafla_composer *composer, const struct krafla_screen *said,
	krafla_display_t *display)
{
	struct krafla_screen screen;
	int error;

	if (!composer || !display || !read_screen(said, &screen))
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	kr_mutex_lock(&composer->lock);
	error = create_screen_locked(composer, &screen, display);
	kr_mutex_unlock(&composer->lock);
	return error;
}

KR_EXPORT int
krafla_composer_resize_screen(
	struct krafla_composer *composer, krafla_display_t handle, uint32_t width, uint32_t height)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_hwc_device *device;
	int error;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!display->screen)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_UNSUPPORTED);
	if (!good_size(width, height))
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	device = composer->device;
	error = device->impl->resize_screen(device, &display->state, width, height);
	if (!error) {
		kr_hwc_display_update_config_locked(display);
		kr_hwc_display_drop_target_locked(display);
		kr_hwc_invalidate_locked(display);
	}
	return kr_hwc_display_leave(display, error);
}

KR_EXPORT int
krafla_composer_set_screen_period(
	struct krafla_composer *composer, krafla_display_t handle, uint32_t vsync_period_ns)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!display->screen)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_UNSUPPORTED);
	if (!good_period(vsync_period_ns))
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	composer->device->impl->set_screen_period(
		composer->device, &display->state, vsync_period_ns);
	kr_hwc_display_update_config_locked(display);
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}

KR_EXPORT int
krafla_composer_destroy_screen(struct krafla_composer *composer, krafla_display_t handle)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!display->screen)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_UNSUPPORTED);
	if (display->told)
		tell_later(composer, KR_HWC_EVENT_DISCONNECTED, handle);
	kr_hwc_display_destroy_locked(display);
	return leave(composer);
}
