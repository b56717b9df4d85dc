/* SPDX-License-Identifier: Apache-2.0 */
/* Gralloc usage: the driver translates format and image usage into buffer usage (W-03). */
#ifndef KR_WSI_USAGE_H
#define KR_WSI_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "util/vulkan.h"
#include "wsi/device.h"
#include "wsi/surface/image_info.h"

/*
 * The AHARDWAREBUFFER_USAGE_* bits that the driver needs for such images: of the newest question
 * that it has, and of the next one where that is refused.
 */
VkResult kr_wsi_driver_usage(struct kr_wsi_device *device, const struct kr_wsi_image_info *image,
	uint64_t *usage) KR_MUST_CHECK;

/*
 * The first of them, version 11's: by VkAndroidHardwareBufferUsageANDROID. False: the driver
 * doesn't answer, or not for this image.
 */
bool kr_wsi_usage_from_image_format(
	const struct kr_wsi_gpu *gpu, const struct kr_wsi_image_info *image, uint64_t *usage);

#endif
