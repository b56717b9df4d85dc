/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that others made, as AHardwareBuffers in Vulkan: a driver (lavapipe) takes in dma-bufs of
 * vgem and of vivid as such. What it samples is what their makers mapped, and the other way round.
 */
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "tests/integration/formats/rig.h"
#include "tests/lab/camera.h"
#include "tests/lab/dumb.h"

#define SAMPLED AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE
#define DRAWN   (SAMPLED | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER)
#define LEAVES  (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep */

enum { WIDTH = 64, HEIGHT = 48 };

static uint32_t
some_pixel(uint32_t x, uint32_t y)
{
	return (x * 0x010203u + y * 0x070b0du) ^ 0x80402010u;
}

static AHardwareBuffer *
take_in(const struct krafla_dma_buf *from)
{
	AHardwareBuffer *buffer;

	assert_int_equal(krafla_hardware_buffer_from_dma_buf(from, &buffer), 0);
	return buffer;
}

/* Whether the last look at a picture gave these pixels. */
static bool
saw(const struct rig *rig, const uint32_t *pixels, uint32_t pitch, uint32_t width, uint32_t height)
{
	const float *got = rig->pixels;

	for (uint32_t i = 0; i < width * height * 4; i++) {
		uint32_t pixel = pixels[i / 4 / width * (pitch / 4) + i / 4 % width];
		float want = (float)(pixel >> i % 4 * 8 & 255) / 255;

		if (got[i] - want > 1e-5f || want - got[i] > 1e-5f)
			return false;
	}
	return true;
}

/* W-11: zero copy: a later change of the maker's is seen. */
static void
dma_bufs_are_sampled(void **state)
{
	const struct rig_look look = {
		.format = VK_FORMAT_R8G8B8A8_UNORM, .width = WIDTH, .height = HEIGHT};
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	struct krafla_dma_buf from;
	struct rig_image image;
	AHardwareBuffer *buffer;
	struct dumb dumb;
	struct rig rig;

	rig_open(&rig, false);
	dumb_open(&dumb, some_pixel, WIDTH, HEIGHT, O_RDWR);
	from = dumb_describe(&dumb, SAMPLED);
	buffer = take_in(&from);
	assert_int_equal(rig_ask(&rig, buffer, &format), VK_SUCCESS);
	assert_int_equal(format.format, VK_FORMAT_R8G8B8A8_UNORM);
	assert_int_not_equal(format.externalFormat, 0);
	assert_int_equal(
		rig_import(&rig, buffer, format.format, 0, VK_IMAGE_USAGE_SAMPLED_BIT, &image),
		VK_SUCCESS);
	assert_int_equal(rig_sample(&rig, &image, &look), VK_SUCCESS);
	assert_true(saw(&rig, dumb.pixels, dumb.made.pitch, WIDTH, HEIGHT));
	dumb.pixels[WIDTH + 1] ^= 0xffffff;
	assert_false(saw(&rig, dumb.pixels, dumb.made.pitch, WIDTH, HEIGHT));
	assert_int_equal(rig_sample(&rig, &image, &look), VK_SUCCESS);
	assert_true(saw(&rig, dumb.pixels, dumb.made.pitch, WIDTH, HEIGHT));
	rig_image_destroy(&rig, &image);
	AHardwareBuffer_release(buffer);
	dumb_close(&dumb);
	rig_close(&rig);
}

/* W-11: by the number of an external format. */
static void
numbers_stand_for_dma_bufs(void **state)
{
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	VkExternalFormatANDROID external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_FORMAT_ANDROID,
	};
	VkSamplerYcbcrConversionCreateInfo conversion = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
		.pNext = &external,
	};
	const struct rig_look look = {.conversion = &conversion, .width = WIDTH, .height = HEIGHT};
	struct krafla_dma_buf from;
	struct rig_image image;
	AHardwareBuffer *buffer;
	struct dumb dumb;
	struct rig rig;

	rig_open(&rig, true);
	if (!rig.conversions)
		kr_test_skip("no-conversions", rig.properties.deviceName);
	dumb_open(&dumb, some_pixel, WIDTH, HEIGHT, O_RDWR);
	from = dumb_describe(&dumb, SAMPLED);
	buffer = take_in(&from);
	assert_int_equal(rig_ask(&rig, buffer, &format), VK_SUCCESS);
	external.externalFormat = format.externalFormat;
	conversion.ycbcrModel = format.suggestedYcbcrModel;
	conversion.components = format.samplerYcbcrConversionComponents;
	conversion.xChromaOffset = format.suggestedXChromaOffset;
	conversion.yChromaOffset = format.suggestedYChromaOffset;
	assert_int_equal(rig_import(&rig, buffer, VK_FORMAT_UNDEFINED, format.externalFormat,
				 VK_IMAGE_USAGE_SAMPLED_BIT, &image),
		VK_SUCCESS);
	assert_int_equal(rig_sample(&rig, &image, &look), VK_SUCCESS);
	assert_true(saw(&rig, dumb.pixels, dumb.made.pitch, WIDTH, HEIGHT));
	rig_image_destroy(&rig, &image);
	AHardwareBuffer_release(buffer);
	dumb_close(&dumb);
	rig_close(&rig);
}

