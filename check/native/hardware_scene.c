/* SPDX-License-Identifier: Apache-2.0 */
/* What cases of AHardwareBuffers share: see hardware.h. */
#include "check/native/hardware.h"

#include "gralloc/buffer.h"

#define GREEN UINT32_C(0xFF00FF00)

const char *const native_hardware_extensions[NATIVE_HARDWARE_EXTENSIONS] = {
	VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME,
	VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME,
};

bool
native_hardware_is_listed(struct check *c, VkPhysicalDevice physical)
{
	return check_device_extension(c, physical, native_hardware_extensions[0]);
}

/* A device with the extension; not applicable without. */
void
native_hardware_device(struct check *c, struct check_device *device)
{
	const struct check_device_request request = {.extensions = native_hardware_extensions,
		.extension_count = NATIVE_HARDWARE_EXTENSIONS};
	VkPhysicalDevice devices[CHECK_MAX_PHYSICAL];

	(void)check_physical_devices(c, check_make_instance(c, NULL), devices);
	if (!native_hardware_is_listed(c, devices[0]))
		check_not_applicable(
			c, "the driver doesn't list %s", native_hardware_extensions[0]);
	check_make_plain_device(c, &request, device);
}

struct AHardwareBuffer *
native_hardware_handle(struct kr_buffer *buffer)
{
	return (struct AHardwareBuffer *)(void *)kr_buffer_native(buffer);
}

VkImage
native_hardware_image(struct check *c, const struct check_device *device, uint32_t width)
{
	const VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.handleTypes = NATIVE_HARDWARE_BUFFER,
	};
	const struct check_image_request request = {.width = width};
	const VkImageCreateInfo info = check_image_info(&request, &external);
	VkImage image;

	CHECK_SUCCESS(c, vkCreateImage, device->device, &info, NULL, &image);
	return image;
}

VkResult
native_hardware_try_import(struct check *c, const struct check_device *device, VkImage image,
	struct kr_buffer *buffer, VkDeviceMemory *memory)
{
	const VkImportAndroidHardwareBufferInfoANDROID import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID,
		.buffer = native_hardware_handle(buffer),
	};
	const VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.pNext = &import,
		.image = image,
	};
	VkAndroidHardwareBufferPropertiesANDROID properties = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_PROPERTIES_ANDROID,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = image ? (const void *)&dedicated : &import,
	};

	CHECK_SUCCESS(c, vkGetAndroidHardwareBufferPropertiesANDROID, device->device,
		native_hardware_handle(buffer), &properties);
	CHECK(c, properties.memoryTypeBits, "memoryTypeBits is 0");
	info.allocationSize = properties.allocationSize;
	info.memoryTypeIndex = (uint32_t)__builtin_ctz(properties.memoryTypeBits);
	return CHECK_CALL(c, vkAllocateMemory, device->device, &info, NULL, memory);
}

struct native_picture
native_hardware_import(struct check *c, const struct check_device *device)
{
	struct native_picture picture = {
		.buffer = check_make_buffer(c, VK_FORMAT_R8G8B8A8_UNORM, NATIVE_HARDWARE_SIDE,
			NATIVE_HARDWARE_SIDE, NATIVE_HARDWARE_USAGE),
		.image = native_hardware_image(c, device, NATIVE_HARDWARE_SIDE),
	};

	check_success(c, "vkAllocateMemory",
		native_hardware_try_import(
			c, device, picture.image, picture.buffer, &picture.memory));
	CHECK_SUCCESS(c, vkBindImageMemory, device->device, picture.image, picture.memory, 0);
	return picture;
}

void
native_hardware_destroy(
	struct check *c, const struct check_device *device, struct native_picture *picture)
{
	CHECK_CALL(c, vkDestroyImage, device->device, picture->image, NULL);
	CHECK_CALL(c, vkFreeMemory, device->device, picture->memory, NULL);
	kr_buffer_unref(picture->buffer);
}

static VkCommandBuffer
begin(struct check *c, const struct check_device *device, VkCommandPool *pool)
{
	const VkCommandPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = device->family,
	};
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};
	const VkCommandBufferBeginInfo begin_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkCommandBuffer commands;

	CHECK_SUCCESS(c, vkCreateCommandPool, device->device, &info, NULL, pool);
	allocate.commandPool = *pool;
	CHECK_SUCCESS(c, vkAllocateCommandBuffers, device->device, &allocate, &commands);
	CHECK_SUCCESS(c, vkBeginCommandBuffer, commands, &begin_info);
	return commands;
}

static void
hand_over(struct check *c, VkCommandBuffer commands, const struct native_picture *picture,
	VkImageLayout before, uint32_t from, uint32_t to)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT,
		.oldLayout = before,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = from,
		.dstQueueFamilyIndex = to,
		.image = picture->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	CHECK_CALL(c, vkCmdPipelineBarrier, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* Green, and given to whoever else has the buffer. */
void
native_hardware_draw(
	struct check *c, const struct check_device *device, const struct native_picture *picture)
{
	const VkClearColorValue green = {.float32 = {0, 1, 0, 1}};
	const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	VkCommandPool pool;
	VkCommandBuffer commands = begin(c, device, &pool);
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
	};

	hand_over(c, commands, picture, VK_IMAGE_LAYOUT_UNDEFINED, VK_QUEUE_FAMILY_IGNORED,
		VK_QUEUE_FAMILY_IGNORED);
	CHECK_CALL(c, vkCmdClearColorImage, commands, picture->image, VK_IMAGE_LAYOUT_GENERAL,
		&green, 1, &all);
	hand_over(c, commands, picture, VK_IMAGE_LAYOUT_GENERAL, device->family,
		VK_QUEUE_FAMILY_FOREIGN_EXT);
	CHECK_SUCCESS(c, vkEndCommandBuffer, commands);
	CHECK_SUCCESS(c, vkQueueSubmit, device->queues[0], 1, &submit, VK_NULL_HANDLE);
	CHECK_SUCCESS(c, vkQueueWaitIdle, device->queues[0]);
	CHECK_CALL(c, vkDestroyCommandPool, device->device, pool, NULL);
}

void
native_hardware_expect_green(struct check *c, struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	void *data;

	if (kr_buffer_map(buffer, &data))
		check_skip(c, "the buffer can't be mapped");
	for (uint32_t y = 0; y < NATIVE_HARDWARE_SIDE; y++) {
		const uint32_t *row =
			(const uint32_t *)(const void *)((char *)data + y * info->row_bytes);

		for (uint32_t x = 0; x < NATIVE_HARDWARE_SIDE; x++)
			CHECK(c, row[x] == GREEN,
				"at %u, %u of the buffer is %#x where the image was cleared to %#x",
				x, y, row[x], GREEN);
	}
}
