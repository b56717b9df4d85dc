/* SPDX-License-Identifier: Apache-2.0 */
/* Images of native buffers: what their chains may say, and whose they are (W-04 to W-09, W-13). */
#ifndef KR_NULL_NATIVE_IMAGE_H
#define KR_NULL_NATIVE_IMAGE_H

#include "null/null.h"

/*
 * Notes what of the info and its chain this version of the extension knows, and makes the image one
 * of the native buffer there, if it has one. On failure nothing is left behind.
 */
VkResult null_native_image_create(struct null_image *image, const VkImageCreateInfo *info);
/* The same for a bind; `bound` is false when its chain has no native buffer that counts. */
VkResult null_native_image_bind(
	struct null_image *image, const VkBindImageMemoryInfo *info, bool *bound);
void null_native_image_finish(struct null_image *image);

/* The image is the driver's from here on, and the driver's no more. */
void null_native_image_acquired(struct null_device *device, struct null_image *image)
	KR_REQUIRES(device->lock);
void null_native_image_released(struct null_device *device, struct null_image *image)
	KR_REQUIRES(device->lock);

#endif
