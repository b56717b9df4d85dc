/* SPDX-License-Identifier: Apache-2.0 */
/* Making swapchains, acquiring from them, and what goes wrong on the way. */
#include "harness.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/macros.h"

#define NEVER UINT64_MAX

static VkResult
create(struct rig *rig, const VkSwapchainCreateInfoKHR *info, VkSwapchainKHR *swapchain)
{
	return kr_wsi_create_swapchain(rig->device, rig->surface, info, NULL, swapchain);
}

/* W-04: sharing and queue families are the swapchain's. */
static void
images_are_shared_as_the_swapchain_is(void **state)
{
	static const uint32_t families[] = {2, 5};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	info.imageSharingMode = VK_SHARING_MODE_CONCURRENT;
	info.queueFamilyIndexCount = KR_ARRAY_LEN(families);
	info.pQueueFamilyIndices = families;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_int_equal(fake.image_info.sharingMode, VK_SHARING_MODE_CONCURRENT);
	assert_int_equal(fake.image_info.queueFamilyIndexCount, KR_ARRAY_LEN(families));
	assert_memory_equal(fake.image_info.pQueueFamilyIndices, families, sizeof(families));
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* W-03, W-04. */
static void
images_are_made_of_the_windows_buffers(void **state)
{
	VkImage images[8];
	uint32_t count = 8;
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	fake.usage = 0x333;
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(rig.mode_said, VK_PRESENT_MODE_FIFO_KHR);
	assert_string_equal(rig.window.device, "a fake");
	assert_int_equal(
		kr_wsi_get_swapchain_images(rig.device, swapchain, &count, images), VK_SUCCESS);
	assert_int_equal(count, 3);
	assert_int_equal(fake.images_live, 3);
	for (int i = 0; i < 3; i++) {
		const VkNativeBufferANDROID *native = &fake.images[i].native;

		assert_non_null(native->handle);
		assert_int_equal(native->format, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM);
		assert_int_equal(native->stride, 320);
		/* The driver's and the consumer's, in each of the three notations. */
		assert_int_equal(native->usage3, 0x333);
		assert_int_equal(native->usage, 0x333);
		assert_int_equal(native->usage2.producer, 0x266);
		assert_int_equal(native->usage2.consumer, 0x106);
		assert_ptr_equal(AHardwareBuffer_getNativeHandle(native->ahb), native->handle);
		assert_ptr_not_equal(native->handle, fake.images[(i + 1) % 3].native.handle);
	}
	assert_int_equal(fake.image_info.imageType, VK_IMAGE_TYPE_2D);
	assert_int_equal(fake.image_info.mipLevels, 1);
	assert_int_equal(fake.image_info.arrayLayers, 1);
	assert_int_equal(fake.image_info.tiling, VK_IMAGE_TILING_OPTIMAL);
	assert_int_equal(fake.image_info.samples, VK_SAMPLE_COUNT_1_BIT);
	assert_int_equal(fake.image_info.flags, 0);
	/* No swapchain needs flags as long as none is shared (docs/profiles.md). */
	assert_false(fake.image_had_flags);
	assert_int_equal(fake.image_info.usage, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
	count = 2;
	assert_int_equal(
		kr_wsi_get_swapchain_images(rig.device, swapchain, &count, images), VK_INCOMPLETE);
	assert_true(kr_wsi_device_has_swapchains(rig.device));
	assert_true(kr_wsi_owns_swapchain(rig.device, swapchain));
	assert_false(kr_wsi_owns_swapchain(rig.device, (VkSwapchainKHR)(uintptr_t)0x1234));
	rig_destroy(&rig, swapchain);
	assert_false(kr_wsi_device_has_swapchains(rig.device));
	rig_finish(&rig);
}

static VkBool32
supports_protected(struct rig *rig)
{
	VkSurfaceProtectedCapabilitiesKHR protection = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR,
	};
	VkSurfaceCapabilities2KHR caps = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR,
		.pNext = &protection,
	};
	const VkPhysicalDeviceSurfaceInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR,
	};

	assert_int_equal(
		kr_wsi_surface_capabilities2(&rig->gpu, rig->surface, &info, &caps), VK_SUCCESS);
	return protection.supportsProtected;
}

