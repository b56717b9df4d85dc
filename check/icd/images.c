/* SPDX-License-Identifier: Apache-2.0 */
/* Images: where their pixels lie, and how they get into rows of another length (W-04, W-08). */
#include "check/icd/icd.h"

#include <string.h>

#include "check/icd/work.h"

static const float colour[4] = {0.2f, 0.4f, 0.6f, 0.8f};

static void
open_device(struct check *c, struct check_device *out)
{
	struct check_icd icd;

	check_open_icd(c, &icd);
	check_make_plain_device(c, NULL, out);
}

static const VkImageUsageFlags copied =
	VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

static bool
is_possible(struct check *c, const struct check_device *device, VkImageTiling tiling,
	VkImageUsageFlags usage)
{
	VkImageFormatProperties properties;

	return CHECK_CALL(c, vkGetPhysicalDeviceImageFormatProperties, device->physical, ICD_FORMAT,
		       VK_IMAGE_TYPE_2D, tiling, usage, 0, &properties) == VK_SUCCESS;
}

static VkImage
create(struct check *c, const struct check_device *device, VkImageTiling tiling,
	VkMemoryRequirements *needs)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = ICD_FORMAT,
		.extent = {ICD_SIZE, ICD_SIZE, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = tiling,
		.usage = copied,
	};
	VkImage image;

	CHECK_SUCCESS(c, vkCreateImage, device->device, &info, NULL, &image);
	CHECK_CALL(c, vkGetImageMemoryRequirements, device->device, image, needs);
	return image;
}

/* What is drawn lies where vkGetImageSubresourceLayout says, by the CPU's mapping. */
static void
linear_layout(struct check *c)
{
	const VkImageSubresource first = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
	VkSubresourceLayout layout = {0};
	VkMemoryRequirements needs = {0};
	struct check_device device;
	VkCommandBuffer commands;
	VkDeviceMemory memory;
	uint8_t *data;
	VkImage image;

	open_device(c, &device);
	if (!is_possible(c, &device, VK_IMAGE_TILING_LINEAR, copied))
		check_not_applicable(
			c, "it has no linear images of that format: frames are copied");
	image = create(c, &device, VK_IMAGE_TILING_LINEAR, &needs);
	CHECK_CALL(c, vkGetImageSubresourceLayout, device.device, image, &first, &layout);
	CHECK(c, layout.rowPitch >= ICD_SIZE * 4, "a row of %d pixels takes %llu bytes", ICD_SIZE,
		(unsigned long long)layout.rowPitch);
	CHECK(c, layout.offset + layout.rowPitch * (ICD_SIZE - 1) + ICD_SIZE * 4 <= needs.size,
		"%d rows of %llu bytes from %llu on don't lie in the %llu bytes that the image needs",
		ICD_SIZE, (unsigned long long)layout.rowPitch, (unsigned long long)layout.offset,
		(unsigned long long)needs.size);
	memory = icd_allocate(c, &device, &needs, &data);
	CHECK_SUCCESS(c, vkBindImageMemory, device.device, image, memory, 0);
	memset(data, 0, needs.size);
	commands = icd_begin(c, &device);
	icd_clear(c, commands, image, colour, VK_IMAGE_LAYOUT_GENERAL);
	icd_run(c, &device, commands);
	icd_expect_pixels(c, data + layout.offset, layout.rowPitch, colour);
}

#define WIDER  (ICD_SIZE + 16)
#define FILLED 0xa5

