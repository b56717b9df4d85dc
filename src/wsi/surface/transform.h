/* SPDX-License-Identifier: Apache-2.0 */
/* Vulkan's transforms, and what windows call them. */
#ifndef KR_WSI_TRANSFORM_H
#define KR_WSI_TRANSFORM_H

#include <stdint.h>
#include "util/vulkan.h"

/* The transform that a window's hint stands for. */
VkSurfaceTransformFlagBitsKHR kr_wsi_transform_from_hint(uint32_t hint);
/*
 * What a window has to do with content that was rendered for `transform`: the inverse, in its bits.
 */
int kr_wsi_transform_for_window(VkSurfaceTransformFlagBitsKHR transform);

#endif
