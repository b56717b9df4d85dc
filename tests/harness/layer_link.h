/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For layers: the loader's structure in the chain of what is created that says who follows; it is
 * the layer's to move on. NULL when there is none.
 */
#ifndef KR_TESTS_LAYER_LINK_H
#define KR_TESTS_LAYER_LINK_H

#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_layer.h>

static inline VkLayerInstanceCreateInfo *
instance_link(const VkInstanceCreateInfo *info)
{
	VkLayerInstanceCreateInfo *s = (void *)(uintptr_t)info->pNext;

	while (s &&
		(s->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
			s->function != VK_LAYER_LINK_INFO))
		s = (void *)(uintptr_t)s->pNext;
	return s;
}

static inline VkLayerDeviceCreateInfo *
device_link(const VkDeviceCreateInfo *info)
{
	VkLayerDeviceCreateInfo *s = (void *)(uintptr_t)info->pNext;

	while (s &&
		(s->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
			s->function != VK_LAYER_LINK_INFO))
		s = (void *)(uintptr_t)s->pNext;
	return s;
}

#endif
