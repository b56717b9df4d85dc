/* SPDX-License-Identifier: Apache-2.0 */
/* A loader, an instance and a device, for the children. */
#include "bench/vulkan_child.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <jansson.h>

#include "bench/vulkan_calls.h"

static int
problem(const char *what, const char *with)
{
	fprintf(stderr, "krafla-bench: %s: %s\n", what, with);
	return 1;
}

int
vulkan_child_open(struct vulkan_child *vk, const char *loader)
{
	VkApplicationInfo app = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.apiVersion = VK_API_VERSION_1_1,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &app,
	};
	PFN_vkCreateInstance create;

	memset(vk, 0, sizeof(*vk));
	vk->so = dlopen(loader, RTLD_NOW | RTLD_LOCAL);
	if (!vk->so)
		return problem(loader, dlerror());
	vk->gipa = (PFN_vkGetInstanceProcAddr)dlsym(vk->so, "vkGetInstanceProcAddr");
	create = vk->gipa ? (PFN_vkCreateInstance)vk->gipa(NULL, "vkCreateInstance") : NULL;
	if (!create || create(&info, NULL, &vk->instance) != VK_SUCCESS)
		return problem(loader, "vkCreateInstance failed");
	vk->gdpa = INSTANCE_FN(vk, vkGetDeviceProcAddr);
	return 0;
}

int
vulkan_child_device(struct vulkan_child *vk, const char *extension)
{
	uint32_t count = 1;
	float priority = 1;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = extension ? 1 : 0,
		.ppEnabledExtensionNames = &extension,
	};
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};

	if (INSTANCE_FN(vk, vkEnumeratePhysicalDevices)(vk->instance, &count, &vk->gpu) < 0 ||
		!count)
		return problem("vkEnumeratePhysicalDevices", "no device");
	if (INSTANCE_FN(vk, vkCreateDevice)(vk->gpu, &info, NULL, &vk->device) != VK_SUCCESS)
		return problem("vkCreateDevice", "failed");
	DEVICE_FN(vk, vkGetDeviceQueue)(vk->device, 0, 0, &vk->queue);
	if (DEVICE_FN(vk, vkCreateCommandPool)(vk->device, &pool, NULL, &vk->pool) != VK_SUCCESS)
		return problem("vkCreateCommandPool", "failed");
	allocate.commandPool = vk->pool;
	if (DEVICE_FN(vk, vkAllocateCommandBuffers)(vk->device, &allocate, &vk->commands) !=
		VK_SUCCESS)
		return problem("vkAllocateCommandBuffers", "failed");
	return 0;
}

bool
vulkan_child_is_gpu(const struct vulkan_child *vk)
{
	VkPhysicalDeviceProperties gpu;

	INSTANCE_FN(vk, vkGetPhysicalDeviceProperties)(vk->gpu, &gpu);
	return gpu.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU;
}

void
vulkan_child_close(struct vulkan_child *vk)
{
	if (vk->device) {
		DEVICE_FN(vk, vkDestroyCommandPool)(vk->device, vk->pool, NULL);
		DEVICE_FN(vk, vkDestroyDevice)(vk->device, NULL);
	}
	if (vk->instance)
		INSTANCE_FN(vk, vkDestroyInstance)(vk->instance, NULL);
}

int
vulkan_child_driver_path(const char *manifest, char *path, size_t size)
{
	json_error_t error;
	json_t *root = json_load_file(manifest, 0, &error);
	const char *library = NULL;

	if (!root)
		return problem(manifest, error.text);
	if (json_unpack(root, "{s:{s:s}}", "ICD", "library_path", &library) || library[0] != '/') {
		json_decref(root);
		return problem(manifest, "no absolute ICD.library_path");
	}
	snprintf(path, size, "%s", library);
	json_decref(root);
	return 0;
}
