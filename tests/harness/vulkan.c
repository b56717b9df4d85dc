/* SPDX-License-Identifier: Apache-2.0 */
#include "vulkan.h"

#include "harness.h"

static uint32_t
count_names(const char *const *names)
{
	uint32_t count = 0;

	while (names && names[count])
		count++;
	return count;
}

VkResult
kr_vulkan_create_instance(PFN_vkCreateInstance create, const struct kr_vulkan_instance_info *info,
	VkInstance *instance)
{
	static const struct kr_vulkan_instance_info nothing;
	const struct kr_vulkan_instance_info *wanted = info ? info : &nothing;
	const VkApplicationInfo of_version = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.apiVersion = wanted->api_version,
	};
	const VkApplicationInfo *application = wanted->api_version ? &of_version : NULL;
	const VkInstanceCreateInfo create_info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pNext = wanted->chain,
		.flags = wanted->flags,
		.pApplicationInfo = wanted->application ? wanted->application : application,
		.enabledLayerCount = count_names(wanted->layers),
		.ppEnabledLayerNames = wanted->layers,
		.enabledExtensionCount = count_names(wanted->extensions),
		.ppEnabledExtensionNames = wanted->extensions,
	};

	return create(&create_info, wanted->allocator, instance);
}

VkResult
kr_vulkan_create_device(PFN_vkCreateDevice create, VkPhysicalDevice physical_device,
	const struct kr_vulkan_device_info *info, VkDevice *device)
{
	static const struct kr_vulkan_device_info nothing;
	static const float priorities[] = {1, 1};
	const struct kr_vulkan_device_info *wanted = info ? info : &nothing;
	const VkDeviceQueueCreateInfo queues = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = wanted->queue_count ? wanted->queue_count : 1,
		.pQueuePriorities = priorities,
	};
	const VkDeviceCreateInfo create_info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = wanted->chain,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queues,
		.enabledExtensionCount = count_names(wanted->extensions),
		.ppEnabledExtensionNames = wanted->extensions,
	};

	return create(physical_device, &create_info, wanted->allocator, device);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
ignore(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT
kr_vulkan_messenger_info(VkDebugUtilsMessageSeverityFlagsEXT severities,
	PFN_vkDebugUtilsMessengerCallbackEXT hear, void *user_data)
{
	return (VkDebugUtilsMessengerCreateInfoEXT){
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = severities,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
		.pfnUserCallback = hear ? hear : ignore,
		.pUserData = user_data,
	};
}

PFN_vkVoidFunction
kr_vulkan_find(PFN_vkGetInstanceProcAddr get, VkInstance instance, const char *name)
{
	PFN_vkVoidFunction function = get(instance, name);

	if (!function)
		fail_msg("there is no %s", name);
	return function;
}

void
kr_vulkan_open(struct kr_vulkan *vk, PFN_vkGetInstanceProcAddr get,
	const struct kr_vulkan_instance_info *info)
{
	uint32_t count = 1;
	VkResult result;

	*vk = (struct kr_vulkan){.get_instance_proc_addr = get};
	assert_int_equal(kr_vulkan_create_instance(
				 KR_VULKAN_CALL(vk, vkCreateInstance), info, &vk->instance),
		VK_SUCCESS);
	result = KR_VULKAN_CALL(vk, vkEnumeratePhysicalDevices)(
		vk->instance, &count, &vk->physical_device);
	assert_true(result == VK_SUCCESS || result == VK_INCOMPLETE);
}

void
kr_vulkan_open_device(struct kr_vulkan *vk, const struct kr_vulkan_device_info *info)
{
	assert_non_null(vk->physical_device);
	assert_int_equal(kr_vulkan_create_device(KR_VULKAN_CALL(vk, vkCreateDevice),
				 vk->physical_device, info, &vk->device),
		VK_SUCCESS);
	KR_VULKAN_CALL(vk, vkGetDeviceQueue)(vk->device, 0, 0, &vk->queue);
}

void
kr_vulkan_close(struct kr_vulkan *vk)
{
	if (vk->device)
		KR_VULKAN_CALL(vk, vkDestroyDevice)(vk->device, NULL);
	KR_VULKAN_CALL(vk, vkDestroyInstance)(vk->instance, NULL);
	*vk = (struct kr_vulkan){0};
}
