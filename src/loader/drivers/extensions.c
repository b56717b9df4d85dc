/* SPDX-License-Identifier: Apache-2.0 */
/* Instance extensions: a driver's extension is offered only when it can be used. */
#include "loader/drivers/extensions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/layers.h"
#include "surface/surface.h"
#include "util/env.h"
#include "util/log.h"
#include "util/report.h"

/* What the loader does itself, whatever the drivers are; listed last, in this order. */
static const enum kr_extension always[] = {
	KR_EXT_VK_EXT_debug_report,
	KR_EXT_VK_EXT_debug_utils,
	KR_EXT_VK_KHR_portability_enumeration,
	KR_EXT_VK_LUNARG_direct_driver_loading,
};

/* Beside the kinds of surfaces of ours, where a driver can present to them. */
static const enum kr_extension with_our_surfaces[] = {
	KR_EXT_VK_KHR_surface,
	KR_EXT_VK_KHR_get_surface_capabilities2,
	KR_EXT_VK_KHR_surface_protected_capabilities,
	KR_EXT_VK_EXT_surface_maintenance1,
	KR_EXT_VK_KHR_surface_maintenance1,
	KR_EXT_VK_EXT_swapchain_colorspace,
};

/* Beside VK_KHR_display, where it is ours. */
static const enum kr_extension with_our_display[] = {
	KR_EXT_VK_KHR_get_display_properties2,
	KR_EXT_VK_EXT_direct_mode_display,
	KR_EXT_VK_EXT_display_surface_counter,
};

bool
kr_extension_makes_surfaces(enum kr_extension extension)
{
	const struct kr_surface_kind *kind = kr_surface_kind_of(extension);

	return kind && kind->owner != KR_SURFACE_OURS;
}

/* Whether a driver may be given this one; our window system leaves no room for the driver's. */
static bool
is_for_drivers(enum kr_extension extension, bool platform_wsi)
{
	const struct kr_surface_kind *kind = kr_surface_kind_of(extension);

	if (kind && kind->owner == KR_SURFACE_OURS)
		return false;
	return !platform_wsi || !kr_extensions[extension].window_system;
}

/*
 * Whether a driver can be made to present to surfaces of ours: a HAL module is made for that; an
 * ICD through the adapter, which shares memory and so needs one that says what it can share. The
 * window system that the user has chosen takes every ICD.
 */
static bool
carries_our_surfaces(const struct kr_loaded_driver *driver, bool platform_wsi)
{
	switch (driver->driver->source) {
	case KR_DRIVER_HAL:
	case KR_DRIVER_STUB:
		return true;
	case KR_DRIVER_MANIFEST:
		return platform_wsi || driver->api_version >= VK_API_VERSION_1_1 ||
			kr_extension_set_has(
				&driver->extension_set, KR_EXT_VK_KHR_external_memory_capabilities);
	default:
		return false;
	}
}

/* Whether it has surfaces of its own. */
static bool
makes_surfaces(const struct kr_loaded_driver *driver)
{
	for (size_t i = 0; i < KR_SURFACE_KIND_COUNT; i++) {
		if (kr_surface_kinds[i].owner != KR_SURFACE_OURS &&
			kr_extension_set_has(&driver->extension_set, kr_surface_kinds[i].extension))
			return true;
	}
	return false;
}

/*
 * VK_GOOGLE_surfaceless_query promises that all surfaces are alike: ours are, and those of drivers
 * that have it, too.
 */
static bool
are_alike(const struct kr_loaded_drivers *drivers, bool platform_wsi)
{
	for (uint32_t i = 0; i < drivers->count && !platform_wsi; i++) {
		const struct kr_loaded_driver *driver = &drivers->items[i];

		if (makes_surfaces(driver) &&
			!kr_extension_set_has(
				&driver->extension_set, KR_EXT_VK_GOOGLE_surfaceless_query))
			return false;
	}
	return true;
}

/* What the loader adds to what drivers have, given these. */
static void
get_ours(const struct kr_loaded_drivers *drivers, bool platform_wsi, struct kr_extension_set *set)
{
	bool surfaces = platform_wsi;

	memset(set, 0, sizeof(*set));
	for (uint32_t i = 0; i < drivers->count; i++)
		surfaces |= carries_our_surfaces(&drivers->items[i], platform_wsi);
	if (!surfaces)
		return;
	for (size_t i = 0; i < KR_ARRAY_LEN(with_our_surfaces); i++)
		kr_extension_set_add(set, with_our_surfaces[i]);
	if (are_alike(drivers, platform_wsi))
		kr_extension_set_add(set, KR_EXT_VK_GOOGLE_surfaceless_query);
	for (size_t i = 0; i < KR_SURFACE_KIND_COUNT; i++) {
		if (kr_surface_is_offered(&kr_surface_kinds[i], platform_wsi))
			kr_extension_set_add(set, kr_surface_kinds[i].extension);
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(with_our_display); i++) {
		if (kr_extension_set_has(set, KR_EXT_VK_KHR_display))
			kr_extension_set_add(set, with_our_display[i]);
	}
}

