/* SPDX-License-Identifier: Apache-2.0 */
/* The adapter's small parts: lookup of handles, gralloc usage. */
#include "gpu.h"

#include <pthread.h>
#include <string.h>

#include <krafla/hardware_buffer.h>

#include "adapter/handle_map.h"
#include "fake_icd.h"

static struct kr_adapter_handle_map map = KR_HANDLE_MAP_INITIALIZER;
static char handles[300];

static size_t
used_slots(void)
{
	size_t used = 0;

	for (struct kr_adapter_handle_chunk *chunk = &map.first; chunk; chunk = chunk->next)
		used += chunk->used;
	return used;
}

static void
map_grows_and_reuses(void **state)
{
	for (size_t i = 0; i < sizeof(handles); i++)
		assert_int_equal(kr_adapter_handle_map_put(&map, &handles[i], &handles[i] + 1), 0);
	for (size_t i = 0; i < sizeof(handles); i++)
		assert_ptr_equal(kr_adapter_handle_map_get(&map, &handles[i]), &handles[i] + 1);
	assert_null(kr_adapter_handle_map_get(&map, &map));
	assert_null(kr_adapter_handle_map_get(&map, NULL));
	for (size_t i = 0; i < sizeof(handles); i += 2)
		kr_adapter_handle_map_remove(&map, &handles[i]);
	kr_adapter_handle_map_remove(&map, &handles[0]);
	kr_adapter_handle_map_remove(&map, NULL);
	for (size_t i = 0; i < sizeof(handles); i++)
		assert_true(!!kr_adapter_handle_map_get(&map, &handles[i]) == (i % 2));
	/* Freed slots come before new ones. */
	for (size_t i = 0; i < sizeof(handles); i += 2)
		assert_int_equal(kr_adapter_handle_map_put(&map, &handles[i], &map), 0);
	assert_int_equal(used_slots(), sizeof(handles));
	assert_ptr_equal(kr_adapter_handle_map_get(&map, &handles[0]), &map);
	assert_ptr_equal(kr_adapter_handle_map_get(&map, &handles[1]), &handles[2]);
}

static void *
come_and_go(void *data)
{
	char *own = data;

	for (int i = 0; i < 20000; i++) {
		if (kr_adapter_handle_map_put(&map, own, own + 1))
			return NULL;
		if (kr_adapter_handle_map_get(&map, own) != own + 1)
			return NULL;
		kr_adapter_handle_map_remove(&map, own);
		if (kr_adapter_handle_map_get(&map, own))
			return NULL;
	}
	return own;
}

static void
map_serves_many_threads(void **state)
{
	pthread_t threads[4];
	void *result;

	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, come_and_go, &handles[i * 2]), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++) {
		pthread_join(threads[i], &result);
		assert_ptr_equal(result, &handles[i * 2]);
	}
}

/* W-03 */
static void
usage_is_what_gralloc_has(void **state)
{
	uint64_t consumer = 0, producer = 0;
	const VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
	struct gpu gpu;
	int old = 0;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	assert_int_equal(
		gpu.gralloc_usage(gpu.device, VK_FORMAT_R8G8B8A8_UNORM, usage, &old), VK_SUCCESS);
	assert_int_equal(old, 0x203);
	assert_int_equal(gpu.gralloc_usage2(gpu.device, VK_FORMAT_B8G8R8A8_SRGB,
				 usage | VK_IMAGE_USAGE_SAMPLED_BIT, 0, &consumer, &producer),
		VK_SUCCESS);
	assert_int_equal(consumer, 0x100);
	assert_int_equal(producer, 0x206);
	assert_int_equal(gpu.gralloc_usage2(gpu.device, VK_FORMAT_R8G8B8A8_UNORM, usage,
				 VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID, &consumer, &producer),
		VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_int_equal(gpu.gralloc_usage(gpu.device, VK_FORMAT_D32_SFLOAT, usage, &old),
		VK_ERROR_FORMAT_NOT_SUPPORTED);
	fake.fail = "vkGetPhysicalDeviceImageFormatProperties";
	fake.fail_result = VK_ERROR_FORMAT_NOT_SUPPORTED;
	old = 77;
	assert_int_equal(gpu.gralloc_usage(gpu.device, VK_FORMAT_R8G8B8A8_UNORM, usage, &old),
		VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_int_equal(old, 77);
	gpu_finish_fake(&gpu);
}

/* Swapchains that are left to the driver are left to it altogether. */
static void
driver_swapchains_pass_through(void **state)
{
	const VkImageSwapchainCreateInfoKHR chain = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR,
		.swapchain = (VkSwapchainKHR)(uintptr_t)0x1000,
	};
	const VkBindImageMemorySwapchainInfoKHR bind = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR,
		.swapchain = chain.swapchain,
	};
	VkImageCreateInfo info = gpu_image_info(VK_FORMAT_R8G8B8A8_UNORM, 16, 16, &chain);
	VkBindImageMemoryInfo memory = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &bind};
	const struct gpu_options options = {
		.keep_driver_wsi = true, .extension = "VK_KHR_swapchain"};
	struct gpu gpu;

	fake_reset();
	gpu_init_fake(&gpu, &options);
	assert_int_equal(gpu.d.CreateImage(gpu.device, &info, NULL, &memory.image), VK_SUCCESS);
	assert_ptr_equal(fake.last_image.pNext, &chain);
	assert_int_equal(fake.last_image.tiling, VK_IMAGE_TILING_OPTIMAL);
	assert_int_equal(gpu.d.BindImageMemory2(gpu.device, 1, &memory), VK_SUCCESS);
	gpu.d.DestroyImage(gpu.device, memory.image, NULL);
	gpu_finish_fake(&gpu);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(map_grows_and_reuses, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(map_serves_many_threads, KR_TEST_KEEPS_MEMORY),
	KR_TEST(usage_is_what_gralloc_has),
	KR_TEST(driver_swapchains_pass_through),
};
KR_TEST_MAIN(tests)
