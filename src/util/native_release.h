/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the adapter offers the window system beyond VK_ANDROID_native_buffer (and native_acquire.h):
 * a release that knows whether anybody wants the image's content. Asked for by name with the
 * driver's vkGetDeviceProcAddr; HAL drivers don't have it, applications never get it (DESIGN rule
 * 2).
 */
#ifndef KR_UTIL_NATIVE_RELEASE_H
#define KR_UTIL_NATIVE_RELEASE_H

#include "util/vulkan.h"

#define KR_RELEASE_WANTED_FUNCTION "vkQueueSignalReleaseImageKRAFLA"

/*
 * vkQueueSignalReleaseImageANDROID (krafla/native_buffer.h: ownership of *fence, errors and
 * external synchronisation are the same), but an image whose pixels get into the buffer by a copy
 * alone need not be copied when it isn't `wanted`. *has_pixels: whether the buffer has the image's
 * content once the fence has signalled; false leaves it undefined. Untouched on failure.
 */
typedef VkResult(VKAPI_PTR *PFN_vkQueueSignalReleaseImageKRAFLA)(VkQueue queue,
	uint32_t waitSemaphoreCount, const VkSemaphore *pWaitSemaphores, VkImage image,
	VkBool32 wanted, int *fence, VkBool32 *has_pixels);

#endif
