/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_EXT_debug_utils and VK_EXT_debug_report: the loader keeps the application's callbacks, gives
 * them its own messages and creates them on every driver that supports them, whose messages come
 * with the loader's handles (DESIGN rule 3).
 *
 * A message of the loader belongs to the call that caused it: each call that may say something opens
 * a scope, which names the instance, or the chain of an instance that is being created or destroyed.
 * Callbacks are called without any lock of ours held.
 */
#ifndef KR_LOADER_MESSAGES_H
#define KR_LOADER_MESSAGES_H

#include "loader/handles/handles.h"
#include "util/vulkan.h"

struct kr_message_scope {
	struct kr_instance *instance; /* NULL while there is none */
	const void *chain;            /* pNext of VkInstanceCreateInfo, or NULL */
	bool lifetime;                /* the instance is being destroyed */
	struct kr_message_scope *outer;
};

/* From here on messages of this thread go to these callbacks, until the end. Scopes nest. */
void kr_message_scope_begin(
	struct kr_message_scope *scope, struct kr_instance *instance, const void *chain);
/* The same for vkDestroyInstance: callbacks that were chained to its creation are told again. */
void kr_message_scope_begin_destroy(struct kr_message_scope *scope, struct kr_instance *instance);
void kr_message_scope_end(struct kr_message_scope *scope);

/*
 * A message about an instance from anywhere, also from outside of such a scope: its callbacks hear it.
 */
void kr_instance_log(struct kr_instance *instance, uint32_t bits, const char *fmt, ...)
	KR_PRINTF(3, 4);

/* The callbacks chained to VkInstanceCreateInfo count for vkDestroyInstance too: kept with it. */
VkResult kr_messages_keep_chained(struct kr_instance *instance, const void *chain) KR_MUST_CHECK;
/* Frees what is left of an instance's callbacks. The drivers' own must be gone with their instance. */
void kr_messages_finish(struct kr_instance *instance);

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
