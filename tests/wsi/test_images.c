/* SPDX-License-Identifier: Apache-2.0 */
/* What the images of a swapchain are beyond plain ones, and what their buffers are made for. */
#include "harness.h"

#include <krafla/hardware_buffer.h>
#include <string.h>

#include "rig.h"
#include "util/macros.h"
#include "wsi/surface/usage_flags2.h"

#define NEVER UINT64_MAX
#define ALL_FLAGS                                                                                  \
	(VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR | VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR |      \
		VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT | 0x1c0)
#define MULTISAMPLED 0x100

static const VkFormat views[] = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB};

static VkResult
create(struct rig *rig, const VkSwapchainCreateInfoKHR *info, VkSwapchainKHR *swapchain)
{
	return kr_wsi_create_swapchain(rig->device, rig->surface, info, NULL, swapchain);
}

/* On a device that has all flags. */
static void
init_able(struct rig *rig, bool compression_control)
{
	rig_init(rig, false);
	rig->gpu.image_format2 = true;
	rig->gpu.swapchain_flags = ALL_FLAGS;
	rig_remake_device(rig, compression_control);
}

static void
mutable_formats_reach_the_driver(void **state)
{
	const VkImageFormatListCreateInfo list = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
		.viewFormatCount = KR_ARRAY_LEN(views),
		.pViewFormats = views,
	};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;

	init_able(&rig, false);
	info.pNext = &list;
	info.flags = VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_int_equal(fake.image_info.flags,
		VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT);
	assert_int_equal(fake.image_view_formats, 2);
	assert_true(fake.image_had_native);
	rig_destroy(&rig, swapchain);
	/* Only where the driver agrees, and with the swapchain's own format in the list. */
	fake.refused_flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
	assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
	fake.refused_flags = 0;
	info.imageFormat = VK_FORMAT_R8G8B8A8_UNORM;
	assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
	info.pNext = NULL;
	assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
	rig_finish(&rig);
}

static void
multisampled_swapchains_have_such_images(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;

	init_able(&rig, false);
	info.flags = MULTISAMPLED;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_int_equal(fake.image_info.flags,
		VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT);
	assert_int_equal(fake.image_info.samples, VK_SAMPLE_COUNT_1_BIT);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static void
compression_is_the_swapchains(void **state)
{
	const VkImageCompressionControlEXT control = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT,
		.flags = VK_IMAGE_COMPRESSION_DISABLED_EXT,
	};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;

	init_able(&rig, true);
	info.pNext = &control;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_true(fake.image_had_compression);
	rig_destroy(&rig, swapchain);
	fake.refuses_compression = true;
	assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
	fake.refuses_compression = false;
	/* Never without the feature. */
	rig_remake_device(&rig, false);
	assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
	rig_finish(&rig);
}

static void
flags_without_their_extension_are_refused(void **state)
{
	static const VkSwapchainCreateFlagsKHR flags[] = {
		VK_SWAPCHAIN_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT_KHR,
		VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR, VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR,
		VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT, MULTISAMPLED, 0x40, 0x80};
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;
	struct rig rig;

	rig_init(&rig, false);
	for (size_t i = 0; i < KR_ARRAY_LEN(flags); i++) {
		VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);

		info.flags = flags[i];
		assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
		assert_null(swapchain);
	}
	rig_finish(&rig);
}

