/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, buffers and images: see rig.h. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "sample.h"
#include "sample_uint.h"
#include "tests/integration/stack/stack.h"
#include "util/macros.h"

#define SWIFTSHADER_LIBRARY "/usr/lib/chromium/libvk_swiftshader.so"

/* Chromium's own manifest says Vulkan 1.0, and is believed. */
static void
use_swiftshader(void)
{
	const char *path = kr_test_path("swiftshader.json");
	FILE *file;

	if (access(SWIFTSHADER_LIBRARY, R_OK))
		kr_test_skip("no-swiftshader", NULL);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs("{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": "
			  "\"" SWIFTSHADER_LIBRARY "\", \"api_version\": \"1.3.0\"}}\n",
			    file) >= 0);
	assert_int_equal(fclose(file), 0);
	setenv("VK_DRIVER_FILES", path, 1);
}

static void
choose_driver(void)
{
	const char *driver = getenv("KRAFLA_TEST_DRIVER");

	if (driver && !strcmp(driver, "given"))
		return;
	stack_use(STACK_LAVAPIPE);
	if (driver && !strcmp(driver, "swiftshader"))
		use_swiftshader();
}

static bool
has_extension(VkPhysicalDevice gpu, const char *name)
{
	static VkExtensionProperties list[512];
	uint32_t count = KR_ARRAY_LEN(list);

	assert_true(vkEnumerateDeviceExtensionProperties(gpu, NULL, &count, list) >= 0);
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(list[i].extensionName, name))
			return true;
	}
	return false;
}

static bool
has_conversions(VkPhysicalDevice gpu)
{
	VkPhysicalDeviceSamplerYcbcrConversionFeatures has = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES,
	};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
		.pNext = &has,
	};

	vkGetPhysicalDeviceFeatures2(gpu, &features);
	return has.samplerYcbcrConversion;
}

static void
open_device(struct rig *rig)
{
	static const char *const extensions[] = {
		VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME,
		VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME,
	};
	static const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkPhysicalDeviceSamplerYcbcrConversionFeatures conversions = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES,
		.samplerYcbcrConversion = VK_TRUE,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = rig->conversions ? &conversions : NULL,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = KR_ARRAY_LEN(extensions),
		.ppEnabledExtensionNames = extensions,
	};

	assert_int_equal(vkCreateDevice(rig->gpu, &info, NULL, &rig->device), VK_SUCCESS);
	vkGetDeviceQueue(rig->device, 0, 0, &rig->queue);
	rig->get_properties = (PFN_vkGetAndroidHardwareBufferPropertiesANDROID)vkGetDeviceProcAddr(
		rig->device, "vkGetAndroidHardwareBufferPropertiesANDROID");
	assert_non_null(rig->get_properties);
}

static uint32_t
memory_type(const struct rig *rig, uint32_t types, VkMemoryPropertyFlags with)
{
	for (uint32_t i = 0; i < rig->memory.memoryTypeCount; i++) {
		if ((types >> i & 1) && (rig->memory.memoryTypes[i].propertyFlags & with) == with)
			return i;
	}
	fail_msg("there is no memory with 0x%x", with);
	return 0;
}

static VkBuffer
create_buffer(const struct rig *rig, VkDeviceSize size, VkBufferUsageFlags usage,
	VkDeviceMemory *memory, void **map)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = size,
		.usage = usage,
	};
	VkMemoryRequirements needs;
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkBuffer buffer;

	assert_int_equal(vkCreateBuffer(rig->device, &info, NULL, &buffer), VK_SUCCESS);
	vkGetBufferMemoryRequirements(rig->device, buffer, &needs);
	allocate.allocationSize = needs.size;
	allocate.memoryTypeIndex = memory_type(rig, needs.memoryTypeBits,
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
	assert_int_equal(vkAllocateMemory(rig->device, &allocate, NULL, memory), VK_SUCCESS);
	assert_int_equal(vkBindBufferMemory(rig->device, buffer, *memory, 0), VK_SUCCESS);
	assert_int_equal(vkMapMemory(rig->device, *memory, 0, VK_WHOLE_SIZE, 0, map), VK_SUCCESS);
	return buffer;
}

