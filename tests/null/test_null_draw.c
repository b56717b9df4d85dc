/* SPDX-License-Identifier: Apache-2.0 */
/* What the null driver executes, and that a mutant doesn't. */
#include "support.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "null/null_control.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"

#define WIDTH  5
#define HEIGHT 3

struct rig {
	struct null_driver driver;
	struct kr_buffer *buffer;
	const uint8_t *pixels;
	VkImage image;
	VkCommandPool pool;
	VkCommandBuffer commands;
};

static const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
static const VkClearColorValue colour = {.float32 = {1.0f, 0.5f, 0.25f, 0.2f}};

static void
make_image(struct rig *rig, uint32_t buffer_format, VkFormat format)
{
	const struct kr_buffer_desc desc = {
		WIDTH, HEIGHT, 1, buffer_format, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER};
	VkNativeBufferANDROID native = {.sType = VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID};
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &native,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {WIDTH, HEIGHT, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	void *pixels;

	assert_int_equal(kr_buffer_allocate(&desc, &rig->buffer), 0);
	assert_int_equal(kr_buffer_map(rig->buffer, &pixels), 0);
	rig->pixels = pixels;
	native.handle = kr_buffer_handle(rig->buffer);
	native.stride = (int)kr_buffer_get_info(rig->buffer)->stride;
	assert_int_equal(DEVICE_FN(&rig->driver, vkCreateImage)(
				 rig->driver.device, &info, NULL, &rig->image),
		VK_SUCCESS);
}

static void
open_rig(struct rig *rig, const char *settings, uint32_t buffer_format, VkFormat format)
{
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};

	setenv("KRAFLA_NULL_DRIVER", settings, 1);
	open_hal(&rig->driver);
	make_image(rig, buffer_format, format);
	assert_int_equal(DEVICE_FN(&rig->driver, vkCreateCommandPool)(
				 rig->driver.device, &pool, NULL, &rig->pool),
		VK_SUCCESS);
	allocate.commandPool = rig->pool;
	assert_int_equal(DEVICE_FN(&rig->driver, vkAllocateCommandBuffers)(
				 rig->driver.device, &allocate, &rig->commands),
		VK_SUCCESS);
}

static void
close_rig(struct rig *rig)
{
	DEVICE_FN(&rig->driver, vkDestroyCommandPool)(rig->driver.device, rig->pool, NULL);
	DEVICE_FN(&rig->driver, vkDestroyImage)(rig->driver.device, rig->image, NULL);
	close_driver(&rig->driver);
	kr_buffer_unref(rig->buffer);
}

static void
acquire(struct rig *rig, int take_fd, VkSemaphore semaphore)
{
	assert_int_equal(DEVICE_FN(&rig->driver, vkAcquireImageANDROID)(rig->driver.device,
				 rig->image, take_fd, semaphore, VK_NULL_HANDLE),
		VK_SUCCESS);
}

static void
release(struct rig *rig)
{
	int fd;

	assert_int_equal(DEVICE_FN(&rig->driver, vkQueueSignalReleaseImageANDROID)(
				 rig->driver.queue, 0, NULL, rig->image, &fd),
		VK_SUCCESS);
	assert_int_equal(fd, -1);
}

static void
record_clear(struct rig *rig)
{
	DEVICE_FN(&rig->driver, vkCmdClearColorImage)
	(rig->commands, rig->image, VK_IMAGE_LAYOUT_GENERAL, &colour, 1, &whole);
}

static void
submit(struct rig *rig, VkSemaphore wait)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = wait != VK_NULL_HANDLE,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &rig->commands,
	};

	assert_int_equal(
		DEVICE_FN(&rig->driver, vkQueueSubmit)(rig->driver.queue, 1, &info, VK_NULL_HANDLE),
		VK_SUCCESS);
}

/* Every pixel of the image is these bytes. */
static bool
shows(const struct rig *rig, const uint8_t *bytes, uint32_t size)
{
	uint32_t row = kr_buffer_get_info(rig->buffer)->row_bytes;

	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
		if (memcmp(rig->pixels + i / WIDTH * row + i % WIDTH * size, bytes, size))
			return false;
	}
	return true;
}

static const uint8_t rgba[] = {255, 128, 64, 51};

static void
clears_are_in_each_format(void **state)
{
	static const struct {
		uint32_t buffer;
		VkFormat format;
		uint32_t size;
		uint8_t bytes[8];
	} cases[] = {
		{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, 4,
			{255, 128, 64, 51}},
		{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, 4,
			{255, 188, 137, 51}},
		{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, 4,
			{64, 128, 255, 51}},
		{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, VK_FORMAT_R5G6B5_UNORM_PACK16, 2,
			{0x08, 0xfc}},
		{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4,
			{0xff, 0x03, 0x08, 0x50}},
		{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, VK_FORMAT_R16G16B16A16_SFLOAT, 8,
			{0x00, 0x3c, 0x00, 0x38, 0x00, 0x34, 0x66, 0x32}},
	};
	static const char *const settings[] = {"layout=plain", "layout=own"};

	for (size_t i = 0; i < 2 * KR_ARRAY_LEN(cases); i++) {
		struct rig rig;

		open_rig(&rig, settings[i % 2], cases[i / 2].buffer, cases[i / 2].format);
		acquire(&rig, -1, VK_NULL_HANDLE);
		record_clear(&rig);
		submit(&rig, VK_NULL_HANDLE);
		release(&rig);
		if (!shows(&rig, cases[i / 2].bytes, cases[i / 2].size))
			fail_msg("%s, format %d: %02x %02x %02x %02x", settings[i % 2],
				cases[i / 2].format, rig.pixels[0], rig.pixels[1], rig.pixels[2],
				rig.pixels[3]);
		close_rig(&rig);
	}
}

