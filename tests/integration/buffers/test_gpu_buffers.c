/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AHardwareBuffers that only a GPU has: layers, cube maps, mip maps, depth. Memory becomes such a
 * buffer, and a buffer of the allocator's becomes memory; what one device draws another reads.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "program.h"

#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep for good */
#define GPU    (AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER)
#define RGBA   AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define OTHERS VK_QUEUE_FAMILY_EXTERNAL

enum { SIDE = 64 };

static VkImageCreateInfo
layered(uint32_t layers, uint32_t levels, VkImageCreateFlags flags)
{
	VkImageCreateInfo info = program_image_info(SIDE, SIDE, VK_FORMAT_R8G8B8A8_UNORM);

	info.arrayLayers = layers;
	info.mipLevels = levels;
	info.flags = flags;
	return info;
}

static VkClearColorValue
colour_of(uint32_t layer, uint32_t level)
{
	return (VkClearColorValue){.float32 = {(float)layer / 255, (float)level / 255, 1, 1}};
}

static void
expect_colour(const struct program *program, uint32_t layer, uint32_t level)
{
	uint32_t side = SIDE >> level;
	const uint32_t *pixels = (const uint32_t *)(const void *)program->read;

	for (uint32_t i = 0; i < side * side; i++)
		assert_int_equal(pixels[i], 0xFFFF0000u | level << 8 | layer);
}

static void
draw_all(struct program *program, const struct picture *picture)
{
	for (uint32_t layer = 0; layer < picture->layers; layer++) {
		for (uint32_t level = 0; level < picture->levels; level++)
			program_clear(
				program, picture, layer, level, colour_of(layer, level), OTHERS);
	}
}

static void
expect_all(struct program *program, const struct picture *picture)
{
	for (uint32_t layer = 0; layer < picture->layers; layer++) {
		for (uint32_t level = 0; level < picture->levels; level++) {
			program_read(program, picture, layer, level, OTHERS);
			expect_colour(program, layer, level);
		}
	}
}

/* From one device to another, by the buffer that its memory is. */
static void
share(const VkImageCreateInfo *info, uint32_t layers, uint64_t usage)
{
	struct program maker, user;
	struct picture made, used;
	AHardwareBuffer_Desc desc;
	AHardwareBuffer *buffer;

	program_use_driver();
	program_open(&maker);
	program_open(&user);
	program_export(&maker, info, &made);
	draw_all(&maker, &made);
	buffer = program_buffer_of(&maker, &made);
	AHardwareBuffer_describe(buffer, &desc);
	assert_int_equal(desc.layers, layers);
	assert_int_equal(desc.usage & usage, usage);
	program_import(&user, info, buffer, &used);
	AHardwareBuffer_release(buffer);
	expect_all(&user, &used);
	/* The maker may go first. */
	program_destroy(&maker, &made);
	program_close(&maker);
	expect_all(&user, &used);
	program_destroy(&user, &used);
	program_close(&user);
}

/* W-11 */
static void
layers_are_shared(void **state)
{
	const VkImageCreateInfo info = layered(3, 1, 0);

	share(&info, 3, AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE);
}

/* W-11 */
static void
mip_maps_are_shared(void **state)
{
	const VkImageCreateInfo info = layered(1, 7, 0);

	share(&info, 1, AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE);
}

/* W-11 */
static void
cube_maps_are_shared(void **state)
{
	const VkImageCreateInfo info = layered(6, 1, VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT);

	share(&info, 6, AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP);
}

/* W-11: made by AHardwareBuffer_allocate, whose device is another of this process. */
static void
allocated_layers_are_imported(void **state)
{
	const VkImageCreateInfo info = layered(6, 7, VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT);
	const AHardwareBuffer_Desc desc = {
		.width = SIDE,
		.height = SIDE,
		.layers = 6,
		.format = RGBA,
		.usage = GPU | AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP |
			AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE,
	};
	struct program program;
	struct picture picture;
	AHardwareBuffer *buffer;

	program_use_driver();
	program_open(&program);
	assert_int_equal(AHardwareBuffer_isSupported(&desc), 1);
	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	program_import(&program, &info, buffer, &picture);
	draw_all(&program, &picture);
	expect_all(&program, &picture);
	program_destroy(&program, &picture);
	AHardwareBuffer_release(buffer);
	program_close(&program);
}

/* W-11 */
static void
depth_is_shared(void **state)
{
	const VkClearColorValue half = {.float32 = {0.5f}};
	VkImageCreateInfo info = program_image_info(SIDE, SIDE, VK_FORMAT_D32_SFLOAT);
	struct program program;
	struct picture made, used;
	AHardwareBuffer_Desc desc;
	AHardwareBuffer *buffer;

	program_use_driver();
	program_open(&program);
	info.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
	program_export(&program, &info, &made);
	program_clear(&program, &made, 0, 0, half, OTHERS);
	buffer = program_buffer_of(&program, &made);
	AHardwareBuffer_describe(buffer, &desc);
	assert_int_equal(desc.format, AHARDWAREBUFFER_FORMAT_D32_FLOAT);
	program_import(&program, &info, buffer, &used);
	program_read(&program, &used, 0, 0, OTHERS);
	for (int i = 0; i < SIDE * SIDE; i++)
		assert_true(((float *)(void *)program.read)[i] == 0.5f);
	program_destroy(&program, &made);
	program_destroy(&program, &used);
	AHardwareBuffer_release(buffer);
	program_close(&program);
}

