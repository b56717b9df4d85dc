/* SPDX-License-Identifier: Apache-2.0 */
/* The table: see rows.h. */
#include "features/rows.h"

#include "util/macros.h"

const struct kr_feature_row_info kr_feature_row_info[KR_FEATURE_ROWS] = {
	[KR_FEATURE_ROW_LEVEL_0] = {KR_FEATURE_NAME_LEVEL, 0},
	[KR_FEATURE_ROW_LEVEL_1] = {KR_FEATURE_NAME_LEVEL, 1},
	[KR_FEATURE_ROW_COMPUTE_0] = {KR_FEATURE_NAME_COMPUTE, 0},
	/* The first version for phones, 1.0.3, is what is declared of 1.0. */
	[KR_FEATURE_ROW_VERSION_1_0] = {KR_FEATURE_NAME_VERSION, VK_MAKE_API_VERSION(0, 1, 0, 3)},
	[KR_FEATURE_ROW_VERSION_1_1] = {KR_FEATURE_NAME_VERSION, VK_API_VERSION_1_1},
	[KR_FEATURE_ROW_VERSION_1_3] = {KR_FEATURE_NAME_VERSION, VK_API_VERSION_1_3},
	[KR_FEATURE_ROW_SAMPLER_YCBCR_CONVERSION] = {"samplerYcbcrConversion", 0},
	[KR_FEATURE_ROW_STORAGE_BUFFER_8BIT_ACCESS] = {"storageBuffer8BitAccess", 0},
	[KR_FEATURE_ROW_DYNAMIC_RENDERING] = {"dynamicRendering", 0},
	[KR_FEATURE_ROW_SHADER_TERMINATE_INVOCATION] = {"shaderTerminateInvocation", 0},
	[KR_FEATURE_ROW_PIPELINE_CREATION_CACHE_CONTROL] = {"pipelineCreationCacheControl", 0},
};

/* clang-format off */
#define FEATURE(member)                                                                            \
	KR_FEATURE_RULE_FEATURE, #member, offsetof(VkPhysicalDeviceFeatures, member), 0, false
#define AT_LEAST(member, least)                                                                    \
	KR_FEATURE_RULE_LIMIT, #member, offsetof(VkPhysicalDeviceLimits, member), least, false
#define VERSION(least) KR_FEATURE_RULE_API_VERSION, "apiVersion", 0, least, false
#define MEMBER(which)  KR_FEATURE_RULE_MEMBER, NULL, 0, KR_FEATURE_##which, false
#define ROW(which)     KR_FEATURE_RULE_ROW, NULL, 0, KR_FEATURE_ROW_##which, false
#define OF_GPUS(kind, name) KR_FEATURE_RULE_##kind, name, 0, 0, true

const struct kr_feature_rule kr_feature_rules[] = {
	{KR_FEATURE_ROW_LEVEL_0, FEATURE(textureCompressionETC2)},

	{KR_FEATURE_ROW_LEVEL_1, ROW(LEVEL_0)},
	{KR_FEATURE_ROW_LEVEL_1, FEATURE(fullDrawIndexUint32)},
	{KR_FEATURE_ROW_LEVEL_1, FEATURE(imageCubeArray)},
	{KR_FEATURE_ROW_LEVEL_1, FEATURE(independentBlend)},
	{KR_FEATURE_ROW_LEVEL_1, FEATURE(geometryShader)},
	{KR_FEATURE_ROW_LEVEL_1, FEATURE(tessellationShader)},
	{KR_FEATURE_ROW_LEVEL_1, FEATURE(sampleRateShading)},
	{KR_FEATURE_ROW_LEVEL_1, FEATURE(textureCompressionASTC_LDR)},
	{KR_FEATURE_ROW_LEVEL_1, FEATURE(fragmentStoresAndAtomics)},
	{KR_FEATURE_ROW_LEVEL_1, FEATURE(shaderImageGatherExtended)},
	{KR_FEATURE_ROW_LEVEL_1, FEATURE(shaderUniformBufferArrayDynamicIndexing)},
	{KR_FEATURE_ROW_LEVEL_1, FEATURE(shaderSampledImageArrayDynamicIndexing)},

	{KR_FEATURE_ROW_COMPUTE_0, MEMBER(VARIABLE_POINTERS)},
	{KR_FEATURE_ROW_COMPUTE_0, AT_LEAST(maxPerStageDescriptorStorageBuffers, 16)},

	/* A version is that of a device with the level which is declared. */
	{KR_FEATURE_ROW_VERSION_1_0, ROW(LEVEL_0)},
	{KR_FEATURE_ROW_VERSION_1_0, VERSION(VK_MAKE_API_VERSION(0, 1, 0, 3))},

	{KR_FEATURE_ROW_VERSION_1_1, ROW(VERSION_1_0)},
	{KR_FEATURE_ROW_VERSION_1_1, VERSION(VK_API_VERSION_1_1)},
	{KR_FEATURE_ROW_VERSION_1_1, MEMBER(SAMPLER_YCBCR_CONVERSION)},
	{KR_FEATURE_ROW_VERSION_1_1,
		OF_GPUS(EXTENSION, "VK_ANDROID_external_memory_android_hardware_buffer")},
	{KR_FEATURE_ROW_VERSION_1_1, OF_GPUS(SYNC_FD_SEMAPHORE, "SYNC_FD semaphores")},
	{KR_FEATURE_ROW_VERSION_1_1, OF_GPUS(SYNC_FD_FENCE, "SYNC_FD fences")},

	{KR_FEATURE_ROW_VERSION_1_3, ROW(VERSION_1_1)},
	{KR_FEATURE_ROW_VERSION_1_3, VERSION(VK_API_VERSION_1_3)},

	{KR_FEATURE_ROW_SAMPLER_YCBCR_CONVERSION, MEMBER(SAMPLER_YCBCR_CONVERSION)},
	{KR_FEATURE_ROW_STORAGE_BUFFER_8BIT_ACCESS, MEMBER(STORAGE_BUFFER_8BIT_ACCESS)},
	{KR_FEATURE_ROW_DYNAMIC_RENDERING, MEMBER(DYNAMIC_RENDERING)},
	{KR_FEATURE_ROW_SHADER_TERMINATE_INVOCATION, MEMBER(SHADER_TERMINATE_INVOCATION)},
	{KR_FEATURE_ROW_PIPELINE_CREATION_CACHE_CONTROL, MEMBER(PIPELINE_CREATION_CACHE_CONTROL)},
};
/* clang-format on */
const size_t kr_feature_rule_count = KR_ARRAY_LEN(kr_feature_rules);
