/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of swapchains: what each needs of device, allocator and window. */
#ifndef KR_WSI_SWAPCHAIN_FLAGS_H
#define KR_WSI_SWAPCHAIN_FLAGS_H

#include <stdbool.h>
#include "util/vulkan.h"
#include "wsi/surface/surface.h"
#include "wsi/wsi.h"

/* Protected swapchains need a device, an allocator and a far end that keep their content. */
bool kr_wsi_has_protected(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface);

/* Those that a swapchain on this surface may have, its extensions enabled; as they are told. */
VkSwapchainCreateFlagsKHR kr_wsi_swapchain_flags(
	const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface);

#endif