/*
 * W-04: on a device that protects, and a window of somebody else's whose far end and whose buffers
 * do. A buffer that doesn't is refused before there is an image of it.
 */
static void
protected_images_take_protected_buffers(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	rig.gpu.image_format2 = true;
	rig.gpu.swapchain_flags = VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR;
	rig_remake_device(&rig, false);
	info.flags = VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR;
	rig.window.shows_protected = true;
	/* One of ours: its buffers are of gralloc, which can't. */
	assert_false(supports_protected(&rig));
	assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
	rig.window.android = true;
	assert_true(supports_protected(&rig));
	assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
	assert_int_equal(fake.images_live, 0);
	rig.window.gives_protected = true;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_int_equal(fake.image_info.flags, VK_IMAGE_CREATE_PROTECTED_BIT);
	assert_true(fake.images[0].native.usage3 & AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT);
	rig_destroy(&rig, swapchain);
	fake.refused_flags = VK_IMAGE_CREATE_PROTECTED_BIT;
	assert_false(supports_protected(&rig));
	rig.gpu.swapchain_flags = 0;
	fake.refused_flags = 0;
	assert_false(supports_protected(&rig));
	rig_finish(&rig);
}

/* W-03: whatever usage functions the driver has. */
static void
usage_comes_from_any_version(void **state)
{
	for (uint32_t version = 1; version <= 4; version++) {
		struct kr_wsi_device_info info = {
			.device = (VkDevice)(uintptr_t)0x1000,
			.get_device_proc_addr = fake_get_device_proc_addr,
			.functions = &fake.device,
		};
		VkSwapchainKHR swapchain;
		struct rig rig;

		rig_init(&rig, false);
		kr_wsi_device_destroy(rig.device);
		fake.usage_version = version;
		fake.usage = 0x333;
		info.gpu = rig.gpu;
		assert_int_equal(kr_wsi_device_create(&info, &rig.device), VK_SUCCESS);
		swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
		assert_int_equal(fake.images[0].native.usage3, 0x333);
		rig_destroy(&rig, swapchain);
		rig_finish(&rig);
	}
}

static void
a_driver_without_native_buffer_makes_no_device(void **state)
{
	struct kr_wsi_device_info info = {.get_device_proc_addr = fake_get_device_proc_addr};
	struct kr_wsi_device *device = NULL;

	fake_driver_init();
	fake.usage_version = 0;
	assert_int_equal(kr_wsi_device_create(&info, &device), VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_null(device);
}

/* android-platform 7.3, 5, 6 and 16: no silent replacement, no empty swapchain. */
static void
what_cannot_be_had_is_refused(void **state)
{
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;
	VkSwapchainPresentScalingCreateInfoEXT scaling = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT,
		.scalingBehavior = VK_PRESENT_SCALING_ASPECT_RATIO_STRETCH_BIT_EXT};
	VkSwapchainCreateInfoKHR bad[12];
	struct rig rig;

	rig_init(&rig, false);
	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++)
		bad[i] = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	bad[0].imageFormat = VK_FORMAT_R16G16B16A16_UNORM;
	bad[1].imageColorSpace = VK_COLOR_SPACE_HDR10_ST2084_EXT;
	bad[2].presentMode = VK_PRESENT_MODE_FIFO_RELAXED_KHR;
	bad[3].imageExtent.width = 0;
	bad[4].imageExtent.height = 16385;
	bad[5].imageArrayLayers = 2;
	bad[6].preTransform = 0;
	bad[7].compositeAlpha = VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR;
	bad[8].flags = VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR;
	bad[9].minImageCount = 65;
	bad[11].pNext = &scaling;
	bad[10].imageUsage |= VK_IMAGE_USAGE_STORAGE_BIT;
	fake.refused_usage = VK_IMAGE_USAGE_STORAGE_BIT;
	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		assert_int_equal(create(&rig, &bad[i], &swapchain), VK_ERROR_INITIALIZATION_FAILED);
		assert_null(swapchain);
	}
	assert_false(kr_wsi_device_has_swapchains(rig.device));
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static void
counts_follow_the_mode(void **state)
{
	static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR,
		VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};

	for (size_t i = 0; i < KR_ARRAY_LEN(modes); i++) {
		for (uint32_t wanted = 1; wanted <= 64; wanted += 9) {
			VkSwapchainCreateInfoKHR info = fake_swapchain_info(modes[i]);
			VkSwapchainKHR swapchain;
			uint32_t count = 0;
			struct rig rig;

			rig_init(&rig, false);
			info.minImageCount = wanted;
			assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
			kr_wsi_get_swapchain_images(rig.device, swapchain, &count, NULL);
			assert_int_equal(count, KR_MAX(wanted, 3u));
			rig_destroy(&rig, swapchain);
			rig_finish(&rig);
		}
	}
}

