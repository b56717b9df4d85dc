/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Features, as the settings have them. The structures that Vulkan 1.1 to 1.3 absorbed are runs of
 * members of the structures of those versions, in the same order, so one table of runs answers them
 * all.
 */
#include "null/null.h"

#include <string.h>

#include "null/commands.h"
#include "null/counts.h"

#define FIRST_MEMBER sizeof(VkBaseOutStructure)

/* A structure whose members are `size` bytes at `from` in the abilities. */
struct run {
	VkStructureType type;
	uint32_t from;
	uint32_t size;
};

#define RUN(stype, version, first, last)                                                           \
	{                                                                                          \
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##stype##_FEATURES,                              \
			offsetof(struct null_abilities, features##version.first),                  \
			offsetof(VkPhysicalDeviceVulkan##version##Features, last) -                \
			offsetof(VkPhysicalDeviceVulkan##version##Features, first) +               \
			sizeof(VkBool32)                                                           \
	}
#define ONE(stype, version, member) RUN(stype, version, member, member)

static const struct run runs[] = {
	RUN(VULKAN_1_1, 11, storageBuffer16BitAccess, shaderDrawParameters),
	RUN(VULKAN_1_2, 12, samplerMirrorClampToEdge, subgroupBroadcastDynamicId),
	RUN(VULKAN_1_3, 13, robustImageAccess, maintenance4),
	RUN(16BIT_STORAGE, 11, storageBuffer16BitAccess, storageInputOutput16),
	RUN(MULTIVIEW, 11, multiview, multiviewTessellationShader),
	RUN(VARIABLE_POINTERS, 11, variablePointersStorageBuffer, variablePointers),
	ONE(PROTECTED_MEMORY, 11, protectedMemory),
	ONE(SAMPLER_YCBCR_CONVERSION, 11, samplerYcbcrConversion),
	ONE(SHADER_DRAW_PARAMETERS, 11, shaderDrawParameters),
	RUN(8BIT_STORAGE, 12, storageBuffer8BitAccess, storagePushConstant8),
	RUN(SHADER_ATOMIC_INT64, 12, shaderBufferInt64Atomics, shaderSharedInt64Atomics),
	RUN(SHADER_FLOAT16_INT8, 12, shaderFloat16, shaderInt8),
	RUN(DESCRIPTOR_INDEXING, 12, shaderInputAttachmentArrayDynamicIndexing,
		runtimeDescriptorArray),
	ONE(SCALAR_BLOCK_LAYOUT, 12, scalarBlockLayout),
	ONE(IMAGELESS_FRAMEBUFFER, 12, imagelessFramebuffer),
	ONE(UNIFORM_BUFFER_STANDARD_LAYOUT, 12, uniformBufferStandardLayout),
	ONE(SHADER_SUBGROUP_EXTENDED_TYPES, 12, shaderSubgroupExtendedTypes),
	ONE(SEPARATE_DEPTH_STENCIL_LAYOUTS, 12, separateDepthStencilLayouts),
	ONE(HOST_QUERY_RESET, 12, hostQueryReset),
	ONE(TIMELINE_SEMAPHORE, 12, timelineSemaphore),
	RUN(BUFFER_DEVICE_ADDRESS, 12, bufferDeviceAddress, bufferDeviceAddressMultiDevice),
	RUN(VULKAN_MEMORY_MODEL, 12, vulkanMemoryModel,
		vulkanMemoryModelAvailabilityVisibilityChains),
	ONE(IMAGE_ROBUSTNESS, 13, robustImageAccess),
	RUN(INLINE_UNIFORM_BLOCK, 13, inlineUniformBlock,
		descriptorBindingInlineUniformBlockUpdateAfterBind),
	ONE(PIPELINE_CREATION_CACHE_CONTROL, 13, pipelineCreationCacheControl),
	ONE(PRIVATE_DATA, 13, privateData),
	ONE(SHADER_DEMOTE_TO_HELPER_INVOCATION, 13, shaderDemoteToHelperInvocation),
	ONE(SHADER_TERMINATE_INVOCATION, 13, shaderTerminateInvocation),
	RUN(SUBGROUP_SIZE_CONTROL, 13, subgroupSizeControl, computeFullSubgroups),
	ONE(SYNCHRONIZATION_2, 13, synchronization2),
	ONE(TEXTURE_COMPRESSION_ASTC_HDR, 13, textureCompressionASTC_HDR),
	ONE(ZERO_INITIALIZE_WORKGROUP_MEMORY, 13, shaderZeroInitializeWorkgroupMemory),
	ONE(DYNAMIC_RENDERING, 13, dynamicRendering),
	ONE(SHADER_INTEGER_DOT_PRODUCT, 13, shaderIntegerDotProduct),
	ONE(MAINTENANCE_4, 13, maintenance4),
};

static const struct run *
find_run(VkStructureType type)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(runs); i++) {
		if (runs[i].type == type)
			return &runs[i];
	}
	return NULL;
}

/* The largest structure's members, in VkBool32. */
#define MEMBERS_MAX (sizeof(VkPhysicalDeviceVulkan12Features) / sizeof(VkBool32))

/* Members of a structure, and how many; 0: it isn't known. */
static uint32_t
answer(const struct null_settings *settings, VkStructureType type, VkBool32 members[MEMBERS_MAX])
{
	const struct run *run = find_run(type);
	const uint32_t protected_at =
		(offsetof(VkPhysicalDeviceVulkan11Features, protectedMemory) - FIRST_MEMBER) /
		sizeof(VkBool32);

	switch (type) {
	case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT:
		members[0] = settings->compression_control;
		return settings->compression_control;
	case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT:
		members[0] = settings->multisampled_resolve;
		return settings->multisampled_resolve;
	default:
		break;
	}
	if (!run)
		return 0;
	memcpy(members, (const char *)&settings->abilities + run->from, run->size);
	if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES)
		members[0] |= settings->protected_memory;
	if (type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES)
		members[protected_at] |= settings->protected_memory;
	return run->size / sizeof(VkBool32);
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures *features)
{
	*features = null_abilities_of(device)->features10;
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceFeatures2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2 *features)
{
	const struct null_physical_device *device = (struct null_physical_device *)handle;
	VkBool32 members[MEMBERS_MAX];
	VkBaseOutStructure *out;

	null_count_chain(features->pNext);
	features->features = device->instance->settings.abilities.features10;
	for (out = features->pNext; out; out = out->pNext) {
		uint32_t count = answer(&device->instance->settings, out->sType, members);

		memcpy((char *)out + FIRST_MEMBER, members, count * sizeof(*members));
	}
}

/* Whether everything that is asked for is there. */
static bool
covers(const void *has, const void *asked, size_t count)
{
	const VkBool32 *h = has, *a = asked;

	for (size_t i = 0; i < count; i++) {
		if (a[i] && !h[i])
			return false;
	}
	return true;
}

static bool
covers_core(const struct null_settings *settings, const VkPhysicalDeviceFeatures *asked)
{
	return covers(&settings->abilities.features10, asked, sizeof(*asked) / sizeof(VkBool32));
}

bool
null_features_supported(const struct null_settings *settings, const void *chain,
	const VkPhysicalDeviceFeatures *enabled)
{
	VkBool32 members[MEMBERS_MAX];
	const VkBaseInStructure *in;

	if (enabled && !covers_core(settings, enabled))
		return false;
	for (in = chain; in; in = in->pNext) {
		uint32_t count = answer(settings, in->sType, members);

		if (!covers(members, (const char *)in + FIRST_MEMBER, count))
			return false;
		if (in->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 &&
			!covers_core(settings, &((const VkPhysicalDeviceFeatures2 *)in)->features))
			return false;
	}
	return true;
}
