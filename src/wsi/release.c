/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vkReleaseSwapchainImages: acquired images go back to the window without being presented. The
 * driver isn't asked: what such an image holds is undefined for whoever has it next, and that is
 * the driver again, by another acquire (W-13).
 */
#include "wsi/swapchain.h"

#include "util/log.h"

VkResult
kr_wsi_release_swapchain_images(
	struct kr_wsi_device *device, const VkReleaseSwapchainImagesInfoEXT *info)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(info->swapchain);

	(void)device;
	/* A shared image stays the program's as long as its swapchain is there. */
	if (s->present.shared)
		return VK_SUCCESS;
	for (uint32_t i = 0; info->pImageIndices && i < info->imageIndexCount; i++) {
		uint32_t index = info->pImageIndices[i];

		if (index < s->image_count)
			kr_wsi_image_give_back(s, &s->images[index]);
		else
			kr_error("vkReleaseSwapchainImagesEXT: the swapchain has no image %u",
				index);
	}
	return VK_SUCCESS;
}