static void
clear(const struct rig *rig, VkImage image)
{
	const VkImageMemoryBarrier here = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_FOREIGN_EXT,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	const VkClearColorValue colour = {{1, 0, 1, 1}};

	rig_begin(rig);
	vkCmdPipelineBarrier(rig->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &here);
	vkCmdClearColorImage(
		rig->commands, image, VK_IMAGE_LAYOUT_GENERAL, &colour, 1, &here.subresourceRange);
	rig_end(rig);
}

/* W-11: what the driver writes is in the maker's mapping. */
static void
dma_bufs_are_drawn_into(void **state)
{
	struct krafla_dma_buf from;
	struct rig_image image;
	AHardwareBuffer *buffer;
	struct dumb dumb;
	struct rig rig;

	rig_open(&rig, false);
	dumb_open(&dumb, some_pixel, WIDTH, HEIGHT, O_RDWR);
	from = dumb_describe(&dumb, DRAWN);
	buffer = take_in(&from);
	assert_int_equal(
		rig_import(&rig, buffer, VK_FORMAT_R8G8B8A8_UNORM, 0,
			VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
			&image),
		VK_SUCCESS);
	clear(&rig, image.image);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
		assert_int_equal(
			dumb.pixels[i / WIDTH * (dumb.made.pitch / 4) + i % WIDTH], 0xffff00ff);
	rig_image_destroy(&rig, &image);
	AHardwareBuffer_release(buffer);
	dumb_close(&dumb);
	rig_close(&rig);
}

static void
fill(const struct rig *rig, VkBuffer buffer, VkDeviceSize size)
{
	rig_begin(rig);
	vkCmdFillBuffer(rig->commands, buffer, 0, size, 0x600df00d);
	rig_end(rig);
}

/* W-11: a BLOB, as a VkBuffer. */
static void
dma_bufs_are_buffers(void **state)
{
	const VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID,
	};
	VkBufferCreateInfo create = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = &external,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkImportAndroidHardwareBufferInfoANDROID import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID,
	};
	VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.pNext = &import,
	};
	VkMemoryAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &dedicated,
	};
	VkAndroidHardwareBufferPropertiesANDROID properties = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_PROPERTIES_ANDROID,
	};
	struct krafla_dma_buf from;
	VkDeviceMemory memory;
	struct dumb dumb;
	struct rig rig;

	rig_open(&rig, false);
	dumb_open(&dumb, some_pixel, WIDTH, HEIGHT, O_RDWR);
	from = dumb_describe(&dumb, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER);
	from.format = AHARDWAREBUFFER_FORMAT_BLOB;
	from.width = (uint32_t)dumb.made.size;
	from.height = 1;
	from.planes[0].row_bytes = dumb.made.size;
	import.buffer = take_in(&from);
	assert_int_equal(rig.get_properties(rig.device, import.buffer, &properties), VK_SUCCESS);
	create.size = dumb.made.size;
	assert_int_equal(vkCreateBuffer(rig.device, &create, NULL, &dedicated.buffer), VK_SUCCESS);
	allocate.allocationSize = properties.allocationSize;
	allocate.memoryTypeIndex = (uint32_t)__builtin_ctz(properties.memoryTypeBits);
	assert_int_equal(vkAllocateMemory(rig.device, &allocate, NULL, &memory), VK_SUCCESS);
	assert_int_equal(vkBindBufferMemory(rig.device, dedicated.buffer, memory, 0), VK_SUCCESS);
	fill(&rig, dedicated.buffer, create.size);
	for (uint32_t i = 0; i < dumb.made.size / 4; i++)
		assert_int_equal(dumb.pixels[i], 0x600df00d);
	vkDestroyBuffer(rig.device, dedicated.buffer, NULL);
	vkFreeMemory(rig.device, memory, NULL);
	AHardwareBuffer_release(import.buffer);
	dumb_close(&dumb);
	rig_close(&rig);
}

