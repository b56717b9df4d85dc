/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fake drivers answer about physical devices and their displays. Second forms answer other
 * numbers than first ones, so that a test sees which was asked.
 */
#include "icd.h"

#include <string.h>

static struct fake_control *const c = &fake_control;

#define SAY_CALLED() (c->seen_function = __func__)

/* How many of `total` elements are to be written; *count becomes what a driver says. */
static uint32_t
write_count(uint32_t *count, const void *out, uint32_t total)
{
	uint32_t written = out ? KR_MIN(*count, total) : 0;

	*count = out ? written : total;
	return written;
}

static VkResult
result_of(const void *out, uint32_t written, uint32_t total)
{
	return out && written < total ? VK_INCOMPLETE : VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
get_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures *features)
{
	memset(features, 0, sizeof(*features));
	features->robustBufferAccess = VK_TRUE;
}

static VKAPI_ATTR void VKAPI_CALL
get_features2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features)
{
	SAY_CALLED();
	get_features(device, &features->features);
	features->features.geometryShader = VK_TRUE;
	c->seen_features = 0;
	for (VkBaseOutStructure *s = features->pNext; s; s = s->pNext) {
		c->seen_features++;
		if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES)
			((VkPhysicalDeviceMultiviewFeatures *)(void *)s)->multiview = VK_TRUE;
	}
}

static VKAPI_ATTR void VKAPI_CALL
get_format(VkPhysicalDevice device, VkFormat format, VkFormatProperties *properties)
{
	*properties = (VkFormatProperties){
		.linearTilingFeatures = (VkFormatFeatureFlags)format,
		.optimalTilingFeatures = VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT,
	};
}

static VKAPI_ATTR void VKAPI_CALL
get_format2(VkPhysicalDevice device, VkFormat format, VkFormatProperties2 *properties)
{
	SAY_CALLED();
	get_format(device, format, &properties->formatProperties);
	properties->formatProperties.bufferFeatures = 1;
}

/* Formats above 100 can't be had. */
static VKAPI_ATTR VkResult VKAPI_CALL
get_image_format(VkPhysicalDevice device, VkFormat format, VkImageType type, VkImageTiling tiling,
	VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties *properties)
{
	c->seen_image_usage = usage;
	*properties = (VkImageFormatProperties){
		.maxExtent = {(uint32_t)format, (uint32_t)type, (uint32_t)tiling},
		.maxMipLevels = usage,
		.maxArrayLayers = flags,
	};
	if (tiling == VK_IMAGE_TILING_OPTIMAL)
		properties->maxExtent = (VkExtent3D){4096, 4096, 1};
	return format > 100 ? VK_ERROR_FORMAT_NOT_SUPPORTED : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_image_format2(VkPhysicalDevice device, const VkPhysicalDeviceImageFormatInfo2 *info,
	VkImageFormatProperties2 *properties)
{
	SAY_CALLED();
	return get_image_format(device, info->format, info->type, info->tiling, info->usage,
		info->flags, &properties->imageFormatProperties);
}

static VKAPI_ATTR void VKAPI_CALL
get_families2(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties2 *out)
{
	SAY_CALLED();
	for (uint32_t i = write_count(count, out, 2); i--;)
		out[i].queueFamilyProperties =
			(VkQueueFamilyProperties){VK_QUEUE_COMPUTE_BIT, 9, 0, {1, 1, 1}};
}

static VKAPI_ATTR void VKAPI_CALL
get_memory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *properties)
{
	memset(properties, 0, sizeof(*properties));
	properties->memoryTypeCount = 1;
}

static VKAPI_ATTR void VKAPI_CALL
get_memory2(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2 *properties)
{
	SAY_CALLED();
	get_memory(device, &properties->memoryProperties);
	properties->memoryProperties.memoryTypeCount = 2;
}

static VKAPI_ATTR void VKAPI_CALL
get_sparse(VkPhysicalDevice device, VkFormat format, VkImageType type,
	VkSampleCountFlagBits samples, VkImageUsageFlags usage, VkImageTiling tiling,
	uint32_t *count, VkSparseImageFormatProperties *out)
{
	for (uint32_t i = write_count(count, out, 2); i--;)
		out[i] = (VkSparseImageFormatProperties){.aspectMask = i + 1,
			.imageGranularity = {(uint32_t)samples, usage, (uint32_t)tiling}};
}

