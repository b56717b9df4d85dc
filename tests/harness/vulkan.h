/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instances and devices as tests want them, made by the function that a test is about: an exported
 * one, a driver's own. Where an info is NULL, or zero in it, nothing in particular is wanted. Lists
 * of names end with NULL; NULL is an empty one.
 */
#ifndef KR_TESTS_VULKAN_H
#define KR_TESTS_VULKAN_H

#include "util/vulkan.h"

struct kr_vulkan_instance_info {
	uint32_t api_version;                 /* 0: there is no VkApplicationInfo */
	const VkApplicationInfo *application; /* instead of one of that version */
	VkInstanceCreateFlags flags;
	const void *chain;
	const char *const *layers;
	const char *const *extensions;
	const VkAllocationCallbacks *allocator;
};
VkResult kr_vulkan_create_instance(PFN_vkCreateInstance create,
	const struct kr_vulkan_instance_info *info, VkInstance *instance);

struct kr_vulkan_device_info {
	const void *chain;
	const char *const *extensions;
	uint32_t queue_count; /* of family 0, two at most [1] */
	const VkAllocationCallbacks *allocator;
};
VkResult kr_vulkan_create_device(PFN_vkCreateDevice create, VkPhysicalDevice physical_device,
	const struct kr_vulkan_device_info *info, VkDevice *device);

#define KR_VULKAN_ALL_SEVERITIES                                                                   \
	(VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT |                                         \
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT |                                     \
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |                                  \
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
#define KR_VULKAN_ALL_TYPES                                                                        \
	(VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |                                             \
		VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |                                   \
		VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT)
/*
 * Somebody who hears messages of these severities; of type general, unless that is changed. Where
 * `hear` is NULL, somebody who makes nothing of them.
 */
VkDebugUtilsMessengerCreateInfoEXT kr_vulkan_messenger_info(
	VkDebugUtilsMessageSeverityFlagsEXT severities, PFN_vkDebugUtilsMessengerCallbackEXT hear,
	void *user_data);

/* An instance, its first physical device, and a device of that, all by one function. */
struct kr_vulkan {
	PFN_vkGetInstanceProcAddr get_instance_proc_addr;
	VkInstance instance;
	VkPhysicalDevice physical_device; /* VK_NULL_HANDLE when there is none */
	VkDevice device;
	VkQueue queue; /* the first */
};
#define KR_VULKAN_CALL(vk, name)                                                                   \
	((PFN_##name)kr_vulkan_find((vk)->get_instance_proc_addr, (vk)->instance, #name))

/* These fail the case. Without callbacks for memory: the infos' have to be NULL. */
PFN_vkVoidFunction kr_vulkan_find(
	PFN_vkGetInstanceProcAddr get, VkInstance instance, const char *name);
void kr_vulkan_open(struct kr_vulkan *vk, PFN_vkGetInstanceProcAddr get,
	const struct kr_vulkan_instance_info *info);
void kr_vulkan_open_device(struct kr_vulkan *vk, const struct kr_vulkan_device_info *info);
/* The device, if there is one, and the instance. */
void kr_vulkan_close(struct kr_vulkan *vk);

#endif