static void
copy(struct check *c, const struct check_device *device, VkImage image, VkBuffer buffer,
	VkDeviceSize offset)
{
	const VkBufferImageCopy rows = {
		.bufferOffset = offset,
		.bufferRowLength = WIDER,
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {ICD_SIZE, ICD_SIZE, 1},
	};
	VkCommandBuffer commands = icd_begin(c, device);

	icd_barrier(c, commands);
	icd_clear(c, commands, image, colour, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
	CHECK_CALL(c, vkCmdCopyImageToBuffer, commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
		buffer, 1, &rows);
	icd_run(c, device, commands);
}

/* What the adapter's copy does, where a buffer can't be the image's memory. */
static void
strided_copy(struct check *c)
{
	const VkDeviceSize offset = 256, size = offset + (VkDeviceSize)WIDER * ICD_SIZE * 4;
	VkMemoryRequirements needs = {0};
	struct check_device device;
	struct icd_buffer buffer;
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkDeviceMemory memory;
	VkImage image;

	open_device(c, &device);
	CHECK(c, is_possible(c, &device, VK_IMAGE_TILING_OPTIMAL, copied),
		"images of R8G8B8A8_UNORM can't be copied");
	image = create(c, &device, VK_IMAGE_TILING_OPTIMAL, &needs);
	info.allocationSize = needs.size;
	info.memoryTypeIndex = icd_find_memory(c, &device, needs.memoryTypeBits, 0);
	CHECK(c, info.memoryTypeIndex != UINT32_MAX, "an image has no type of memory");
	CHECK_SUCCESS(c, vkAllocateMemory, device.device, &info, NULL, &memory);
	CHECK_SUCCESS(c, vkBindImageMemory, device.device, image, memory, 0);
	buffer = icd_make_buffer(c, &device, size);
	memset(buffer.data, FILLED, size);
	copy(c, &device, image, buffer.buffer, offset);
	icd_expect_pixels(c, buffer.data + offset, WIDER * 4, colour);
	for (uint32_t y = 0; y < ICD_SIZE - 1; y++) {
		for (uint32_t x = ICD_SIZE * 4; x < WIDER * 4; x++)
			CHECK(c, buffer.data[offset + y * WIDER * 4 + x] == FILLED,
				"a copy wrote behind the end of row %u", y);
	}
	for (uint32_t i = 0; i < offset; i++)
		CHECK(c, buffer.data[i] == FILLED, "a copy wrote %llu bytes before its offset",
			(unsigned long long)(offset - i));
}

static void
formats(struct check *c)
{
	struct check_device device;

	open_device(c, &device);
	CHECK(c,
		is_possible(c, &device, VK_IMAGE_TILING_OPTIMAL,
			copied | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT),
		"images of R8G8B8A8_UNORM can't be drawn to and copied");
}

/* What isn't one is said by the feature bits, never by the result alone. */
static void
says_what_it_imports(struct check *c)
{
	VkPhysicalDeviceExternalImageFormatInfo handle = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &handle,
		.format = ICD_FORMAT,
		.type = VK_IMAGE_TYPE_2D,
		.tiling = VK_IMAGE_TILING_LINEAR,
		.usage = copied,
	};
	VkExternalImageFormatProperties external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &external};
	struct check_device device;
	VkResult result;

	open_device(c, &device);
	if (device.api_version < VK_API_VERSION_1_1)
		check_not_applicable(c, "it has Vulkan 1.0, which can't be asked");
	result = CHECK_CALL(
		c, vkGetPhysicalDeviceImageFormatProperties2, device.physical, &info, &properties);
	if (!check_device_extension(c, device.physical, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
		CHECK(c,
			result != VK_SUCCESS ||
				!(external.externalMemoryProperties.externalMemoryFeatures &
					VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT),
			"it imports images of the platform's memory by its features, and has no " VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
	if (result != VK_SUCCESS || !external.externalMemoryProperties.externalMemoryFeatures)
		check_say(c, "images don't lie in buffers of the platform: frames are copied");
}

static const struct check_case rows[] = {
	{
		.name = "icd.draws_the_platforms_format",
		.requirement = "W-04",
		.expected = "images of R8G8B8A8_UNORM can be drawn to and copied",
		.consequence = "surfaces have no format: no swapchain can be made",
		.run = formats,
	},
	{
		.name = "icd.linear_images_lie_as_it_says",
		.requirement = "W-04",
		.expected =
			"the pixels of a linear image lie where vkGetImageSubresourceLayout says",
		.consequence = "windows show slanted pictures, or the rows of another frame",
		.run = linear_layout,
	},
	{
		.name = "icd.copies_to_longer_rows",
		.requirement = "W-08",
		.expected =
			"vkCmdCopyImageToBuffer takes offset and row length as they are, and writes nothing between",
		.consequence =
			"windows show slanted pictures, and memory beside them is overwritten",
		.run = strided_copy,
	},
	{
		.name = "icd.says_what_it_imports",
		.requirement = "W-04",
		.expected = "importable features are only claimed with the extension that imports",
		.consequence = "the adapter tries what can't work, and no image can be made",
		.run = says_what_it_imports,
	},
};

const struct check_rows check_icd_images = CHECK_ROWS(rows);
