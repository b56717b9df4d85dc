/* SPDX-License-Identifier: Apache-2.0 */
/* Terminators that list an instance's physical devices, and groups of them. */
#ifndef KR_LOADER_DEVICES_ENUMERATE_H
#define KR_LOADER_DEVICES_ENUMERATE_H

#include "util/vulkan.h"

VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_EnumeratePhysicalDevices(
	VkInstance instance, uint32_t *pCount, VkPhysicalDevice *pDevices);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_EnumeratePhysicalDeviceGroups(
	VkInstance instance, uint32_t *pCount, VkPhysicalDeviceGroupProperties *pProperties);

#endif
