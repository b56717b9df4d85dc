/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a device once. */
#include "gpu/gpu.h"

#include <string.h>

#include "gpu/sample.h"

const char *const kr_gpu_extensions[] = {
	/* parts of Vulkan since 1.1 or 1.2, by name for older ones */
	VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME,
	VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME,
	VK_KHR_DEDICATED_ALLOCATION_EXTENSION_NAME,
	VK_KHR_BIND_MEMORY_2_EXTENSION_NAME,
	VK_KHR_MAINTENANCE_1_EXTENSION_NAME,
	VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME,
	VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME,
	VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
	VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME,
	VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME,
	VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME,
	VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
	NULL,
};

#define MEMBER(name, khr)                                                                          \
	{                                                                                          \
		offsetof(struct kr_gpu_functions, name), "vk" #name, khr                           \
	}

struct member {
	size_t offset;
	const char *name;
	const char *khr; /* its name before it became a part of Vulkan, or NULL */
};

static const struct member instance_members[] = {
	MEMBER(GetPhysicalDeviceProperties, NULL),
	MEMBER(GetPhysicalDeviceMemoryProperties, NULL),
	MEMBER(GetPhysicalDeviceQueueFamilyProperties, NULL),
	MEMBER(GetPhysicalDeviceProperties2, "vkGetPhysicalDeviceProperties2KHR"),
	MEMBER(GetPhysicalDeviceFormatProperties2, "vkGetPhysicalDeviceFormatProperties2KHR"),
	MEMBER(GetPhysicalDeviceImageFormatProperties2,
		"vkGetPhysicalDeviceImageFormatProperties2KHR"),
	MEMBER(GetPhysicalDeviceExternalBufferProperties,
		"vkGetPhysicalDeviceExternalBufferPropertiesKHR"),
};

static const struct member device_members[] = {
	MEMBER(CreateImage, NULL),
	MEMBER(DestroyImage, NULL),
	MEMBER(GetImageMemoryRequirements2, "vkGetImageMemoryRequirements2KHR"),
	MEMBER(GetImageSubresourceLayout, NULL),
	MEMBER(CreateBuffer, NULL),
	MEMBER(DestroyBuffer, NULL),
	MEMBER(GetBufferMemoryRequirements2, "vkGetBufferMemoryRequirements2KHR"),
	MEMBER(AllocateMemory, NULL),
	MEMBER(FreeMemory, NULL),
	MEMBER(BindImageMemory, NULL),
	MEMBER(BindBufferMemory, NULL),
};

static const struct member optional_members[] = {
	MEMBER(GetMemoryFdKHR, NULL),
	MEMBER(GetMemoryFdPropertiesKHR, NULL),
	MEMBER(GetMemoryHostPointerPropertiesEXT, NULL),
	MEMBER(GetImageDrmFormatModifierPropertiesEXT, NULL),
};

static void
set_member(struct kr_gpu *gpu, const struct member *member, PFN_vkVoidFunction function)
{
	memcpy((char *)&gpu->vk + member->offset, &function, sizeof(function));
}

static bool
load_instance(struct kr_gpu *gpu, VkInstance instance, PFN_vkGetInstanceProcAddr get)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(instance_members); i++) {
		const struct member *member = &instance_members[i];
		PFN_vkVoidFunction function = get(instance, member->name);

		if (!function && member->khr)
			function = get(instance, member->khr);
		if (!function)
			return false;
		set_member(gpu, member, function);
	}
	return true;
}

static bool
load_device(struct kr_gpu *gpu, PFN_vkGetDeviceProcAddr get)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(device_members); i++) {
		const struct member *member = &device_members[i];
		PFN_vkVoidFunction function = get(gpu->device, member->name);

		if (!function && member->khr)
			function = get(gpu->device, member->khr);
		if (!function)
			return false;
		set_member(gpu, member, function);
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(optional_members); i++)
		set_member(gpu, &optional_members[i], get(gpu->device, optional_members[i].name));
	return true;
}

