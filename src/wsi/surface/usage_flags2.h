/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Image usage in 64 bits, of VK_KHR_extended_flags (669), which only newer headers have. It is a
 * driver's extension, whose structures stand in chains that we read and fill.
 */
#ifndef KR_WSI_USAGE_FLAGS2_H
#define KR_WSI_USAGE_FLAGS2_H

#include <stdint.h>
#include "util/vulkan.h"

/* VkImageUsageFlags2CreateInfoKHR */
#define KR_IMAGE_USAGE_FLAGS_2 KR_VK_NEWER_TYPE(669, 2)
/* VkSharedPresentSurfaceCapabilities2KHR */
#define KR_SHARED_PRESENT_CAPABILITIES_2 KR_VK_NEWER_TYPE(669, 6)

/* Both of them. */
struct kr_wsi_usage_flags2 {
	VkStructureType sType;
	const void *pNext;
	uint64_t usage;
};

#endif