/* A sweep through all images, several times, in each mode. */
static void
frames_go_round(void **state)
{
	static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR,
		VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};

	for (size_t i = 0; i < KR_ARRAY_LEN(modes); i++) {
		VkSwapchainKHR swapchain;
		struct rig rig;

		rig_init(&rig, false);
		swapchain = rig_swapchain(&rig, modes[i]);
		for (int frame = 0; frame < 10; frame++) {
			uint32_t index = UINT32_MAX;

			assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
			assert_true(index < 3);
			assert_true(fake.images[index].acquired);
			assert_int_equal(rig_present(&rig, swapchain, index), VK_SUCCESS);
		}
		assert_int_equal(fake.acquires, 10);
		assert_int_equal(fake.releases, 10);
		rig_destroy(&rig, swapchain);
		rig_finish(&rig);
	}
}

/* A frame that waits is replaced by a newer one in MAILBOX and IMMEDIATE, never in FIFO. */
static void
modes_decide_what_is_dropped(void **state)
{
	static const struct {
		VkPresentModeKHR mode;
		uint64_t first;
	} cases[] = {{VK_PRESENT_MODE_FIFO_KHR, 1}, {VK_PRESENT_MODE_MAILBOX_KHR, 2},
		{VK_PRESENT_MODE_IMMEDIATE_KHR, 2}};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		VkSwapchainKHR swapchain;
		struct kr_frame frame;
		struct rig rig;
		uint32_t index;

		rig_init(&rig, true);
		swapchain = rig_swapchain(&rig, cases[i].mode);
		for (int k = 0; k < 2; k++) {
			assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
			assert_int_equal(rig_present(&rig, swapchain, index), VK_SUCCESS);
		}
		assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
		assert_int_equal(frame.number, cases[i].first);
		kr_consumer_release(rig.consumer, &frame, -1);
		rig_destroy(&rig, swapchain);
		rig_finish(&rig);
	}
}