static bool
has(const char *const *enabled, const char *name)
{
	for (; *enabled; enabled++) {
		if (!strcmp(*enabled, name))
			return true;
	}
	return false;
}

static void
ask_properties(struct kr_gpu *gpu, bool has_host)
{
	VkPhysicalDeviceDriverProperties driver = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
	};
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
	};
	VkPhysicalDeviceMaintenance3Properties most = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
	};
	VkPhysicalDeviceIDProperties ids = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &ids,
	};

	gpu->vk.GetPhysicalDeviceProperties(gpu->physical_device, &properties.properties);
	if (properties.properties.apiVersion >= VK_API_VERSION_1_2)
		ids.pNext = &driver;
	if (properties.properties.apiVersion >= VK_API_VERSION_1_1) {
		most.pNext = ids.pNext;
		ids.pNext = &most;
	}
	if (has_host && gpu->vk.GetMemoryHostPointerPropertiesEXT) {
		host.pNext = ids.pNext;
		ids.pNext = &host;
	}
	gpu->vk.GetPhysicalDeviceProperties2(gpu->physical_device, &properties);
	memcpy(gpu->device_uuid, ids.deviceUUID, sizeof(gpu->device_uuid));
	memcpy(gpu->driver_uuid, ids.driverUUID, sizeof(gpu->driver_uuid));
	gpu->driver = driver.driverID;
	gpu->max_allocation =
		most.maxMemoryAllocationSize ? most.maxMemoryAllocationSize : UINT64_MAX;
	gpu->host_alignment = host.minImportedHostPointerAlignment;
	gpu->type = properties.properties.deviceType;
	memcpy(gpu->name, properties.properties.deviceName, sizeof(gpu->name) - 1);
	gpu->vk.GetPhysicalDeviceMemoryProperties(gpu->physical_device, &gpu->memory);
}

/* All that can draw, compute or copy; those for other work see no images of windows. */
static void
ask_families(struct kr_gpu *gpu)
{
	VkQueueFamilyProperties families[KR_GPU_MAX_FAMILIES];
	uint32_t count = KR_GPU_MAX_FAMILIES;

	gpu->vk.GetPhysicalDeviceQueueFamilyProperties(gpu->physical_device, &count, families);
	count = KR_MIN(count, (uint32_t)KR_GPU_MAX_FAMILIES);
	for (uint32_t i = 0; i < count; i++) {
		if (families[i].queueFlags &
			(VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT))
			gpu->families[gpu->family_count++] = i;
	}
}

VkResult
kr_gpu_init(struct kr_gpu *gpu, VkInstance instance, VkPhysicalDevice physical_device,
	VkDevice device, PFN_vkGetInstanceProcAddr get_instance_proc,
	PFN_vkGetDeviceProcAddr get_device_proc, const VkAllocationCallbacks *allocator,
	const char *const *enabled)
{
	*gpu = (struct kr_gpu){
		.physical_device = physical_device,
		.device = device,
		.allocator = allocator,
		.opaque_fd = has(enabled, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME),
		.dma_buf = has(enabled, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME),
		.modifiers = has(enabled, VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME),
		.foreign = has(enabled, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME),
		.format_list = has(enabled, VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME),
	};
	if (!load_instance(gpu, instance, get_instance_proc) || !load_device(gpu, get_device_proc))
		return VK_ERROR_FEATURE_NOT_PRESENT;
	gpu->opaque_fd = gpu->opaque_fd && gpu->vk.GetMemoryFdKHR;
	gpu->dma_buf = gpu->dma_buf && gpu->opaque_fd && gpu->vk.GetMemoryFdPropertiesKHR;
	gpu->modifiers =
		gpu->modifiers && gpu->dma_buf && gpu->vk.GetImageDrmFormatModifierPropertiesEXT;
	ask_properties(gpu, has(enabled, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME));
	ask_families(gpu);
	if (gpu->opaque_fd)
		kr_gpu_sample_take(gpu, &gpu->sample);
	gpu->maps_files = kr_gpu_sample_can_be_mapped(gpu);
	return VK_SUCCESS;
}
