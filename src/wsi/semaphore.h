/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary semaphores of our own, which stand in for the application's when one present has to be
 * waited for by several parties (DESIGN 5.1).
 *
 * One may be signalled again only after its wait is over. For an image of ours that is so
 * when the image has been acquired again, hence one an image. For the driver's part of a
 * present nothing says so but the same rule for its images, hence one for each (swapchain,
 * image) that led a present.
 */
#ifndef KR_WSI_SEMAPHORE_H
#define KR_WSI_SEMAPHORE_H

#include <stdint.h>
#include "util/list.h"
#include "util/macros.h"
#include "util/vulkan.h"
#include "wsi/device.h"

/* That the device is lost is for the callers of these to note (kr_wsi_note_result). */

struct kr_wsi_semaphore {
	struct kr_list link; /* kr_wsi_device.semaphores */
	VkSemaphore handle;
	VkSwapchainKHR swapchain; /* the driver's that it is for; null: an image's of ours */
	uint32_t index;
};

VkResult kr_wsi_semaphore_create(struct kr_wsi_device *device, struct kr_wsi_semaphore **semaphore)
	KR_MUST_CHECK;
/* NULL is nothing. Nothing may wait for it any more. */
void kr_wsi_semaphore_destroy(struct kr_wsi_device *device, struct kr_wsi_semaphore *semaphore);

/* The one for presents that the driver's (swapchain, index) leads. It stays the device's. */
VkResult kr_wsi_semaphore_for_driver(struct kr_wsi_device *device, VkSwapchainKHR swapchain,
	uint32_t index, struct kr_wsi_semaphore **semaphore) KR_MUST_CHECK;
/*
 * It was signalled and nobody will wait for it: never used again, destroyed with the device,
 * because the signal may still be pending.
 */
void kr_wsi_semaphore_abandon(struct kr_wsi_device *device, struct kr_wsi_semaphore *semaphore);
/* With the device, which is idle then. */
void kr_wsi_semaphores_finish(struct kr_wsi_device *device);

#endif
