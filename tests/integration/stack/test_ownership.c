/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose a buffer is, from the driver to whoever looks at it and back (W-07, W-08, W-13): the null
 * driver keeps pixels in a layout of its own while an image is acquired, in each version of the
 * extension, and asks for usage that only it knows.
 */
#include <krafla/window.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>
#include <vulkan/vulkan_android.h>

#include "app.h"
#include "harness.h"
#include "stack.h"
#include "util/macros.h"

#define SIDE   20
#define FRAMES 9u
#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)
/* Bits 28, 31, 33, 48 and 63: the vendor's, and some that nobody has named. */
#define VENDOR_BITS UINT64_C(0x8001000290000000)
/* What an int can say. */
#define VENDOR_BITS_OLD UINT64_C(0x90000000)

#define CPU_BITS (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

struct rig {
	struct app app;
	struct krafla_reader *reader;
	ANativeWindow *window;
	VkFence fence;
	PFN_kr_null_get_counts get_counts;
	PFN_kr_null_fill_image fill;
	PFN_kr_null_write_pixel write;
	PFN_kr_null_read_pixel read;
};

static struct kr_null_counts
counts(struct rig *rig)
{
	struct kr_null_counts now;

	rig->get_counts(&now);
	return now;
}

static void
open_surface(struct rig *rig)
{
	const struct krafla_reader_config config = {.size = sizeof(config),
		.width = SIDE,
		.height = SIDE,
		.usage = CPU_BITS,
		.max_images = 1};
	VkAndroidSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_SURFACE_CREATE_INFO_KHR};
	PFN_vkCreateAndroidSurfaceKHR create;

	assert_int_equal(krafla_reader_open(&config, &rig->reader), 0);
	assert_int_equal(krafla_reader_get_window(rig->reader, &rig->window), 0);
	info.window = (struct ANativeWindow *)rig->window;
	create = (PFN_vkCreateAndroidSurfaceKHR)vkGetInstanceProcAddr(
		rig->app.instance, "vkCreateAndroidSurfaceKHR");
	assert_int_equal(create(rig->app.instance, &info, NULL, &rig->app.surface), VK_SUCCESS);
}

static void
rig_open(struct rig *rig, const char *settings)
{
	const VkFenceCreateInfo fence = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

	*rig = (struct rig){0};
	stack_use(STACK_NULL);
	setenv("KRAFLA_NULL_DRIVER", settings, 1);
	assert_int_equal(app_open_instance(&rig->app, VK_KHR_ANDROID_SURFACE_EXTENSION_NAME, NULL),
		VK_SUCCESS);
	open_surface(rig);
	assert_int_equal(app_open_device(&rig->app, 0), VK_SUCCESS);
	assert_int_equal(app_create_swapchain(
				 &rig->app, VK_PRESENT_MODE_FIFO_KHR, 2, (VkExtent2D){SIDE, SIDE}),
		VK_SUCCESS);
	assert_int_equal(vkCreateFence(rig->app.device, &fence, NULL, &rig->fence), VK_SUCCESS);
	rig->get_counts = (PFN_kr_null_get_counts)stack_null_function("kr_null_get_counts");
	rig->fill = (PFN_kr_null_fill_image)stack_null_function("kr_null_fill_image");
	rig->write = (PFN_kr_null_write_pixel)stack_null_function("kr_null_write_pixel");
	rig->read = (PFN_kr_null_read_pixel)stack_null_function("kr_null_read_pixel");
}

static void
rig_close(struct rig *rig)
{
	vkDestroyFence(rig->app.device, rig->fence, NULL);
	app_close(&rig->app);
	ANativeWindow_release(rig->window);
	krafla_reader_close(rig->reader);
}

static uint32_t
acquire(struct rig *rig)
{
	uint32_t index;

	assert_int_equal(vkAcquireNextImageKHR(rig->app.device, rig->app.swapchain, 5000000000u,
				 VK_NULL_HANDLE, rig->fence, &index),
		VK_SUCCESS);
	assert_int_equal(
		vkWaitForFences(rig->app.device, 1, &rig->fence, VK_TRUE, 5000000000u), VK_SUCCESS);
	assert_int_equal(vkResetFences(rig->app.device, 1, &rig->fence), VK_SUCCESS);
	return index;
}

static void
present(struct rig *rig, uint32_t index)
{
	const VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.swapchainCount = 1,
		.pSwapchains = &rig->app.swapchain,
		.pImageIndices = &index,
	};

	assert_int_equal(vkQueuePresentKHR(rig->app.queue, &info), VK_SUCCESS);
}

/* The frame that was presented, mapped; given back by show_back. */
static uint32_t *
look(struct rig *rig, struct krafla_image *image, AHardwareBuffer_Desc *desc)
{
	void *pixels;

	assert_int_equal(krafla_reader_acquire_next(rig->reader, image), 0);
	AHardwareBuffer_describe(image->buffer, desc);
	assert_int_equal(
		AHardwareBuffer_lock(image->buffer, CPU_BITS, image->acquire_fence, NULL, &pixels),
		0);
	return pixels;
}

static void
give_back(struct rig *rig, const struct krafla_image *image)
{
	assert_int_equal(AHardwareBuffer_unlock(image->buffer, NULL), 0);
	assert_int_equal(krafla_reader_release(rig->reader, image, -1), 0);
}