static void
expect_refused(struct program *program, VkImageCreateInfo info, AHardwareBuffer *buffer)
{
	struct picture picture;
	VkDeviceMemory memory;

	assert_int_equal(program_create_image(program, &info, &picture), VK_SUCCESS);
	assert_int_equal(program_allocate_import(program, &picture, buffer, &memory),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	vkDestroyImage(program->device, picture.image, NULL);
}

/* W-11 */
static void
other_images_are_refused(void **state)
{
	const VkImageCreateInfo info = layered(3, 2, 0);
	struct program program;
	struct picture made;
	AHardwareBuffer *buffer;

	program_use_driver();
	program_open(&program);
	program_export(&program, &info, &made);
	buffer = program_buffer_of(&program, &made);
	expect_refused(&program, layered(3, 1, 0), buffer);
	expect_refused(&program, layered(3, 3, 0), buffer);
	expect_refused(&program, layered(2, 2, 0), buffer);
	expect_refused(&program, layered(4, 2, 0), buffer);
	/* One of CPUs' memory. */
	expect_refused(&program, layered(1, 1, 0), buffer);
	AHardwareBuffer_release(buffer);
	program_destroy(&program, &made);
	program_close(&program);
}

/* W-11: the answer to who asks first. */
static void
levels_and_layers_are_told(void **state)
{
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = HARDWARE_BUFFER,
	};
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.type = VK_IMAGE_TYPE_2D,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
	};
	struct program program;

	program_use_driver();
	program_open(&program);
	assert_int_equal(
		vkGetPhysicalDeviceImageFormatProperties2(program.physical, &info, &properties),
		VK_SUCCESS);
	assert_true(properties.imageFormatProperties.maxMipLevels >= 7);
	assert_true(properties.imageFormatProperties.maxArrayLayers >= 6);
	program_close(&program);
}

/* Fills `from`, and reads it by a copy. */
static void
fill_and_read(struct program *program, VkBuffer from, VkDeviceSize size, uint32_t word)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkBufferCopy region = {.size = size};
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
	};
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &program->commands,
	};

	assert_int_equal(vkBeginCommandBuffer(program->commands, &begin), VK_SUCCESS);
	vkCmdFillBuffer(program->commands, from, 0, size, word);
	vkCmdPipelineBarrier(program->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
	vkCmdCopyBuffer(program->commands, from, program->staging, 1, &region);
	assert_int_equal(vkEndCommandBuffer(program->commands), VK_SUCCESS);
	assert_int_equal(vkQueueSubmit(program->queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
	assert_int_equal(vkQueueWaitIdle(program->queue), VK_SUCCESS);
}

/* W-11 */
static void
bytes_of_the_gpu_are_imported(void **state)
{
	enum { SIZE = 4096 };
	const VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = HARDWARE_BUFFER,
	};
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = &external,
		.size = SIZE,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
	};
	struct program program;
	AHardwareBuffer *buffer;
	VkDeviceMemory memory;
	VkBuffer blob;

	program_use_driver();
	setenv("KRAFLA_BUFFERS", "gpu", 1);
	program_open(&program);
	buffer = program_allocate_buffer(
		SIZE, 1, AHARDWAREBUFFER_FORMAT_BLOB, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER);
	assert_int_equal(vkCreateBuffer(program.device, &info, NULL, &blob), VK_SUCCESS);
	assert_int_equal(program_allocate_import(&program, NULL, buffer, &memory), VK_SUCCESS);
	assert_int_equal(vkBindBufferMemory(program.device, blob, memory, 0), VK_SUCCESS);
	fill_and_read(&program, blob, SIZE, 0xFEED);
	for (int i = 0; i < SIZE / 4; i++)
		assert_int_equal(((uint32_t *)(void *)program.read)[i], 0xFEED);
	vkDestroyBuffer(program.device, blob, NULL);
	vkFreeMemory(program.device, memory, NULL);
	AHardwareBuffer_release(buffer);
	program_close(&program);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(layers_are_shared, LEAVES),
	KR_TEST_FLAGS(mip_maps_are_shared, LEAVES),
	KR_TEST_FLAGS(cube_maps_are_shared, LEAVES),
	KR_TEST_FLAGS(allocated_layers_are_imported, LEAVES),
	KR_TEST_FLAGS(depth_is_shared, LEAVES),
	KR_TEST_FLAGS(bytes_of_the_gpu_are_imported, LEAVES),
	KR_TEST_FLAGS(other_images_are_refused, LEAVES),
	KR_TEST_FLAGS(levels_and_layers_are_told, LEAVES),
};
KR_TEST_MAIN(tests)
