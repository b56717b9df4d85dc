/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that has both kinds of swapchains: one of ours for a headless surface, and one of the
 * driver's own for a surface of its window system. The driver is the fake HAL.
 */
#ifndef KR_TESTS_LOADER_BOTH_SWAPCHAINS_H
#define KR_TESTS_LOADER_BOTH_SWAPCHAINS_H

#include "support.h"

struct both {
	struct fake_hal hal;
	struct fake_control *driver;
	struct loader l;
	VkSurfaceKHR headless, xcb;
	VkDevice device;
	VkQueue queue;
	VkSwapchainKHR ours, theirs;
};

void open_both(struct both *s);
/* The same with more device extensions: what the driver lists, and what is enabled; NULL ends. */
void open_both_with(struct both *s, const char *const *listed, const char *const *enabled);
/* Fails the case when a surface or an image of the driver is left. `ours` may be VK_NULL_HANDLE. */
void close_both(struct both *s);

VkSwapchainCreateInfoKHR both_info(VkSurfaceKHR surface, VkSwapchainKHR old);
VkResult both_create(
	struct both *s, VkSurfaceKHR surface, VkSwapchainKHR old, VkSwapchainKHR *swapchain);

#endif
