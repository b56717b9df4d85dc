/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and destroying devices, through the layers of their instance. */
#ifndef KR_LOADER_DEVICE_H
#define KR_LOADER_DEVICE_H

#include "util/macros.h"
#include "util/vulkan.h"

/* vkCreateDevice and vkDestroyDevice, layers included. */
VkResult kr_device_create(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *device) KR_MUST_CHECK;
void kr_device_destroy(VkDevice device, const VkAllocationCallbacks *allocator);

#endif
