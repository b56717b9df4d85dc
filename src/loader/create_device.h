/* SPDX-License-Identifier: Apache-2.0 */
/* vkCreateDevice at the bottom of the chain. */
#ifndef KR_LOADER_CREATE_DEVICE_H
#define KR_LOADER_CREATE_DEVICE_H

#include "util/vulkan.h"

VKAPI_ATTR VkResult VKAPI_CALL kr_terminator_CreateDevice(VkPhysicalDevice physicalDevice,
	const VkDeviceCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkDevice *pDevice);

#endif
