/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver without VK_EXT_surface_maintenance1 would answer. */
#include "loader/windows/surface_maintenance.h"

bool
kr_surface_maintenance_of_driver(const struct kr_driver_instance *driver)
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

void
kr_surface_maintenance_fill(
	const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceCapabilities2KHR *caps)
{
	for (VkBaseOutStructure *s = caps->pNext; s; s = s->pNext) {
		if (s->sType == VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT)
			fill_modes((void *)s, find_mode(info));
		else if (s->sType == VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT)
			fill_scaling((void *)s, &caps->surfaceCapabilities);
	}
}