/* W-07: both objects reach the driver, and no descriptor does. */
static void
acquire_passes_semaphore_and_fence(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;
	uint32_t index;
	int fence;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	rig.window.dequeue_fence = fence;
	assert_int_equal(rig_acquire(&rig, swapchain, 0, &index), VK_SUCCESS);
	assert_int_equal(fake.acquire_fd, -1);
	assert_int_equal((uintptr_t)fake.acquire_semaphore, 0x51);
	assert_int_equal((uintptr_t)fake.acquire_fence, 0xfe);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/*
 * H-02: DESIGN 5.2: the buffer's fence is waited for within the caller's timeout, else nothing
 * happened.
 */
static void
acquire_keeps_its_timeout(void **state)
{
	VkSwapchainKHR swapchain;
	int producer, fence;
	struct rig rig;
	uint32_t index;
	int64_t start;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	rig.window.dequeue_fence = fence;
	assert_int_equal(rig_acquire(&rig, swapchain, 0, &index), VK_NOT_READY);
	/* The buffer went back with its fence to the end of the line: two others are free first. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(rig_acquire(&rig, swapchain, 0, &index), VK_SUCCESS);
	}
	start = kr_clock_now();
	assert_int_equal(rig_acquire(&rig, swapchain, 30 * KR_NSEC_PER_MSEC, &index), VK_TIMEOUT);
	assert_true(kr_clock_now() - start >= 30 * KR_NSEC_PER_MSEC);
	assert_int_equal(fake.acquires, 2);
	kr_fence_signal(producer, 1);
	assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/*
 * A consumer that died has failed its fences: the buffer is free, the window says whether it lives.
 */
static void
a_failed_release_fence_is_a_done_one(void **state)
{
	VkSwapchainKHR swapchain;
	int producer, fence;
	struct rig rig;
	uint32_t index;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	kr_fence_signal(producer, -EOWNERDEAD);
	rig.window.dequeue_fence = fence;
	assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static void
the_windows_errors_have_their_names(void **state)
{
	static const struct {
		int error;
		uint64_t timeout;
		VkResult result;
	} cases[] = {
		{-ETIMEDOUT, 0, VK_NOT_READY},
		{-ETIMEDOUT, 5, VK_TIMEOUT},
		/* android-platform 7.3, 11. */
		{-EWOULDBLOCK, 0, VK_NOT_READY},
		{-EWOULDBLOCK, 5, VK_TIMEOUT},
		{-ENOSYS, 0, VK_NOT_READY},
		{-ENOSYS, 5, VK_TIMEOUT},
		{-ENOSYS, NEVER, VK_ERROR_UNKNOWN},
		{-ENODEV, NEVER, VK_ERROR_SURFACE_LOST_KHR},
		{-EPIPE, 0, VK_ERROR_SURFACE_LOST_KHR},
		{-ENOMEM, 0, VK_ERROR_OUT_OF_DEVICE_MEMORY},
		{-EMFILE, 0, VK_ERROR_OUT_OF_HOST_MEMORY},
	};
	VkSwapchainKHR swapchain;
	uint32_t index = 77;
	struct rig rig;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		rig.window.dequeue_error = cases[i].error;
		assert_int_equal(
			rig_acquire(&rig, swapchain, cases[i].timeout, &index), cases[i].result);
		assert_int_equal(index, 77);
	}
	rig.window.dequeue_error = 0;
	assert_int_equal(rig_acquire(&rig, swapchain, 0, &index), VK_SUCCESS);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* As many as Vulkan promises, n - min + 1, and a limit behind that ends in time. */
static void
all_promised_images_can_be_held(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;
	uint32_t index;

	rig_init(&rig, true);
	info.minImageCount = 6;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
	assert_int_equal(rig_present(&rig, swapchain, index), VK_SUCCESS);
	for (int i = 0; i < 6 - 3 + 1; i++)
		assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
	while (rig_acquire(&rig, swapchain, 0, &index) == VK_SUCCESS)
		;
	assert_int_equal(rig_acquire(&rig, swapchain, 0, &index), VK_NOT_READY);
	assert_int_equal(rig_acquire(&rig, swapchain, 10 * KR_NSEC_PER_MSEC, &index), VK_TIMEOUT);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* The timeout reaches the window, and is said only when it changes. */
static void
the_dequeue_timeout_is_the_applications(void **state)
{
	VkSwapchainKHR swapchain;
	uint32_t index, said;
	struct rig rig;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	said = rig.window.timeouts;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
		assert_int_equal(rig_present(&rig, swapchain, index), VK_SUCCESS);
	}
	assert_int_equal(rig.window.timeout, -1);
	assert_int_equal(rig.window.timeouts, said + 1);
	assert_int_equal(rig_acquire(&rig, swapchain, 123456, &index), VK_SUCCESS);
	assert_int_equal(rig.window.timeout, 123456);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* When the driver fails the buffer goes back, and can be had again. */
static void
a_driver_that_fails_to_acquire_leaves_the_buffer(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;
	uint32_t index;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	fake.acquire_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
	for (int i = 0; i < 10; i++)
		assert_int_equal(
			rig_acquire(&rig, swapchain, NEVER, &index), VK_ERROR_OUT_OF_DEVICE_MEMORY);
	fake.acquire_result = VK_SUCCESS;
	assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static void
only_the_first_device_of_a_group_has_images(void **state)
{
	VkAcquireNextImageInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR, .deviceMask = 2};
	struct rig rig;
	uint32_t index;

	rig_init(&rig, false);
	info.swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_wsi_acquire_next_image(rig.device, &info, &index), VK_ERROR_UNKNOWN);
	info.deviceMask = 1;
	assert_int_equal(kr_wsi_acquire_next_image(rig.device, &info, &index), VK_SUCCESS);
	rig_destroy(&rig, info.swapchain);
	rig_finish(&rig);
}

static void
a_surface_has_one_swapchain(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR first, second = VK_NULL_HANDLE;
	struct rig rig;

	rig_init(&rig, false);
	first = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(create(&rig, &info, &second), VK_ERROR_NATIVE_WINDOW_IN_USE_KHR);
	info.oldSwapchain = first;
	assert_int_equal(create(&rig, &info, &second), VK_SUCCESS);
	rig_destroy(&rig, first);
	rig_destroy(&rig, second);
	rig_finish(&rig);
}

/*
 * The old swapchain's acquired image may be presented still: its semaphores are used
 * up, no frame comes.
 */
static void
a_retired_swapchain_is_out_of_date(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR old, new;
	uint32_t index, other;
	struct kr_frame frame;
	struct rig rig;

	rig_init(&rig, true);
	old = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(rig_acquire(&rig, old, NEVER, &index), VK_SUCCESS);
	info.oldSwapchain = old;
	info.imageExtent = (VkExtent2D){64, 64};
	assert_int_equal(create(&rig, &info, &new), VK_SUCCESS);
	rig.window.dequeues = 0;
	assert_int_equal(rig_acquire(&rig, old, NEVER, &other), VK_ERROR_OUT_OF_DATE_KHR);
	assert_int_equal(rig.window.dequeues, 0);
	fake.release_fences = true;
	assert_int_equal(rig_present(&rig, old, index), VK_ERROR_OUT_OF_DATE_KHR);
	assert_int_equal(fake.releases, 1);
	assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), -EAGAIN);
	assert_int_equal(rig_acquire(&rig, new, NEVER, &index), VK_SUCCESS);
	rig_destroy(&rig, old);
	rig_destroy(&rig, new);
	rig_finish(&rig);
}

/* A display keeps the frame that is on screen: the next swapchain must not wait for it. */
static void
a_frame_on_screen_does_not_hold_up_the_next_swapchain(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR old, new = VK_NULL_HANDLE;
	struct kr_frame frame;
	uint32_t index;
	struct rig rig;

	rig_init(&rig, true);
	old = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(rig_acquire(&rig, old, NEVER, &index), VK_SUCCESS);
	assert_int_equal(rig_present(&rig, old, index), VK_SUCCESS);
	assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
	info.oldSwapchain = old;
	info.imageExtent = (VkExtent2D){64, 64};
	assert_int_equal(create(&rig, &info, &new), VK_SUCCESS);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(rig_acquire(&rig, new, KR_NSEC_PER_SEC, &index), VK_SUCCESS);
		assert_int_equal(rig_present(&rig, new, index), VK_SUCCESS);
	}
	kr_consumer_release(rig.consumer, &frame, -1);
	rig_destroy(&rig, old);
	rig_destroy(&rig, new);
	rig_finish(&rig);
}

