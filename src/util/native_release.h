/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device function between the adapter, which has it, and the window system, which looks it up by
 * name (vkGetDeviceProcAddr of the driver) and does without where it isn't: HAL drivers know only
 * VK_ANDROID_native_buffer. Applications can't get it.
 */
#ifndef KR_UTIL_NATIVE_RELEASE_H
#define KR_UTIL_NATIVE_RELEASE_H

#include "util/vulkan.h"

/*
 * As vkQueueSignalReleaseImageANDROID, but where the CPU gets an image's pixels only by a copy,
 * that is made only when they are `wanted`. *hasPixels: whether the buffer has the image's content
 * once the fence has signalled; set on success.
 */
typedef VkResult(VKAPI_PTR *PFN_vkQueueSignalReleaseImageKRAFLA)(VkQueue queue,
	uint32_t waitSemaphoreCount, const VkSemaphore *pWaitSemaphores, VkImage image,
	VkBool32 wanted, int *pNativeFenceFd, VkBool32 *hasPixels);

#endif