/* W-11: an image is for what was asked about; nothing is copied for others. */
static void
other_dma_bufs_are_refused(void **state)
{
	const VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID,
	};
	const VkImageCreateInfo create = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &external,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {WIDTH, HEIGHT / 2, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	VkImportAndroidHardwareBufferInfoANDROID import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID,
	};
	VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.pNext = &import,
	};
	const VkMemoryAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &dedicated,
		.allocationSize = 1,
	};
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	AHardwareBuffer *upper, *lower;
	struct krafla_dma_buf from;
	VkDeviceMemory memory;
	struct dumb dumb;
	struct rig rig;

	rig_open(&rig, false);
	dumb_open(&dumb, some_pixel, WIDTH, HEIGHT, O_RDWR);
	from = dumb_describe(&dumb, SAMPLED);
	from.height = HEIGHT / 2;
	upper = take_in(&from);
	from.planes[0].offset = (uint64_t)HEIGHT / 2 * dumb.made.pitch;
	lower = take_in(&from);
	/* Nobody asked: the image is for other memory. */
	assert_int_equal(vkCreateImage(rig.device, &create, NULL, &dedicated.image), VK_SUCCESS);
	import.buffer = upper;
	assert_int_equal(vkAllocateMemory(rig.device, &allocate, NULL, &memory),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	vkDestroyImage(rig.device, dedicated.image, NULL);
	/* The one was asked about, the other is imported. */
	assert_int_equal(rig_ask(&rig, upper, &format), VK_SUCCESS);
	assert_int_equal(vkCreateImage(rig.device, &create, NULL, &dedicated.image), VK_SUCCESS);
	import.buffer = lower;
	assert_int_equal(vkAllocateMemory(rig.device, &allocate, NULL, &memory),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	import.buffer = upper;
	assert_int_equal(vkAllocateMemory(rig.device, &allocate, NULL, &memory), VK_SUCCESS);
	vkDestroyImage(rig.device, dedicated.image, NULL);
	vkFreeMemory(rig.device, memory, NULL);
	AHardwareBuffer_release(upper);
	AHardwareBuffer_release(lower);
	dumb_close(&dumb);
	rig_close(&rig);
}

/* W-11: a picture of the camera's. */
static void
pictures_of_a_camera_are_sampled(void **state)
{
	const struct rig_look look = {
		.format = VK_FORMAT_R8G8B8A8_UNORM, .width = 320, .height = 180};
	struct krafla_dma_buf from = {
		.size = sizeof(from),
		.width = 320,
		.height = 180,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = SAMPLED,
		.plane_count = 1,
	};
	AHardwareBuffer *buffer;
	struct rig_image image;
	struct camera camera;
	struct rig rig;

	rig_open(&rig, false);
	camera_open(&camera, V4L2_PIX_FMT_RGBA32, 320, 180);
	assert_int_equal(camera.width, 320);
	from.planes[0].fd = camera.dma_buf;
	from.planes[0].row_bytes = camera.pitch;
	buffer = take_in(&from);
	assert_int_equal(rig_import(&rig, buffer, VK_FORMAT_R8G8B8A8_UNORM, 0,
				 VK_IMAGE_USAGE_SAMPLED_BIT, &image),
		VK_SUCCESS);
	assert_int_equal(rig_sample(&rig, &image, &look), VK_SUCCESS);
	assert_true(saw(&rig, camera.pixels, camera.pitch, 320, 180));
	rig_image_destroy(&rig, &image);
	AHardwareBuffer_release(buffer);
	camera_close(&camera);
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(dma_bufs_are_sampled, LEAVES, 60),
	KR_TEST_SLOW(numbers_stand_for_dma_bufs, LEAVES, 60),
	KR_TEST_SLOW(dma_bufs_are_drawn_into, LEAVES, 60),
	KR_TEST_SLOW(dma_bufs_are_buffers, LEAVES, 60),
	KR_TEST_SLOW(other_dma_bufs_are_refused, LEAVES, 60),
	KR_TEST_SLOW(pictures_of_a_camera_are_sampled, LEAVES, 60),
};

KR_TEST_MAIN(tests)
