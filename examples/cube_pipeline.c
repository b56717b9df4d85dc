/* SPDX-License-Identifier: Apache-2.0 */
/* How the cube is drawn: render pass, descriptor set and pipeline. */
#include "cube_scene.h"

#include <stddef.h>

#include "cube_frag.h"
#include "cube_vert.h"

static void
create_set(struct scene *scene)
{
	VkDevice device = scene->gpu->device;
	const VkDescriptorSetLayoutBinding binding = {
		.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		.descriptorCount = 1,
		.stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT,
	};
	const VkDescriptorSetLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 1,
		.pBindings = &binding,
	};
	const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	VkDescriptorSetAllocateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 1,
		.pSetLayouts = &scene->set_layout,
	};
	const VkDescriptorImageInfo image = {
		scene->sampler, scene->texture.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
	VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		.pImageInfo = &image,
	};

	check(vkCreateDescriptorSetLayout(device, &layout, NULL, &scene->set_layout),
		"vkCreateDescriptorSetLayout");
	check(vkCreateDescriptorPool(device, &pool, NULL, &scene->set_pool),
		"vkCreateDescriptorPool");
	set.descriptorPool = scene->set_pool;
	check(vkAllocateDescriptorSets(device, &set, &scene->set), "vkAllocateDescriptorSets");
	write.dstSet = scene->set;
	vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
}

static void
create_pass(struct scene *scene, VkFormat format, VkImageLayout final_layout)
{
	const VkAttachmentDescription attachments[] = {
		{
			.format = format,
			.samples = VK_SAMPLE_COUNT_1_BIT,
			.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
			.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
			.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
			.finalLayout = final_layout,
		},
		{
			.format = SCENE_DEPTH_FORMAT,
			.samples = VK_SAMPLE_COUNT_1_BIT,
			.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
			.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
			.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
			.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
			.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
			.finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
		},
	};
	const VkAttachmentReference colour = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
	const VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
	const VkSubpassDescription subpass = {
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
		.colorAttachmentCount = 1,
		.pColorAttachments = &colour,
		.pDepthStencilAttachment = &depth,
	};
	/*
	 * What came before (acquire, the last use of the depth buffer) ends before
	 * this pass writes.
	 */
	const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
		VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
		VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
	const VkSubpassDependency before = {
		.srcSubpass = VK_SUBPASS_EXTERNAL,
		.srcStageMask = stages,
		.dstStageMask = stages,
		.srcAccessMask = VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT |
			VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
			VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
	};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 2,
		.pAttachments = attachments,
		.subpassCount = 1,
		.pSubpasses = &subpass,
		.dependencyCount = 1,
		.pDependencies = &before,
	};

	check(vkCreateRenderPass(scene->gpu->device, &info, NULL, &scene->pass),
		"vkCreateRenderPass");
}

static VkShaderModule
create_shader(const struct scene *scene, const uint32_t *code, size_t size)
{
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = size,
		.pCode = code,
	};
	VkShaderModule shader;

	check(vkCreateShaderModule(scene->gpu->device, &info, NULL, &shader),
		"vkCreateShaderModule");
	return shader;
}

static void
create_layout(struct scene *scene)
{
	const VkPushConstantRange range = {VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(struct turn)};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &scene->set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};

	check(vkCreatePipelineLayout(scene->gpu->device, &info, NULL, &scene->layout),
		"vkCreatePipelineLayout");
}

/* Everything that doesn't change: viewport and scissor are set with each draw. */
/* What the pipeline is made of that depends on nothing. */
static const VkVertexInputBindingDescription binding = {
	0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attributes[] = {
	{0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(struct vertex, position)},
	{1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(struct vertex, normal)},
	{2, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(struct vertex, place)},
};
static const VkPipelineVertexInputStateCreateInfo input = {
	.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
	.vertexBindingDescriptionCount = 1,
	.pVertexBindingDescriptions = &binding,
	.vertexAttributeDescriptionCount = 3,
	.pVertexAttributeDescriptions = attributes,
};
static const VkPipelineInputAssemblyStateCreateInfo assembly = {
	.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
	.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
};
static const VkPipelineViewportStateCreateInfo viewport = {
	.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
	.viewportCount = 1,
	.scissorCount = 1,
};
static const VkPipelineRasterizationStateCreateInfo raster = {
	.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
	.polygonMode = VK_POLYGON_MODE_FILL,
	.cullMode = VK_CULL_MODE_BACK_BIT,
	.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE,
	.lineWidth = 1,
};
static const VkPipelineMultisampleStateCreateInfo multisample = {
	.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
	.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
};
static const VkPipelineDepthStencilStateCreateInfo depth = {
	.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
	.depthTestEnable = VK_TRUE,
	.depthWriteEnable = VK_TRUE,
	.depthCompareOp = VK_COMPARE_OP_LESS,
};
static const VkPipelineColorBlendAttachmentState opaque = {.colorWriteMask = 0xf};
static const VkPipelineColorBlendStateCreateInfo blend = {
	.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
	.attachmentCount = 1,
	.pAttachments = &opaque,
};
static const VkDynamicState dynamic_states[] = {
	VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
static const VkPipelineDynamicStateCreateInfo dynamic = {
	.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
	.dynamicStateCount = 2,
	.pDynamicStates = dynamic_states,
};

static void
create_pipeline(struct scene *scene)
{
	const VkPipelineShaderStageCreateInfo stages[] = {
		{
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_VERTEX_BIT,
			.module = create_shader(scene, cube_vert, sizeof(cube_vert)),
			.pName = "main",
		},
		{
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_FRAGMENT_BIT,
			.module = create_shader(scene, cube_frag, sizeof(cube_frag)),
			.pName = "main",
		},
	};
	const VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.stageCount = 2,
		.pStages = stages,
		.pVertexInputState = &input,
		.pInputAssemblyState = &assembly,
		.pViewportState = &viewport,
		.pRasterizationState = &raster,
		.pMultisampleState = &multisample,
		.pDepthStencilState = &depth,
		.pColorBlendState = &blend,
		.pDynamicState = &dynamic,
		.layout = scene->layout,
		.renderPass = scene->pass,
	};

	check(vkCreateGraphicsPipelines(
		      scene->gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &scene->pipeline),
		"vkCreateGraphicsPipelines");
	vkDestroyShaderModule(scene->gpu->device, stages[0].module, NULL);
	vkDestroyShaderModule(scene->gpu->device, stages[1].module, NULL);
}

void
scene_create_pipeline(struct scene *scene, VkFormat format, VkImageLayout final_layout)
{
	create_set(scene);
	create_pass(scene, format, final_layout);
	create_layout(scene);
	create_pipeline(scene);
}
