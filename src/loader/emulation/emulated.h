/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Physical device commands of extensions that one driver may have and its neighbour not: where a driver
 * lacks one, the answer is what the extension calls "nothing of that kind".
 */
#ifndef KR_LOADER_EMULATED_H
#define KR_LOADER_EMULATED_H

#include "util/vulkan.h"

/* Terminators: core 1.1 and KHR before. */
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceExternalBufferProperties(
	VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalBufferInfo *pInfo,
	VkExternalBufferProperties *pProperties);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceExternalSemaphoreProperties(
	VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalSemaphoreInfo *pInfo,
	VkExternalSemaphoreProperties *pProperties);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceExternalFenceProperties(
	VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalFenceInfo *pInfo,
	VkExternalFenceProperties *pProperties);
/* Core 1.3 and EXT before: no tools. */
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetPhysicalDeviceToolProperties(
	VkPhysicalDevice physicalDevice, uint32_t *pToolCount,
	VkPhysicalDeviceToolProperties *pToolProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetPhysicalDeviceToolPropertiesEXT(
	VkPhysicalDevice physicalDevice, uint32_t *pToolCount,
	VkPhysicalDeviceToolProperties *pToolProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetPhysicalDeviceExternalImageFormatPropertiesNV(
	VkPhysicalDevice physicalDevice, VkFormat format, VkImageType type, VkImageTiling tiling,
	VkImageUsageFlags usage, VkImageCreateFlags flags,
	VkExternalMemoryHandleTypeFlagsNV externalHandleType,
	VkExternalImageFormatPropertiesNV *pExternalImageFormatProperties);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceMultisamplePropertiesEXT(
	VkPhysicalDevice physicalDevice, VkSampleCountFlagBits samples,
	VkMultisamplePropertiesEXT *pMultisampleProperties);

#endif
