/* SPDX-License-Identifier: Apache-2.0 */
/* Present fences (VK_EXT_swapchain_maintenance1). */
#ifndef KR_WSI_PRESENT_FENCE_H
#define KR_WSI_PRESENT_FENCE_H

#include "util/macros.h"
#include "util/vulkan.h"
#include "wsi/device.h"

/*
 * Signals a fence when the queue operations of the present are done, whose release on this queue
 * has just been called. VK_NULL_HANDLE is nothing.
 */
VkResult kr_wsi_present_fence_signal(struct kr_wsi_device *device, VkQueue queue, VkFence fence)
	KR_MUST_CHECK;

#endif
