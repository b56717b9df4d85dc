/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that lies: which lie, the test writes into `lying_icd_lie`, or the environment has it in
 * LYING_ICD. Apart from that it is a driver with one device, which does nothing. It never writes
 * behind the memory that it is given: what it says of it is what is wrong.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_icd.h>

#include "util/macros.h"
#include "util/vulkan.h"

KR_EXPORT char lying_icd_lie[64];
/* How often the last list was asked for, to see an end. */
KR_EXPORT int lying_icd_calls;

struct object {
	uintptr_t word;
};
static struct object instance_object, gpu, other_gpu, device_object, buffer;

__attribute__((constructor)) static void
read_environment(void)
{
	const char *lie = getenv("LYING_ICD");

	snprintf(lying_icd_lie, sizeof(lying_icd_lie), "%s", lie ? lie : "");
}

static bool
lies(const char *kind, const char *about)
{
	size_t len = strlen(kind);

	return !strncmp(lying_icd_lie, kind, len) && !strcmp(lying_icd_lie + len, about);
}

/*
 * The count of a list called `name` that has one item, for this call, as the lie has it;
 * *write: how many items to write. Lies: "endless NAME", "more NAME" (of which there is one),
 * "huge NAME", "growing NAME".
 */
static VkResult
count_items(const char *name, bool counting, uint32_t *count, uint32_t *write)
{
	static uint32_t grown;
	uint32_t room = *count;

	lying_icd_calls++;
	*write = counting ? 0 : KR_MIN(room, 1u);
	*count = counting ? 1 : *write;
	if (lies("endless ", name))
		return counting ? VK_SUCCESS : VK_INCOMPLETE;
	if (lies("more ", name) && !counting)
		*count = 5000;
	if (lies("huge ", name))
		*count = UINT32_MAX;
	if (lies("growing ", name)) {
		grown = counting ? grown * 2 + 1 : grown + 1;
		*count = counting ? grown : room;
		*write = counting ? 0 : room;
		return counting ? VK_SUCCESS : VK_INCOMPLETE;
	}
	return !counting && !room ? VK_INCOMPLETE : VK_SUCCESS;
}

static VkResult
list_extensions(const char *name, uint32_t *count, VkExtensionProperties *out, const char *first)
{
	uint32_t write, room = *count;
	VkResult result = count_items(name, !out, count, &write);

	/* Beside a good name one without end, and none. */
	if (lies("nameless ", name)) {
		*count = out ? KR_MIN(room, 3u) : 3;
		for (uint32_t i = 0; out && i < *count; i++)
			memset(&out[i], i == 1 ? 'x' : 0, sizeof(out[i]));
		write = out ? KR_MIN(room, 1u) : 0;
	}
	for (uint32_t i = 0; i < write; i++) {
		snprintf(out[i].extensionName, sizeof(out[i].extensionName), "%s", first);
		out[i].specVersion = 1;
	}
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_instance_extensions(const char *layer, uint32_t *count, VkExtensionProperties *out)
{
	return list_extensions(
		"instance extensions", count, out, "VK_KHR_external_memory_capabilities");
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_device_extensions(
	VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *out)
{
	return list_extensions("extensions", count, out, "VK_KHR_maintenance1");
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_instance_version(uint32_t *version)
{
	*version = VK_API_VERSION_1_1;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	instance_object.word = gpu.word = other_gpu.word = ICD_LOADER_MAGIC;
	*out = lies("no ", "instance") ? VK_NULL_HANDLE : (VkInstance)&instance_object;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy(void *object, const VkAllocationCallbacks *allocator)
{
	/* Of NULL the loader wouldn't have to tell a driver. */
	if (!object)
		abort();
}

/* More lies: "odd devices" (NULL, and one twice). */
static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *out)
{
	const VkPhysicalDevice odd[] = {VK_NULL_HANDLE, (VkPhysicalDevice)&gpu,
		(VkPhysicalDevice)&gpu, VK_NULL_HANDLE, (VkPhysicalDevice)&other_gpu,
		(VkPhysicalDevice)&gpu};
	uint32_t write, room = *count;
	VkResult result = count_items("devices", !out, count, &write);

	for (uint32_t i = 0; i < write; i++)
		out[i] = (VkPhysicalDevice)&gpu;
	if (!lies("odd ", "devices"))
		return result;
	*count = out ? KR_MIN(room, (uint32_t)KR_ARRAY_LEN(odd)) : KR_ARRAY_LEN(odd);
	for (uint32_t i = 0; out && i < *count; i++)
		out[i] = odd[i];
	return VK_SUCCESS;
}

/*
 * More lies: "wide groups" (of a thousand devices), "odd groups" (one device many
 * times, strange ones).
 */
static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_groups(VkInstance instance, uint32_t *count, VkPhysicalDeviceGroupProperties *out)
{
	uint32_t write;
	VkResult result = count_items("groups", !out, count, &write);

	for (uint32_t i = 0; i < write; i++) {
		out[i].physicalDeviceCount = 1;
		for (uint32_t j = 0; j < VK_MAX_DEVICE_GROUP_SIZE; j++)
			out[i].physicalDevices[j] = (VkPhysicalDevice)&gpu;
		if (lies("wide ", "groups"))
			out[i].physicalDeviceCount = 1000;
		if (!lies("odd ", "groups"))
			continue;
		out[i].physicalDeviceCount = 8;
		out[i].physicalDevices[0] = VK_NULL_HANDLE;
		out[i].physicalDevices[1] = (VkPhysicalDevice)(uintptr_t)0x1234;
	}
	return result;
}

/* Lie: "endless name". */
static VKAPI_ATTR void VKAPI_CALL
get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties)
{
	memset(properties, 0, sizeof(*properties));
	properties->apiVersion = VK_API_VERSION_1_1;
	snprintf(properties->deviceName, sizeof(properties->deviceName), "liar");
	if (lies("endless ", "name"))
		memset(properties->deviceName, 'x', sizeof(properties->deviceName));
}

static VKAPI_ATTR void VKAPI_CALL
get_properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
	get_properties(device, &properties->properties);
}

static VKAPI_ATTR void VKAPI_CALL
get_families(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *out)
{
	uint32_t write;

	(void)count_items("families", !out, count, &write);
	for (uint32_t i = 0; i < write; i++)
		out[i] = (VkQueueFamilyProperties){VK_QUEUE_GRAPHICS_BIT, 1, 0, {1, 1, 1}};
}

static VKAPI_ATTR void VKAPI_CALL
get_families2(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties2 *out)
{
	uint32_t write;

	(void)count_items("families", !out, count, &write);
}

static VKAPI_ATTR void VKAPI_CALL
get_sparse(VkPhysicalDevice device, VkFormat format, VkImageType type,
	VkSampleCountFlagBits samples, VkImageUsageFlags usage, VkImageTiling tiling,
	uint32_t *count, VkSparseImageFormatProperties *out)
{
	uint32_t write;

	(void)count_items("sparse", !out, count, &write);
}

/* Lie: "huge memory". */
static VKAPI_ATTR void VKAPI_CALL
get_memory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *properties)
{
	memset(properties, 0, sizeof(*properties));
	if (lies("huge ", "memory"))
		properties->memoryTypeCount = properties->memoryHeapCount = UINT32_MAX;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice gpu_handle, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *out)
{
	device_object.word = ICD_LOADER_MAGIC;
	*out = lies("no ", "device") ? VK_NULL_HANDLE : (VkDevice)&device_object;
	return VK_SUCCESS;
}

