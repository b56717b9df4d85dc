/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_KHR_display over Krafla's own display: the display that everything presents to
 * (KRAFLA_DISPLAY) is the one VkDisplayKHR of each device that can present to it. Drivers have
 * none in such an instance: their window systems aren't enabled there.
 *
 * It has one plane, because windows on a display lie in the order of their connections; one mode,
 * which is what it is just now, and one more each time it was seen in another size. Nothing is
 * kept open: who asks for displays connects, hears what it is, and goes. One that doesn't answer
 * isn't there.
 *
 * Any thread.
 */
#ifndef KR_LOADER_WINDOWS_VK_DISPLAY_H
#define KR_LOADER_WINDOWS_VK_DISPLAY_H

#include <stdbool.h>
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* Whether an instance's displays are ours; the functions below are for such instances alone. */
static inline bool
kr_vk_display_stands(const struct kr_instance *instance)
{
	return instance->platform_wsi;
}

/* What vkGetPhysicalDeviceDisplayPropertiesKHR says, and so on for the others. */
VkResult kr_vk_display_properties(struct kr_physical_device *device, uint32_t *count,
	VkDisplayPropertiesKHR *properties) KR_MUST_CHECK;
VkResult kr_vk_display_planes(struct kr_physical_device *device, uint32_t *count,
	VkDisplayPlanePropertiesKHR *properties) KR_MUST_CHECK;
VkResult kr_vk_display_of_plane(struct kr_physical_device *device, uint32_t plane, uint32_t *count,
	VkDisplayKHR *displays) KR_MUST_CHECK;
VkResult kr_vk_display_modes(struct kr_physical_device *device, VkDisplayKHR display,
	uint32_t *count, VkDisplayModePropertiesKHR *properties) KR_MUST_CHECK;
/* VK_ERROR_INITIALIZATION_FAILED for any but what the display is. */
VkResult kr_vk_display_create_mode(struct kr_physical_device *device, VkDisplayKHR display,
	const VkDisplayModeCreateInfoKHR *info, VkDisplayModeKHR *mode) KR_MUST_CHECK;
VkResult kr_vk_display_plane_capabilities(struct kr_physical_device *device, VkDisplayModeKHR mode,
	uint32_t plane, VkDisplayPlaneCapabilitiesKHR *capabilities) KR_MUST_CHECK;

void kr_vk_display_finish(struct kr_instance *instance);

#endif
