/* SPDX-License-Identifier: Apache-2.0 */
/* Vulkan's present modes and the windows' (window/queue/presentation.h). */
#ifndef KR_WSI_PRESENT_MODE_H
#define KR_WSI_PRESENT_MODE_H

#include <stdbool.h>
#include "util/vulkan.h"
#include "window/queue/presentation.h"

/* False: a mode that no window has. */
bool kr_wsi_present_mode_from_vulkan(VkPresentModeKHR mode, enum kr_present_mode *out);
VkPresentModeKHR kr_wsi_present_mode_to_vulkan(enum kr_present_mode mode);

#endif