void
rig_open(struct rig *rig, bool conversions)
{
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.apiVersion = VK_API_VERSION_1_1,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
	};
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};
	uint32_t count = 1;

	memset(rig, 0, sizeof(*rig));
	choose_driver();
	/* Read once in a process. Buffers that CPUs may lock are of their memory all the same. */
	setenv("KRAFLA_BUFFERS", "gpu", 1);
	assert_int_equal(vkCreateInstance(&info, NULL, &rig->instance), VK_SUCCESS);
	assert_true(vkEnumeratePhysicalDevices(rig->instance, &count, &rig->gpu) >= 0);
	assert_int_equal(count, 1);
	vkGetPhysicalDeviceProperties(rig->gpu, &rig->properties);
	vkGetPhysicalDeviceMemoryProperties(rig->gpu, &rig->memory);
	if (!has_extension(
		    rig->gpu, VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME))
		kr_test_skip("no-hardware-buffers", rig->properties.deviceName);
	rig->conversions = conversions && has_conversions(rig->gpu);
	open_device(rig);
	assert_int_equal(vkCreateCommandPool(rig->device, &pool, NULL, &rig->pool), VK_SUCCESS);
	commands.commandPool = rig->pool;
	assert_int_equal(
		vkAllocateCommandBuffers(rig->device, &commands, &rig->commands), VK_SUCCESS);
	rig->out = create_buffer(rig, RIG_PIXELS * 4 * sizeof(float),
		VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &rig->out_memory, &rig->pixels);
}

void
rig_close(struct rig *rig)
{
	vkDestroyBuffer(rig->device, rig->out, NULL);
	vkFreeMemory(rig->device, rig->out_memory, NULL);
	vkDestroyCommandPool(rig->device, rig->pool, NULL);
	vkDestroyDevice(rig->device, NULL);
	vkDestroyInstance(rig->instance, NULL);
}

AHardwareBuffer *
rig_buffer(uint32_t width, uint32_t height, uint32_t format, uint64_t usage)
{
	const AHardwareBuffer_Desc desc = {
		.width = width,
		.height = height,
		.layers = 1,
		.format = format,
		.usage = usage,
	};
	AHardwareBuffer *buffer;

	return AHardwareBuffer_allocate(&desc, &buffer) ? NULL : buffer;
}

VkResult
rig_ask(const struct rig *rig, AHardwareBuffer *buffer,
	VkAndroidHardwareBufferFormatProperties2ANDROID *format)
{
	VkAndroidHardwareBufferFormatPropertiesANDROID first = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_FORMAT_PROPERTIES_ANDROID,
		.pNext = format,
	};
	VkAndroidHardwareBufferPropertiesANDROID properties = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_PROPERTIES_ANDROID,
		.pNext = &first,
	};
	VkResult result;

	memset(format, 0, sizeof(*format));
	format->sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_FORMAT_PROPERTIES_2_ANDROID;
	result = rig->get_properties(rig->device, buffer, &properties);
	if (result != VK_SUCCESS)
		return result;
	assert_int_equal(first.format, format->format);
	assert_int_equal(first.externalFormat, format->externalFormat);
	assert_int_equal(first.formatFeatures, format->formatFeatures & INT32_MAX);
	assert_int_equal(first.suggestedYcbcrModel, format->suggestedYcbcrModel);
	assert_int_equal(first.suggestedYcbcrRange, format->suggestedYcbcrRange);
	assert_int_equal(first.suggestedXChromaOffset, format->suggestedXChromaOffset);
	assert_int_equal(first.suggestedYChromaOffset, format->suggestedYChromaOffset);
	assert_memory_equal(&first.samplerYcbcrConversionComponents,
		&format->samplerYcbcrConversionComponents, sizeof(VkComponentMapping));
	return VK_SUCCESS;
}

static VkResult
create_image(const struct rig *rig, const AHardwareBuffer_Desc *desc, uint64_t external_format,
	VkImageUsageFlags usage, struct rig_image *image)
{
	const VkExternalFormatANDROID external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_FORMAT_ANDROID,
		.externalFormat = external_format,
	};
	const VkExternalMemoryImageCreateInfo memory = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.pNext = &external,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID,
	};
	/* A card's OPTIMAL images lie in its own memory; a number says itself where it is. */
	const bool linear = (desc->usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK) &&
		rig->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU &&
		!external_format;
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &memory,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = image->format,
		.extent = {desc->width, desc->height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = linear ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
		.usage = usage,
	};

	return vkCreateImage(rig->device, &info, NULL, &image->image);
}

