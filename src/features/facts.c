/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a device: see facts.h. */
#include "features/facts.h"

#include <stdlib.h>
#include <string.h>

#include "util/text.h"
#include "util/alloc.h"
#include "util/enumerate.h"
#include "util/log.h"

#define MEMBER(version, structure_name, stype, member, ext)                                        \
	{                                                                                          \
#member, #structure_name, ext, version, VK_STRUCTURE_TYPE_##stype,                 \
			offsetof(structure_name, member)                                           \
	}

static const struct kr_feature_member_info members[KR_FEATURE_MEMBERS] = {
	[KR_FEATURE_SAMPLER_YCBCR_CONVERSION] =
		MEMBER(VK_API_VERSION_1_1, VkPhysicalDeviceSamplerYcbcrConversionFeatures,
			PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES, samplerYcbcrConversion,
			"VK_KHR_sampler_ycbcr_conversion"),
	[KR_FEATURE_VARIABLE_POINTERS] =
		MEMBER(VK_API_VERSION_1_1, VkPhysicalDeviceVariablePointersFeatures,
			PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES, variablePointers,
			"VK_KHR_variable_pointers"),
	[KR_FEATURE_STORAGE_BUFFER_8BIT_ACCESS] = MEMBER(VK_API_VERSION_1_2,
		VkPhysicalDevice8BitStorageFeatures, PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
		storageBuffer8BitAccess, "VK_KHR_8bit_storage"),
	[KR_FEATURE_DYNAMIC_RENDERING] =
		MEMBER(VK_API_VERSION_1_3, VkPhysicalDeviceDynamicRenderingFeatures,
			PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, dynamicRendering,
			"VK_KHR_dynamic_rendering"),
	[KR_FEATURE_SHADER_TERMINATE_INVOCATION] =
		MEMBER(VK_API_VERSION_1_3, VkPhysicalDeviceShaderTerminateInvocationFeatures,
			PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES,
			shaderTerminateInvocation, "VK_KHR_shader_terminate_invocation"),
	[KR_FEATURE_PIPELINE_CREATION_CACHE_CONTROL] =
		MEMBER(VK_API_VERSION_1_3, VkPhysicalDevicePipelineCreationCacheControlFeatures,
			PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
			pipelineCreationCacheControl, "VK_EXT_pipeline_creation_cache_control"),
};

/* The longest of those structures, and the shape of them all. */
struct chained {
	VkStructureType type;
	void *next;
	VkBool32 members[4];
};

const struct kr_feature_member_info *
kr_feature_describe_member(enum kr_feature_member member)
{
	return &members[member];
}

bool
kr_feature_facts_have_extension(const struct kr_feature_facts *facts, const char *name)
{
	for (uint32_t i = 0; i < facts->extension_count; i++) {
		if (!strcmp(facts->extensions[i].extensionName, name))
			return true;
	}
	return false;
}

static PFN_vkVoidFunction
find(const struct kr_feature_source *source, const char *name)
{
	return source->get_instance_proc_addr(source->instance, name);
}

/* By the core name for devices of 1.1, else by that of the extension which brought the function. */
static PFN_vkVoidFunction
find_newer(const struct kr_feature_source *source, const struct kr_feature_facts *facts,
	const char *core, const char *of_extension)
{
	PFN_vkVoidFunction function = NULL;

	if (facts->properties.apiVersion >= VK_API_VERSION_1_1)
		function = find(source, core);
	return function ? function : find(source, of_extension);
}

