/* SPDX-License-Identifier: Apache-2.0 */
/* Shared presentable images (W-05, W-09, W-10), and the trial that says whether they can be had. */
#include "gpu.h"

#include <krafla/hardware_buffer.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "adapter/shared.h"
#include "adapter/trial.h"
#include "adapter/tuning.h"
#include "fake_icd.h"

#define SIDE 24

static VkBool32
shares(struct gpu *gpu)
{
	VkPhysicalDevicePresentationPropertiesANDROID sharing = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID,
		.sharedImage = 77};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &sharing};

	gpu->i.GetPhysicalDeviceProperties2(gpu->physical_device, &properties);
	return sharing.sharedImage;
}

static const VkSwapchainImageCreateInfoANDROID shared_info = {
	.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID,
	.usage = VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID};

static VkResult
create_shared(struct gpu *gpu, const struct kr_buffer *buffer, VkImage *image)
{
	VkNativeBufferANDROID native = {0};
	VkImageCreateInfo info = gpu_image_info(VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, &native);

	gpu_native_buffer(buffer, &native);
	native.pNext = &shared_info;
	return gpu->d.CreateImage(gpu->device, &info, NULL, image);
}

/* The first of both usage queries that know of sharing; the other has to say the same. */
static VkResult
ask_usage(struct gpu *gpu)
{
	const VkGrallocUsageInfo2ANDROID info = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_2_ANDROID,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.swapchainImageUsage = VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID};
	uint64_t usage, consumer, producer;
	VkResult result = gpu->gralloc_usage4(gpu->device, &info, &usage);

	assert_int_equal(gpu->gralloc_usage2(gpu->device, info.format, info.imageUsage,
				 info.swapchainImageUsage, &consumer, &producer),
		result);
	return result;
}

struct painter {
	VkCommandPool pool;
	VkCommandBuffer commands;
};

static void
open_painter(struct gpu *gpu, struct painter *painter)
{
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1};

	assert_int_equal(
		gpu->d.CreateCommandPool(gpu->device, &pool, NULL, &painter->pool), VK_SUCCESS);
	info.commandPool = painter->pool;
	assert_int_equal(
		gpu->d.AllocateCommandBuffers(gpu->device, &info, &painter->commands), VK_SUCCESS);
}