VkResult
rig_import(const struct rig *rig, AHardwareBuffer *buffer, VkFormat format,
	uint64_t external_format, VkImageUsageFlags usage, struct rig_image *image)
{
	VkAndroidHardwareBufferPropertiesANDROID properties = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_PROPERTIES_ANDROID,
	};
	const VkImportAndroidHardwareBufferInfoANDROID import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID,
		.buffer = buffer,
	};
	VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.pNext = &import,
	};
	VkMemoryAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &dedicated,
	};
	AHardwareBuffer_Desc desc;
	VkResult result;

	*image = (struct rig_image){.format = format};
	AHardwareBuffer_describe(buffer, &desc);
	result = rig->get_properties(rig->device, buffer, &properties);
	if (result == VK_SUCCESS)
		result = create_image(rig, &desc, external_format, usage, image);
	if (result != VK_SUCCESS)
		return result;
	dedicated.image = image->image;
	allocate.allocationSize = properties.allocationSize;
	allocate.memoryTypeIndex = memory_type(rig, properties.memoryTypeBits, 0);
	result = vkAllocateMemory(rig->device, &allocate, NULL, &image->memory);
	if (result == VK_SUCCESS)
		result = vkBindImageMemory(rig->device, image->image, image->memory, 0);
	if (result != VK_SUCCESS)
		rig_image_destroy(rig, image);
	return result;
}

void
rig_image_destroy(const struct rig *rig, struct rig_image *image)
{
	vkDestroyImage(rig->device, image->image, NULL);
	vkFreeMemory(rig->device, image->memory, NULL);
	*image = (struct rig_image){0};
}

void
rig_begin(const struct rig *rig)
{
	const VkCommandBufferBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};

	assert_int_equal(vkBeginCommandBuffer(rig->commands, &info), VK_SUCCESS);
}

void
rig_end(const struct rig *rig)
{
	const VkMemoryBarrier to_host = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &rig->commands,
	};

	vkCmdPipelineBarrier(rig->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
	assert_int_equal(vkEndCommandBuffer(rig->commands), VK_SUCCESS);
	assert_int_equal(vkQueueSubmit(rig->queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
	assert_int_equal(vkQueueWaitIdle(rig->queue), VK_SUCCESS);
}

/* From others to here, or from here to others. */
static void
hand_over(const struct rig *rig, VkImage image, bool here, VkImageLayout old_layout)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = here ? 0 : VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = here ? VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT : 0,
		.oldLayout = old_layout,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = here ? VK_QUEUE_FAMILY_FOREIGN_EXT : 0,
		.dstQueueFamilyIndex = here ? 0 : VK_QUEUE_FAMILY_FOREIGN_EXT,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	vkCmdPipelineBarrier(rig->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

void
rig_write(const struct rig *rig, AHardwareBuffer *buffer, VkFormat format, const void *planes,
	uint32_t width, uint32_t height, uint32_t bytes)
{
	const VkDeviceSize luma = (VkDeviceSize)width * height * bytes, size = luma + luma / 2;
	const VkBufferImageCopy copies[] = {
		{.imageSubresource = {VK_IMAGE_ASPECT_PLANE_0_BIT, 0, 0, 1},
			.imageExtent = {width, height, 1}},
		{.bufferOffset = luma,
			.imageSubresource = {VK_IMAGE_ASPECT_PLANE_1_BIT, 0, 0, 1},
			.imageExtent = {width / 2, height / 2, 1}},
	};
	struct rig_image image;
	VkDeviceMemory memory;
	VkBuffer staging;
	void *map;

	assert_int_equal(
		rig_import(rig, buffer, format, 0,
			VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, &image),
		VK_SUCCESS);
	staging = create_buffer(rig, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, &memory, &map);
	memcpy(map, planes, size);
	rig_begin(rig);
	hand_over(rig, image.image, true, VK_IMAGE_LAYOUT_UNDEFINED);
	vkCmdCopyBufferToImage(rig->commands, staging, image.image, VK_IMAGE_LAYOUT_GENERAL,
		KR_ARRAY_LEN(copies), copies);
	hand_over(rig, image.image, false, VK_IMAGE_LAYOUT_GENERAL);
	rig_end(rig);
	vkDestroyBuffer(rig->device, staging, NULL);
	vkFreeMemory(rig->device, memory, NULL);
	rig_image_destroy(rig, &image);
}

/* --- looking --- */

struct pipeline {
	VkSamplerYcbcrConversion conversion;
	VkSampler sampler;
	VkImageView view;
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkShaderModule shader;
	VkPipeline pipeline;
	VkDescriptorPool pool;
	VkDescriptorSet set;
};

static VkResult
create_view(struct rig *rig, const struct rig_image *image, const struct rig_look *look,
	struct pipeline *p)
{
	VkSamplerYcbcrConversionInfo info = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO,
	};
	const VkSamplerCreateInfo sampler = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
		.pNext = look->conversion ? &info : NULL,
		.magFilter = look->filter,
		.minFilter = look->filter,
		.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
	};
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.pNext = look->conversion ? &info : NULL,
		.image = image->image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = look->format,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	VkResult result = VK_SUCCESS;

	if (look->conversion)
		result = vkCreateSamplerYcbcrConversion(
			rig->device, look->conversion, NULL, &p->conversion);
	if (result != VK_SUCCESS)
		return result;
	info.conversion = p->conversion;
	result = vkCreateSampler(rig->device, &sampler, NULL, &p->sampler);
	return result == VK_SUCCESS ? vkCreateImageView(rig->device, &view, NULL, &p->view)
				    : result;
}

static void
create_pipeline(struct rig *rig, const struct rig_look *look, struct pipeline *p)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
			&p->sampler},
		{1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
	};
	const VkDescriptorSetLayoutCreateInfo set_layout = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = KR_ARRAY_LEN(bindings),
		.pBindings = bindings,
	};
	const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
	const VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &p->set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};
	const VkShaderModuleCreateInfo shader = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = look->whole_numbers ? sizeof(sample_uint_words) : sizeof(sample_words),
		.pCode = look->whole_numbers ? sample_uint_words : sample_words,
	};
	VkComputePipelineCreateInfo pipeline = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_COMPUTE_BIT,
			.pName = "main"},
	};

	assert_int_equal(
		vkCreateDescriptorSetLayout(rig->device, &set_layout, NULL, &p->set_layout),
		VK_SUCCESS);
	assert_int_equal(
		vkCreatePipelineLayout(rig->device, &layout, NULL, &p->layout), VK_SUCCESS);
	assert_int_equal(vkCreateShaderModule(rig->device, &shader, NULL, &p->shader), VK_SUCCESS);
	pipeline.stage.module = p->shader;
	pipeline.layout = p->layout;
	assert_int_equal(vkCreateComputePipelines(
				 rig->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &p->pipeline),
		VK_SUCCESS);
}