/* Vulkan: the old one is retired even if creation fails; the surface isn't stuck then (7.3, 14). */
static void
a_failed_creation_retires_the_old_swapchain(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR old, new = VK_NULL_HANDLE;
	struct rig rig;
	uint32_t index, held;

	rig_init(&rig, false);
	old = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(rig_acquire(&rig, old, NEVER, &held), VK_SUCCESS);
	info.oldSwapchain = old;
	fake.fail_image_at = 2;
	fake.fail_image_with = VK_ERROR_OUT_OF_DEVICE_MEMORY;
	assert_int_equal(create(&rig, &info, &new), VK_ERROR_OUT_OF_DEVICE_MEMORY);
	assert_null(new);
	assert_int_equal(rig_acquire(&rig, old, NEVER, &index), VK_ERROR_OUT_OF_DATE_KHR);
	info.oldSwapchain = VK_NULL_HANDLE;
	assert_int_equal(create(&rig, &info, &new), VK_SUCCESS);
	assert_int_equal(rig_present(&rig, old, held), VK_ERROR_OUT_OF_DATE_KHR);
	assert_int_equal(rig_acquire(&rig, new, NEVER, &index), VK_SUCCESS);
	rig_destroy(&rig, old);
	rig_destroy(&rig, new);
	rig_finish(&rig);
}

