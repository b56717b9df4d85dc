/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that nobody asks anything of: all they need is a handle of their own. */
#include "null/null.h"

#include <string.h>

#include "null/commands.h"

/* Malloc gives no two objects one address, so this is unique. */
struct null_plain {
	uint64_t nothing;
};

/* A new object's address, 0 without memory. */
static uintptr_t
create_object(const VkAllocationCallbacks *allocator)
{
	return (uintptr_t)kr_object_alloc(
		allocator, sizeof(struct null_plain), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
}

#define DESTROY(name)                                                                              \
	VKAPI_ATTR void VKAPI_CALL null_Destroy##name(                                             \
		VkDevice device, Vk##name handle, const VkAllocationCallbacks *allocator)          \
	{                                                                                          \
		kr_object_free(null_object(null_plain, handle));                                   \
	}

#define CREATE(name, type, info_type)                                                              \
	VKAPI_ATTR VkResult VKAPI_CALL null_Create##name(VkDevice device, const info_type *info,   \
		const VkAllocationCallbacks *allocator, type *out)                                 \
	{                                                                                          \
		uintptr_t object = create_object(allocator);                                       \
                                                                                                   \
		if (!object)                                                                       \
			return VK_ERROR_OUT_OF_HOST_MEMORY;                                        \
		*out = null_handle(type, object);                                                  \
		return VK_SUCCESS;                                                                 \
	}

#define OBJECT(name)                                                                               \
	CREATE(name, Vk##name, Vk##name##CreateInfo)                                               \
	DESTROY(name)

OBJECT(BufferView)
OBJECT(ImageView)
OBJECT(ShaderModule)
OBJECT(PipelineCache)
OBJECT(PipelineLayout)
OBJECT(Sampler)
OBJECT(SamplerYcbcrConversion)
OBJECT(DescriptorSetLayout)
OBJECT(DescriptorUpdateTemplate)
OBJECT(Framebuffer)
OBJECT(RenderPass)
CREATE(RenderPass2, VkRenderPass, VkRenderPassCreateInfo2)
DESTROY(Pipeline)

/*
 * Those that can't be made are null, and the others stay (Vulkan 1.3, "Multiple Pipeline
 * Creation").
 */
static VkResult
create_pipelines(uint32_t count, const VkAllocationCallbacks *allocator, VkPipeline *out)
{
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < count; i++) {
		uintptr_t object = create_object(allocator);

		if (!object)
			result = VK_ERROR_OUT_OF_HOST_MEMORY;
		out[i] = null_handle(VkPipeline, object);
	}
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateGraphicsPipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
	const VkGraphicsPipelineCreateInfo *infos, const VkAllocationCallbacks *allocator,
	VkPipeline *out)
{
	return create_pipelines(count, allocator, out);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
	const VkComputePipelineCreateInfo *infos, const VkAllocationCallbacks *allocator,
	VkPipeline *out)
{
	return create_pipelines(count, allocator, out);
}

/* A header and no pipelines. When it doesn't fit, nothing is written. */
VKAPI_ATTR VkResult VKAPI_CALL
null_GetPipelineCacheData(VkDevice handle, VkPipelineCache cache, size_t *size, void *data)
{
	struct null_device *device = null_device_from_handle(handle);
	VkPipelineCacheHeaderVersionOne header = {
		.headerSize = sizeof(header),
		.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
	};
	VkPhysicalDeviceProperties properties;

	if (data && *size < sizeof(header)) {
		*size = 0;
		return VK_INCOMPLETE;
	}
	*size = sizeof(header);
	if (!data)
		return VK_SUCCESS;
	null_GetPhysicalDeviceProperties((VkPhysicalDevice)device->physical_device, &properties);
	header.vendorID = properties.vendorID;
	header.deviceID = properties.deviceID;
	memcpy(header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE);
	memcpy(data, &header, sizeof(header));
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_MergePipelineCaches(
	VkDevice device, VkPipelineCache to, uint32_t count, const VkPipelineCache *from)
{
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_GetRenderAreaGranularity(VkDevice device, VkRenderPass render_pass, VkExtent2D *granularity)
{
	*granularity = (VkExtent2D){1, 1};
}

VKAPI_ATTR void VKAPI_CALL
null_GetDescriptorSetLayoutSupport(VkDevice device, const VkDescriptorSetLayoutCreateInfo *info,
	VkDescriptorSetLayoutSupport *support)
{
	VkBaseOutStructure *out;

	support->supported = VK_TRUE;
	for (out = support->pNext; out; out = out->pNext) {
		VkDescriptorSetVariableDescriptorCountLayoutSupport *variable = (void *)out;

		/*
		 * 0: the layout has no variable-sized binding, or they aren't supported, as here.
		 */
		if (out->sType ==
			VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT)
			variable->maxVariableDescriptorCount = 0;
	}
}

VKAPI_ATTR void VKAPI_CALL
null_UpdateDescriptorSets(VkDevice device, uint32_t write_count, const VkWriteDescriptorSet *writes,
	uint32_t copy_count, const VkCopyDescriptorSet *copies)
{
}

VKAPI_ATTR void VKAPI_CALL
null_UpdateDescriptorSetWithTemplate(
	VkDevice device, VkDescriptorSet set, VkDescriptorUpdateTemplate with, const void *data)
{
}
