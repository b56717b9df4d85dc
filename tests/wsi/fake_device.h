/* SPDX-License-Identifier: Apache-2.0 */
/* A device on the fake driver, and what a program does with swapchains on it. */
#ifndef KR_TESTS_WSI_FAKE_DEVICE_H
#define KR_TESTS_WSI_FAKE_DEVICE_H

#include <stdint.h>
#include "wsi/wsi.h"

/* What the device is one of. */
const struct kr_wsi_gpu *fake_gpu(void);
/* After fake_driver_init; fails the test when there is none. */
struct kr_wsi_device *fake_device_create(void);
/* 320x200, three images. */
VkSwapchainCreateInfoKHR fake_swapchain_info(VkPresentModeKHR mode);
VkResult fake_acquire(
	struct kr_wsi_device *device, VkSwapchainKHR swapchain, uint64_t timeout, uint32_t *index);
VkResult fake_present(struct kr_wsi_device *device, VkSwapchainKHR swapchain, uint32_t index);

#endif
