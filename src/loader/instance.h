/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and destroying instances, through their layers. */
#ifndef KR_LOADER_INSTANCE_H
#define KR_LOADER_INSTANCE_H

#include <stdbool.h>
#include "util/macros.h"
#include "util/vulkan.h"

/* vkCreateInstance and vkDestroyInstance, layers included; `bare`: see util/bare_instance.h. */
VkResult kr_instance_create(const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, bool bare, VkInstance *instance) KR_MUST_CHECK;
void kr_instance_destroy(VkInstance instance, const VkAllocationCallbacks *allocator);

#endif