/* Clears the image in the layout that it has while it is shared, and waits. */
static void
paint(struct gpu *gpu, struct painter *painter, VkImage image, VkImageLayout from, float red)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = from,
		.newLayout = VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	const VkClearColorValue colour = {.float32 = {red, 0, 0, 1}};
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &painter->commands};

	assert_int_equal(gpu->d.BeginCommandBuffer(painter->commands, &begin), VK_SUCCESS);
	gpu->d.CmdPipelineBarrier(painter->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	gpu->d.CmdClearColorImage(
		painter->commands, image, VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR, &colour, 1, &range);
	assert_int_equal(gpu->d.EndCommandBuffer(painter->commands), VK_SUCCESS);
	assert_int_equal(gpu->d.QueueSubmit(gpu->queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
}

/* As another process sees it. */
static uint32_t
pixel_of(const struct kr_buffer *buffer, uint32_t x, uint32_t y)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	uint32_t *pixels = mmap(NULL, info->size, PROT_READ, MAP_SHARED, info->fd, 0), pixel;

	assert_ptr_not_equal(pixels, MAP_FAILED);
	pixel = pixels[y * info->stride + x];
	munmap(pixels, info->size);
	return pixel;
}

static uint32_t
red_pixel(float red)
{
	return 0xff000000 | (uint32_t)(red * 255 + 0.5f);
}

/*
 * W-05, W-09, W-10: one acquire, many releases, and each picture is in the buffer when its fence
 * has signalled; what is drawn after the last is, too, without any.
 */
static void
lavapipe_shares_images(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);
	VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
	struct painter painter;
	struct gpu gpu;
	VkImage image;

	gpu_init(&gpu, NULL);
	assert_int_equal(shares(&gpu), VK_TRUE);
	assert_int_equal(ask_usage(&gpu), VK_SUCCESS);
	assert_int_equal(create_shared(&gpu, buffer, &image), VK_SUCCESS);
	open_painter(&gpu, &painter);
	assert_int_equal(
		gpu.acquire(gpu.device, image, -1, VK_NULL_HANDLE, VK_NULL_HANDLE), VK_SUCCESS);
	for (unsigned i = 1; i < 6; i++) {
		float red = (float)i / 8;

		paint(&gpu, &painter, image, layout, red);
		gpu_release(&gpu, gpu.queue, 0, NULL, image);
		assert_int_equal(pixel_of(buffer, SIDE - 1, SIDE / 2), red_pixel(red));
		layout = VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR;
	}
	paint(&gpu, &painter, image, layout, 1);
	assert_int_equal(gpu.d.QueueWaitIdle(gpu.queue), VK_SUCCESS);
	assert_int_equal(pixel_of(buffer, 0, 0), red_pixel(1));
	gpu.d.DestroyCommandPool(gpu.device, painter.pool, NULL);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

/* What the image holds at a place, by the driver's own reading of it. */
static uint32_t
read_image(struct gpu *gpu, struct painter *painter, VkImage image, int32_t x, int32_t y)
{
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = 4,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	const VkMemoryAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 4096};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageOffset = {x, y, 0},
		.imageExtent = {1, 1, 1}};
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &painter->commands};
	VkDeviceMemory memory;
	VkBuffer buffer;
	uint32_t pixel;
	void *data;

	assert_int_equal(gpu->d.CreateBuffer(gpu->device, &info, NULL, &buffer), VK_SUCCESS);
	assert_int_equal(
		gpu->d.AllocateMemory(gpu->device, &allocation, NULL, &memory), VK_SUCCESS);
	assert_int_equal(gpu->d.BindBufferMemory(gpu->device, buffer, memory, 0), VK_SUCCESS);
	assert_int_equal(gpu->d.BeginCommandBuffer(painter->commands, &begin), VK_SUCCESS);
	gpu->d.CmdCopyImageToBuffer(
		painter->commands, image, VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR, buffer, 1, &region);
	assert_int_equal(gpu->d.EndCommandBuffer(painter->commands), VK_SUCCESS);
	assert_int_equal(gpu->d.QueueSubmit(gpu->queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
	assert_int_equal(gpu->d.QueueWaitIdle(gpu->queue), VK_SUCCESS);
	assert_int_equal(gpu->d.MapMemory(gpu->device, memory, 0, 4, 0, &data), VK_SUCCESS);
	memcpy(&pixel, data, sizeof(pixel));
	gpu->d.DestroyBuffer(gpu->device, buffer, NULL);
	gpu->d.FreeMemory(gpu->device, memory, NULL);
	return pixel;
}

/* W-13: what others wrote into the buffer is in the image after an acquire. */
static void
changes_from_outside_are_seen(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);
	VkNativeBufferANDROID native = {0};
	VkImageCreateInfo info = gpu_image_info(VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, &native);
	struct painter painter;
	struct gpu gpu;
	uint32_t *pixels;
	VkImage image;
	void *data;

	gpu_init(&gpu, NULL);
	gpu_native_buffer(buffer, &native);
	info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
	assert_int_equal(gpu.d.CreateImage(gpu.device, &info, NULL, &image), VK_SUCCESS);
	assert_int_equal(kr_buffer_map(buffer, &data), 0);
	pixels = data;
	open_painter(&gpu, &painter);
	for (uint32_t i = 1; i < 4; i++) {
		assert_int_equal(gpu.acquire(gpu.device, image, -1, VK_NULL_HANDLE, VK_NULL_HANDLE),
			VK_SUCCESS);
		if (i > 1)
			assert_int_equal(read_image(&gpu, &painter, image, 2, 3), i - 1);
		paint(&gpu, &painter, image, VK_IMAGE_LAYOUT_UNDEFINED, 1);
		gpu_release(&gpu, gpu.queue, 0, NULL, image);
		assert_int_equal(pixel_of(buffer, 2, 3), red_pixel(1));
		pixels[3 * kr_buffer_get_info(buffer)->stride + 2] = i;
	}
	gpu.d.DestroyCommandPool(gpu.device, painter.pool, NULL);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

/* W-09: many releases may be on their way at once, and land in their order. */
static void
releases_are_many_at_once(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);
	int fences[100];
	struct gpu gpu;
	VkImage image;

	gpu_init(&gpu, NULL);
	assert_int_equal(create_shared(&gpu, buffer, &image), VK_SUCCESS);
	assert_int_equal(
		gpu.acquire(gpu.device, image, -1, VK_NULL_HANDLE, VK_NULL_HANDLE), VK_SUCCESS);
	for (size_t i = 0; i < KR_ARRAY_LEN(fences); i++)
		assert_int_equal(gpu.release(gpu.queue, 0, NULL, image, &fences[i]), VK_SUCCESS);
	for (size_t i = 0; i < KR_ARRAY_LEN(fences); i++)
		assert_int_equal(gpu_land(fences[i]), KR_FENCE_SIGNALLED);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

/*
 * W-10: what the platform offers of formats and usage is asked without a word of sharing, so where
 * images are shared at all they are with all of it.
 */
static void
sharing_takes_nothing_away(void **state)
{
	static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB,
		VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R5G6B5_UNORM_PACK16,
		VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_R16G16B16A16_SFLOAT};
	const VkImageUsageFlags all = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
		VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
		VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
		VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
	unsigned possible = 0;
	struct gpu gpu;

	gpu_init(&gpu, NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		for (VkImageUsageFlags usage = 1; usage <= all; usage++) {
			VkGrallocUsageInfo2ANDROID info = {
				.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_2_ANDROID,
				.format = formats[i],
				.imageUsage = usage};
			VkResult alone;
			uint64_t bits;

			if (usage & ~all)
				continue;
			alone = gpu.gralloc_usage4(gpu.device, &info, &bits);
			info.swapchainImageUsage = VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID;
			assert_int_equal(gpu.gralloc_usage4(gpu.device, &info, &bits), alone);
			possible += alone == VK_SUCCESS;
		}
	}
	assert_true(possible > 100);
	gpu_finish(&gpu);
}

