/* SPDX-License-Identifier: Apache-2.0 */
/* Presents of one swapchain and of several, ours and the driver's. */
#ifndef KR_TESTS_WSI_PRESENT_RIG_H
#define KR_TESTS_WSI_PRESENT_RIG_H

#include "rig.h"

#define QUEUE ((VkQueue)(uintptr_t)0x9)
/* A swapchain of the driver's. */
#define THEIRS(n) ((VkSwapchainKHR)(uintptr_t)(0xd000 + (n)))

/* An image, however long it takes. */
uint32_t acquired(struct rig *rig, VkSwapchainKHR swapchain);

/* A present of `count` swapchains with one semaphore of the application's, or with none. */
struct present {
	VkSemaphore semaphore;
	VkSwapchainKHR swapchains[32];
	uint32_t indices[32];
	VkResult results[32];
	VkPresentInfoKHR info;
};
void present_init(struct present *p, uint32_t count, bool wait);
/* The next present's semaphore may be another one. */
void present_forget_semaphore(const struct present *p);

/* Two surfaces with a swapchain each, on the same device. */
struct pair {
	struct rig rig;
	VkSwapchainKHR first;
	struct kr_queue *queue;
	struct kr_wsi_surface *surface;
	VkSwapchainKHR second;
};
void pair_init(struct pair *pair);
void pair_finish_second(struct pair *pair);
void pair_finish(struct pair *pair);
/* A present of an image of each. */
void pair_present_init(struct pair *pair, struct present *p, bool wait);

#endif
