/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties, by the same idea as features.c: one structure a version, and runs of their members.
 */
#include "null/null.h"

#include <stdio.h>
#include <string.h>

#include "null/commands.h"
#include "null/counts.h"

static const VkPhysicalDeviceVulkan11Properties properties11 = {
	.deviceUUID = "krafla-null-dev",
	.driverUUID = "krafla-null-drv",
	.deviceLUIDValid = VK_FALSE,
	.subgroupSize = 1,
	.subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT,
	.subgroupSupportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT,
	.pointClippingBehavior = VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES,
	.maxMultiviewViewCount = 6,
	.maxMultiviewInstanceIndex = (1 << 27) - 1,
	.maxPerSetDescriptors = 1024,
	.maxMemoryAllocationSize = 1 << 30,
};

static const VkPhysicalDeviceVulkan12Properties properties12 = {
	.driverName = NULL_NAME,
	.driverInfo = "executes nothing",
	.denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE,
	.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE,
	.supportedDepthResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
	.supportedStencilResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
	.maxTimelineSemaphoreValueDifference = UINT64_MAX,
	.framebufferIntegerColorSampleCounts = VK_SAMPLE_COUNT_1_BIT,
};

static const VkPhysicalDeviceVulkan13Properties properties13 = {
	.minSubgroupSize = 1,
	.maxSubgroupSize = 1,
	.maxComputeWorkgroupSubgroups = 128,
	.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT,
	.maxInlineUniformBlockSize = 256,
	.maxPerStageDescriptorInlineUniformBlocks = 4,
	.maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = 4,
	.maxDescriptorSetInlineUniformBlocks = 4,
	.maxDescriptorSetUpdateAfterBindInlineUniformBlocks = 4,
	.maxInlineUniformTotalSize = 256,
	.storageTexelBufferOffsetAlignmentBytes = NULL_ALIGNMENT,
	.uniformTexelBufferOffsetAlignmentBytes = NULL_ALIGNMENT,
	.maxBufferSize = 1 << 30,
};

struct run {
	VkStructureType type;
	const void *from;
	uint32_t size;
};

#define MEMBER(version, member) ((VkPhysicalDeviceVulkan##version##Properties *)0)->member
#define RUN(stype, version, first, last)                                                           \
	{                                                                                          \
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##stype##_PROPERTIES,                            \
			&properties##version.first,                                                \
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

static void
fill(const struct null_physical_device *device, VkBaseOutStructure *out)
{
	if ((int)out->sType ==
			(int)VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID &&
		device->instance->hal &&
		device->instance->settings.version >= SINCE_PRESENTATION_PROPERTIES)
		fill_presentation(&device->instance->settings,
			(VkPhysicalDevicePresentationPropertiesANDROID *)out);
	for (size_t i = 0; i < KR_ARRAY_LEN(runs); i++) {
		if (runs[i].type == out->sType)
			memcpy((char *)out + sizeof(VkBaseOutStructure), runs[i].from,
				runs[i].size);
	}
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties)
{
	*properties = (VkPhysicalDeviceProperties){
		.apiVersion = NULL_API_VERSION,
		.driverVersion = VK_MAKE_API_VERSION(0, 0, 1, 0),
		.deviceType = VK_PHYSICAL_DEVICE_TYPE_OTHER,
		.pipelineCacheUUID = "krafla-null-pip",
		.limits = *null_limits(),
	};
	snprintf(properties->deviceName, sizeof(properties->deviceName), "%s", NULL_NAME);
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceProperties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *properties)
{
	const struct null_physical_device *device = (struct null_physical_device *)handle;
	VkBaseOutStructure *out;

	null_count_chain(properties->pNext);
	null_GetPhysicalDeviceProperties(handle, &properties->properties);
	for (out = properties->pNext; out; out = out->pNext)
		fill(device, out);
}
