/* SPDX-License-Identifier: Apache-2.0 */
/* A device that shares memory, and what one can say of memory that is used. */
#include "bench/shared/shared.h"

#include <stdio.h>
#include <string.h>

#include "bench/shared/memory.h"
#include "bench/vulkan_calls.h"

#define MAX_EXTENSIONS 16

static int
problem(const char *what, VkResult result)
{
	fprintf(stderr, "krafla-bench: %s: %d\n", what, result);
	return 1;
}

/* The names of `wanted` that the device offers behind those that are chosen already. */
static unsigned
choose(const struct vulkan_child *vk, const char *const *wanted, const char **chosen, unsigned n)
{
	static VkExtensionProperties offered[1024];
	uint32_t count = KR_ARRAY_LEN(offered);

	if (INSTANCE_FN(vk, vkEnumerateDeviceExtensionProperties)(vk->gpu, NULL, &count, offered) <
		0)
		count = 0;
	for (; *wanted && n + 1 < MAX_EXTENSIONS; wanted++) {
		for (uint32_t i = 0; i < count; i++) {
			if (!strcmp(offered[i].extensionName, *wanted)) {
				chosen[n++] = *wanted;
				break;
			}
		}
	}
	chosen[n] = NULL;
	return n;
}

static bool
has(const char *const *names, const char *name)
{
	for (; *names; names++) {
		if (!strcmp(*names, name))
			return true;
	}
	return false;
}

static int
open_device(struct shared_end *end, const char *const *extensions, unsigned count)
{
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = count,
		.ppEnabledExtensionNames = extensions,
	};
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	struct vulkan_child *vk = &end->vk;
	VkResult result;

	result = INSTANCE_FN(vk, vkCreateDevice)(vk->gpu, &info, NULL, &vk->device);
	if (result != VK_SUCCESS)
		return problem("vkCreateDevice", result);
	kr_device_table_load(&end->d, vk->gdpa, vk->device);
	end->d.GetDeviceQueue(vk->device, 0, 0, &vk->queue);
	result = end->d.CreateCommandPool(vk->device, &pool, NULL, &vk->pool);
	return result == VK_SUCCESS ? 0 : problem("vkCreateCommandPool", result);
}

/* Whether semaphores go to another process as opaque descriptors. */
static bool
shares_semaphores(const struct vulkan_child *vk)
{
	const VkPhysicalDeviceExternalSemaphoreInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	const VkExternalSemaphoreFeatureFlags wanted =
		VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT |
		VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
	VkExternalSemaphoreProperties properties = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES,
	};

	INSTANCE_FN(vk, vkGetPhysicalDeviceExternalSemaphoreProperties)
	(vk->gpu, &info, &properties);
	return (properties.externalSemaphoreFeatures & wanted) == wanted;
}

int
shared_end_open(struct shared_end *end, const char *loader, enum shared_way way)
{
	static const char *const besides[] = {VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
		VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, NULL};
	const char *chosen[MAX_EXTENSIONS];
	struct vulkan_child *vk = &end->vk;
	uint32_t count = 1;
	VkResult result;

	end->way = way;
	if (vulkan_child_open(vk, loader))
		return 1;
	result = INSTANCE_FN(vk, vkEnumeratePhysicalDevices)(vk->instance, &count, &vk->gpu);
	if (result < 0 || !count)
		return problem("vkEnumeratePhysicalDevices: no device", result);
	count = choose(vk, kr_gpu_extensions, chosen, 0);
	count = choose(vk, besides, chosen, count);
	end->semaphores = has(chosen, besides[0]) && shares_semaphores(vk);
	end->budget = has(chosen, besides[1]);
	if (open_device(end, chosen, count))
		return 1;
	result = kr_gpu_init(
		&end->gpu, vk->instance, vk->gpu, vk->device, vk->gipa, vk->gdpa, NULL, chosen);
	if (result == VK_SUCCESS && !end->gpu.opaque_fd)
		result = VK_ERROR_EXTENSION_NOT_PRESENT;
	return result == VK_SUCCESS ? 0 : problem("the device's memory can't be shared", result);
}

void
shared_end_close(struct shared_end *end)
{
	vulkan_child_close(&end->vk);
}

double
shared_end_memory_kb(struct shared_end *end)
{
	VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT,
	};
	VkPhysicalDeviceMemoryProperties2 memory = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
		.pNext = &budget,
	};
	double sum = 0;

	if (!end->budget || end->gpu.type == VK_PHYSICAL_DEVICE_TYPE_CPU)
		return shared_memory_kb(0);
	INSTANCE_FN(&end->vk, vkGetPhysicalDeviceMemoryProperties2)(end->vk.gpu, &memory);
	for (uint32_t i = 0; i < memory.memoryProperties.memoryHeapCount; i++)
		sum += (double)budget.heapUsage[i] / 1024;
	return sum;
}