static void
expect_not_shared(struct gpu *gpu)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);
	VkImage image;

	assert_int_equal(shares(gpu), VK_FALSE);
	assert_int_equal(ask_usage(gpu), VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_int_equal(create_shared(gpu, buffer, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
	kr_buffer_unref(buffer);
}

/* W-10: a copy is made at a present, and so can't show what was drawn without one. */
static void
copies_are_not_shared(void **state)
{
	struct gpu gpu;

	kr_adapter_tuning.no_host_image = true;
	gpu_init(&gpu, NULL);
	expect_not_shared(&gpu);
	gpu_finish(&gpu);
}

/* W-10: SwiftShader imports memory for VkBuffers alone, so its images are copied. */
static void
swiftshader_does_not_share(void **state)
{
	struct gpu gpu;

	gpu_init_swiftshader(&gpu);
	expect_not_shared(&gpu);
	gpu_finish(&gpu);
}

/* W-10: only devices that draw by the CPU are tried; another may pass by luck. */
static void
other_devices_are_not_tried(void **state)
{
	struct gpu gpu;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	assert_int_equal(fake.devices, 1);
	expect_not_shared(&gpu);
	assert_int_equal(fake.submit_count, 0);
	gpu_finish_fake(&gpu);
}

static void
add_extension(const char *name)
{
	size_t i = 0;

	while (fake.device_extensions[i])
		i++;
	fake.device_extensions[i] = name;
}

/* W-10: who has the extension knows the layout. It is switched on, and never shown. */
static void
extension_tells_of_the_layout(void **state)
{
	const struct gpu_options options = {.instance_extension = "VK_KHR_surface"};
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);
	VkExtensionProperties list[FAKE_MAX];
	uint32_t count = FAKE_MAX;
	struct gpu gpu;
	VkImage image;

	fake_reset();
	add_extension("VK_KHR_shared_presentable_image");
	gpu_init_fake(&gpu, &options);
	assert_int_equal(shares(&gpu), VK_TRUE);
	assert_int_equal(ask_usage(&gpu), VK_SUCCESS);
	assert_int_equal(create_shared(&gpu, buffer, &image), VK_SUCCESS);
	assert_int_equal(fake.last_image.tiling, VK_IMAGE_TILING_LINEAR);
	assert_true(fake_has_enabled("VK_KHR_shared_presentable_image"));
	assert_true(fake_has_enabled("VK_KHR_swapchain"));
	assert_int_equal(
		gpu.i.EnumerateDeviceExtensionProperties(gpu.physical_device, NULL, &count, list),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++)
		assert_string_not_equal(list[i].extensionName, "VK_KHR_shared_presentable_image");
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);

	/* Without surfaces it can't be switched on. */
	fake_reset();
	add_extension("VK_KHR_shared_presentable_image");
	gpu_init_fake(&gpu, NULL);
	expect_not_shared(&gpu);
	assert_false(fake_has_enabled("VK_KHR_shared_presentable_image"));
	gpu_finish_fake(&gpu);
}

