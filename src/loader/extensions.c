/* SPDX-License-Identifier: Apache-2.0 */
/* Instance extensions: a driver's extension is offered only when it can be used. */
#include "loader/extensions.h"

#include <stdio.h>
#include <string.h>

#include "layers/layers.h"
#include "util/log.h"

/* What the loader does itself, on every driver. */
static const enum kr_extension always[] = {
	KR_EXT_VK_KHR_surface,
	KR_EXT_VK_KHR_android_surface,
	KR_EXT_VK_EXT_headless_surface,
	KR_EXT_VK_KHR_get_surface_capabilities2,
	KR_EXT_VK_EXT_debug_utils,
	KR_EXT_VK_EXT_debug_report,
	KR_EXT_VK_KHR_portability_enumeration,
	KR_EXT_VK_LUNARG_direct_driver_loading,
};

/* What the platform's window system adds when it is chosen. */
static const enum kr_extension with_platform_wsi[] = {
	KR_EXT_VK_KHR_xcb_surface,
};

bool
kr_extension_makes_surfaces(enum kr_extension extension)
{
	switch (extension) {
	case KR_EXT_VK_EXT_headless_surface:
	case KR_EXT_VK_KHR_xcb_surface:
	case KR_EXT_VK_KHR_xlib_surface:
	case KR_EXT_VK_KHR_wayland_surface:
	case KR_EXT_VK_KHR_display:
		return true;
	default:
		return false;
	}
}

/* Whether a driver may be given this one; our window system leaves no room for the driver's. */
static bool
is_for_drivers(enum kr_extension extension, bool platform_wsi)
{
	if (extension == KR_EXT_VK_KHR_android_surface)
		return false;
	return !platform_wsi || !kr_extensions[extension].window_system;
}

void
kr_instance_extensions_available(
	const struct kr_loaded_drivers *drivers, bool platform_wsi, struct kr_extension_set *set)
{
	memset(set, 0, sizeof(*set));
	for (size_t i = 0; i < KR_ARRAY_LEN(always); i++)
		kr_extension_set_add(set, always[i]);
	for (size_t i = 0; platform_wsi && i < KR_ARRAY_LEN(with_platform_wsi); i++)
		kr_extension_set_add(set, with_platform_wsi[i]);
	for (uint32_t i = 0; i < drivers->count; i++) {
		const struct kr_loaded_driver *driver = &drivers->items[i];

		for (int e = 0; e < KR_EXTENSION_COUNT; e++) {
			if (kr_extension_set_has(&driver->extension_set, e) &&
				kr_extensions[e].instance && is_for_drivers(e, platform_wsi))
				kr_extension_set_add(set, e);
		}
	}
}

static uint32_t
version_of(const struct kr_loaded_drivers *drivers, enum kr_extension extension)
{
	const char *name = kr_extensions[extension].name;
	uint32_t version = 0;

	for (size_t i = 0; i < KR_ARRAY_LEN(always); i++) {
		if (always[i] == extension)
			return kr_extensions[extension].spec_version;
	}
	for (uint32_t i = 0; i < drivers->count; i++) {
		const struct kr_loaded_driver *driver = &drivers->items[i];

		for (uint32_t j = 0; j < driver->extension_count; j++) {
			if (!strcmp(driver->extensions[j].extensionName, name))
				version = KR_MAX(version, driver->extensions[j].specVersion);
		}
	}
	return version ? version : kr_extensions[extension].spec_version;
}

VkResult
kr_instance_extensions_enumerate(uint32_t *count, VkExtensionProperties *properties)
{
	struct kr_driver_request everything = {0};
	struct kr_loaded_drivers *drivers;
	struct kr_settings settings;
	struct kr_extension_set set;
	uint32_t total = 0, room = *count;
	VkResult result;

	if (kr_settings_read(NULL, &settings))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	everything.settings = &settings;
	result = kr_loaded_drivers_find(&everything, &drivers);
	kr_settings_finish(&settings);
	if (result != VK_SUCCESS)
		return result;
	kr_instance_extensions_available(drivers, kr_platform_wsi_chosen(), &set);
	for (int e = 0; e < KR_EXTENSION_COUNT; e++) {
		if (!kr_extension_set_has(&set, e))
			continue;
		if (properties && total < room) {
			memset(&properties[total], 0, sizeof(properties[total]));
			snprintf(properties[total].extensionName, VK_MAX_EXTENSION_NAME_SIZE, "%s",
				kr_extensions[e].name);
			properties[total].specVersion = version_of(drivers, e);
		}
		total++;
	}
	kr_loaded_drivers_unref(drivers);
	*count = properties ? KR_MIN(total, room) : total;
	return properties && total > room ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult
kr_instance_extensions_check(const VkInstanceCreateInfo *info,
	const struct kr_loaded_drivers *drivers, bool platform_wsi,
	const struct kr_layer_chain *chain, struct kr_extension_set *enabled)
{
	struct kr_extension_set available, wanted = {0};

	if (info->enabledExtensionCount)
		kr_instance_extensions_available(drivers, platform_wsi, &available);
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		const char *name = info->ppEnabledExtensionNames[i];
		enum kr_extension extension = kr_extension_find(name);

		if (!kr_extension_set_has(&available, extension) &&
			!kr_layer_chain_has_instance_extension(chain, name)) {
			kr_error("instance extension %s is not available: neither a driver nor an "
				 "enabled layer has it",
				name);
			return VK_ERROR_EXTENSION_NOT_PRESENT;
		}
		kr_extension_set_add(&wanted, extension);
	}
	*enabled = wanted;
	return VK_SUCCESS;
}

void
kr_driver_instance_choose(struct kr_driver_instance *driver, bool platform_wsi,
	const struct kr_extension_set *enabled)
{
	const struct kr_extension_set *has = &driver->driver->extension_set;
	bool surfaces = kr_extension_set_has(enabled, KR_EXT_VK_KHR_surface);
	bool headless = kr_extension_set_has(enabled, KR_EXT_VK_EXT_headless_surface);
	bool android = kr_extension_set_has(enabled, KR_EXT_VK_KHR_android_surface);
	bool ours;

	for (int e = 0; e < KR_EXTENSION_COUNT; e++) {
		if (!kr_extension_set_has(enabled, e) || !kr_extension_set_has(has, e) ||
			!is_for_drivers(e, platform_wsi))
			continue;
		kr_extension_set_add(&driver->enabled, e);
		driver->driver_wsi |= kr_extension_makes_surfaces(e);
	}
	ours = platform_wsi ? surfaces
			    : android ||
			(headless && !kr_extension_set_has(has, KR_EXT_VK_EXT_headless_surface));
	driver->adapter = ours && driver->driver->driver->source == KR_DRIVER_MANIFEST;
	driver->native_buffer = driver->adapter || driver->driver->driver->source == KR_DRIVER_HAL;
}
