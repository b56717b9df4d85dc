/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake driver: instance, physical device and device. Its other objects are in fake_objects.c.
 */
#include "fake_icd.h"

#include <string.h>
#include <vulkan/vk_icd.h>

#include "fake_objects.h"
#include "util/alloc.h"

struct fake_icd fake;

static VK_LOADER_DATA the_gpu = {ICD_LOADER_MAGIC};

void
fake_reset(void)
{
	static const char *const extensions[] = {
		"VK_KHR_swapchain",
		"VK_KHR_present_id",
		"VK_EXT_external_memory_host",
		"VK_KHR_external_semaphore_fd",
		"VK_KHR_external_fence_fd",
		"VK_ANDROID_external_memory_android_hardware_buffer",
	};
	static const char *const instance_extensions[] = {
		"VK_KHR_surface",
		"VK_KHR_get_physical_device_properties2",
		"VK_KHR_external_memory_capabilities",
		"VK_KHR_external_semaphore_capabilities",
	};

	memset(&fake, 0, sizeof(fake));
	fake_objects_reset();
	fake.api_version = VK_API_VERSION_1_1;
	memcpy(fake.device_extensions, extensions, sizeof(extensions));
	memcpy(fake.instance_extensions, instance_extensions, sizeof(instance_extensions));
	fake.families[0] = (VkQueueFamilyProperties){
		.queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, .queueCount = 1};
	fake.family_count = 1;
	fake.memory_types[0] = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
	fake.memory_types[1] =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	fake.memory_types[2] = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
	fake.host_image_features = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
	fake.host_buffer_features = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
	fake.linear_features = fake.optimal_features = VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT;
	fake.export_fd = -1;
	fake.last_import = -1;
}

VkResult
fake_failure(const char *name)
{
	const char *fail = fake.fail;

	if (!fail || strcmp(fail, name) != 0)
		return VK_SUCCESS;
	if (fake.fail_after) {
		fake.fail_after--;
		return VK_SUCCESS;
	}
	if (fake.fail_once)
		fake.fail = NULL;
	return fake.fail_result;
}

bool
fake_has_enabled(const char *device_extension)
{
	for (uint32_t i = 0; i < fake.enabled_device_count; i++) {
		if (!strcmp(fake.enabled_device[i], device_extension))
			return true;
	}
	return false;
}

static VkResult
list_extensions(const char *const *names, uint32_t *count, VkExtensionProperties *properties)
{
	uint32_t total = 0;

	while (names[total])
		total++;
	if (!properties) {
		*count = total;
		return VK_SUCCESS;
	}
	for (uint32_t i = 0; i < total && i < *count; i++) {
		memset(&properties[i], 0, sizeof(properties[i]));
		strcpy(properties[i].extensionName, names[i]);
		properties[i].specVersion = 1;
	}
	if (*count < total)
		return VK_INCOMPLETE;
	*count = total;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_EnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	FAKE_FAIL("vkEnumerateInstanceExtensionProperties");
	return list_extensions(fake.instance_extensions, count, properties);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_EnumerateInstanceVersion(uint32_t *version)
{
	*version = fake.api_version;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkInstance *instance)
{
	FAKE_FAIL("vkCreateInstance");
	if (fake.refuses_newer && info->pApplicationInfo->apiVersion > fake.api_version)
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	fake.enabled_instance_count = info->enabledExtensionCount;
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		strcpy(fake.enabled_instance[i], info->ppEnabledExtensionNames[i]);
	*instance = fake_new(allocator);
	return *instance ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VKAPI_ATTR void VKAPI_CALL
fake_DestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	fake_delete(instance, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_EnumeratePhysicalDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
	FAKE_FAIL("vkEnumeratePhysicalDevices");
	if (devices && *count)
		devices[0] = (VkPhysicalDevice)&the_gpu;
	*count = 1;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties)
{
	memset(properties, 0, sizeof(*properties));
	properties->apiVersion = fake.api_version;
	properties->deviceType = fake.device_type;
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
	fake_GetPhysicalDeviceProperties(device, &properties->properties);
	for (VkBaseOutStructure *node = properties->pNext; node; node = node->pNext) {
		if (node->sType ==
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT)
			((VkPhysicalDeviceExternalMemoryHostPropertiesEXT *)node)
				->minImportedHostPointerAlignment = 4096;
		if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES) {
			((VkPhysicalDeviceIDProperties *)node)->deviceUUID[0] = 1;
			((VkPhysicalDeviceIDProperties *)node)->driverUUID[0] = 2;
		}
	}
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features)
{
	for (VkBaseOutStructure *node = features->pNext; node; node = node->pNext) {
		if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR)
			((VkPhysicalDevicePresentIdFeaturesKHR *)node)->presentId =
				fake.hidden_feature_supported;
		if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES)
			((VkPhysicalDeviceMultiviewFeatures *)node)->multiview = VK_TRUE;
	}
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceQueueFamilyProperties(
	VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *families)
{
	if (families)
		memcpy(families, fake.families, fake.family_count * sizeof(*families));
	*count = fake.family_count;
}

