/* SPDX-License-Identifier: Apache-2.0 */
/* Vulkan's present modes and the windows'. */
#include "wsi/surface/present_mode.h"

#include "util/macros.h"

static const VkPresentModeKHR vulkan[KR_PRESENT_MODE_COUNT] = {
	[KR_PRESENT_FIFO] = VK_PRESENT_MODE_FIFO_KHR,
	[KR_PRESENT_MAILBOX] = VK_PRESENT_MODE_MAILBOX_KHR,
	[KR_PRESENT_IMMEDIATE] = VK_PRESENT_MODE_IMMEDIATE_KHR,
	[KR_PRESENT_FIFO_RELAXED] = VK_PRESENT_MODE_FIFO_RELAXED_KHR,
	[KR_PRESENT_FIFO_LATEST_READY] = VK_PRESENT_MODE_FIFO_LATEST_READY_KHR,
	[KR_PRESENT_SHARED_DEMAND] = VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR,
	[KR_PRESENT_SHARED_CONTINUOUS] = VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR,
};

bool
kr_wsi_present_mode_from_vulkan(VkPresentModeKHR mode, enum kr_present_mode *out)
{
	for (uint32_t i = 0; i < KR_ARRAY_LEN(vulkan); i++) {
		if (vulkan[i] != mode)
			continue;
		*out = (enum kr_present_mode)i;
		return true;
	}
	return false;
}

VkPresentModeKHR
kr_wsi_present_mode_to_vulkan(enum kr_present_mode mode)
{
	return vulkan[mode];
}