/* VK_LOADER_DISABLE_INST_EXT_FILTER: names that no registry of ours has pass too. */
static bool
filters_unknown(void)
{
	const char *disable = kr_env_get("VK_LOADER_DISABLE_INST_EXT_FILTER");

	return !disable || !atoi(disable);
}

static bool
passes_filter(const char *name, bool platform_wsi, bool filter)
{
	enum kr_extension extension = kr_extension_find(name);

	if (extension == KR_EXTENSION_NONE)
		return !filter;
	return kr_extensions[extension].instance && is_for_drivers(extension, platform_wsi);
}

static uint32_t
version_of(const struct kr_loaded_drivers *drivers, const char *name)
{
	uint32_t version = 0;

	for (uint32_t i = 0; i < drivers->count; i++) {
		const struct kr_loaded_driver *driver = &drivers->items[i];

		for (uint32_t j = 0; j < driver->extension_count; j++) {
			if (!strcmp(driver->extensions[j].extensionName, name))
				version = KR_MAX(version, driver->extensions[j].specVersion);
		}
	}
	return version;
}

/* Whether one of the first drivers has it, or the next one among its first extensions. */
static bool
is_repeated(const struct kr_loaded_drivers *drivers, uint32_t driver, uint32_t extension)
{
	const char *name = drivers->items[driver].extensions[extension].extensionName;

	for (uint32_t i = 0; i <= driver; i++) {
		const struct kr_loaded_driver *item = &drivers->items[i];
		uint32_t count = i < driver ? item->extension_count : extension;

		for (uint32_t j = 0; j < count; j++) {
			if (!strcmp(item->extensions[j].extensionName, name))
				return true;
		}
	}
	return false;
}

struct listing {
	VkExtensionProperties *out; /* NULL: to count */
	uint32_t room, total;
};

static void
list(struct listing *listing, const char *name, uint32_t version)
{
	if (listing->out && listing->total < listing->room) {
		VkExtensionProperties *out = &listing->out[listing->total];

		memset(out, 0, sizeof(*out));
		snprintf(out->extensionName, sizeof(out->extensionName), "%s", name);
		out->specVersion = version;
	}
	listing->total++;
}

static bool
is_always(enum kr_extension extension)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(always); i++) {
		if (always[i] == extension)
			return true;
	}
	return false;
}

/* The drivers', as they list them. */
static void
list_drivers(const struct kr_loaded_drivers *drivers, bool platform_wsi, struct listing *listing)
{
	bool filter = filters_unknown();

	for (uint32_t i = 0; i < drivers->count; i++) {
		const struct kr_loaded_driver *driver = &drivers->items[i];

		for (uint32_t j = 0; j < driver->extension_count; j++) {
			const char *name = driver->extensions[j].extensionName;

			if (passes_filter(name, platform_wsi, filter) &&
				!is_always(kr_extension_find(name)) && !is_repeated(drivers, i, j))
				list(listing, name, version_of(drivers, name));
		}
	}
}

static void
list_ours(const struct kr_loaded_drivers *drivers, bool platform_wsi, struct listing *listing)
{
	struct kr_extension_set ours;

	get_ours(drivers, platform_wsi, &ours);
	for (int e = 0; e < KR_EXTENSION_COUNT; e++) {
		const char *name = kr_extensions[e].name;

		if (kr_extension_set_has(&ours, e) &&
			(!version_of(drivers, name) || !is_for_drivers(e, platform_wsi)))
			list(listing, name, kr_extensions[e].spec_version);
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(always); i++)
		list(listing, kr_extensions[always[i]].name, kr_extensions[always[i]].spec_version);
}

VkResult
kr_instance_extensions_enumerate(uint32_t *count, VkExtensionProperties *properties)
{
	bool platform_wsi = kr_platform_wsi_chosen();
	struct listing listing = {.out = properties, .room = *count};
	struct kr_loaded_drivers_request everything = {0};
	struct kr_loaded_drivers *drivers;
	struct kr_settings settings;
	VkResult result;

	if (kr_settings_read(NULL, &settings))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	everything.settings = &settings;
	result = kr_loaded_drivers_find(&everything, &drivers);
	kr_settings_finish(&settings);
	if (result != VK_SUCCESS)
		return result;
	list_drivers(drivers, platform_wsi, &listing);
	list_ours(drivers, platform_wsi, &listing);
	kr_loaded_drivers_unref(drivers);
	*count = properties ? KR_MIN(listing.total, listing.room) : listing.total;
	return *count < listing.total ? VK_INCOMPLETE : VK_SUCCESS;
}