/* W-03: version 11 says what AHardwareBuffers of such images need, also in sRGB. */
static void
usage_comes_from_hardware_buffers_first(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;

	init_able(&rig, false);
	rig.gpu.native_buffer_version = 11;
	fake.usage_version = 4;
	fake.usage = 0x200;
	fake.hardware_usage =
		AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE;
	rig_remake_device(&rig, false);
	info.imageFormat = VK_FORMAT_B8G8R8A8_SRGB;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_int_equal(fake.format2_asks, 1);
	assert_int_equal(fake.format2_format, VK_FORMAT_B8G8R8A8_UNORM);
	assert_int_equal(fake.usages_asked, 0);
	/* With what the consumer asks for. */
	assert_int_equal(fake.images[0].native.usage3,
		fake.hardware_usage | AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN);
	assert_non_null(fake.images[0].native.ahb);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/*
 * android-platform 7.3, 8: a driver that refuses a question, or leaves the answer alone, is asked
 * the next one.
 */
static void
fault_8_a_refused_usage_falls_on(void **state)
{
	struct rig rig;

	init_able(&rig, false);
	rig.gpu.native_buffer_version = 11;
	fake.usage_version = 4;
	fake.usage = 0x333;
	fake.hardware_usage = 0x100;
	fake.usage_result = VK_ERROR_FORMAT_NOT_SUPPORTED;
	rig_remake_device(&rig, false);
	for (uint32_t version = 4; version >= 1; version--) {
		VkSwapchainKHR swapchain;

		fake.usages_asked = 0;
		fake.usages_refused |= 1u << (version == 4 ? 11 : version + 1);
		swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
		assert_true(fake.usages_asked & 1u << version);
		assert_false(fake.usages_asked & ((1u << version) - 1));
		assert_int_equal(fake.images[0].native.usage3, 0x333);
		rig_destroy(&rig, swapchain);
	}
	/* Left alone. */
	fake.usages_refused = fake.usages_asked = 0;
	fake.usage_result = VK_SUCCESS;
	fake.hardware_usage = 0;
	rig_destroy(&rig, rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR));
	assert_int_equal(fake.usages_asked, 1u << 4);
	rig_finish(&rig);
}

/* No memory isn't a refusal. */
static void
usage_without_memory_is_an_error(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;

	init_able(&rig, false);
	fake.usage_version = 4;
	fake.usage_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	rig_remake_device(&rig, false);
	assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(fake.usages_asked, 1u << 4);
	fake.usage_result = VK_ERROR_FORMAT_NOT_SUPPORTED;
	assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
	assert_int_equal(fake.usages_asked, 0x1e);
	rig_finish(&rig);
}

/* Images get their buffers when they are acquired first, and in that order. */
static void
deferred_images_get_buffers_when_acquired(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;

	init_able(&rig, false);
	info.flags = VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_int_equal(rig.window.dequeues, 0);
	assert_int_equal(fake.images_live, 3);
	assert_false(fake.image_had_native);
	assert_true(fake.image_had_swapchain_info);
	assert_null(fake.image_swapchain); /* W-02 */
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t index = 77;

		assert_int_equal(fake.binds, i);
		assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
		assert_int_equal(index, i);
		assert_int_equal((uintptr_t)fake.bind_image, i + 1);
		assert_null(fake.bind_swapchain);
	}
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(rig_present(&rig, swapchain, i), VK_SUCCESS);
	for (uint32_t i = 0; i < 6; i++) {
		uint32_t index = 77;

		assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
		assert_int_equal(rig_present(&rig, swapchain, index), VK_SUCCESS);
	}
	assert_int_equal(fake.binds, 3);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* A driver that can't bind gets its buffers at once. */
static void
deferring_is_a_permission(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;

	init_able(&rig, false);
	rig.gpu.native_buffer_version = 7;
	rig_remake_device(&rig, false);
	info.flags = VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_int_equal(rig.window.dequeues, 3);
	assert_true(fake.image_had_native);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* android-platform 7.3, 9: what has no memory yet can't be bound to, and compression is kept. */
static void
fault_9_deferred_images_are_bound_with_care(void **state)
{
	const VkImageCompressionControlEXT control = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT};
	VkBindImageMemorySwapchainInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR};
	const VkBindImageMemoryInfo bind = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &of};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	struct rig rig;

	init_able(&rig, true);
	info.pNext = &control;
	info.flags = VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT;
	assert_int_equal(create(&rig, &info, &of.swapchain), VK_SUCCESS);
	assert_true(fake.image_had_compression);
	assert_int_equal(kr_wsi_bind_image_memory2(rig.device, 1, &bind), VK_ERROR_UNKNOWN);
	assert_int_equal(fake.binds, 0);
	/* A driver that can't bind it leaves the buffer with the window, and may be asked again. */
	fake.bind_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
	assert_int_equal(rig_acquire(&rig, of.swapchain, NEVER, &of.imageIndex),
		VK_ERROR_OUT_OF_DEVICE_MEMORY);
	assert_int_equal(rig.window.cancels, 1);
	fake.bind_result = VK_SUCCESS;
	assert_int_equal(rig_acquire(&rig, of.swapchain, NEVER, &of.imageIndex), VK_SUCCESS);
	assert_int_equal(kr_wsi_bind_image_memory2(rig.device, 1, &bind), VK_SUCCESS);
	assert_true(fake.bind_had_native);
	rig_destroy(&rig, of.swapchain);
	rig_finish(&rig);
}