/* Type 0 is the device's own, 1 the CPU's, 2 the CPU's without coherence. */
static VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceMemoryProperties(
	VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *memory)
{
	memset(memory, 0, sizeof(*memory));
	memory->memoryTypeCount = KR_ARRAY_LEN(fake.memory_types);
	for (uint32_t i = 0; i < memory->memoryTypeCount; i++)
		memory->memoryTypes[i].propertyFlags = fake.memory_types[i];
	memory->memoryHeapCount = 1;
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceFormatProperties(
	VkPhysicalDevice device, VkFormat format, VkFormatProperties *properties)
{
	*properties = (VkFormatProperties){fake.linear_features, fake.optimal_features, 0};
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceFormatProperties2(
	VkPhysicalDevice device, VkFormat format, VkFormatProperties2 *properties)
{
	fake_GetPhysicalDeviceFormatProperties(device, format, &properties->formatProperties);
}

static bool
is_opaque(const void *chain)
{
	for (const VkBaseInStructure *in = chain; in; in = in->pNext) {
		if (in->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO)
			return ((const VkPhysicalDeviceExternalImageFormatInfo *)in)->handleType ==
				VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
	}
	return false;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice device, VkFormat format,
	VkImageType type, VkImageTiling tiling, VkImageUsageFlags usage, VkImageCreateFlags flags,
	VkImageFormatProperties *properties)
{
	FAKE_FAIL("vkGetPhysicalDeviceImageFormatProperties");
	memset(properties, 0, sizeof(*properties));
	properties->maxExtent = (VkExtent3D){4096, 4096, 1};
	return VK_SUCCESS;
}

/* Like lavapipe, it succeeds whatever the features are: they alone count. */
static VKAPI_ATTR VkResult VKAPI_CALL
fake_GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice device,
	const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
	FAKE_FAIL("vkGetPhysicalDeviceImageFormatProperties2");
	fake.question_chain_count = 0;
	for (const VkBaseInStructure *in = info->pNext; in; in = in->pNext)
		fake.question_chain[fake.question_chain_count++] = (uint32_t)in->sType;
	if ((info->flags & fake.refused_flags) ||
		(info->tiling == VK_IMAGE_TILING_LINEAR &&
			(info->flags & fake.refused_linear_flags)))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	properties->imageFormatProperties = (VkImageFormatProperties){.maxExtent = {4096, 4096, 1},
		.maxMipLevels = 1,
		.maxArrayLayers = 1,
		.sampleCounts = 1};
	for (VkBaseOutStructure *node = properties->pNext; node; node = node->pNext) {
		if (node->sType == VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES)
			((VkExternalImageFormatProperties *)node)
				->externalMemoryProperties.externalMemoryFeatures =
				is_opaque(info->pNext) ? fake.opaque_features
						       : fake.host_image_features;
		if (node->sType == VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT)
			((VkImageCompressionPropertiesEXT *)node)->imageCompressionFlags =
				info->tiling == VK_IMAGE_TILING_LINEAR
				? VK_IMAGE_COMPRESSION_DISABLED_EXT
				: VK_IMAGE_COMPRESSION_FIXED_RATE_EXPLICIT_EXT;
	}
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice device,
	const VkPhysicalDeviceExternalBufferInfo *info, VkExternalBufferProperties *properties)
{
	properties->externalMemoryProperties.externalMemoryFeatures =
		info->handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT
		? fake.opaque_features
		: fake.host_buffer_features;
	if (!fake.silent_about_host)
		properties->externalMemoryProperties.compatibleHandleTypes = info->handleType;
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceExternalSemaphoreProperties(VkPhysicalDevice device,
	const VkPhysicalDeviceExternalSemaphoreInfo *info,
	VkExternalSemaphoreProperties *properties)
{
	properties->externalSemaphoreFeatures = fake.semaphore_features;
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceExternalFenceProperties(VkPhysicalDevice device,
	const VkPhysicalDeviceExternalFenceInfo *info, VkExternalFenceProperties *properties)
{
	properties->externalFenceFeatures = fake.fence_features;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char *layer, uint32_t *count,
	VkExtensionProperties *properties)
{
	FAKE_FAIL("vkEnumerateDeviceExtensionProperties");
	return list_extensions(fake.device_extensions, count, properties);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateDevice(VkPhysicalDevice gpu, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *device)
{
	FAKE_FAIL("vkCreateDevice");
	fake.enabled_device_count = info->enabledExtensionCount;
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		strcpy(fake.enabled_device[i], info->ppEnabledExtensionNames[i]);
	fake.device_chain_count = 0;
	for (const VkBaseInStructure *node = info->pNext; node; node = node->pNext)
		fake.device_chain[fake.device_chain_count++] = (uint32_t)node->sType;
	fake.queue_info_count = info->queueCreateInfoCount;
	memcpy(fake.queue_infos, info->pQueueCreateInfos,
		info->queueCreateInfoCount * sizeof(*fake.queue_infos));
	*device = fake_new_device(allocator);
	return *device ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(
	VkDevice device, const char *name);

/* `since`: the version that the name belongs to; before, it has none. */
static const struct {
	const char *name;
	PFN_vkVoidFunction function;
	uint32_t since;
} functions[] = {
#define FN(name)                                                                                   \
	{                                                                                          \
		"vk" #name, (PFN_vkVoidFunction)fake_##name, VK_API_VERSION_1_0                    \
	}
#define FN_1_1(name)                                                                               \
	{"vk" #name, (PFN_vkVoidFunction)fake_##name, VK_API_VERSION_1_1},                         \
	{                                                                                          \
		"vk" #name "KHR", (PFN_vkVoidFunction)fake_##name, VK_API_VERSION_1_0              \
	}
	FN(EnumerateInstanceExtensionProperties),
	{"vkEnumerateInstanceVersion", (PFN_vkVoidFunction)fake_EnumerateInstanceVersion,
		VK_API_VERSION_1_1},
	FN(CreateInstance),
	FN(DestroyInstance),
	FN(EnumeratePhysicalDevices),
	FN(GetPhysicalDeviceProperties),
	FN_1_1(GetPhysicalDeviceProperties2),
	FN_1_1(GetPhysicalDeviceFeatures2),
	FN(GetPhysicalDeviceQueueFamilyProperties),
	FN(GetPhysicalDeviceMemoryProperties),
	FN(GetPhysicalDeviceFormatProperties),
	FN_1_1(GetPhysicalDeviceFormatProperties2),
	FN(GetPhysicalDeviceImageFormatProperties),
	FN_1_1(GetPhysicalDeviceImageFormatProperties2),
	FN_1_1(GetPhysicalDeviceExternalBufferProperties),
	FN_1_1(GetPhysicalDeviceExternalSemaphoreProperties),
	FN_1_1(GetPhysicalDeviceExternalFenceProperties),
	FN(EnumerateDeviceExtensionProperties),
	FN(CreateDevice),
	{"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device_proc_addr, VK_API_VERSION_1_0},
};

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_instance_proc_addr(VkInstance instance, const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(functions[i].name, name) && functions[i].since <= fake.api_version)
			return functions[i].function;
	}
	return fake_object_function(name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_device_proc_addr(VkDevice device, const char *name)
{
	return fake_object_function(name);
}

void
fake_get(struct kr_adapter_icd *icd)
{
	*icd = (struct kr_adapter_icd){
		.name = "fake",
		.get_instance_proc_addr = get_instance_proc_addr,
		.create_instance = fake_CreateInstance,
		.enumerate_instance_extension_properties =
			fake_EnumerateInstanceExtensionProperties,
	};
}
