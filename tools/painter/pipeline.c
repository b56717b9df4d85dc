/* SPDX-License-Identifier: Apache-2.0 */
/* See pipeline.h. */
#include "tools/painter/pipeline.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "tools/picture_comp.h"

#define BINDINGS (KR_PAINT_STORAGE + KR_PAINT_SLOTS)

static VkResult
create_layouts(const struct kr_paint_device *device, struct kr_paint_pipeline *pipeline)
{
	VkDescriptorSetLayoutBinding bindings[BINDINGS];
	const VkDescriptorSetLayoutCreateInfo set_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = BINDINGS,
		.pBindings = bindings,
	};
	const VkPushConstantRange push = {
		VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct kr_paint_push)};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &pipeline->set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &push,
	};
	VkResult result;

	for (uint32_t i = 0; i < BINDINGS; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){
			.binding = i,
			.descriptorType = i < KR_PAINT_STORAGE ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
							       : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
			.descriptorCount = 1,
			.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		};
	result = device->d.CreateDescriptorSetLayout(
		device->device, &set_info, NULL, &pipeline->set_layout);
	return result
		? result
		: device->d.CreatePipelineLayout(device->device, &info, NULL, &pipeline->layout);
}

static VkResult
create_code(const struct kr_paint_device *device, struct kr_paint_pipeline *pipeline)
{
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = sizeof(picture_comp),
		.pCode = picture_comp,
	};

	return device->d.CreateShaderModule(device->device, &info, NULL, &pipeline->code);
}

/* --- code for passes --- */

/* The picture.comp's constants, in their order. */
struct constants {
	uint32_t words, images;
	VkBool32 plain;
};

static VkResult
create_pipeline(const struct kr_paint_device *device, const struct kr_paint_pipeline *pipeline,
	const struct constants *constants, VkPipeline *made)
{
	static const VkSpecializationMapEntry entries[] = {
		{0, offsetof(struct constants, words), sizeof(uint32_t)},
		{1, offsetof(struct constants, images), sizeof(uint32_t)},
		{2, offsetof(struct constants, plain), sizeof(VkBool32)},
	};
	const VkSpecializationInfo specialization = {
		KR_ARRAY_LEN(entries), entries, sizeof(*constants), constants};
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_COMPUTE_BIT,
			.module = pipeline->code,
			.pName = "main",
			.pSpecializationInfo = &specialization},
		.layout = pipeline->layout,
	};

	return device->d.CreateComputePipelines(
		device->device, VK_NULL_HANDLE, 1, &info, NULL, made);
}

/* The smallest step that is enough, and how many slots that is. */
static unsigned
step_of(uint32_t slots, uint32_t *enough)
{
	unsigned step = 0;

	for (*enough = 0; *enough < slots; step++)
		*enough = *enough ? 2 * *enough : 1;
	return step;
}

VkPipeline
kr_paint_pipeline_get(const struct kr_paint_device *device, struct kr_paint_pipeline *pipeline,
	const struct kr_paint_variant *variant)
{
	struct constants constants = {.plain = variant->plain};
	const unsigned words = step_of(variant->words, &constants.words);
	const unsigned images = step_of(variant->images, &constants.images);
	VkPipeline *made = &pipeline->made[words][images][variant->plain];

	if (!*made && create_pipeline(device, pipeline, &constants, made))
		*made = VK_NULL_HANDLE;
	return *made;
}

/* --- what stands in unused slots --- */

static uint32_t
type_for_image(const struct kr_paint_device *device, uint32_t allowed)
{
	for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
		if (allowed & (1u << i))
			return i;
	}
	return 0;
}

static VkResult
create_no_image(const struct kr_paint_device *device, struct kr_paint_pipeline *pipeline)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {1, 1, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = info.format,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needs;
	VkResult result = device->d.CreateImage(device->device, &info, NULL, &pipeline->no_image);

	if (result)
		return result;
	device->d.GetImageMemoryRequirements(device->device, pipeline->no_image, &needs);
	allocate.allocationSize = needs.size;
	allocate.memoryTypeIndex = type_for_image(device, needs.memoryTypeBits);
	result = device->d.AllocateMemory(device->device, &allocate, NULL, &pipeline->no_memory);
	if (!result)
		result = device->d.BindImageMemory(
			device->device, pipeline->no_image, pipeline->no_memory, 0);
	view.image = pipeline->no_image;
	if (!result)
		result = device->d.CreateImageView(device->device, &view, NULL, &pipeline->no_view);
	return result;
}