/* In whatever order things are chained, images get theirs, and nothing that is the swapchain's. */
static void
orders_of_the_chain_make_no_difference(void **state)
{
	struct rig rig;

	rig_init_able(&rig);
	rig.gpu.image_format2 = true;
	rig.gpu.swapchain_flags = ALL_FLAGS;
	rig_remake_device(&rig, true);
	for (uint32_t order = 0; order < 120; order++) {
		static const VkPresentModeKHR modes[] = {
			VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR};
		VkImageFormatListCreateInfo list = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
			.viewFormatCount = KR_ARRAY_LEN(views),
			.pViewFormats = views,
		};
		VkImageCompressionControlEXT control = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT};
		VkSwapchainPresentModesCreateInfoEXT switched = {
			.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT,
			.presentModeCount = KR_ARRAY_LEN(modes),
			.pPresentModes = modes,
		};
		VkSwapchainPresentScalingCreateInfoEXT scaling = {
			.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT,
			.scalingBehavior = VK_PRESENT_SCALING_ASPECT_RATIO_STRETCH_BIT_EXT,
		};
		VkDeviceGroupSwapchainCreateInfoKHR group = {
			.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SWAPCHAIN_CREATE_INFO_KHR,
			.modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR,
		};
		VkBaseOutStructure *left[] = {(void *)&list, (void *)&control, (void *)&switched,
			(void *)&scaling, (void *)&group};
		VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
		VkSwapchainKHR swapchain;
		uint32_t rest = order;

		info.flags = VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
		for (uint32_t n = KR_ARRAY_LEN(left); n > 0; n--) {
			uint32_t next = rest % n;

			rest /= n;
			left[next]->pNext = (void *)(uintptr_t)info.pNext;
			info.pNext = left[next];
			left[next] = left[n - 1];
		}
		assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
		assert_true(fake.image_had_native);
		assert_true(fake.image_had_compression);
		assert_int_equal(fake.image_view_formats, 2);
		assert_int_equal(fake.image_chain, 3);
		rig_destroy(&rig, swapchain);
	}
	rig_finish(&rig);
}

