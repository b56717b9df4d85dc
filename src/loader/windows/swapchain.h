/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a swapchain is. */
#ifndef KR_LOADER_WINDOWS_SWAPCHAIN_H
#define KR_LOADER_WINDOWS_SWAPCHAIN_H

#include <stdbool.h>
#include "loader/handles/handles.h"
#include "wsi/wsi.h"

/* One load while there are none of ours. */
static inline bool
kr_swapchain_is_ours(const struct kr_device *device, VkSwapchainKHR swapchain)
{
	return swapchain && device->wsi && kr_wsi_device_has_swapchains(device->wsi) &&
		kr_wsi_owns_swapchain(device->wsi, swapchain);
}

#endif
