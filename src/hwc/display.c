/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked and said of displays between pictures. */
#include <krafla/native_window.h>
#include <string.h>

#include "colour/hdr.h"
#include "colour/space.h"
#include "hwc/composer.h"

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

static bool
is_metadata(const struct krafla_hdr_metadata *said)
{
	struct kr_hdr_metadata hdr;

	_Static_assert(sizeof(hdr) == sizeof(*said), "the same by another name");
	if (!said)
		return true;
	memcpy(&hdr, said, sizeof(hdr));
	return kr_hdr_metadata_valid(&hdr);
}

KR_EXPORT int
krafla_display_set_colour(struct krafla_composer *composer, krafla_display_t handle,
	int32_t dataspace, const struct krafla_hdr_metadata *hdr)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_hwc_display_state *state;
	struct kr_hwc_device *device;
	int error;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!kr_colour_is_known(dataspace) || !is_metadata(hdr))
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	state = &display->state;
	dataspace = kr_colour_resolve(dataspace, kr_colour_resolve(state->dataspace, 0));
	device = display->composer->device;
	if (device->impl->set_colour && state->type != KRAFLA_DISPLAY_VIRTUAL)
		error = device->impl->set_colour(device, state, dataspace, hdr);
	else
		error = dataspace == kr_colour_resolve(state->dataspace, HAL_DATASPACE_SRGB)
			? KRAFLA_COMPOSER_NONE
			: KRAFLA_COMPOSER_UNSUPPORTED;
	if (!error)
		state->dataspace = dataspace;
	return kr_hwc_display_leave(display, error);
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