/* Not before the acquire fence, and not after the release. */
static void
clears_keep_their_order(void **state)
{
	struct kr_fence_label label = {"test", 1, "acquire"};
	VkSemaphore semaphore;
	int producer, fence, fd;
	struct rig rig;

	open_rig(
		&rig, "version=8", AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM);
	semaphore = create_semaphore(&rig.driver, UINT64_MAX);
	assert_int_equal(kr_fence_create(&label, &producer, &fence), 0);
	acquire(&rig, fence, semaphore);
	record_clear(&rig);
	submit(&rig, semaphore);
	assert_int_equal(DEVICE_FN(&rig.driver, vkQueueSignalReleaseImageANDROID)(
				 rig.driver.queue, 0, NULL, rig.image, &fd),
		VK_SUCCESS);
	assert_int_equal(kr_fence_status(fd), KR_FENCE_ACTIVE);
	assert_false(shows(&rig, rgba, 4));
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	assert_int_equal(kr_fence_wait(fd, kr_deadline_in(5000 * KR_NSEC_PER_MSEC)), 0);
	assert_true(shows(&rig, rgba, 4));
	close(fd);
	DEVICE_FN(&rig.driver, vkDestroySemaphore)(rig.driver.device, semaphore, NULL);
	close_rig(&rig);
}

static VkBuffer
make_buffer(struct rig *rig, VkDeviceSize size, VkDeviceMemory *memory, void **data)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size};
	const VkMemoryAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = size};
	VkDevice device = rig->driver.device;
	VkBuffer buffer;

	assert_int_equal(
		DEVICE_FN(&rig->driver, vkCreateBuffer)(device, &info, NULL, &buffer), VK_SUCCESS);
	assert_int_equal(DEVICE_FN(&rig->driver, vkAllocateMemory)(device, &allocate, NULL, memory),
		VK_SUCCESS);
	assert_int_equal(DEVICE_FN(&rig->driver, vkBindBufferMemory)(device, buffer, *memory, 0),
		VK_SUCCESS);
	assert_int_equal(DEVICE_FN(&rig->driver, vkMapMemory)(device, *memory, 0, size, 0, data),
		VK_SUCCESS);
	return buffer;
}

/* Also what the driver alone can read in the buffer. */
static void
images_are_read_back(void **state)
{
	static const char *const settings[] = {"layout=plain", "layout=own"};
	/* The second pixel of the second row, and the one beside it, into rows of 4 pixels. */
	const VkBufferImageCopy region = {.bufferOffset = 4,
		.bufferRowLength = 4,
		.imageOffset = {1, 1, 0},
		.imageExtent = {2, 2, 1}};

	for (size_t i = 0; i < KR_ARRAY_LEN(settings); i++) {
		VkDeviceMemory memory;
		struct rig rig;
		VkBuffer buffer;
		void *data;

		open_rig(&rig, settings[i], AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
			VK_FORMAT_R8G8B8A8_UNORM);
		buffer = make_buffer(&rig, 64, &memory, &data);
		acquire(&rig, -1, VK_NULL_HANDLE);
		DEVICE_FN(&rig.driver, vkCmdFillBuffer)
		(rig.commands, buffer, 0, VK_WHOLE_SIZE, 0x11111111);
		record_clear(&rig);
		DEVICE_FN(&rig.driver, vkCmdCopyImageToBuffer)
		(rig.commands, rig.image, VK_IMAGE_LAYOUT_GENERAL, buffer, 1, &region);
		submit(&rig, VK_NULL_HANDLE);
		for (unsigned word = 0; word < 16; word++) {
			bool copied = word == 1 || word == 2 || word == 5 || word == 6;

			assert_memory_equal((char *)data + 4 * word,
				copied ? rgba : (const uint8_t *)"\x11\x11\x11\x11", 4);
		}
		DEVICE_FN(&rig.driver, vkDestroyBuffer)(rig.driver.device, buffer, NULL);
		DEVICE_FN(&rig.driver, vkFreeMemory)(rig.driver.device, memory, NULL);
		close_rig(&rig);
	}
}

/* One that has a name, and only as long as it is asked for. */
static void
mutants_have_their_fault(void **state)
{
	static const char *const bad[] = {"mutant=", "mutant=none", "mutant=Clear_is_lost",
		"mutant", "mutant=clear_is_lost2"};
	struct rig rig;

	open_rig(&rig, "mutant=clear_is_lost", AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		VK_FORMAT_R8G8B8A8_UNORM);
	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++)
		assert_int_equal(CONTROL_FN(&rig.driver, kr_null_set_driver)(bad[i]), -EINVAL);
	record_clear(&rig);
	submit(&rig, VK_NULL_HANDLE);
	assert_false(shows(&rig, rgba, 4));
	close_rig(&rig);

	open_rig(&rig, "", AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM);
	record_clear(&rig);
	submit(&rig, VK_NULL_HANDLE);
	assert_true(shows(&rig, rgba, 4));
	close_rig(&rig);
}

#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(clears_are_in_each_format),
	CASE(clears_keep_their_order),
	CASE(images_are_read_back),
	CASE(mutants_have_their_fault),
};

KR_TEST_MAIN(tests)
