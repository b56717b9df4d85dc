/* SPDX-License-Identifier: Apache-2.0 */
/* What is chained to a present, for one of its swapchains. */
#ifndef KR_WSI_PRESENT_REQUEST_H
#define KR_WSI_PRESENT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_wsi_present_request {
	const VkPresentRegionKHR *region; /* NULL: all of it */
	uint64_t id;                      /* 0: none */
	VkFence fence;                    /* or VK_NULL_HANDLE */
	bool has_mode;
	VkPresentModeKHR mode;
	const VkPresentTimeGOOGLE *google;    /* NULL: nothing said */
	const VkPresentTimingInfoEXT *timing; /* likewise */
	/* VkDeviceGroupPresentInfoKHR; without one 1 and LOCAL. */
	uint32_t device_mask;
	VkDeviceGroupPresentModeFlagsKHR group_mode;
};

/* Of the swapchain at `place`. Structures of no or too few elements don't speak of it. */
void kr_wsi_present_request_read(
	struct kr_wsi_present_request *request, const VkPresentInfoKHR *info, uint32_t place);

#endif