static uint32_t
colour_of(unsigned frame)
{
	return 0xff000000 | frame * 0x1f3d5b;
}

/*
 * One frame: what an earlier look left in the buffer is seen by the driver, and what the driver
 * draws is seen by who looks, who then changes a pixel.
 */
static void
run_frame(struct rig *rig, unsigned frame, bool *changed, uint64_t bits)
{
	uint32_t index = acquire(rig), pixel, *pixels;
	VkImage driver_image = rig->app.images[index];
	struct krafla_image image;
	AHardwareBuffer_Desc desc;

	if (changed[index]) {
		assert_int_equal(rig->read(driver_image, 3, 4, &pixel), 0);
		assert_int_equal(pixel, 0x12345678);
	}
	assert_int_equal(rig->fill(driver_image, colour_of(frame)), 0);
	assert_int_equal(rig->write(driver_image, 1, 0, ~colour_of(frame)), 0);
	present(rig, index);
	pixels = look(rig, &image, &desc);
	assert_int_equal(pixels[0], colour_of(frame));
	assert_int_equal(pixels[1], ~colour_of(frame));
	assert_int_equal(pixels[(SIDE - 1) * desc.stride + SIDE - 1], colour_of(frame));
	assert_true((desc.usage & (bits | CPU_BITS)) == (bits | CPU_BITS));
	pixels[4 * desc.stride + 3] = 0x12345678;
	changed[index] = true;
	give_back(rig, &image);
}

static void
check_version(unsigned version)
{
	uint64_t bits = version < 6 ? VENDOR_BITS_OLD : VENDOR_BITS;
	bool changed[APP_MAX_IMAGES] = {false};
	struct kr_null_counts end;
	char settings[96];
	struct rig rig;

	snprintf(settings, sizeof(settings), "version=%u,layout=own,usage=0x%llx", version,
		(unsigned long long)bits);
	rig_open(&rig, settings);
	for (unsigned i = 0; i < FRAMES; i++)
		run_frame(&rig, i, changed, bits);
	end = counts(&rig);
	assert_int_equal(end.acquires, FRAMES);
	assert_int_equal(end.releases, FRAMES);
	assert_int_equal(end.missed_acquires, 0);
	assert_int_equal(end.missed_releases, 0);
	/* Each image's first acquire finds nothing that it left. */
	assert_int_equal(end.outside_changes, FRAMES - KR_MIN(rig.app.image_count, FRAMES));
	assert_int_equal(end.swapchains, 0);
	assert_int_equal(end.foreign_structures, 0);
	assert_int_equal(end.hardware_buffers, version >= 11 ? end.images : 0);
	rig_close(&rig);
}

#define VERSION(n)                                                                                 \
	static void pixels_and_usage_of_version_##n(void **state)                                  \
	{                                                                                          \
		check_version(n);                                                                  \
	}

VERSION(5)
VERSION(6)
VERSION(7)
VERSION(8)
VERSION(9)
VERSION(10)
VERSION(11)

/* The newest ways to ask fail, or say nothing: the next one counts (W-03). */
static void
check_refusal(const char *settings, unsigned answered)
{
	struct kr_null_counts asked;
	struct rig rig;

	rig_open(&rig, settings);
	asked = counts(&rig);
	for (unsigned i = answered; i < 5; i++)
		assert_true(asked.usage_queries[i] > 0);
	for (unsigned i = 0; i < answered; i++)
		assert_int_equal(asked.usage_queries[i], 0);
	rig_close(&rig);
}

static void
refused_usage_falls_on(void **state)
{
	check_refusal("version=11,refuse=2,usage=0x200000000", 2);
}

static void
silent_usage_falls_on(void **state)
{
	check_refusal("version=11,ahb=ignored,usage=0x200000000", 3);
}

static bool
offers_sharing(const char *settings)
{
	VkExtensionProperties list[64];
	uint32_t count = 64;
	bool found = false;
	struct rig rig;

	rig_open(&rig, settings);
	assert_int_equal(vkEnumerateDeviceExtensionProperties(rig.app.physical, NULL, &count, list),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++)
		found |= !strcmp(
			list[i].extensionName, VK_KHR_SHARED_PRESENTABLE_IMAGE_EXTENSION_NAME);
	rig_close(&rig);
	return found;
}

/* W-10: exactly as the driver says, and not where its version can't say. */
static void
sharing_is_offered_as_the_driver_says(void **state)
{
	assert_false(offers_sharing("version=6"));
	assert_true(offers_sharing("version=7"));
	assert_false(offers_sharing("version=7,shared=no"));
	assert_true(offers_sharing("version=11"));
	assert_false(offers_sharing("version=11,shared=no"));
}

#define CASE(fn) KR_TEST_FLAGS(fn, LEAVES)

static const struct kr_test tests[] = {
	CASE(pixels_and_usage_of_version_5),
	CASE(pixels_and_usage_of_version_6),
	CASE(pixels_and_usage_of_version_7),
	CASE(pixels_and_usage_of_version_8),
	CASE(pixels_and_usage_of_version_9),
	CASE(pixels_and_usage_of_version_10),
	CASE(pixels_and_usage_of_version_11),
	CASE(refused_usage_falls_on),
	CASE(silent_usage_falls_on),
	CASE(sharing_is_offered_as_the_driver_says),
};

KR_TEST_MAIN(tests)
