/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the adapter offers the window system beyond VK_ANDROID_native_buffer (and native_release.h):
 * the driver's own memory of an image that was made of a native buffer, for a display that composes
 * on the same GPU. Asked for by name with the driver's vkGetDeviceProcAddr; HAL drivers don't have
 * it, applications never get it (DESIGN rule 2).
 */
#ifndef KR_UTIL_NATIVE_MEMORY_H
#define KR_UTIL_NATIVE_MEMORY_H

#include "util/vulkan.h"

struct kr_gpu_memory;

#define KR_NATIVE_MEMORY_FUNCTION "vkGetNativeBufferMemoryKRAFLA"

/*
 * Of the far end's usage bits: it can look at memory of a GPU. An image whose buffer has this bit
 * is made in memory that can be exported, where the driver can.
 */
#define KR_USAGE_GPU_MEMORY (UINT64_C(1) << 47)

/*
 * In VkSwapchainImageCreateInfoANDROID::usage, of the adapter alone: an image without a buffer yet
 * (W-06) will get one with that bit.
 */
#define KR_SWAPCHAIN_IMAGE_GPU_MEMORY 0x40000000u

/*
 * Describes the memory of an image that VkNativeBufferANDROID made, and exports it: *fd is the
 * caller's. From then on each release leaves the image's content there, in memory->layout and owned
 * by VK_QUEUE_FAMILY_EXTERNAL, once its fence has signalled, and each acquire takes it back.
 * VK_ERROR_FEATURE_NOT_PRESENT: it has none that could be exported.
 */
typedef VkResult(VKAPI_PTR *PFN_vkGetNativeBufferMemoryKRAFLA)(
	VkDevice device, VkImage image, struct kr_gpu_memory *memory, int *fd);

#endif
