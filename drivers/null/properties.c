/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties, as the settings have them, by the same idea as features.c: one structure a version,
 * and runs of their members.
 */
#include "null/null.h"

#include <stdio.h>
#include <string.h>

#include "null/commands.h"
#include "null/counts.h"
#include "null/mutants.h"

struct run {
	VkStructureType type;
	uint32_t from;
	uint32_t size;
};

#define MEMBER(version, member) ((VkPhysicalDeviceVulkan##version##Properties *)0)->member
#define RUN(stype, version, first, last)                                                           \
	{                                                                                          \
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##stype##_PROPERTIES,                            \
			offsetof(struct null_abilities, properties##version.first),                \
			offsetof(VkPhysicalDeviceVulkan##version##Properties, last) -              \
			offsetof(VkPhysicalDeviceVulkan##version##Properties, first) +             \
			sizeof(MEMBER(version, last))                                              \
	}

static const struct run runs[] = {
	RUN(VULKAN_1_1, 11, deviceUUID, maxMemoryAllocationSize),
	RUN(VULKAN_1_2, 12, driverID, framebufferIntegerColorSampleCounts),
	RUN(VULKAN_1_3, 13, minSubgroupSize, maxBufferSize),
	RUN(ID, 11, deviceUUID, deviceLUIDValid),
	RUN(SUBGROUP, 11, subgroupSize, subgroupQuadOperationsInAllStages),
	RUN(POINT_CLIPPING, 11, pointClippingBehavior, pointClippingBehavior),
	RUN(MULTIVIEW, 11, maxMultiviewViewCount, maxMultiviewInstanceIndex),
	RUN(PROTECTED_MEMORY, 11, protectedNoFault, protectedNoFault),
	RUN(MAINTENANCE_3, 11, maxPerSetDescriptors, maxMemoryAllocationSize),
	RUN(DRIVER, 12, driverID, conformanceVersion),
	RUN(FLOAT_CONTROLS, 12, denormBehaviorIndependence, shaderRoundingModeRTZFloat64),
	RUN(DESCRIPTOR_INDEXING, 12, maxUpdateAfterBindDescriptorsInAllPools,
		maxDescriptorSetUpdateAfterBindInputAttachments),
	RUN(DEPTH_STENCIL_RESOLVE, 12, supportedDepthResolveModes, independentResolve),
	RUN(SAMPLER_FILTER_MINMAX, 12, filterMinmaxSingleComponentFormats,
		filterMinmaxImageComponentMapping),
	RUN(TIMELINE_SEMAPHORE, 12, maxTimelineSemaphoreValueDifference,
		maxTimelineSemaphoreValueDifference),
	RUN(SUBGROUP_SIZE_CONTROL, 13, minSubgroupSize, requiredSubgroupSizeStages),
	RUN(INLINE_UNIFORM_BLOCK, 13, maxInlineUniformBlockSize,
		maxDescriptorSetUpdateAfterBindInlineUniformBlocks),
	RUN(SHADER_INTEGER_DOT_PRODUCT, 13, integerDotProduct8BitUnsignedAccelerated,
		integerDotProductAccumulatingSaturating64BitMixedSignednessAccelerated),
	RUN(TEXEL_BUFFER_ALIGNMENT, 13, storageTexelBufferOffsetAlignmentBytes,
		uniformTexelBufferOffsetSingleTexelAlignment),
	RUN(MAINTENANCE_4, 13, maxBufferSize, maxBufferSize),
};

#define SINCE_PRESENTATION_PROPERTIES 7

static void
fill_presentation(
	const struct null_settings *settings, VkPhysicalDevicePresentationPropertiesANDROID *out)
{
	/* A release needs no acquire before it here (W-09). */
	out->sharedImage = settings->shared;
}

static bool
is_presentation(const VkBaseOutStructure *out)
{
	return (int)out->sType ==
		(int)VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID;
}

static void
fill(const struct null_physical_device *device, VkBaseOutStructure *out)
{
	if (is_presentation(out) && device->instance->hal &&
		device->instance->settings.version >= SINCE_PRESENTATION_PROPERTIES &&
		!null_has_fault(leaves_presentation_properties))
		fill_presentation(&device->instance->settings,
			(VkPhysicalDevicePresentationPropertiesANDROID *)out);
	for (size_t i = 0; i < KR_ARRAY_LEN(runs); i++) {
		if (runs[i].type == out->sType)
			memcpy((char *)out + sizeof(VkBaseOutStructure),
				(const char *)&device->instance->settings.abilities + runs[i].from,
				runs[i].size);
	}
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties)
{
	const struct null_abilities *abilities = null_abilities_of(device);

	*properties = (VkPhysicalDeviceProperties){
		.apiVersion = abilities->api_version,
		.driverVersion = VK_MAKE_API_VERSION(0, 0, 1, 0),
		.deviceID = null_index_of(device),
		.deviceType = abilities->type,
		.pipelineCacheUUID = "krafla-null-pip",
		.limits = abilities->limits,
	};
	if (null_has_fault(first_word_is_written_again))
		((hwvulkan_dispatch_t *)device)->magic = HWVULKAN_DISPATCH_MAGIC;
	snprintf(properties->deviceName, sizeof(properties->deviceName), "%s", NULL_NAME);
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceProperties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *properties)
{
	const struct null_physical_device *device = (struct null_physical_device *)handle;
	VkBaseOutStructure *out;

	null_count_chain(properties->pNext);
	null_GetPhysicalDeviceProperties(handle, &properties->properties);
	for (out = properties->pNext; out; out = out->pNext) {
		fill(device, out);
		if (is_presentation(out) && null_has_fault(ends_at_presentation_properties))
			break;
	}
}
