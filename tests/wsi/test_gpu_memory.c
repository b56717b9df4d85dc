/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the GPU behind a swapchain's images, for a far end that looks at such (W-11). */
#include "harness.h"

#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "rig.h"
#include "util/log.h"
#include "util/native_memory.h"

#define NEVER UINT64_MAX

static char warned[512];
static unsigned warnings;

static void
keep_warnings(void *data, uint32_t bits, const char *message)
{
	if (!(bits & KR_LOG_WARN))
		return;
	warnings++;
	snprintf(warned, sizeof(warned), "%s", message);
}

/* A driver that exports, at a far end that looks at it, or doesn't. */
static void
set_up(struct rig *rig, bool looks)
{
	rig_consumer_usage =
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | (looks ? KR_USAGE_GPU_MEMORY : 0);
	rig_init(rig, true);
	rig_consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
	fake.exports = true;
	rig_remake_device(rig, false);
	warnings = 0;
	kr_log_set_sink(keep_warnings, NULL);
}

static void
tear_down(struct rig *rig)
{
	rig_finish(rig);
	kr_log_set_sink(NULL, NULL);
}

/* The next frame, as the far end gets it: the size of its memory of a GPU, 0 none. */
static uint64_t
show(struct rig *rig, VkSwapchainKHR swapchain)
{
	const struct kr_gpu_memory *gpu;
	struct kr_frame frame;
	uint64_t size;
	uint32_t index;

	assert_int_equal(rig_acquire(rig, swapchain, NEVER, &index), VK_SUCCESS);
	assert_int_equal(rig_present(rig, swapchain, index), VK_SUCCESS);
	assert_int_equal(kr_consumer_acquire(rig->consumer, &frame), 0);
	gpu = kr_buffer_get_info(frame.buffer)->gpu;
	size = gpu ? gpu->allocation_size : 0;
	assert_int_equal(kr_consumer_release(rig->consumer, &frame, -1), 0);
	return size;
}

static void
buffers_get_the_memory_of_their_images(void **state)
{
	VkSwapchainKHR swapchain;
	uint64_t sizes[6];
	struct rig rig;

	set_up(&rig, true);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(fake.image_usage, KR_SWAPCHAIN_IMAGE_GPU_MEMORY);
	assert_true(fake.image_had_native);
	assert_int_equal(fake.exported, 3);
	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++)
		sizes[i] = show(&rig, swapchain);
	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++)
		assert_in_range(sizes[i], 320 * 200 * 4 + 1, 320 * 200 * 4 + 3);
	assert_int_not_equal(sizes[0], sizes[1]);
	assert_int_equal(warnings, 0);
	rig_destroy(&rig, swapchain);
	tear_down(&rig);
}

static void
who_does_not_look_costs_nothing(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;

	set_up(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(fake.image_usage, 0);
	assert_false(fake.image_had_flags);
	assert_int_equal(fake.exported, 0);
	assert_int_equal(show(&rig, swapchain), 0);
	rig_destroy(&rig, swapchain);
	tear_down(&rig);
}

/* A driver that can't is no news; one that should and doesn't is told of once. */
static void
what_fails_is_as_ever(void **state)
{
	static const struct {
		VkResult result;
		unsigned warnings;
	} cases[] = {{VK_ERROR_FEATURE_NOT_PRESENT, 0}, {VK_ERROR_TOO_MANY_OBJECTS, 1}};
	VkSwapchainKHR swapchain;
	struct rig rig;

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		set_up(&rig, true);
		fake.export_result = cases[i].result;
		swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
		assert_int_equal(show(&rig, swapchain), 0);
		assert_int_equal(warnings, cases[i].warnings);
		if (warnings)
			assert_non_null(strstr(warned, "can't look at the images on the GPU"));
		rig_destroy(&rig, swapchain);
		tear_down(&rig);
	}
}

/* What the far end has of a buffer on the GPU is the old image's, which goes. */
static void
such_buffers_are_not_used_again(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR new;
	struct rig rig;

	set_up(&rig, true);
	info.oldSwapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	(void)show(&rig, info.oldSwapchain);
	assert_int_equal(
		kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &new), VK_SUCCESS);
	rig_destroy(&rig, info.oldSwapchain);
	assert_int_equal(fake.exported, 6);
	for (int i = 0; i < 4; i++)
		assert_in_range(show(&rig, new), 320 * 200 * 4 + 4, 320 * 200 * 4 + 6);
	assert_int_equal(warnings, 0);
	rig_destroy(&rig, new);
	tear_down(&rig);
}

/* Images without a buffer yet, and those of the application, are made alike (W-06). */
static void
images_that_wait_for_buffers_have_it_then(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkImageSwapchainCreateInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR};
	const VkImageCreateInfo image_info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .pNext = &of};
	struct rig rig;
	VkImage image;

	set_up(&rig, true);
	rig.gpu.swapchain_flags = VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT;
	rig_remake_device(&rig, false);
	info.flags = VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT;
	assert_int_equal(
		kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &of.swapchain),
		VK_SUCCESS);
	assert_false(fake.image_had_native);
	assert_int_equal(fake.image_usage, KR_SWAPCHAIN_IMAGE_GPU_MEMORY);
	assert_int_equal(fake.exported, 0);
	assert_true(show(&rig, of.swapchain) > 320 * 200 * 4);
	assert_int_equal(fake.exported, 1);
	assert_int_equal(kr_wsi_create_image(rig.device, &image_info, NULL, &image), VK_SUCCESS);
	assert_int_equal(fake.image_usage, KR_SWAPCHAIN_IMAGE_GPU_MEMORY);
	assert_true(fake.image_had_swapchain_info);
	fake.device.DestroyImage(NULL, image, NULL);
	rig_destroy(&rig, of.swapchain);
	tear_down(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(buffers_get_the_memory_of_their_images),
	KR_TEST(who_does_not_look_costs_nothing),
	KR_TEST(what_fails_is_as_ever),
	KR_TEST(such_buffers_are_not_used_again),
	KR_TEST(images_that_wait_for_buffers_have_it_then),
};

KR_TEST_MAIN(tests)