/* VK_KHR_extended_flags: usage in 64 bits takes the place of the other; no newer one can be had. */
static void
usage_in_64_bits_counts(void **state)
{
	struct kr_wsi_usage_flags2 usage = {
		KR_IMAGE_USAGE_FLAGS_2, NULL, VK_IMAGE_USAGE_TRANSFER_DST_BIT};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;

	init_able(&rig, false);
	info.pNext = &usage;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_int_equal(fake.image_info.usage, VK_IMAGE_USAGE_TRANSFER_DST_BIT);
	rig_destroy(&rig, swapchain);
	usage.usage |= UINT64_C(1) << 40;
	assert_int_equal(create(&rig, &info, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
	rig_finish(&rig);
}

/* A device that bears shared images, on a window that has them. */
static void
init_shared(struct rig *rig, uint32_t native_version)
{
	rig_init_able(rig);
	rig->gpu.image_format2 = true;
	rig->gpu.native_buffer_version = native_version;
	fake.usage_version = 4;
	rig_remake_device(rig, false);
}

/* W-05 */
static void
shared_images_say_so(void **state)
{
	VkSwapchainCreateInfoKHR info =
		fake_swapchain_info(VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR);
	VkSwapchainKHR swapchain;
	uint32_t count = 0;
	struct rig rig;

	init_shared(&rig, 10);
	info.minImageCount = 1;
	assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
	assert_true(fake.image_had_flags);
	assert_true(fake.image_had_native);
	kr_wsi_get_swapchain_images(rig.device, swapchain, &count, NULL);
	assert_int_equal(count, 1);
	/* Version 10's question knows such images, and is asked about one. */
	assert_int_equal(fake.usages_of_shared, 1u << 4);
	rig_destroy(&rig, swapchain);
	fake.image_had_flags = false;
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_false(fake.image_had_flags);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* Who knows no shared images is asked last. */
static void
shared_usage_is_asked_of_who_knows_it(void **state)
{
	struct rig rig;

	init_shared(&rig, 10);
	fake.usage_result = VK_ERROR_FORMAT_NOT_SUPPORTED;
	fake.usages_refused = 1u << 4;
	rig_destroy(&rig, rig_swapchain(&rig, VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR));
	assert_int_equal(fake.usages_asked, 1u << 4 | 1u << 2);
	assert_int_equal(fake.usages_of_shared, 1u << 4 | 1u << 2);
	rig_finish(&rig);
}

/*
 * android-platform 7.3, 7: whether there are buffers that the far end reads meanwhile is asked in
 * the allocator's own format; AOSP asks in Vulkan's, of which most mean nothing there.
 */
static void
fault_7_front_buffers_are_asked_for_in_their_format(void **state)
{
	static const VkFormat formats[] = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB,
		VK_FORMAT_R5G6B5_UNORM_PACK16, VK_FORMAT_R16G16B16A16_SFLOAT};
	struct rig rig;

	init_shared(&rig, 11);
	fake.hardware_usage = 0x200;
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		VkSwapchainCreateInfoKHR info =
			fake_swapchain_info(VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR);
		VkSwapchainKHR swapchain;

		info.imageFormat = formats[i];
		assert_int_equal(create(&rig, &info, &swapchain), VK_SUCCESS);
		assert_int_equal(fake.usages_asked, 0);
		assert_true(fake.images[0].native.usage3 & UINT64_C(1) << 32);
		rig_destroy(&rig, swapchain);
	}
	rig_finish(&rig);
}

/* W-13: what means nothing here travels unchanged, from driver and consumer to the image. */
static void
usage_bits_that_mean_nothing_here_stay(void **state)
{
	const uint64_t vendors = UINT64_C(0xffff) << 48 | UINT64_C(0xf) << 28 | UINT64_C(1) << 40;
	VkSwapchainKHR swapchain;
	struct rig rig;

	init_able(&rig, false);
	fake.usage_version = 4;
	fake.usage = 0x300 | vendors;
	rig_remake_device(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_true(fake.images[0].native.usage3 ==
		(0x300 | vendors | AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN));
	assert_int_equal((uint32_t)fake.images[0].native.usage, (uint32_t)(0x303 | vendors));
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(mutable_formats_reach_the_driver),
	KR_TEST(multisampled_swapchains_have_such_images),
	KR_TEST(compression_is_the_swapchains),
	KR_TEST(orders_of_the_chain_make_no_difference),
	KR_TEST(usage_in_64_bits_counts),
	KR_TEST(flags_without_their_extension_are_refused),
	KR_TEST(usage_comes_from_hardware_buffers_first),
	KR_TEST(fault_8_a_refused_usage_falls_on),
	KR_TEST(shared_images_say_so),
	KR_TEST(shared_usage_is_asked_of_who_knows_it),
	KR_TEST(fault_7_front_buffers_are_asked_for_in_their_format),
	KR_TEST(usage_bits_that_mean_nothing_here_stay),
	KR_TEST(usage_without_memory_is_an_error),
	KR_TEST(deferred_images_get_buffers_when_acquired),
	KR_TEST(deferring_is_a_permission),
	KR_TEST(fault_9_deferred_images_are_bound_with_care),
};

KR_TEST_MAIN(tests)
