/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that take a handle as a number and a type: a handle of ours must not come to the driver,
 * which would take it for its own (DESIGN rule 2; tried: lavapipe crashes).
 */
#ifndef KR_LOADER_OBJECT_NAMES_H
#define KR_LOADER_OBJECT_NAMES_H

#include "util/vulkan.h"

VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_SetDebugUtilsObjectNameEXT(
	VkDevice device, const VkDebugUtilsObjectNameInfoEXT *pNameInfo);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_SetDebugUtilsObjectTagEXT(
	VkDevice device, const VkDebugUtilsObjectTagInfoEXT *pTagInfo);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_DebugMarkerSetObjectNameEXT(
	VkDevice device, const VkDebugMarkerObjectNameInfoEXT *pNameInfo);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_DebugMarkerSetObjectTagEXT(
	VkDevice device, const VkDebugMarkerObjectTagInfoEXT *pTagInfo);

VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_SetPrivateData(VkDevice device, VkObjectType objectType,
	uint64_t objectHandle, VkPrivateDataSlot privateDataSlot, uint64_t data);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPrivateData(VkDevice device, VkObjectType objectType,
	uint64_t objectHandle, VkPrivateDataSlot privateDataSlot, uint64_t *pData);
VKAPI_ATTR void VKAPI_CALL kr_bottom_DestroyPrivateDataSlot(VkDevice device,
	VkPrivateDataSlot privateDataSlot, const VkAllocationCallbacks *pAllocator);

#endif
