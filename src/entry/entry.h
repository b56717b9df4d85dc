/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry points that gen/ leaves to hand (policy.HAND_WRITTEN_ENTRY): those that come before
 * there is an object to jump through, and those that build or end a chain. All are declared in
 * gen/trampolines.h; here is what the others of this room need of them.
 */
#ifndef KR_ENTRY_ENTRY_H
#define KR_ENTRY_ENTRY_H

#include "gen/commands.h"
#include "util/vulkan.h"

/*
 * Commands without an object, as vkGetInstanceProcAddr gives them: certainly ours, while the
 * exported names may be called by who means another loader (elsewhere.h).
 */
VKAPI_ATTR VkResult VKAPI_CALL kr_entry_CreateInstance(const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkInstance *instance);
/* util/bare_instance.h */
VKAPI_ATTR VkResult VKAPI_CALL kr_entry_CreateBareInstance(const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkInstance *instance);
VKAPI_ATTR VkResult VKAPI_CALL kr_entry_EnumerateInstanceVersion(uint32_t *version);
VKAPI_ATTR VkResult VKAPI_CALL kr_entry_EnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties);
VKAPI_ATTR VkResult VKAPI_CALL kr_entry_EnumerateInstanceLayerProperties(
	uint32_t *count, VkLayerProperties *properties);
/* One of these, or the trampoline. */
PFN_vkVoidFunction kr_entry_own(enum kr_command_id id);

#endif