static void
every_step_of_creation_rolls_back(void **state)
{
	static const int operations[] = {NATIVE_WINDOW_SET_BUFFER_COUNT,
		NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT, NATIVE_WINDOW_SET_BUFFERS_TIMESTAMP,
		NATIVE_WINDOW_SET_BUFFERS_FORMAT, NATIVE_WINDOW_SET_BUFFERS_DATASPACE,
		NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS, NATIVE_WINDOW_SET_BUFFERS_TRANSFORM,
		NATIVE_WINDOW_SET_SCALING_MODE, NATIVE_WINDOW_SET_CROP,
		NATIVE_WINDOW_SET_SURFACE_DAMAGE, NATIVE_WINDOW_SET_USAGE64};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;
	struct rig rig;

	rig_init(&rig, false);
	for (size_t i = 0; i < KR_ARRAY_LEN(operations); i++) {
		rig.window.fail_perform = operations[i];
		assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_SURFACE_LOST_KHR);
	}
	rig.window.fail_perform = -1;
	for (int i = 1; i <= 3; i++) {
		rig.window.dequeue_error = -ENOMEM;
		rig.window.dequeue_error_at = i;
		assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_OUT_OF_DEVICE_MEMORY);
		fake.fail_image_at = (uint32_t)i;
		fake.fail_image_with = VK_ERROR_FORMAT_NOT_SUPPORTED;
		assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
		assert_int_equal(fake.images_live, 0);
	}
	fake.usage_result = VK_ERROR_FORMAT_NOT_SUPPORTED;
	assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
	fake.usage_result = VK_SUCCESS;
	assert_null(swapchain);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static void
every_allocation_of_creation_may_fail(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;
	struct alloc_probe probe;
	VkResult result;
	struct rig rig;

	rig_init(&rig, false);
	alloc_probe_init(&probe);
	do {
		probe.count = 0;
		probe.fail_at++;
		result = kr_wsi_create_swapchain(
			rig.device, rig.surface, &info, &probe.callbacks, &swapchain);
		if (result == VK_SUCCESS)
			break;
		assert_int_equal(result, VK_ERROR_OUT_OF_HOST_MEMORY);
		assert_int_equal(probe.live, 0);
	} while (probe.fail_at < 100);
	assert_int_equal(result, VK_SUCCESS);
	assert_true(probe.fail_at > 1);
	kr_wsi_destroy_swapchain(rig.device, swapchain);
	assert_int_equal(probe.live, 0);
	rig_finish(&rig);
}

static void
a_buffer_of_nobody_is_out_of_date(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;
	uint32_t index;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	/* Somebody makes the window give buffers of another size. */
	assert_int_equal(rig.window.inner->perform(
				 rig.window.inner, NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS, 32, 32),
		0);
	assert_int_equal(rig_acquire(&rig, swapchain, 0, &index), VK_ERROR_OUT_OF_DATE_KHR);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* W-12. */
static void
a_lost_device_gives_its_slots_back(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain, next = VK_NULL_HANDLE;
	ANativeWindowBuffer *buffer;
	uint32_t first, second;
	struct rig rig;
	int fence;

	rig_init(&rig, false);
	info.minImageCount = 4;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &first), VK_SUCCESS);
	assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &second), VK_SUCCESS);
	rig.window.cancels = 0;
	fake.release_result = VK_ERROR_DEVICE_LOST;
	assert_int_equal(rig_present(&rig, swapchain, first), VK_ERROR_DEVICE_LOST);
	assert_int_equal(rig.window.cancels, 2);
	assert_int_equal(rig_present(&rig, swapchain, second), VK_ERROR_DEVICE_LOST);
	assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &first), VK_ERROR_DEVICE_LOST);
	kr_wsi_device_lost(rig.device);
	info.oldSwapchain = swapchain;
	assert_int_equal(create(&rig, &info, &next), VK_ERROR_DEVICE_LOST);
	/* All four are with the window again. */
	for (int i = 0; i < 4; i++)
		assert_int_equal(
			rig.window.inner->dequeueBuffer(rig.window.inner, &buffer, &fence), 0);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static void *