/* There is no copy to turn to, and nothing wrong with the format. */
static void
lack_of_memory_is_told_as_that(void **state)
{
	static const VkResult results[] = {
		VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY};
	const struct gpu_options options = {.instance_extension = "VK_KHR_surface"};
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);

	for (size_t i = 0; i < KR_ARRAY_LEN(results); i++) {
		struct gpu gpu;
		VkImage image;

		fake_reset();
		add_extension("VK_KHR_shared_presentable_image");
		gpu_init_fake(&gpu, &options);
		/* Once the device is known to import. */
		assert_int_equal(create_shared(&gpu, buffer, &image), VK_SUCCESS);
		gpu.d.DestroyImage(gpu.device, image, NULL);
		fake.fail = "vkAllocateMemory/host";
		fake.fail_once = true;
		fake.fail_result = results[i];
		assert_int_equal(create_shared(&gpu, buffer, &image), results[i]);
		assert_int_equal(create_shared(&gpu, buffer, &image), VK_SUCCESS);
		gpu.d.DestroyImage(gpu.device, image, NULL);
		gpu_finish_fake(&gpu);
	}
	kr_buffer_unref(buffer);
}

/* W-05: what the structure says never comes to the ICD, which knows nothing of it. */
static void
structure_is_taken_out(void **state)
{
	const VkSwapchainImageCreateInfoANDROID ordinary = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID};
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);
	VkNativeBufferANDROID native = {0};
	VkImageCreateInfo info = gpu_image_info(VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, &native);
	struct gpu gpu;
	VkImage image;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	gpu_native_buffer(buffer, &native);
	native.pNext = &ordinary;
	assert_int_equal(gpu.d.CreateImage(gpu.device, &info, NULL, &image), VK_SUCCESS);
	assert_int_equal(fake.image_chain_count, 1);
	assert_int_equal(fake.image_chain[0], VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
}

static VkResult
prepare_fill(struct kr_trial *trial)
{
	return kr_host_buffer_create(trial->device, &trial->image);
}

static void
record_fill(const struct kr_trial *trial, VkCommandBuffer commands)
{
	trial->device->vk.CmdFillBuffer(commands, trial->image.staging, 0, VK_WHOLE_SIZE, 5);
}

static uint32_t
five(uint32_t x, uint32_t y)
{
	return 5;
}

static uint32_t
five_but_one(uint32_t x, uint32_t y)
{
	return x == KR_TRIAL_SIDE - 1 && y == KR_TRIAL_SIDE - 1 ? 6 : 5;
}

static void
finish_fill(struct kr_trial *trial)
{
	kr_staging_destroy(trial->device, &trial->image);
}

/* A trial fails when a single pixel isn't what it has to be. */
static void
trials_look_at_every_pixel(void **state)
{
	const struct kr_trial_kind right = {prepare_fill, record_fill, five, finish_fill};
	const struct kr_trial_kind wrong = {prepare_fill, record_fill, five_but_one, finish_fill};
	struct gpu gpu;

	gpu_init(&gpu, NULL);
	assert_true(kr_trial_run(kr_adapter_gpu_from_handle(gpu.physical_device), &right));
	assert_false(kr_trial_run(kr_adapter_gpu_from_handle(gpu.physical_device), &wrong));
	gpu_finish(&gpu);
}

static bool no_memory;

static VKAPI_ATTR void *VKAPI_CALL
allocate(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	void *memory;

	if (no_memory || posix_memalign(&memory, KR_MAX(alignment, sizeof(void *)), size))
		return NULL;
	return memory;
}

static VKAPI_ATTR void *VKAPI_CALL
reallocate(void *data, void *old, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	return no_memory ? NULL : realloc(old, size);
}

static VKAPI_ATTR void VKAPI_CALL
deallocate(void *data, void *memory)
{
	free(memory);
}

/* Lavapipe crashes when its allocations fail while commands are recorded, and not all look. */
static void
trials_have_memory_of_their_own(void **state)
{
	const VkAllocationCallbacks callbacks = {
		.pfnAllocation = allocate, .pfnReallocation = reallocate, .pfnFree = deallocate};
	const struct gpu_options options = {.allocator = &callbacks};
	struct gpu gpu;

	gpu_init(&gpu, &options);
	no_memory = true;
	assert_int_equal(shares(&gpu), VK_TRUE);
	no_memory = false;
	gpu_finish(&gpu);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(lavapipe_shares_images, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(changes_from_outside_are_seen, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(releases_are_many_at_once, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(sharing_takes_nothing_away, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(copies_are_not_shared, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(swiftshader_does_not_share, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
	KR_TEST(other_devices_are_not_tried),
	KR_TEST(extension_tells_of_the_layout),
	KR_TEST(lack_of_memory_is_told_as_that),
	KR_TEST(structure_is_taken_out),
	KR_TEST_FLAGS(trials_look_at_every_pixel, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(trials_have_memory_of_their_own, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
