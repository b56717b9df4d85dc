/* SPDX-License-Identifier: Apache-2.0 */
/* Instances: the loader's object, the bottom of its chain, its functions by name. */
#ifndef KR_LOADER_INSTANCE_H
#define KR_LOADER_INSTANCE_H

#include "gen/commands.h"
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* vkCreateInstance and vkDestroyInstance, layers included. */
VkResult kr_instance_create(const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkInstance *instance) KR_MUST_CHECK;
void kr_instance_destroy(VkInstance instance, const VkAllocationCallbacks *allocator);

/* Whether the instance may call a command: core, or of an extension that it enabled. */
bool kr_instance_enables(const struct kr_instance *instance, const struct kr_command *command);

/* The bottom of the chain. *instance comes in as the loader's object. */
VKAPI_ATTR VkResult VKAPI_CALL kr_terminator_CreateInstance(const VkInstanceCreateInfo *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkInstance *pInstance);
VKAPI_ATTR void VKAPI_CALL kr_terminator_DestroyInstance(
	VkInstance instance, const VkAllocationCallbacks *pAllocator);

/* What layers find below the last of them. */
PFN_vkVoidFunction VKAPI_CALL kr_terminator_GetInstanceProcAddr(
	VkInstance instance, const char *name);
PFN_vkVoidFunction VKAPI_CALL kr_terminator_GetPhysicalDeviceProcAddr(
	VkInstance instance, const char *name);
extern const struct kr_layer_bottom kr_bottom;

/* The terminators as a table; made once. */
const struct kr_instance_table *kr_terminator_table(void);

#endif
