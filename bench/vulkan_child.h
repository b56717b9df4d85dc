/* SPDX-License-Identifier: Apache-2.0 */
/* What the children share: a loader by its path, an instance, a device with a command buffer. */
#ifndef KR_BENCH_VULKAN_CHILD_H
#define KR_BENCH_VULKAN_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include "util/vulkan.h"

struct vulkan_child {
	void *so;
	PFN_vkGetInstanceProcAddr gipa;
	PFN_vkGetDeviceProcAddr gdpa;
	VkInstance instance;
	VkPhysicalDevice gpu; /* the first */
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	VkCommandBuffer commands;
};

/* 0 or 1 with a message on stderr. The instance has no layers and no extensions. */
int vulkan_child_open(struct vulkan_child *vk, const char *loader);
/* A device on the first GPU, queue family 0, with an extension or NULL, and one command buffer. */
int vulkan_child_device(struct vulkan_child *vk, const char *extension);
/* Whether the device is one, and not a program that draws on the processor. */
bool vulkan_child_is_gpu(const struct vulkan_child *vk);
void vulkan_child_close(struct vulkan_child *vk);
/* The library that an ICD manifest names. 0 or 1 with a message. */
int vulkan_child_driver_path(const char *manifest, char *path, size_t size);

#endif
