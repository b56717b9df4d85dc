/* SPDX-License-Identifier: Apache-2.0 */
#include "outside.h"

#include <string.h>

#include "harness.h"

bool
outside_offers(VkPhysicalDevice device, const char *name)
{
	static VkExtensionProperties list[512];
	uint32_t count = 512;

	assert_int_equal(
		vkEnumerateDeviceExtensionProperties(device, NULL, &count, list), VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(list[i].extensionName, name))
			return true;
	}
	return false;
}

void
outside_open(struct outside *program, VkExternalMemoryHandleTypeFlagBits type)
{
	static const char *const extensions[] = {"VK_KHR_external_memory_fd",
		"VK_KHR_external_semaphore_fd", "VK_EXT_external_memory_dma_buf"};
	const char *chosen[3];
	struct app *app = &program->app;
	uint32_t number = 1;

	*program = (struct outside){.type = type};
	assert_int_equal(app_open_instance(app, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	assert_int_equal(app_create_headless_surface(app), VK_SUCCESS);
	assert_int_equal(
		vkEnumeratePhysicalDevices(app->instance, &number, &app->physical), VK_SUCCESS);
	app->more.extensions = chosen;
	for (size_t i = 0; i < 3; i++) {
		if (outside_offers(app->physical, extensions[i]))
			chosen[app->more.extension_count++] = extensions[i];
	}
	assert_int_equal(app_open_device(app, 0), VK_SUCCESS);
	assert_int_equal(app_create_swapchain(app, VK_PRESENT_MODE_FIFO_KHR, 2,
				 (VkExtent2D){OUTSIDE_WIDTH, OUTSIDE_HEIGHT}),
		VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(app), VK_SUCCESS);
	assert_int_equal(app_frame(app, OUTSIDE_LIMIT, 1), VK_SUCCESS);
}

static uint32_t
choose_type(const struct outside *program, uint32_t types, VkMemoryPropertyFlags wanted)
{
	VkPhysicalDeviceMemoryProperties memory;

	vkGetPhysicalDeviceMemoryProperties(program->app.physical, &memory);
	for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
		if ((types & (1u << i)) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
			return i;
	}
	fail_msg("no such memory");
	return 0;
}

void
outside_create_staging(struct outside *program)
{
	const VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = OUTSIDE_PIXELS * 4,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkDevice device = program->app.device;
	VkMemoryRequirements needs;

	assert_int_equal(vkCreateBuffer(device, &info, NULL, &program->staging), VK_SUCCESS);
	vkGetBufferMemoryRequirements(device, program->staging, &needs);
	allocate.allocationSize = needs.size;
	allocate.memoryTypeIndex = choose_type(program, needs.memoryTypeBits, wanted);
	assert_int_equal(
		vkAllocateMemory(device, &allocate, NULL, &program->staging_memory), VK_SUCCESS);
	assert_int_equal(vkBindBufferMemory(device, program->staging, program->staging_memory, 0),
		VK_SUCCESS);
	assert_int_equal(vkMapMemory(device, program->staging_memory, 0, VK_WHOLE_SIZE, 0,
				 (void **)&program->pixels),
		VK_SUCCESS);
}

static VkImageCreateInfo
image_info(const VkExternalMemoryImageCreateInfo *external)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = external,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {OUTSIDE_WIDTH, OUTSIDE_HEIGHT, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_LINEAR,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
}

bool
outside_can_share(const struct outside *program)
{
	const VkExternalMemoryFeatureFlags both = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT |
		VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = program->type,
	};
	const VkImageCreateInfo image = image_info(NULL);
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.format = image.format,
		.type = image.imageType,
		.tiling = image.tiling,
		.usage = image.usage,
	};
	VkExternalImageFormatProperties out = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES,
	};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
		.pNext = &out,
	};

	return vkGetPhysicalDeviceImageFormatProperties2(
		       program->app.physical, &info, &properties) == VK_SUCCESS &&
		(out.externalMemoryProperties.externalMemoryFeatures & both) == both;
}

void
outside_create_image(struct outside *program, int fd)
{
	const VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.handleTypes = program->type,
	};
	const VkExportMemoryAllocateInfo out = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.handleTypes = program->type,
	};
	const VkImportMemoryFdInfoKHR in = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
		.handleType = program->type,
		.fd = fd,
	};
	const VkImageCreateInfo info = image_info(&external);
	VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.pNext = fd < 0 ? (const void *)&out : &in,
	};
	VkMemoryAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &dedicated,
	};
	VkDevice device = program->app.device;
	VkMemoryRequirements needs;

	assert_int_equal(vkCreateImage(device, &info, NULL, &program->image), VK_SUCCESS);
	vkGetImageMemoryRequirements(device, program->image, &needs);
	dedicated.image = program->image;
	allocate.allocationSize = needs.size;
	allocate.memoryTypeIndex = choose_type(program, needs.memoryTypeBits, 0);
	assert_int_equal(vkAllocateMemory(device, &allocate, NULL, &program->memory), VK_SUCCESS);
	assert_int_equal(vkBindImageMemory(device, program->image, program->memory, 0), VK_SUCCESS);
}

static void
barrier(struct outside *program, bool acquires, VkImageLayout before, VkImageLayout after)
{
	const VkImageMemoryBarrier info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = before,
		.newLayout = after,
		.srcQueueFamilyIndex = acquires ? VK_QUEUE_FAMILY_EXTERNAL : 0,
		.dstQueueFamilyIndex = acquires ? 0 : VK_QUEUE_FAMILY_EXTERNAL,
		.image = program->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	vkCmdPipelineBarrier(program->app.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &info);
}

void
outside_copy(struct outside *program, bool writes, VkSemaphore semaphore)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkBufferImageCopy region = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {OUTSIDE_WIDTH, OUTSIDE_HEIGHT, 1},
	};
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const uint32_t count = semaphore != VK_NULL_HANDLE;
	struct app *app = &program->app;
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = writes ? 0 : count,
		.pWaitSemaphores = &semaphore,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &app->commands,
		.signalSemaphoreCount = writes ? count : 0,
		.pSignalSemaphores = &semaphore,
	};

	assert_int_equal(vkQueueWaitIdle(app->queue), VK_SUCCESS);
	assert_int_equal(vkBeginCommandBuffer(app->commands, &begin), VK_SUCCESS);
	if (writes) {
		barrier(program, false, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
		vkCmdCopyBufferToImage(app->commands, program->staging, program->image,
			VK_IMAGE_LAYOUT_GENERAL, 1, &region);
		barrier(program, false, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
	} else {
		barrier(program, true, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
		vkCmdCopyImageToBuffer(app->commands, program->image, VK_IMAGE_LAYOUT_GENERAL,
			program->staging, 1, &region);
	}
	assert_int_equal(vkEndCommandBuffer(app->commands), VK_SUCCESS);
	assert_int_equal(vkQueueSubmit(app->queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
}

void
outside_close(struct outside *program)
{
	VkDevice device = program->app.device;

	vkDeviceWaitIdle(device);
	vkDestroyImage(device, program->image, NULL);
	vkFreeMemory(device, program->memory, NULL);
	vkDestroyBuffer(device, program->staging, NULL);
	vkFreeMemory(device, program->staging_memory, NULL);
	app_close(&program->app);
}
