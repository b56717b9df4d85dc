/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of VK_ANDROID_native_buffer, and one beyond it. For this room alone. */
#ifndef KR_ADAPTER_NATIVE_H
#define KR_ADAPTER_NATIVE_H

#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <krafla/native_buffer.h>
#include "util/native_memory.h"

VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_GetSwapchainGrallocUsageANDROID(
	VkDevice device, VkFormat format, VkImageUsageFlags imageUsage, int *grallocUsage);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_GetSwapchainGrallocUsage2ANDROID(VkDevice device,
	VkFormat format, VkImageUsageFlags imageUsage,
	VkSwapchainImageUsageFlagsANDROID swapchainImageUsage, uint64_t *grallocConsumerUsage,
	uint64_t *grallocProducerUsage);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_GetSwapchainGrallocUsage3ANDROID(
	VkDevice device, const VkGrallocUsageInfoANDROID *grallocUsageInfo, uint64_t *grallocUsage);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_GetSwapchainGrallocUsage4ANDROID(VkDevice device,
	const VkGrallocUsageInfo2ANDROID *grallocUsageInfo, uint64_t *grallocUsage);
/* What buffers of such images are for, whichever way it is asked. */
uint64_t kr_adapter_gralloc_usage(VkImageUsageFlags usage);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_AcquireImageANDROID(
	VkDevice device, VkImage image, int nativeFenceFd, VkSemaphore semaphore, VkFence fence);
/* util/native_acquire.h */
VKAPI_ATTR void VKAPI_CALL kr_adapter_GetAcquireImportsKRAFLA(
	VkDevice device, VkBool32 *semaphores, VkBool32 *fences);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_QueueSignalReleaseImageANDROID(VkQueue queue,
	uint32_t waitSemaphoreCount, const VkSemaphore *pWaitSemaphores, VkImage image,
	int *pNativeFenceFd);
/* util/native_release.h */
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_QueueSignalReleaseImageKRAFLA(VkQueue queue,
	uint32_t waitSemaphoreCount, const VkSemaphore *pWaitSemaphores, VkImage image,
	VkBool32 wanted, int *fence, VkBool32 *has_pixels);
/* util/native_memory.h; exported.c */
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_GetNativeBufferMemoryKRAFLA(
	VkDevice device, VkImage image, struct kr_gpu_memory *memory, int *fd);

#endif
