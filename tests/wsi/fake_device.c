/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_device.h"

#include "harness.h"

#include "fake_driver.h"

const struct kr_wsi_gpu *
fake_gpu(void)
{
	static const struct kr_wsi_gpu gpu = {
		.functions = &fake.instance,
		.native_buffer = true,
		.native_buffer_version = 8,
	};

	return &gpu;
}

struct kr_wsi_device *
fake_device_create(void)
{
	const struct kr_wsi_device_info info = {
		.device = (VkDevice)(uintptr_t)0x1000,
		.get_device_proc_addr = fake_get_device_proc_addr,
		.functions = &fake.device,
		.gpu = *fake_gpu(),
	};
	struct kr_wsi_device *device;

	assert_int_equal(kr_wsi_device_create(&info, &device), VK_SUCCESS);
	return device;
}

VkSwapchainCreateInfoKHR
fake_swapchain_info(VkPresentModeKHR mode)
{
	return (VkSwapchainCreateInfoKHR){
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.minImageCount = 3,
		.imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
		.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
		.imageExtent = {320, 200},
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha = VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
		.presentMode = mode,
		.clipped = VK_TRUE,
	};
}

VkResult
fake_acquire(
	struct kr_wsi_device *device, VkSwapchainKHR swapchain, uint64_t timeout, uint32_t *index)
{
	const VkAcquireNextImageInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR,
		.swapchain = swapchain,
		.timeout = timeout,
		.semaphore = (VkSemaphore)(uintptr_t)0x51,
		.fence = (VkFence)(uintptr_t)0xfe,
		.deviceMask = 1,
	};

	return kr_wsi_acquire_next_image(device, &info, index);
}

VkResult
fake_present(struct kr_wsi_device *device, VkSwapchainKHR swapchain, uint32_t index)
{
	const VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.swapchainCount = 1,
		.pSwapchains = &swapchain,
		.pImageIndices = &index,
	};

	return kr_wsi_queue_present(device, (VkQueue)(uintptr_t)0x9, &info);
}
