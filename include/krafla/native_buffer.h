/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_ANDROID_native_buffer, spec version 11: what a Vulkan platform and a driver speak when a
 * swapchain image is a native buffer. Applications never see it (DESIGN rule 2), and no vulkan.h
 * has it; vk.xml knows it as far as version 8 (both 1.3.239 and 1.4.359). It takes the place of
 * Android's vk_android_native_buffer.h; the two can't be included together.
 *
 * Which members a driver reads depends on its own spec version: up to 5 `usage`; 6 to 8 usage2; 9
 * and later usage3; 11 ahb. Krafla's platform fills handle, stride, format and all three usages for
 * every driver, and ahb with the same buffer where the window's buffers are Krafla's own; else, as
 * for buffers of a platform that it doesn't know, ahb is NULL.
 */
#ifndef KRAFLA_NATIVE_BUFFER_H
#define KRAFLA_NATIVE_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>
#include <krafla/native_handle.h>

#if defined(__VK_ANDROID_NATIVE_BUFFER_H__) || defined(VK_ANDROID_native_buffer)
#error "krafla/native_buffer.h stands in for vk_android_native_buffer.h: include one of them"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct AHardwareBuffer;

#define VK_ANDROID_native_buffer                  1
#define VK_ANDROID_NATIVE_BUFFER_EXTENSION_NUMBER 11
#define VK_ANDROID_NATIVE_BUFFER_SPEC_VERSION     11
#define VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME   "VK_ANDROID_native_buffer"
#define VK_ANDROID_NATIVE_BUFFER_ENUM(type, id)                                                    \
	((type)(1000000000 + 1000 * (VK_ANDROID_NATIVE_BUFFER_EXTENSION_NUMBER - 1) + (id)))

#define VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID VK_ANDROID_NATIVE_BUFFER_ENUM(VkStructureType, 0)
#define VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID                                      \
	VK_ANDROID_NATIVE_BUFFER_ENUM(VkStructureType, 1)
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID                          \
	VK_ANDROID_NATIVE_BUFFER_ENUM(VkStructureType, 2)
#define VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_ANDROID                                               \
	VK_ANDROID_NATIVE_BUFFER_ENUM(VkStructureType, 3)
#define VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_2_ANDROID                                             \
	VK_ANDROID_NATIVE_BUFFER_ENUM(VkStructureType, 4)

typedef enum VkSwapchainImageUsageFlagBitsANDROID {
	VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID = 0x00000001,
	VK_SWAPCHAIN_IMAGE_USAGE_FLAG_BITS_MAX_ENUM_ANDROID = 0x7FFFFFFF
} VkSwapchainImageUsageFlagBitsANDROID;
typedef VkFlags VkSwapchainImageUsageFlagsANDROID;

/* Gralloc usage in its two halves; since version 6, deprecated in 9. The consumer comes first. */
typedef struct VkNativeBufferUsage2ANDROID {
	uint64_t consumer;
	uint64_t producer;
} VkNativeBufferUsage2ANDROID;

/*
 * Chained to VkImageCreateInfo, and since version 8 to VkBindImageMemoryInfo that also has a
 * VkBindImageMemorySwapchainInfoKHR: the image's memory is this buffer (W-04, W-06). The driver
 * imports the buffer during the call; handle and ahb are borrowed and valid only then.
 */
typedef struct VkNativeBufferANDROID {
	VkStructureType sType;
	const void *pNext;
	buffer_handle_t handle;
	int stride; /* in pixels */
	int format; /* HAL_PIXEL_FORMAT_* */
	int usage;  /* gralloc 0 bits; deprecated in version 6 */
	VkNativeBufferUsage2ANDROID usage2;
	uint64_t usage3;             /* version 9: all 64 usage bits */
	struct AHardwareBuffer *ahb; /* version 11 */
} VkNativeBufferANDROID;

/* Version 6. Chained to VkImageCreateInfo when the swapchain needs more than an ordinary one
 * (W-05). */
typedef struct VkSwapchainImageCreateInfoANDROID {
	VkStructureType sType;
	const void *pNext;
	VkSwapchainImageUsageFlagsANDROID usage;
} VkSwapchainImageCreateInfoANDROID;

/* Version 7. Asked through vkGetPhysicalDeviceProperties2 (W-10). */
typedef struct VkPhysicalDevicePresentationPropertiesANDROID {
	VkStructureType sType;
	const void *pNext;
	VkBool32 sharedImage;
} VkPhysicalDevicePresentationPropertiesANDROID;