static void
record_layout(const struct kr_paint_device *device, VkImage image, VkCommandBuffer commands)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_SHADER_READ_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	device->d.BeginCommandBuffer(commands, &begin);
	device->d.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
		VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	device->d.EndCommandBuffer(commands);
}

static VkResult
set_layout(const struct kr_paint_device *device, VkImage image)
{
	const VkCommandPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = device->family,
	};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};
	VkCommandBuffer commands;
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
	};
	VkResult result =
		device->d.CreateCommandPool(device->device, &pool_info, NULL, &info.commandPool);

	if (result)
		return result;
	result = device->d.AllocateCommandBuffers(device->device, &info, &commands);
	if (!result) {
		record_layout(device, image, commands);
		result = device->d.QueueSubmit(device->queue, 1, &submit, VK_NULL_HANDLE);
	}
	/* Nobody else's work is in the queue yet. */
	if (!result)
		result = device->d.QueueWaitIdle(device->queue);
	device->d.DestroyCommandPool(device->device, info.commandPool, NULL);
	return result;
}

int
kr_paint_pipeline_init(const struct kr_paint_device *device, struct kr_paint_pipeline *pipeline)
{
	if (create_layouts(device, pipeline) || create_code(device, pipeline) ||
		create_no_image(device, pipeline) || set_layout(device, pipeline->no_image))
		return -EIO;
	return kr_paint_memory_init(device, KR_PAINT_OF_DEVICE, 16,
		VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &pipeline->nothing);
}

int
kr_paint_pipeline_sets(const struct kr_paint_device *device,
	const struct kr_paint_pipeline *pipeline, VkDescriptorSet *sets, uint32_t count)
{
	const VkDescriptorPoolSize sizes[] = {
		{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, KR_PAINT_STORAGE * count},
		{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, KR_PAINT_SLOTS * count},
	};
	const VkDescriptorPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = count,
		.poolSizeCount = KR_ARRAY_LEN(sizes),
		.pPoolSizes = sizes,
	};
	VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 1,
		.pSetLayouts = &pipeline->set_layout,
	};

	if (device->d.CreateDescriptorPool(device->device, &pool_info, NULL, &info.descriptorPool))
		return -EIO;
	for (uint32_t i = 0; i < count; i++) {
		if (device->d.AllocateDescriptorSets(device->device, &info, &sets[i]))
			return -EIO;
	}
	return 0;
}

void
kr_paint_pipeline_bind(const struct kr_paint_device *device,
	const struct kr_paint_pipeline *pipeline, VkDescriptorSet set,
	const struct kr_paint_bindings *bindings, struct kr_paint_bindings *last)
{
	VkWriteDescriptorSet writes[BINDINGS];
	VkDescriptorBufferInfo buffers[KR_PAINT_STORAGE];
	VkDescriptorImageInfo images[KR_PAINT_SLOTS];

	if (!memcmp(bindings, last, sizeof(*last)))
		return;
	for (uint32_t i = 0; i < BINDINGS; i++) {
		uint32_t slot = i - KR_PAINT_STORAGE;

		writes[i] = (VkWriteDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = set,
			.dstBinding = i,
			.descriptorCount = 1,
			.descriptorType = i < KR_PAINT_STORAGE ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
							       : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
		};
		if (i < KR_PAINT_STORAGE) {
			buffers[i] = (VkDescriptorBufferInfo){bindings->storage[i]
					? bindings->storage[i]
					: pipeline->nothing.buffer,
				0, VK_WHOLE_SIZE};
			writes[i].pBufferInfo = &buffers[i];
			continue;
		}
		images[slot] = (VkDescriptorImageInfo){VK_NULL_HANDLE,
			bindings->images[slot] ? bindings->images[slot] : pipeline->no_view,
			VK_IMAGE_LAYOUT_GENERAL};
		writes[i].pImageInfo = &images[slot];
	}
	device->d.UpdateDescriptorSets(device->device, BINDINGS, writes, 0, NULL);
	*last = *bindings;
}