static void
ask_members(const struct kr_feature_source *source, struct kr_feature_facts *facts)
{
	PFN_vkGetPhysicalDeviceFeatures2 get = (PFN_vkGetPhysicalDeviceFeatures2)find_newer(
		source, facts, "vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceFeatures2KHR");

	for (unsigned i = 0; i < KR_FEATURE_MEMBERS; i++) {
		const struct kr_feature_member_info *info = &members[i];
		struct chained chained = {.type = info->type};
		VkPhysicalDeviceFeatures2 question = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &chained};
		VkBool32 value;

		if (facts->properties.apiVersion < info->core &&
			!kr_feature_facts_have_extension(facts, info->extension))
			continue;
		facts->members[i].asked = get ? KR_FEATURE_ASKED : KR_FEATURE_HAS_NO_QUERY;
		if (!get)
			continue;
		get(source->device, &question);
		memcpy(&value, (char *)&chained + info->offset, sizeof(value));
		facts->members[i].value = value;
	}
}

static void
ask_semaphores(const struct kr_feature_source *source, struct kr_feature_facts *facts)
{
	const VkPhysicalDeviceExternalSemaphoreInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	VkExternalSemaphoreProperties out = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
	PFN_vkGetPhysicalDeviceExternalSemaphoreProperties get =
		(PFN_vkGetPhysicalDeviceExternalSemaphoreProperties)find_newer(source, facts,
			"vkGetPhysicalDeviceExternalSemaphoreProperties",
			"vkGetPhysicalDeviceExternalSemaphorePropertiesKHR");

	if (!get)
		return;
	get(source->device, &info, &out);
	facts->sync_fd_semaphore = (struct kr_feature_external){
		.asked = true,
		.exports = out.externalSemaphoreFeatures &
			VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT,
		.imports = out.externalSemaphoreFeatures &
			VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT,
	};
}

static void
ask_fences(const struct kr_feature_source *source, struct kr_feature_facts *facts)
{
	const VkPhysicalDeviceExternalFenceInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO,
		.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	VkExternalFenceProperties out = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES};
	PFN_vkGetPhysicalDeviceExternalFenceProperties get =
		(PFN_vkGetPhysicalDeviceExternalFenceProperties)find_newer(source, facts,
			"vkGetPhysicalDeviceExternalFenceProperties",
			"vkGetPhysicalDeviceExternalFencePropertiesKHR");

	if (!get)
		return;
	get(source->device, &info, &out);
	facts->sync_fd_fence = (struct kr_feature_external){
		.asked = true,
		.exports = out.externalFenceFeatures & VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT,
		.imports = out.externalFenceFeatures & VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT,
	};
}

VkResult
kr_feature_ask(const struct kr_feature_source *source, struct kr_feature_facts *facts)
{
	PFN_vkGetPhysicalDeviceProperties get_properties =
		(PFN_vkGetPhysicalDeviceProperties)find(source, "vkGetPhysicalDeviceProperties");
	PFN_vkGetPhysicalDeviceFeatures get_features =
		(PFN_vkGetPhysicalDeviceFeatures)find(source, "vkGetPhysicalDeviceFeatures");
	const struct kr_enumerate_question question = {
		.of_device = (PFN_vkEnumerateDeviceExtensionProperties)find(
			source, "vkEnumerateDeviceExtensionProperties"),
		.device = source->device,
		.who = "the device",
		.log = KR_LOG_DRIVER,
	};
	VkResult result;

	*facts = (struct kr_feature_facts){0};
	if (!get_properties || !get_features || !question.of_device)
		return VK_ERROR_INITIALIZATION_FAILED;
	result = kr_enumerate_extensions(
		&question, NULL, &facts->extension_count, &facts->extensions);
	if (result != VK_SUCCESS)
		return result;
	get_properties(source->device, &facts->properties);
	facts->properties.deviceName[sizeof(facts->properties.deviceName) - 1] = '\0';
	kr_text_clean(facts->properties.deviceName, strlen(facts->properties.deviceName), false);
	get_features(source->device, &facts->features);
	ask_members(source, facts);
	ask_semaphores(source, facts);
	ask_fences(source, facts);
	return VK_SUCCESS;
}

void
kr_feature_facts_finish(struct kr_feature_facts *facts)
{
	kr_free(NULL, facts->extensions);
	*facts = (struct kr_feature_facts){0};
}