static void
create_set(struct rig *rig, struct pipeline *p)
{
	/* Conversions take as many as they have planes. */
	const VkDescriptorPoolSize sizes[] = {
		{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 4},
		{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
	};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = KR_ARRAY_LEN(sizes),
		.pPoolSizes = sizes,
	};
	VkDescriptorSetAllocateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 1,
		.pSetLayouts = &p->set_layout,
	};
	const VkDescriptorImageInfo image = {p->sampler, p->view, VK_IMAGE_LAYOUT_GENERAL};
	const VkDescriptorBufferInfo buffer = {rig->out, 0, VK_WHOLE_SIZE};
	VkWriteDescriptorSet writes[] = {
		{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstBinding = 0,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
			.pImageInfo = &image},
		{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstBinding = 1,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &buffer},
	};

	assert_int_equal(vkCreateDescriptorPool(rig->device, &pool, NULL, &p->pool), VK_SUCCESS);
	set.descriptorPool = p->pool;
	assert_int_equal(vkAllocateDescriptorSets(rig->device, &set, &p->set), VK_SUCCESS);
	writes[0].dstSet = writes[1].dstSet = p->set;
	vkUpdateDescriptorSets(rig->device, KR_ARRAY_LEN(writes), writes, 0, NULL);
}

static void
destroy_pipeline(struct rig *rig, struct pipeline *p)
{
	vkDestroyDescriptorPool(rig->device, p->pool, NULL);
	vkDestroyPipeline(rig->device, p->pipeline, NULL);
	vkDestroyShaderModule(rig->device, p->shader, NULL);
	vkDestroyPipelineLayout(rig->device, p->layout, NULL);
	vkDestroyDescriptorSetLayout(rig->device, p->set_layout, NULL);
	vkDestroyImageView(rig->device, p->view, NULL);
	vkDestroySampler(rig->device, p->sampler, NULL);
	if (p->conversion)
		vkDestroySamplerYcbcrConversion(rig->device, p->conversion, NULL);
}

VkResult
rig_sample(struct rig *rig, const struct rig_image *image, const struct rig_look *look)
{
	const uint32_t size[] = {look->width, look->height};
	struct pipeline p = {0};
	VkResult result = create_view(rig, image, look, &p);

	assert_true(look->width * look->height <= RIG_PIXELS);
	if (result == VK_SUCCESS) {
		create_pipeline(rig, look, &p);
		create_set(rig, &p);
		rig_begin(rig);
		hand_over(rig, image->image, true, VK_IMAGE_LAYOUT_GENERAL);
		vkCmdBindPipeline(rig->commands, VK_PIPELINE_BIND_POINT_COMPUTE, p.pipeline);
		vkCmdBindDescriptorSets(rig->commands, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 0,
			1, &p.set, 0, NULL);
		vkCmdPushConstants(rig->commands, p.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			sizeof(size), size);
		vkCmdDispatch(rig->commands, (look->width + 7) / 8, (look->height + 7) / 8, 1);
		hand_over(rig, image->image, false, VK_IMAGE_LAYOUT_GENERAL);
		rig_end(rig);
	}
	destroy_pipeline(rig, &p);
	return result;
}