/* Version 9, deprecated in 10. */
typedef struct VkGrallocUsageInfoANDROID {
	VkStructureType sType;
	const void *pNext;
	VkFormat format;
	VkImageUsageFlags imageUsage;
} VkGrallocUsageInfoANDROID;

/* Version 10, deprecated in 11. */
typedef struct VkGrallocUsageInfo2ANDROID {
	VkStructureType sType;
	const void *pNext;
	VkFormat format;
	VkImageUsageFlags imageUsage;
	VkSwapchainImageUsageFlagsANDROID swapchainImageUsage;
} VkGrallocUsageInfo2ANDROID;

/* Gralloc 0 usage of a swapchain image; deprecated in version 6 (W-03). */
typedef VkResult(VKAPI_PTR *PFN_vkGetSwapchainGrallocUsageANDROID)(
	VkDevice device, VkFormat format, VkImageUsageFlags imageUsage, int *grallocUsage);
/* Version 6, deprecated in 9. */
typedef VkResult(VKAPI_PTR *PFN_vkGetSwapchainGrallocUsage2ANDROID)(VkDevice device,
	VkFormat format, VkImageUsageFlags imageUsage,
	VkSwapchainImageUsageFlagsANDROID swapchainImageUsage, uint64_t *grallocConsumerUsage,
	uint64_t *grallocProducerUsage);
/* Version 9, deprecated in 10. */
typedef VkResult(VKAPI_PTR *PFN_vkGetSwapchainGrallocUsage3ANDROID)(
	VkDevice device, const VkGrallocUsageInfoANDROID *grallocUsageInfo, uint64_t *grallocUsage);
/* Version 10, deprecated in 11. */
typedef VkResult(VKAPI_PTR *PFN_vkGetSwapchainGrallocUsage4ANDROID)(VkDevice device,
	const VkGrallocUsageInfo2ANDROID *grallocUsageInfo, uint64_t *grallocUsage);
/*
 * The image is the driver's once nativeFenceFd signals; semaphore and fence (both may be null)
 * signal then as after a queue submit. The driver owns nativeFenceFd and closes it, also on
 * failure; -1 means signalled already (W-07).
 */
typedef VkResult(VKAPI_PTR *PFN_vkAcquireImageANDROID)(
	VkDevice device, VkImage image, int nativeFenceFd, VkSemaphore semaphore, VkFence fence);
/*
 * The image goes back: *pNativeFenceFd, owned by the caller, doesn't signal before the wait
 * semaphores and all earlier work on the queue have; -1 when nothing is left to wait for (W-08).
 */
typedef VkResult(VKAPI_PTR *PFN_vkQueueSignalReleaseImageANDROID)(VkQueue queue,
	uint32_t waitSemaphoreCount, const VkSemaphore *pWaitSemaphores, VkImage image,
	int *pNativeFenceFd);

#if UINTPTR_MAX > 0xffffffffu && !defined(__cplusplus)
_Static_assert(sizeof(VkNativeBufferANDROID) == 72, "VkNativeBufferANDROID");
_Static_assert(offsetof(VkNativeBufferANDROID, handle) == 16, "handle");
_Static_assert(offsetof(VkNativeBufferANDROID, stride) == 24, "stride");
_Static_assert(offsetof(VkNativeBufferANDROID, format) == 28, "format");
_Static_assert(offsetof(VkNativeBufferANDROID, usage) == 32, "usage");
_Static_assert(offsetof(VkNativeBufferANDROID, usage2) == 40, "usage2");
_Static_assert(offsetof(VkNativeBufferUsage2ANDROID, producer) == 8, "producer");
_Static_assert(offsetof(VkNativeBufferANDROID, usage3) == 56, "usage3");
_Static_assert(offsetof(VkNativeBufferANDROID, ahb) == 64, "ahb");
_Static_assert(sizeof(VkSwapchainImageCreateInfoANDROID) == 24, "SwapchainImageCreateInfo");
_Static_assert(
	sizeof(VkPhysicalDevicePresentationPropertiesANDROID) == 24, "PresentationProperties");
_Static_assert(sizeof(VkGrallocUsageInfoANDROID) == 24, "GrallocUsageInfo");
_Static_assert(sizeof(VkGrallocUsageInfo2ANDROID) == 32, "GrallocUsageInfo2");
_Static_assert(
	offsetof(VkGrallocUsageInfo2ANDROID, swapchainImageUsage) == 24, "swapchainImageUsage");
#endif

#ifdef __cplusplus
}
#endif

#endif