/* Lies: "no queue", "no command buffer" (the second of them). */
static VKAPI_ATTR void VKAPI_CALL
get_queue(VkDevice device, uint32_t family, uint32_t index, VkQueue *out)
{
	*out = VK_NULL_HANDLE;
}

static VKAPI_ATTR VkResult VKAPI_CALL
allocate_command_buffers(
	VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out)
{
	buffer.word = ICD_LOADER_MAGIC;
	for (uint32_t i = 0; i < info->commandBufferCount; i++)
		out[i] = i ? VK_NULL_HANDLE : (VkCommandBuffer)&buffer;
	return VK_SUCCESS;
}

/* What the adapter ends with its device: it made none of them. */
static VKAPI_ATTR void VKAPI_CALL
destroy_nothing(VkDevice device, uint64_t handle, const VkAllocationCallbacks *allocator)
{
	if (handle)
		abort();
}

static PFN_vkVoidFunction VKAPI_CALL get_proc_addr(void *object, const char *name);

static const struct {
	const char *name;
	PFN_vkVoidFunction function;
} functions[] = {
	{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_proc_addr},
	{"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_proc_addr},
	{"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
	{"vkDestroyInstance", (PFN_vkVoidFunction)destroy},
	{"vkEnumerateInstanceVersion", (PFN_vkVoidFunction)enumerate_instance_version},
	{"vkEnumerateInstanceExtensionProperties",
		(PFN_vkVoidFunction)enumerate_instance_extensions},
	{"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate_devices},
	{"vkEnumeratePhysicalDeviceGroups", (PFN_vkVoidFunction)enumerate_groups},
	{"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)enumerate_device_extensions},
	{"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)get_properties},
	{"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)get_properties2},
	{"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)get_families},
	{"vkGetPhysicalDeviceQueueFamilyProperties2", (PFN_vkVoidFunction)get_families2},
	{"vkGetPhysicalDeviceSparseImageFormatProperties", (PFN_vkVoidFunction)get_sparse},
	{"vkGetPhysicalDeviceMemoryProperties", (PFN_vkVoidFunction)get_memory},
	{"vkCreateDevice", (PFN_vkVoidFunction)create_device},
	{"vkDestroyDevice", (PFN_vkVoidFunction)destroy},
	{"vkDestroyFence", (PFN_vkVoidFunction)destroy_nothing},
	{"vkDestroySemaphore", (PFN_vkVoidFunction)destroy_nothing},
	{"vkDestroyCommandPool", (PFN_vkVoidFunction)destroy_nothing},
	{"vkGetDeviceQueue", (PFN_vkVoidFunction)get_queue},
	{"vkAllocateCommandBuffers", (PFN_vkVoidFunction)allocate_command_buffers},
};

static PFN_vkVoidFunction VKAPI_CALL
get_proc_addr(void *object, const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	}
	return NULL;
}

KR_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(
	VkInstance instance, const char *name);
PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	return get_proc_addr(instance, name);
}

KR_EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	*version = 5;
	return VK_SUCCESS;
}
