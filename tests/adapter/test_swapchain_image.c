/* SPDX-License-Identifier: Apache-2.0 */
/* Images that an application makes for a swapchain itself, on lavapipe. */
#include "gpu.h"

#include <krafla/hardware_buffer.h>

#include "adapter/image.h"
#include "adapter/tuning.h"

#define SIZE 48
static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

/* A handle that nobody may follow. */
static const VkSwapchainKHR poison = (VkSwapchainKHR)(uintptr_t)0x10;

static VkImage
swapchain_image(struct gpu *gpu, VkSwapchainKHR swapchain)
{
	const VkImageSwapchainCreateInfoKHR chain = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR,
		.swapchain = swapchain,
	};
	VkImageCreateInfo info = gpu_image_info(format, SIZE, SIZE, &chain);
	VkImage image;

	assert_int_equal(gpu->d.CreateImage(gpu->device, &info, NULL, &image), VK_SUCCESS);
	return image;
}

static VkResult
bind(struct gpu *gpu, VkImage image, const struct kr_buffer *buffer, VkSwapchainKHR swapchain)
{
	const VkBindImageMemorySwapchainInfoKHR chain = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR,
		.swapchain = swapchain,
	};
	VkNativeBufferANDROID native;
	VkBindImageMemoryInfo info = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
		.pNext = &chain,
		.image = image,
	};

	if (buffer) {
		gpu_native_buffer(buffer, &native);
		native.pNext = &chain;
		info.pNext = &native;
	}
	return gpu->d.BindImageMemory2(gpu->device, 1, &info);
}

/* The application draws to its own image, the platform releases the swapchain's. */
static void
check_alias(bool destroy_alias_last)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
	struct gpu gpu;
	VkImage image, alias;

	gpu_init(&gpu, NULL);
	image = gpu_image(&gpu, buffer, format);
	alias = swapchain_image(&gpu, VK_NULL_HANDLE);
	assert_int_equal(bind(&gpu, alias, buffer, VK_NULL_HANDLE), VK_SUCCESS);
	gpu_drawing_finish(&gpu, gpu_draw(&gpu, alias, format, SIZE, SIZE, NULL, NULL));
	gpu_release(&gpu, gpu.queue, 0, NULL, image);
	gpu_assert_picture(&gpu, buffer, format);
	gpu.d.DestroyImage(gpu.device, destroy_alias_last ? image : alias, NULL);
	gpu.d.DestroyImage(gpu.device, destroy_alias_last ? alias : image, NULL);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

/* W-06 */
static void
alias_shares_imported_memory(void **state)
{
	check_alias(false);
	check_alias(true);
}

/* W-06 */
static void
alias_shares_copied_memory(void **state)
{
	kr_adapter_tuning.no_host_image = true;
	check_alias(false);
	check_alias(true);
}

