/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Linux driver with one fault: all calls go to the real one that WRONG_ICD_OF names, but for that
 * which WRONG_ICD says. Its handles are the real driver's.
 */
#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_icd.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/macros.h"

static PFN_vkGetInstanceProcAddr real_instance;
static PFN_vkGetDeviceProcAddr real_device;
static VkInstance instance;
static VkDevice device;

static bool
has(const char *fault)
{
	const char *is = getenv("WRONG_ICD");

	return is && !strcmp(is, fault);
}

static void *
library(void)
{
	static void *opened;

	if (!opened)
		opened = dlopen(getenv("WRONG_ICD_OF"), RTLD_NOW | RTLD_LOCAL);
	return opened;
}

#define INSTANCE(name) ((PFN_##name)real_instance(instance, #name))
#define DEVICE(name)   ((PFN_##name)real_device(device, #name))

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	VkResult result = ((PFN_vkCreateInstance)real_instance(NULL, "vkCreateInstance"))(
		info, allocator, out);

	instance = *out;
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *out)
{
	VkResult result = INSTANCE(vkCreateDevice)(physical, info, allocator, out);

	device = *out;
	real_device = INSTANCE(vkGetDeviceProcAddr);
	if (has("magic"))
		((VK_LOADER_DATA *)device)->loaderMagic = 0;
	return result;
}

/* A copy of the memory, which nobody brings up to date. */
static VKAPI_ATTR VkResult VKAPI_CALL
map_copy(VkDevice d, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
	VkMemoryMapFlags flags, void **data)
{
	*data = calloc(1, 4 << 20);
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
map_beginning(VkDevice d, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
	VkMemoryMapFlags flags, void **data)
{
	return DEVICE(vkMapMemory)(d, memory, 0, VK_WHOLE_SIZE, flags, data);
}

static VKAPI_ATTR void VKAPI_CALL
copy_nothing(VkCommandBuffer buffer, VkBuffer from, VkBuffer to, uint32_t count,
	const VkBufferCopy *regions)
{
}

static VKAPI_ATTR VkResult VKAPI_CALL
allocate_own(VkDevice d, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *allocator,
	VkDeviceMemory *memory)
{
	VkMemoryAllocateInfo plain = *info;

	plain.pNext = NULL;
	return DEVICE(vkAllocateMemory)(d, &plain, allocator, memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL
no_attachments(VkPhysicalDevice physical, VkFormat format, VkImageType type, VkImageTiling tiling,
	VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties *properties)
{
	if (usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	return INSTANCE(vkGetPhysicalDeviceImageFormatProperties)(
		physical, format, type, tiling, usage, flags, properties);
}

static VKAPI_ATTR void VKAPI_CALL
longer_rows(VkDevice d, VkImage image, const VkImageSubresource *part, VkSubresourceLayout *layout)
{
	DEVICE(vkGetImageSubresourceLayout)(d, image, part, layout);
	layout->offset += 4;
}

static VKAPI_ATTR void VKAPI_CALL
copy_without_stride(VkCommandBuffer buffer, VkImage image, VkImageLayout layout, VkBuffer to,
	uint32_t count, const VkBufferImageCopy *regions)
{
	VkBufferImageCopy region = regions[0];

	region.bufferRowLength = 0;
	DEVICE(vkCmdCopyImageToBuffer)(buffer, image, layout, to, 1, &region);
}

static VKAPI_ATTR VkResult VKAPI_CALL
list_no_import(
	VkPhysicalDevice physical, const char *layer, uint32_t *count, VkExtensionProperties *list)
{
	VkResult result =
		INSTANCE(vkEnumerateDeviceExtensionProperties)(physical, layer, count, list);

	for (uint32_t i = 0; list && i < *count; i++) {
		if (!strcmp(list[i].extensionName, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
			list[i].extensionName[3] = 'X';
	}
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
submit_nothing(VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence)
{
	return DEVICE(vkQueueSubmit)(queue, 0, NULL, fence);
}

static VKAPI_ATTR void VKAPI_CALL
claim_sync_fd(VkPhysicalDevice physical, const VkPhysicalDeviceExternalSemaphoreInfo *info,
	VkExternalSemaphoreProperties *properties)
{
	properties->externalSemaphoreFeatures = has("export")
		? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT
		: VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
}

static const struct {
	const char *fault, *name; /* any fault: NULL */
	PFN_vkVoidFunction function;
} changed[] = {
	{NULL, "vkCreateInstance", (PFN_vkVoidFunction)create_instance},
	{NULL, "vkCreateDevice", (PFN_vkVoidFunction)create_device},
	{"commands", "vkCmdDispatchIndirect", NULL},
	{"copy", "vkMapMemory", (PFN_vkVoidFunction)map_copy},
	{"beginning", "vkMapMemory", (PFN_vkVoidFunction)map_beginning},
	{"nothing", "vkCmdCopyBuffer", (PFN_vkVoidFunction)copy_nothing},
	{"own", "vkAllocateMemory", (PFN_vkVoidFunction)allocate_own},
	{"attachments", "vkGetPhysicalDeviceImageFormatProperties",
		(PFN_vkVoidFunction)no_attachments},
	{"rows", "vkGetImageSubresourceLayout", (PFN_vkVoidFunction)longer_rows},
	{"stride", "vkCmdCopyImageToBuffer", (PFN_vkVoidFunction)copy_without_stride},
	{"unlisted", "vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)list_no_import},
	{"early", "vkQueueSubmit", (PFN_vkVoidFunction)submit_nothing},
	{"export", "vkGetPhysicalDeviceExternalSemaphoreProperties",
		(PFN_vkVoidFunction)claim_sync_fd},
	{"import", "vkGetPhysicalDeviceExternalSemaphoreProperties",
		(PFN_vkVoidFunction)claim_sync_fd},
};

static bool
find_changed(const char *name, PFN_vkVoidFunction *function)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(changed); i++) {
		if (strcmp(changed[i].name, name) || (changed[i].fault && !has(changed[i].fault)))
			continue;
		*function = changed[i].function;
		return true;
	}
	return false;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_device_proc_addr(VkDevice d, const char *name)
{
	PFN_vkVoidFunction function;

	return find_changed(name, &function) ? function : real_device(d, name);
}

KR_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(
	uint32_t *version);
KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(
	VkInstance instance, const char *name);
KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(
	VkInstance instance, const char *name);

VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	PFN_vkNegotiateLoaderICDInterfaceVersion negotiate =
		(PFN_vkNegotiateLoaderICDInterfaceVersion)dlsym(
			library(), "vk_icdNegotiateLoaderICDInterfaceVersion");
	VkResult result = negotiate(version);

	if (has("interface"))
		*version = 1;
	return result;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance i, const char *name)
{
	PFN_vkVoidFunction function;

	if (!real_instance)
		real_instance =
			(PFN_vkGetInstanceProcAddr)dlsym(library(), "vk_icdGetInstanceProcAddr");
	if (find_changed(name, &function))
		return function;
	if (!strcmp(name, "vkGetDeviceProcAddr"))
		return (PFN_vkVoidFunction)get_device_proc_addr;
	return real_instance(i, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance i, const char *name)
{
	PFN_GetPhysicalDeviceProcAddr real =
		(PFN_GetPhysicalDeviceProcAddr)dlsym(library(), "vk_icdGetPhysicalDeviceProcAddr");

	return has("all") || !real ? real_instance(i, name) : real(i, name);
}
