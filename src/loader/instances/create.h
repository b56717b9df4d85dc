/* SPDX-License-Identifier: Apache-2.0 */
/* An instance in all of its drivers, at the bottom of the chain. */
#ifndef KR_LOADER_INSTANCES_CREATE_H
#define KR_LOADER_INSTANCES_CREATE_H

#include "loader/handles/handles.h"
#include "util/vulkan.h"

/* *pInstance comes in as the loader's object. */
VKAPI_ATTR VkResult VKAPI_CALL kr_terminator_CreateInstance(const VkInstanceCreateInfo *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkInstance *pInstance);

/* Ends the drivers' instances; the objects that stand for them stay. */
void kr_instance_destroy_in_drivers(struct kr_instance *instance);

#endif