static VKAPI_ATTR void VKAPI_CALL
get_sparse2(VkPhysicalDevice device, const VkPhysicalDeviceSparseImageFormatInfo2 *info,
	uint32_t *count, VkSparseImageFormatProperties2 *out)
{
	SAY_CALLED();
	for (uint32_t i = write_count(count, out, 1); i--;)
		out[i].properties.aspectMask = 7;
}

static VKAPI_ATTR void VKAPI_CALL
get_external_buffer(VkPhysicalDevice device, const VkPhysicalDeviceExternalBufferInfo *info,
	VkExternalBufferProperties *properties)
{
	SAY_CALLED();
	properties->externalMemoryProperties.externalMemoryFeatures =
		VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
}

static VKAPI_ATTR void VKAPI_CALL
get_external_fence(VkPhysicalDevice device, const VkPhysicalDeviceExternalFenceInfo *info,
	VkExternalFenceProperties *properties)
{
	properties->externalFenceFeatures = VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT;
}

static VKAPI_ATTR void VKAPI_CALL
get_external_semaphore(VkPhysicalDevice device, const VkPhysicalDeviceExternalSemaphoreInfo *info,
	VkExternalSemaphoreProperties *properties)
{
	SAY_CALLED();
	properties->externalSemaphoreFeatures = VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

static VkResult
get_tools(uint32_t *count, VkPhysicalDeviceToolProperties *out)
{
	uint32_t written = write_count(count, out, 1);

	if (written)
		strcpy(out->name, "tool of " FAKE_NAME);
	return result_of(out, written, 1);
}

static VKAPI_ATTR VkResult VKAPI_CALL
tools_of_core(VkPhysicalDevice device, uint32_t *count, VkPhysicalDeviceToolProperties *out)
{
	SAY_CALLED();
	return get_tools(count, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL
tools_of_extension(VkPhysicalDevice device, uint32_t *count, VkPhysicalDeviceToolProperties *out)
{
	SAY_CALLED();
	return get_tools(count, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_image_format_nv(VkPhysicalDevice device, VkFormat format, VkImageType type,
	VkImageTiling tiling, VkImageUsageFlags usage, VkImageCreateFlags flags,
	VkExternalMemoryHandleTypeFlagsNV external, VkExternalImageFormatPropertiesNV *properties)
{
	SAY_CALLED();
	properties->compatibleHandleTypes = external;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
get_multisample(VkPhysicalDevice device, VkSampleCountFlagBits samples,
	VkMultisamplePropertiesEXT *properties)
{
	SAY_CALLED();
	properties->maxSampleLocationGridSize = (VkExtent2D){(uint32_t)samples, 2};
}

/* --- displays: two, with two planes each --- */

static VkDisplayKHR
display_at(uint32_t i)
{
	return (VkDisplayKHR)((uintptr_t)&c->display + i);
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_displays2(VkPhysicalDevice device, uint32_t *count, VkDisplayProperties2KHR *out)
{
	uint32_t written = write_count(count, out, 2);

	SAY_CALLED();
	for (uint32_t i = 0; i < written; i++)
		out[i].displayProperties = (VkDisplayPropertiesKHR){.display = display_at(i)};
	return result_of(out, written, 2);
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_planes(VkPhysicalDevice device, uint32_t *count, VkDisplayPlanePropertiesKHR *out)
{
	uint32_t written = write_count(count, out, 2);

	SAY_CALLED();
	for (uint32_t i = 0; i < written; i++)
		out[i] = (VkDisplayPlanePropertiesKHR){display_at(i), 10 + i};
	return result_of(out, written, 2);
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_planes2(VkPhysicalDevice device, uint32_t *count, VkDisplayPlaneProperties2KHR *out)
{
	uint32_t written = write_count(count, out, 2);

	SAY_CALLED();
	for (uint32_t i = 0; i < written; i++)
		out[i].displayPlaneProperties =
			(VkDisplayPlanePropertiesKHR){display_at(i), 20 + i};
	return result_of(out, written, 2);
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_displays_of_plane(VkPhysicalDevice device, uint32_t plane, uint32_t *count, VkDisplayKHR *out)
{
	uint32_t written = write_count(count, out, 2);

	SAY_CALLED();
	c->seen_plane = plane;
	for (uint32_t i = 0; i < written; i++)
		out[i] = display_at(i);
	return result_of(out, written, 2);
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_plane_caps(VkPhysicalDevice device, VkDisplayModeKHR mode, uint32_t plane,
	VkDisplayPlaneCapabilitiesKHR *caps)
{
	SAY_CALLED();
	c->seen_display_mode = mode;
	c->seen_plane = plane;
	*caps = (VkDisplayPlaneCapabilitiesKHR){.minSrcExtent = {5, 6}};
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_plane_caps2(VkPhysicalDevice device, const VkDisplayPlaneInfo2KHR *info,
	VkDisplayPlaneCapabilities2KHR *caps)
{
	VkResult result = get_plane_caps(device, info->mode, info->planeIndex, &caps->capabilities);

	SAY_CALLED();
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_modes2(VkPhysicalDevice device, VkDisplayKHR display, uint32_t *count,
	VkDisplayModeProperties2KHR *out)
{
	uint32_t written = write_count(count, out, 1);

	SAY_CALLED();
	c->seen_display = display;
	c->display_mode = (VkDisplayModeKHR)(uintptr_t)&c->display_mode;
	if (written)
		out->displayModeProperties =
			(VkDisplayModePropertiesKHR){.displayMode = c->display_mode};
	return result_of(out, written, 1);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_mode(VkPhysicalDevice device, VkDisplayKHR display, const VkDisplayModeCreateInfoKHR *info,
	const VkAllocationCallbacks *allocator, VkDisplayModeKHR *out)
{
	SAY_CALLED();
	c->seen_display = display;
	c->display_mode = (VkDisplayModeKHR)((uintptr_t)&c->display_mode + 1);
	*out = c->display_mode;
	return VK_SUCCESS;
}

#define FN(name, function)                                                                         \
	{                                                                                          \
		"vk" name, (PFN_vkVoidFunction)function                                            \
	}
/* Core since 1.1: `no_properties2` takes them away. */
static const struct {
	const char *name;
	PFN_vkVoidFunction function;
} core_functions[] =
	{
		FN("GetPhysicalDeviceFeatures2", get_features2),
		FN("GetPhysicalDeviceFormatProperties2", get_format2),
		FN("GetPhysicalDeviceImageFormatProperties2", get_image_format2),
		FN("GetPhysicalDeviceQueueFamilyProperties2", get_families2),
		FN("GetPhysicalDeviceMemoryProperties2", get_memory2),
		FN("GetPhysicalDeviceSparseImageFormatProperties2", get_sparse2),
		FN("GetPhysicalDeviceExternalBufferProperties", get_external_buffer),
		FN("GetPhysicalDeviceExternalFenceProperties", get_external_fence),
		FN("GetPhysicalDeviceExternalSemaphoreProperties", get_external_semaphore),
},
  functions[] = {
	  FN("GetPhysicalDeviceFeatures", get_features),
	  FN("GetPhysicalDeviceFormatProperties", get_format),
	  FN("GetPhysicalDeviceImageFormatProperties", get_image_format),
	  FN("GetPhysicalDeviceMemoryProperties", get_memory),
	  FN("GetPhysicalDeviceSparseImageFormatProperties", get_sparse),
	  FN("GetPhysicalDeviceToolProperties", tools_of_core),
	  FN("GetPhysicalDeviceToolPropertiesEXT", tools_of_extension),
	  FN("GetPhysicalDeviceExternalImageFormatPropertiesNV", get_image_format_nv),
	  FN("GetPhysicalDeviceMultisamplePropertiesEXT", get_multisample),
	  FN("GetPhysicalDeviceDisplayProperties2KHR", get_displays2),
	  FN("GetPhysicalDeviceDisplayPlanePropertiesKHR", get_planes),
	  FN("GetPhysicalDeviceDisplayPlaneProperties2KHR", get_planes2),
	  FN("GetDisplayPlaneSupportedDisplaysKHR", get_displays_of_plane),
	  FN("GetDisplayPlaneCapabilitiesKHR", get_plane_caps),
	  FN("GetDisplayPlaneCapabilities2KHR", get_plane_caps2),
	  FN("GetDisplayModeProperties2KHR", get_modes2),
	  FN("CreateDisplayModeKHR", create_mode),
};

PFN_vkVoidFunction
fake_queries_find(const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(core_functions); i++) {
		if (!strcmp(core_functions[i].name, name))
			return c->no_properties2 ? NULL : core_functions[i].function;
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	}
	return NULL;
}
