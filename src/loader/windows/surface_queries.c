/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a physical device can do with a surface. Of ours wsi answers; of the driver's the driver
 * does, about its own surface. A driver that can't present to this kind of surface at all supports
 * it on no queue family, and that is no error.
 */
#include "loader/windows/surface.h"

#include "loader/devices/window.h"
#include "loader/emulation/properties2.h"
#include "loader/handles/terminators.h"
#include "util/alloc.h"
#include "util/enumerate.h"

/* One device's view of a surface; without one (VK_GOOGLE_surfaceless_query) of any there may be. */
struct view {
	struct kr_physical_device *device;
	bool is_ours;
	struct kr_wsi_gpu gpu;       /* ours */
	struct kr_wsi_surface *ours; /* NULL: none */
	VkSurfaceKHR drivers;        /* VK_NULL_HANDLE: none */
};

/* Of no surface who can have any speaks: the driver where it can, else we. */
static bool
is_ours(const struct kr_vk_surface *surface, const struct kr_instance_driver *driver)
{
	if (surface)
		return kr_vk_surface_is_ours(surface, driver);
	return !kr_extension_set_has(&driver->enabled, KR_EXT_VK_GOOGLE_surfaceless_query);
}

/* VK_ERROR_EXTENSION_NOT_PRESENT: the driver can't present to it. */
static VkResult
look(VkPhysicalDevice handle, VkSurfaceKHR surface_handle, struct view *view)
{
	struct kr_vk_surface *surface = kr_vk_surface_from_handle(surface_handle);
	VkResult result;

	*view = (struct view){.device = kr_physical_device_from_handle(handle)};
	if (!surface &&
		!kr_extension_set_has(&view->device->owner->instance->enabled_below,
			KR_EXT_VK_GOOGLE_surfaceless_query))
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	view->is_ours = is_ours(surface, view->device->owner);
	if (!view->is_ours)
		return surface
			? kr_vk_surface_get_drivers(surface, view->device->owner, &view->drivers)
			: VK_SUCCESS;
	result = kr_physical_device_get_gpu(view->device, &view->gpu);
	if (result != VK_SUCCESS)
		return result;
	if (!view->gpu.native_buffer)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	return surface ? kr_vk_surface_get_ours(surface, &view->ours) : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceSurfaceSupportKHR(
	VkPhysicalDevice handle, uint32_t family, VkSurfaceKHR surface, VkBool32 *supported)
{
	struct view view;
	VkResult result = look(handle, surface, &view);

	if (result == VK_ERROR_EXTENSION_NOT_PRESENT) {
		*supported = VK_FALSE;
		return VK_SUCCESS;
	}
	if (result != VK_SUCCESS)
		return result;
	if (view.is_ours)
		return kr_wsi_surface_support(&view.gpu, view.ours, family, supported);
	return view.device->driver->GetPhysicalDeviceSurfaceSupportKHR(
		view.device->handle, family, view.drivers, supported);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceSurfaceCapabilitiesKHR(
	VkPhysicalDevice handle, VkSurfaceKHR surface, VkSurfaceCapabilitiesKHR *caps)
{
	struct view view;
	VkResult result = look(handle, surface, &view);

	if (result != VK_SUCCESS)
		return result;
	if (view.is_ours)
		return kr_wsi_surface_capabilities(&view.gpu, view.ours, caps);
	return view.device->driver->GetPhysicalDeviceSurfaceCapabilitiesKHR(
		view.device->handle, view.drivers, caps);
}

static bool
has_capabilities2(const struct view *view)
{
	return kr_extension_set_has(
		&view->device->owner->enabled, KR_EXT_VK_KHR_get_surface_capabilities2);
}

/*
 * Where another driver has VK_KHR_get_surface_capabilities2 and this one not: version
 * 1 will have to do.
 */
static VkResult
capabilities_from_version1(const struct view *view, VkSurfaceCapabilities2KHR *caps)
{
	kr_emulation_say(view->device->owner, "vkGetPhysicalDeviceSurfaceCapabilities2KHR",
		"vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
	return view->device->driver->GetPhysicalDeviceSurfaceCapabilitiesKHR(
		view->device->handle, view->drivers, &caps->surfaceCapabilities);
}

static void
clear_timing(VkPresentTimingSurfaceCapabilitiesEXT *timing)
{
	timing->presentTimingSupported = VK_FALSE;
	timing->presentAtAbsoluteTimeSupported = VK_FALSE;
	timing->presentAtRelativeTimeSupported = VK_FALSE;
	timing->presentStageQueries = 0;
}

/*
 * What others than this driver offer (the instance, we beside it) may be asked of it; one that
 * hasn't it leaves these alone.
 */
static void
clear_unknown(VkSurfaceCapabilities2KHR *caps)
{
	/* All these are an sType, a pNext and 32 bits. */
	static const uint32_t types[] = {
		VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR,
		VK_STRUCTURE_TYPE_SHARED_PRESENT_SURFACE_CAPABILITIES_KHR,
		VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_ID_2_KHR,
		VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_WAIT_2_KHR,
		VK_STRUCTURE_TYPE_SWAPCHAIN_FLAGS_SURFACE_CAPABILITIES_EXT,
	};

	for (VkBaseOutStructure *s = caps->pNext; s; s = s->pNext) {
		if ((uint32_t)s->sType ==
			(uint32_t)VK_STRUCTURE_TYPE_PRESENT_TIMING_SURFACE_CAPABILITIES_EXT)
			clear_timing((void *)s);
		for (size_t i = 0; i < KR_ARRAY_LEN(types); i++) {
			if ((uint32_t)s->sType == types[i])
				((VkSurfaceProtectedCapabilitiesKHR *)(void *)s)
					->supportsProtected = VK_FALSE;
		}
	}
}

/* Whether the driver answers for itself, with what is enabled on it. */
static bool
has_maintenance(const struct kr_instance_driver *driver)
{
	/* By name, since not every registry has both. */
	return kr_extension_set_has(
		       &driver->enabled, kr_extension_find("VK_EXT_surface_maintenance1")) ||
		kr_extension_set_has(
			&driver->enabled, kr_extension_find("VK_KHR_surface_maintenance1"));
}

/* The mode that is asked about; NULL when none is, and nothing can be said about modes. */
static const VkSurfacePresentModeEXT *
find_mode(const VkPhysicalDeviceSurfaceInfo2KHR *info)
{
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
		if (s->sType == VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT)
			return (const void *)s;
	}
	return NULL;
}

static void
fill_modes(VkSurfacePresentModeCompatibilityEXT *out, const VkSurfacePresentModeEXT *mode)
{
	if (out->pPresentModes && out->presentModeCount && mode)
		out->pPresentModes[0] = mode->presentMode;
	if (!out->pPresentModes || out->presentModeCount)
		out->presentModeCount = mode ? 1 : 0;
}

static void
fill_scaling(VkSurfacePresentScalingCapabilitiesEXT *out, const VkSurfaceCapabilitiesKHR *unscaled)
{
	out->supportedPresentScaling = 0;
	out->supportedPresentGravityX = 0;
	out->supportedPresentGravityY = 0;
	out->minScaledImageExtent = unscaled->minImageExtent;
	out->maxScaledImageExtent = unscaled->maxImageExtent;
}

/*
 * VK_EXT_surface_maintenance1 (KHR in newer headers) where the driver of a device hasn't it, though
 * another's has: each present mode is compatible with itself, images are presented unscaled.
 */
static void
fill_maintenance(const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceCapabilities2KHR *caps)
{
	for (VkBaseOutStructure *s = caps->pNext; s; s = s->pNext) {
		if (s->sType == VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT)
			fill_modes((void *)s, find_mode(info));
		else if (s->sType == VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT)
			fill_scaling((void *)s, &caps->surfaceCapabilities);
	}
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceSurfaceCapabilities2KHR(VkPhysicalDevice handle,
	const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceCapabilities2KHR *caps)
{
	VkPhysicalDeviceSurfaceInfo2KHR translated = *info;
	struct view view;
	VkResult result = look(handle, info->surface, &view);

	if (result != VK_SUCCESS)
		return result;
	translated.surface = view.drivers;
	clear_unknown(caps);
	if (view.is_ours)
		result = kr_wsi_surface_capabilities2(&view.gpu, view.ours, info, caps);
	else if (has_capabilities2(&view))
		result = view.device->driver->GetPhysicalDeviceSurfaceCapabilities2KHR(
			view.device->handle, &translated, caps);
	else
		result = capabilities_from_version1(&view, caps);
	if (result == VK_SUCCESS && !view.is_ours && !has_maintenance(view.device->owner))
		fill_maintenance(info, caps);
	return result;
}

/* Of VK_EXT_display_surface_counter: where a driver hasn't it, there are no counters. */
/* As Vulkan words it, nothing but the surface of a display counts its blanks. */
static VkSurfaceCounterFlagsEXT
counters_of(const struct view *view, VkSurfaceKHR handle)
{
	const struct kr_vk_surface *surface = kr_vk_surface_from_handle(handle);

	if (!view->ours || surface->made_by.kind->extension != KR_EXT_VK_KHR_display)
		return 0;
	return kr_wsi_surface_counters(view->ours);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceSurfaceCapabilities2EXT(
	VkPhysicalDevice handle, VkSurfaceKHR surface, VkSurfaceCapabilities2EXT *caps)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	VkSurfaceCapabilitiesKHR simple;
	struct view view;
	VkResult result = look(handle, surface, &view);

	if (result != VK_SUCCESS)
		return result;
	if (!view.is_ours &&
		kr_extension_set_has(
			&device->owner->enabled, KR_EXT_VK_EXT_display_surface_counter))
		return device->driver->GetPhysicalDeviceSurfaceCapabilities2EXT(
			device->handle, view.drivers, caps);
	if (!view.is_ours) {
		kr_emulation_say(device->owner, "vkGetPhysicalDeviceSurfaceCapabilities2EXT",
			"vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
		kr_emulation_say_ignored(device->owner,
			"vkGetPhysicalDeviceSurfaceCapabilities2EXT", "pSurfaceCapabilities->pNext",
			caps->pNext);
	}
	result = terminator_GetPhysicalDeviceSurfaceCapabilitiesKHR(handle, surface, &simple);
	if (result != VK_SUCCESS)
		return result;
	caps->minImageCount = simple.minImageCount;
	caps->maxImageCount = simple.maxImageCount;
	caps->currentExtent = simple.currentExtent;
	caps->minImageExtent = simple.minImageExtent;
	caps->maxImageExtent = simple.maxImageExtent;
	caps->maxImageArrayLayers = simple.maxImageArrayLayers;
	caps->supportedTransforms = simple.supportedTransforms;
	caps->currentTransform = simple.currentTransform;
	caps->supportedCompositeAlpha = simple.supportedCompositeAlpha;
	caps->supportedUsageFlags = simple.supportedUsageFlags;
	caps->supportedSurfaceCounters = counters_of(&view, surface);
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceSurfaceFormatsKHR(
	VkPhysicalDevice handle, VkSurfaceKHR surface, uint32_t *count, VkSurfaceFormatKHR *formats)
{
	struct view view;
	VkResult result = look(handle, surface, &view);

	if (result != VK_SUCCESS)
		return result;
	if (view.is_ours)
		return kr_wsi_surface_formats(&view.gpu, view.ours, count, formats);
	return view.device->driver->GetPhysicalDeviceSurfaceFormatsKHR(
		view.device->handle, view.drivers, count, formats);
}

/* Formats of a driver that has version 1 alone. */
static VkResult
formats_from_version1(const struct view *view, uint32_t *count, VkSurfaceFormat2KHR *formats)
{
	PFN_vkGetPhysicalDeviceSurfaceFormatsKHR ask =
		view->device->driver->GetPhysicalDeviceSurfaceFormatsKHR;
	const VkAllocationCallbacks *allocator = view->device->owner->instance->allocator;
	VkSurfaceFormatKHR *found;
	VkResult result;
	uint32_t room;

	kr_emulation_say(view->device->owner, "vkGetPhysicalDeviceSurfaceFormats2KHR",
		"vkGetPhysicalDeviceSurfaceFormatsKHR");
	if (!formats)
		return ask(view->device->handle, view->drivers, count, NULL);
	found = kr_zalloc_array(
		allocator, KR_MAX(*count, 1u), sizeof(*found), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!found)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	room = *count;
	result = ask(view->device->handle, view->drivers, count, found);
	kr_enumeration_fit(found, room, count);
	for (uint32_t i = 0; result >= VK_SUCCESS && i < *count; i++) {
		formats[i].surfaceFormat = found[i];
		kr_emulation_say_ignored(view->device->owner,
			"vkGetPhysicalDeviceSurfaceFormats2KHR", "pSurfaceFormats[].pNext",
			formats[i].pNext);
	}
	kr_free(allocator, found);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceSurfaceFormats2KHR(VkPhysicalDevice handle,
	const VkPhysicalDeviceSurfaceInfo2KHR *info, uint32_t *count, VkSurfaceFormat2KHR *formats)
{
	VkPhysicalDeviceSurfaceInfo2KHR translated = *info;
	struct view view;
	VkResult result = look(handle, info->surface, &view);

	if (result != VK_SUCCESS)
		return result;
	if (view.is_ours)
		return kr_wsi_surface_formats2(&view.gpu, view.ours, count, formats);
	if (!has_capabilities2(&view))
		return formats_from_version1(&view, count, formats);
	translated.surface = view.drivers;
	return view.device->driver->GetPhysicalDeviceSurfaceFormats2KHR(
		view.device->handle, &translated, count, formats);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceSurfacePresentModesKHR(
	VkPhysicalDevice handle, VkSurfaceKHR surface, uint32_t *count, VkPresentModeKHR *modes)
{
	struct view view;
	VkResult result = look(handle, surface, &view);

	if (result != VK_SUCCESS)
		return result;
	if (view.is_ours)
		return kr_wsi_surface_present_modes(&view.gpu, view.ours, count, modes);
	return view.device->driver->GetPhysicalDeviceSurfacePresentModesKHR(
		view.device->handle, view.drivers, count, modes);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDevicePresentRectanglesKHR(
	VkPhysicalDevice handle, VkSurfaceKHR surface, uint32_t *count, VkRect2D *rectangles)
{
	struct view view;
	VkResult result = look(handle, surface, &view);

	if (result != VK_SUCCESS)
		return result;
	if (view.is_ours)
		return kr_wsi_surface_rectangles(&view.gpu, view.ours, count, rectangles);
	return view.device->driver->GetPhysicalDevicePresentRectanglesKHR(
		view.device->handle, view.drivers, count, rectangles);
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR(GetPhysicalDeviceSurfaceSupportKHR),
	KR_TERMINATOR(GetPhysicalDeviceSurfaceCapabilitiesKHR),
	KR_TERMINATOR(GetPhysicalDeviceSurfaceCapabilities2KHR),
	KR_TERMINATOR(GetPhysicalDeviceSurfaceCapabilities2EXT),
	KR_TERMINATOR(GetPhysicalDeviceSurfaceFormatsKHR),
	KR_TERMINATOR(GetPhysicalDeviceSurfaceFormats2KHR),
	KR_TERMINATOR(GetPhysicalDeviceSurfacePresentModesKHR),
	KR_TERMINATOR(GetPhysicalDevicePresentRectanglesKHR),
};
const struct kr_terminators kr_terminators_surface_queries = {
	terminators, KR_ARRAY_LEN(terminators)};
