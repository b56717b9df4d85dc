/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vkGetDeviceImageSubresourceLayout of Vulkan 1.4, with KHR that of VK_KHR_maintenance5: the image
 * that it asks about may be said to be of a swapchain of ours (W-06), whose handle the driver must
 * not see. By name and with structures of our own, since headers of 1.3 know neither.
 */
#ifndef KR_LOADER_WINDOWS_SUBRESOURCE_H
#define KR_LOADER_WINDOWS_SUBRESOURCE_H

#include "util/vulkan.h"

/* The function to give out instead of the driver's, NULL when `name` is neither of the two. */
PFN_vkVoidFunction kr_subresource_hook(const char *name);

#endif
