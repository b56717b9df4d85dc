/* SPDX-License-Identifier: Apache-2.0 */
/* Images of the application over swapchain buffers, and private data. */
#include "harness.h"

#include <string.h>

#include "rig.h"
#include "util/macros.h"

#define DEVICE_SLOT(n) ((VkPrivateDataSlot)(uintptr_t)(0x500 + (n)))

/* W-02, W-06 */
static void
our_handle_does_not_reach_the_driver(void **state)
{
	VkImageFormatListCreateInfo list = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO};
	VkImageSwapchainCreateInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR};
	VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .pNext = &list};
	struct rig rig;
	VkImage image;

	rig_init(&rig, false);
	list.pNext = &of;
	of.swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_wsi_create_image(rig.device, &info, NULL, &image), VK_SUCCESS);
	assert_true(fake.image_had_swapchain_info);
	assert_null(fake.image_swapchain);
	assert_ptr_not_equal(fake.image_info.pNext, &list);
	fake.device.DestroyImage(NULL, image, NULL);
	rig_destroy(&rig, of.swapchain);
	/* The driver's own swapchains and images without any are none of our business. */
	of.swapchain = (VkSwapchainKHR)(uintptr_t)0xd000;
	assert_int_equal(kr_wsi_create_image(rig.device, &info, NULL, &image), VK_SUCCESS);
	assert_ptr_equal(fake.image_swapchain, of.swapchain);
	assert_ptr_equal(fake.image_info.pNext, &list);
	fake.device.DestroyImage(NULL, image, NULL);
	rig_finish(&rig);
}

/* W-06 */
static void
a_bind_gets_the_native_buffer(void **state)
{
	VkBindImageMemorySwapchainInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR, .imageIndex = 1};
	VkBindImageMemoryDeviceGroupInfo group = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_DEVICE_GROUP_INFO, .pNext = &of};
	VkBindImageMemoryInfo infos[2] = {
		{.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
			.memory = (VkDeviceMemory)(uintptr_t)0x77},
		{.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &group},
	};
	PFN_vkBindImageMemory2 bind;
	struct rig rig;

	rig_init(&rig, false);
	of.swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_wsi_bind_image_memory2(rig.device, 2, infos), VK_SUCCESS);
	assert_int_equal(fake.binds, 2);
	assert_true(fake.bind_had_native);
	assert_true(fake.bind_had_device_group);
	assert_null(fake.bind_swapchain);
	assert_ptr_equal(fake.bind_handle, fake.images[1].native.handle);
	assert_non_null(of.swapchain);
	/* Drivers of version 1.0 have the function by its other name. */
	bind = fake.device.BindImageMemory2;
	fake.device.BindImageMemory2 = NULL;
	fake.device.BindImageMemory2KHR = bind;
	assert_int_equal(kr_wsi_bind_image_memory2(rig.device, 2, infos), VK_SUCCESS);
	assert_int_equal(fake.binds, 4);
	rig_destroy(&rig, of.swapchain);
	rig_finish(&rig);
}

/* W-06 */
static void
an_image_that_does_not_exist_is_an_error(void **state)
{
	VkBindImageMemorySwapchainInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR, .imageIndex = 3};
	VkBindImageMemoryInfo infos[2] = {
		{.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO},
		{.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &of},
	};
	struct rig rig;

	rig_init(&rig, false);
	of.swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_wsi_bind_image_memory2(rig.device, 2, infos), VK_ERROR_UNKNOWN);
	of.imageIndex = UINT32_MAX;
	assert_int_equal(kr_wsi_bind_image_memory2(rig.device, 2, infos), VK_ERROR_UNKNOWN);
	assert_int_equal(fake.binds, 0);
	of.imageIndex = 2;
	assert_int_equal(kr_wsi_bind_image_memory2(rig.device, 2, infos), VK_SUCCESS);
	rig_destroy(&rig, of.swapchain);
	rig_finish(&rig);
}

/* W-06 is version 8's: before that a driver knows nothing of the buffer in the chain. */
static void
an_old_driver_is_not_asked_to_bind(void **state)
{
	VkBindImageMemorySwapchainInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR};
	VkBindImageMemoryInfo info = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &of};
	struct kr_wsi_device_info device = {
		.device = (VkDevice)(uintptr_t)0x1000,
		.get_device_proc_addr = fake_get_device_proc_addr,
		.functions = &fake.device,
	};
	struct rig rig;

	rig_init(&rig, false);
	kr_wsi_device_destroy(rig.device);
	device.gpu = rig.gpu;
	device.gpu.native_buffer_version = 7;
	assert_int_equal(kr_wsi_device_create(&device, &rig.device), VK_SUCCESS);
	of.swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_wsi_bind_image_memory2(rig.device, 1, &info), VK_ERROR_UNKNOWN);
	assert_int_equal(fake.binds, 0);
	/* Other images are its own business. */
	info.pNext = NULL;
	assert_int_equal(kr_wsi_bind_image_memory2(rig.device, 1, &info), VK_SUCCESS);
	assert_int_equal(fake.binds, 1);
	rig_destroy(&rig, of.swapchain);
	rig_finish(&rig);
}