render_until_lost(void *data)
{
	struct rig *rig = data;
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;
	VkResult result = create(rig, &info, &swapchain);
	uint32_t index;

	while (result == VK_SUCCESS) {
		result = rig_acquire(rig, swapchain, NEVER, &index);
		if (result == VK_SUCCESS)
			result = rig_present(rig, swapchain, index);
	}
	assert_int_equal(result, VK_ERROR_DEVICE_LOST);
	rig_destroy(rig, swapchain);
	return NULL;
}

/* W-12: another thread may notice the loss, and ask for swapchains, at any time. */
static void
a_device_is_lost_on_any_thread(void **state)
{
	VkSwapchainKHR nobodys = (VkSwapchainKHR)(uintptr_t)0x1234;
	pthread_t thread;
	struct rig rig;

	rig_init(&rig, false);
	assert_int_equal(pthread_create(&thread, NULL, render_until_lost, &rig), 0);
	for (int i = 0; i < 2000; i++)
		assert_false(kr_wsi_owns_swapchain(rig.device, nobodys));
	kr_wsi_device_lost(rig.device);
	assert_int_equal(pthread_join(thread, NULL), 0);
	rig_finish(&rig);
}

static void
a_surface_that_dies_says_so_everywhere(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain, next = VK_NULL_HANDLE;
	struct rig rig;
	uint32_t index, other;

	rig_init(&rig, true);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
	kr_consumer_destroy(rig.consumer);
	rig.consumer = NULL;
	fake.release_fences = true;
	assert_int_equal(rig_present(&rig, swapchain, index), VK_ERROR_SURFACE_LOST_KHR);
	assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &other), VK_ERROR_SURFACE_LOST_KHR);
	info.oldSwapchain = swapchain;
	assert_int_equal(create(&rig, &info, &next), VK_ERROR_SURFACE_LOST_KHR);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(images_are_made_of_the_windows_buffers),
	KR_TEST(protected_images_take_protected_buffers),
	KR_TEST(usage_comes_from_any_version),
	KR_TEST(images_are_shared_as_the_swapchain_is),
	KR_TEST(a_driver_without_native_buffer_makes_no_device),
	KR_TEST(what_cannot_be_had_is_refused),
	KR_TEST(counts_follow_the_mode),
	KR_TEST(frames_go_round),
	KR_TEST(modes_decide_what_is_dropped),
	KR_TEST(acquire_passes_semaphore_and_fence),
	KR_TEST(acquire_keeps_its_timeout),
	KR_TEST(a_failed_release_fence_is_a_done_one),
	KR_TEST(the_windows_errors_have_their_names),
	KR_TEST(all_promised_images_can_be_held),
	KR_TEST(the_dequeue_timeout_is_the_applications),
	KR_TEST(a_driver_that_fails_to_acquire_leaves_the_buffer),
	KR_TEST(only_the_first_device_of_a_group_has_images),
	KR_TEST(a_surface_has_one_swapchain),
	KR_TEST(a_retired_swapchain_is_out_of_date),
	KR_TEST(a_frame_on_screen_does_not_hold_up_the_next_swapchain),
	KR_TEST(a_failed_creation_retires_the_old_swapchain),
	KR_TEST(every_step_of_creation_rolls_back),
	KR_TEST(every_allocation_of_creation_may_fail),
	KR_TEST(a_buffer_of_nobody_is_out_of_date),
	KR_TEST(a_lost_device_gives_its_slots_back),
	KR_TEST_FLAGS(a_device_is_lost_on_any_thread, KR_TEST_KEEPS_MEMORY),
	KR_TEST(a_surface_that_dies_says_so_everywhere),
};

KR_TEST_MAIN(tests)
