/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_EXT_debug_utils and VK_EXT_debug_report: the loader keeps the application's callbacks, gives
 * them its own messages and creates them on every driver that supports them, whose messages come
 * with the loader's handles (DESIGN rule 3).
 */
#ifndef KR_LOADER_MESSAGES_MESSENGERS_H
#define KR_LOADER_MESSAGES_MESSENGERS_H

#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* The callbacks chained to VkInstanceCreateInfo count for vkDestroyInstance too: kept with it. */
VkResult kr_messengers_keep_chained(struct kr_instance *instance, const void *chain) KR_MUST_CHECK;
/* Frees what is left of an instance's callbacks. The drivers' own must be gone with their instance. */
void kr_messengers_finish(struct kr_instance *instance);

/* Terminators. */
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_CreateDebugUtilsMessengerEXT(VkInstance instance,
	const VkDebugUtilsMessengerCreateInfoEXT *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkDebugUtilsMessengerEXT *pMessenger);
VKAPI_ATTR void VKAPI_CALL kr_bottom_DestroyDebugUtilsMessengerEXT(VkInstance instance,
	VkDebugUtilsMessengerEXT messenger, const VkAllocationCallbacks *pAllocator);
VKAPI_ATTR void VKAPI_CALL kr_bottom_SubmitDebugUtilsMessageEXT(VkInstance instance,
	VkDebugUtilsMessageSeverityFlagBitsEXT messageSeverity,
	VkDebugUtilsMessageTypeFlagsEXT messageTypes,
	const VkDebugUtilsMessengerCallbackDataEXT *pCallbackData);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_CreateDebugReportCallbackEXT(VkInstance instance,
	const VkDebugReportCallbackCreateInfoEXT *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkDebugReportCallbackEXT *pCallback);
VKAPI_ATTR void VKAPI_CALL kr_bottom_DestroyDebugReportCallbackEXT(VkInstance instance,
	VkDebugReportCallbackEXT callback, const VkAllocationCallbacks *pAllocator);
VKAPI_ATTR void VKAPI_CALL kr_bottom_DebugReportMessageEXT(VkInstance instance,
	VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT objectType, uint64_t object,
	size_t location, int32_t messageCode, const char *pLayerPrefix, const char *pMessage);

#endif