/* A structure before ours that nobody knows the size of can't be copied: an error, not a guess. */
static void
an_unknown_predecessor_is_an_error(void **state)
{
	VkBindImageMemorySwapchainInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR};
	VkBaseInStructure unknown = {
		.sType = (VkStructureType)0x7ffffff0, .pNext = (const VkBaseInStructure *)&of};
	VkBindImageMemoryInfo info = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &unknown};
	struct rig rig;

	rig_init(&rig, false);
	of.swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_wsi_bind_image_memory2(rig.device, 1, &info), VK_ERROR_UNKNOWN);
	assert_int_equal(fake.binds, 0);
	/* Behind ours it is only passed on. */
	unknown.pNext = NULL;
	of.pNext = &unknown;
	info.pNext = &of;
	assert_int_equal(kr_wsi_bind_image_memory2(rig.device, 1, &info), VK_SUCCESS);
	rig_destroy(&rig, of.swapchain);
	rig_finish(&rig);
}

/* Several at once, ours and others; each allocation on the way may fail, and nothing is bound. */
static void
binds_without_memory_bind_nothing(void **state)
{
	VkBindImageMemorySwapchainInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR, .imageIndex = 1};
	VkBindImageMemoryDeviceGroupInfo group = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_DEVICE_GROUP_INFO, .pNext = &of};
	VkBindImageMemoryInfo infos[64] = {0};
	struct kr_wsi_device_info device = {
		.device = (VkDevice)(uintptr_t)0x1000,
		.get_device_proc_addr = fake_get_device_proc_addr,
		.functions = &fake.device,
	};
	struct alloc_probe probe;
	VkResult result;
	struct rig rig;

	rig_init(&rig, false);
	alloc_probe_init(&probe);
	kr_wsi_device_destroy(rig.device);
	device.gpu = rig.gpu;
	device.allocator = &probe.callbacks;
	assert_int_equal(kr_wsi_device_create(&device, &rig.device), VK_SUCCESS);
	of.swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	for (uint32_t i = 0; i < KR_ARRAY_LEN(infos); i++)
		infos[i] =
			(VkBindImageMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
				.pNext = i % 2 ? &group : NULL};
	for (uint32_t fail_at = 1;; fail_at++) {
		int live = probe.live;

		probe.count = 0;
		probe.fail_at = fail_at;
		result = kr_wsi_bind_image_memory2(rig.device, KR_ARRAY_LEN(infos), infos);
		assert_int_equal(probe.live, live);
		if (result == VK_SUCCESS)
			break;
		assert_int_equal(result, VK_ERROR_OUT_OF_HOST_MEMORY);
		assert_int_equal(fake.binds, 0);
	}
	assert_int_equal(fake.binds, KR_ARRAY_LEN(infos));
	assert_true(probe.fail_at > 1);
	rig_destroy(&rig, of.swapchain);
	rig_finish(&rig);
	assert_int_equal(probe.live, 0);
}

/* W-02 */
static void
private_data_stays_with_the_swapchain(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR first, second;
	struct rig rig;

	rig_init(&rig, false);
	first = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	info.oldSwapchain = first;
	assert_int_equal(
		kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &second), VK_SUCCESS);
	for (uint64_t i = 0; i < 20; i++) {
		assert_int_equal(kr_wsi_get_private_data(rig.device, first, DEVICE_SLOT(i)), 0);
		assert_int_equal(
			kr_wsi_set_private_data(rig.device, first, DEVICE_SLOT(i), i << 40),
			VK_SUCCESS);
	}
	for (uint64_t i = 0; i < 20; i++) {
		assert_true(kr_wsi_get_private_data(rig.device, first, DEVICE_SLOT(i)) == i << 40);
		assert_int_equal(kr_wsi_get_private_data(rig.device, second, DEVICE_SLOT(i)), 0);
	}
	assert_int_equal(kr_wsi_set_private_data(rig.device, first, DEVICE_SLOT(3), 7), VK_SUCCESS);
	assert_int_equal(kr_wsi_get_private_data(rig.device, first, DEVICE_SLOT(3)), 7);
	kr_wsi_forget_private_data(rig.device, DEVICE_SLOT(3));
	assert_int_equal(kr_wsi_get_private_data(rig.device, first, DEVICE_SLOT(3)), 0);
	assert_true(
		kr_wsi_get_private_data(rig.device, first, DEVICE_SLOT(19)) == UINT64_C(19) << 40);
	rig_destroy(&rig, first);
	rig_destroy(&rig, second);
	rig_finish(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(our_handle_does_not_reach_the_driver),
	KR_TEST(a_bind_gets_the_native_buffer),
	KR_TEST(an_image_that_does_not_exist_is_an_error),
	KR_TEST(an_old_driver_is_not_asked_to_bind),
	KR_TEST(an_unknown_predecessor_is_an_error),
	KR_TEST(binds_without_memory_bind_nothing),
	KR_TEST(private_data_stays_with_the_swapchain),
};

KR_TEST_MAIN(tests)