static bool
is_available(const struct kr_loaded_drivers *drivers, bool platform_wsi, const char *name)
{
	enum kr_extension extension = kr_extension_find(name);
	struct kr_extension_set ours;

	get_ours(drivers, platform_wsi, &ours);
	if (is_always(extension) || kr_extension_set_has(&ours, extension))
		return true;
	if (!passes_filter(name, platform_wsi, filters_unknown()))
		return false;
	for (uint32_t i = 0; i < drivers->count; i++) {
		const struct kr_loaded_driver *driver = &drivers->items[i];

		for (uint32_t j = 0; j < driver->extension_count; j++) {
			if (!strcmp(driver->extensions[j].extensionName, name))
				return true;
		}
	}
	return false;
}

/* A name that isn't one: NULL, or longer than any. */
static bool
is_name(const char *name)
{
	return name && strnlen(name, VK_MAX_EXTENSION_NAME_SIZE) < VK_MAX_EXTENSION_NAME_SIZE;
}

VkResult
kr_instance_extensions_check_names(const VkInstanceCreateInfo *info)
{
	if (info->enabledExtensionCount && !info->ppEnabledExtensionNames) {
		kr_error(
			"vkCreateInstance: %u extensions are enabled, but their names are NULL [VUID-VkInstanceCreateInfo-ppEnabledExtensionNames-parameter]",
			info->enabledExtensionCount);
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	}
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		if (is_name(info->ppEnabledExtensionNames[i]))
			continue;
		kr_error("vkCreateInstance: ppEnabledExtensionNames[%u] is no name of an extension",
			i);
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	}
	return VK_SUCCESS;
}

VkResult
kr_instance_extensions_check(const VkInstanceCreateInfo *info,
	const struct kr_loaded_drivers *drivers, bool platform_wsi,
	const struct kr_layer_chain *chain, struct kr_extension_set *enabled)
{
	struct kr_extension_set wanted = {0};

	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		const char *name =
			info->ppEnabledExtensionNames ? info->ppEnabledExtensionNames[i] : NULL;

		if (!is_name(name)) {
			kr_error(
				"vkCreateInstance: ppEnabledExtensionNames[%u] is no name of an extension",
				i);
			return VK_ERROR_EXTENSION_NOT_PRESENT;
		}
		if (!is_available(drivers, platform_wsi, name) &&
			!kr_layer_chain_has_instance_extension(chain, name)) {
			kr_error(
				"instance extension %s is not available: neither a driver nor an enabled layer has it",
				name);
			kr_report(KR_REPORT_EXTENSION, name);
			return VK_ERROR_EXTENSION_NOT_PRESENT;
		}
		kr_extension_set_add(&wanted, kr_extension_find(name));
	}
	*enabled = wanted;
	return VK_SUCCESS;
}

/* Whether the program has AHardwareBuffers at all: libkrafla, whose name for it this is. */
static bool
has_hardware_buffers(void)
{
	return dlsym(RTLD_DEFAULT, "AHardwareBuffer_allocate");
}

void
kr_instance_driver_choose(struct kr_instance_driver *driver, bool platform_wsi,
	const struct kr_extension_set *enabled)
{
	const struct kr_extension_set *has = &driver->driver->extension_set;
	bool surfaces = kr_extension_set_has(enabled, KR_EXT_VK_KHR_surface);
	bool headless = kr_extension_set_has(enabled, KR_EXT_VK_EXT_headless_surface);
	bool android = kr_extension_set_has(enabled, KR_EXT_VK_KHR_android_surface);
	bool ours, manifest;

	for (int e = 0; e < KR_EXTENSION_COUNT; e++) {
		if (!kr_extension_set_has(enabled, e) || !kr_extension_set_has(has, e) ||
			!is_for_drivers(e, platform_wsi))
			continue;
		kr_extension_set_add(&driver->enabled, e);
		driver->driver_wsi |= kr_extension_makes_surfaces(e);
	}
	/* For the order of devices, whatever the application wants of it. */
	if (kr_extension_set_has(has, KR_EXT_VK_KHR_get_physical_device_properties2))
		kr_extension_set_add(
			&driver->enabled, KR_EXT_VK_KHR_get_physical_device_properties2);
	ours = platform_wsi ? surfaces
			    : android ||
			(headless && !kr_extension_set_has(has, KR_EXT_VK_EXT_headless_surface));
	manifest = driver->driver->driver->source == KR_DRIVER_MANIFEST;
	ours &= manifest && carries_our_surfaces(driver->driver, platform_wsi);
	driver->native_buffer = ours || driver->driver->driver->source == KR_DRIVER_HAL;
	driver->adapter = ours || (manifest && (platform_wsi || has_hardware_buffers()));
}