/* A buffer for which the device has no other image: then the image is all there is. */
static void
check_alone(void)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
	struct gpu gpu;
	VkImage image;
	int fence;

	gpu_init(&gpu, NULL);
	image = swapchain_image(&gpu, VK_NULL_HANDLE);
	assert_int_equal(gpu.release(gpu.queue, 0, NULL, image, &fence), VK_ERROR_UNKNOWN);
	assert_int_equal(bind(&gpu, image, buffer, VK_NULL_HANDLE), VK_SUCCESS);
	assert_int_equal(
		bind(&gpu, image, buffer, VK_NULL_HANDLE), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	gpu_drawing_finish(&gpu, gpu_draw(&gpu, image, format, SIZE, SIZE, NULL, NULL));
	gpu_release(&gpu, gpu.queue, 0, NULL, image);
	gpu_assert_picture(&gpu, buffer, format);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

/* W-06 */
static void
image_binds_a_buffer_alone(void **state)
{
	check_alone();
	kr_adapter_tuning.no_host_image = true;
	check_alone();
	kr_adapter_tuning.no_host_buffer = true;
	check_alone();
}

/* An image that lies in its buffer was made before the buffer was known: the rows have to fit. */
static void
wider_buffers_are_refused(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 90, SIZE);
	struct gpu gpu;
	VkImage image;

	gpu_init(&gpu, NULL);
	image = swapchain_image(&gpu, VK_NULL_HANDLE);
	assert_int_equal(
		bind(&gpu, image, buffer, VK_NULL_HANDLE), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

/* Mesa would take the handle for a swapchain of its own and follow it (W-02). */
static void
swapchain_handles_never_reach_the_driver(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
	struct gpu gpu;
	VkImage image;

	gpu_init(&gpu, NULL);
	image = swapchain_image(&gpu, poison);
	assert_int_equal(bind(&gpu, image, NULL, poison), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_int_equal(bind(&gpu, image, buffer, poison), VK_SUCCESS);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	/* An image of another kind loses the structure, too. */
	{
		const VkImageSwapchainCreateInfoKHR chain = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR,
			.swapchain = poison,
		};
		VkImageCreateInfo info = gpu_image_info(format, SIZE, SIZE, &chain);

		info.mipLevels = 2;
		assert_int_equal(gpu.d.CreateImage(gpu.device, &info, NULL, &image), VK_SUCCESS);
		gpu.d.DestroyImage(gpu.device, image, NULL);
	}
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

/* Ordinary infos beside ours go to the driver, in their order. */
static void
ordinary_images_bind_beside(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
	VkImageCreateInfo plain = gpu_image_info(format, SIZE, SIZE, NULL);
	const VkMemoryAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 1 << 20};
	VkBindImageMemoryInfo infos[3] = {
		{.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO},
		{.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO},
		{.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO},
	};
	VkNativeBufferANDROID native;
	VkDeviceMemory memory;
	struct gpu gpu;

	gpu_init(&gpu, NULL);
	gpu_native_buffer(buffer, &native);
	assert_int_equal(gpu.d.AllocateMemory(gpu.device, &allocate, NULL, &memory), VK_SUCCESS);
	assert_int_equal(gpu.d.CreateImage(gpu.device, &plain, NULL, &infos[0].image), VK_SUCCESS);
	assert_int_equal(gpu.d.CreateImage(gpu.device, &plain, NULL, &infos[2].image), VK_SUCCESS);
	infos[0].memory = infos[2].memory = memory;
	infos[1].image = swapchain_image(&gpu, VK_NULL_HANDLE);
	infos[1].pNext = &native;
	assert_int_equal(gpu.d.BindImageMemory2(gpu.device, 3, infos), VK_SUCCESS);
	/* All three can be drawn to. */
	for (int i = 0; i < 3; i++) {
		gpu_drawing_finish(
			&gpu, gpu_draw(&gpu, infos[i].image, format, SIZE, SIZE, NULL, NULL));
		gpu.d.DestroyImage(gpu.device, infos[i].image, NULL);
	}
	gpu_assert_picture(&gpu, buffer, format);
	gpu.d.FreeMemory(gpu.device, memory, NULL);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

/* A buffer can't be bound to just any image. */
static void
buffers_bind_to_swapchain_images_only(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
	struct kr_buffer *small = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 8, 8);
	VkImageCreateInfo plain = gpu_image_info(format, SIZE, SIZE, NULL);
	struct gpu gpu;
	VkImage image;

	gpu_init(&gpu, NULL);
	assert_int_equal(gpu.d.CreateImage(gpu.device, &plain, NULL, &image), VK_SUCCESS);
	assert_int_equal(
		bind(&gpu, image, buffer, VK_NULL_HANDLE), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	image = swapchain_image(&gpu, VK_NULL_HANDLE);
	assert_int_equal(
		bind(&gpu, image, small, VK_NULL_HANDLE), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_int_equal(bind(&gpu, image, buffer, VK_NULL_HANDLE), VK_SUCCESS);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish(&gpu);
	kr_buffer_unref(small);
	kr_buffer_unref(buffer);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(alias_shares_imported_memory, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(alias_shares_copied_memory, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(image_binds_a_buffer_alone, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(wider_buffers_are_refused, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(swapchain_handles_never_reach_the_driver, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(ordinary_images_bind_beside, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(buffers_bind_to_swapchain_images_only, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
