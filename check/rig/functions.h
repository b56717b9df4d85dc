/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a driver that cases call: a new one is a row. */
#ifndef KR_CHECK_RIG_FUNCTIONS_H
#define KR_CHECK_RIG_FUNCTIONS_H

#include "util/vulkan.h"
#include <krafla/native_buffer.h>

/* Found by vkGetInstanceProcAddr of the HAL device, without an instance and with one. */
#define CHECK_GLOBAL_FUNCTIONS(X)                                                                  \
	X(vkCreateInstance)                                                                        \
	X(vkEnumerateInstanceExtensionProperties)                                                  \
	X(vkEnumerateInstanceVersion)

#define CHECK_INSTANCE_FUNCTIONS(X)                                                                \
	X(vkDestroyInstance)                                                                       \
	X(vkEnumeratePhysicalDevices)                                                              \
	X(vkEnumeratePhysicalDeviceGroups)                                                         \
	X(vkEnumerateDeviceExtensionProperties)                                                    \
	X(vkGetPhysicalDeviceProperties)                                                           \
	X(vkGetPhysicalDeviceProperties2)                                                          \
	X(vkGetPhysicalDeviceFeatures)                                                             \
	X(vkGetPhysicalDeviceFeatures2)                                                            \
	X(vkGetPhysicalDeviceFormatProperties)                                                     \
	X(vkGetPhysicalDeviceFormatProperties2)                                                    \
	X(vkGetPhysicalDeviceImageFormatProperties)                                                \
	X(vkGetPhysicalDeviceImageFormatProperties2)                                               \
	X(vkGetPhysicalDeviceMemoryProperties)                                                     \
	X(vkGetPhysicalDeviceMemoryProperties2)                                                    \
	X(vkGetPhysicalDeviceQueueFamilyProperties)                                                \
	X(vkGetPhysicalDeviceQueueFamilyProperties2)                                               \
	X(vkGetPhysicalDeviceExternalBufferProperties)                                             \
	X(vkGetPhysicalDeviceExternalFenceProperties)                                              \
	X(vkGetPhysicalDeviceExternalSemaphoreProperties)                                          \
	X(vkCreateDevice)                                                                          \
	X(vkGetDeviceProcAddr)

/* Found by vkGetDeviceProcAddr. */
#define CHECK_DEVICE_FUNCTIONS(X)                                                                  \
	X(vkDestroyDevice)                                                                         \
	X(vkGetDeviceQueue)                                                                        \
	X(vkGetDeviceQueue2)                                                                       \
	X(vkQueueSubmit)                                                                           \
	X(vkQueueSubmit2)                                                                          \
	X(vkQueueWaitIdle)                                                                         \
	X(vkDeviceWaitIdle)                                                                        \
	X(vkAllocateMemory)                                                                        \
	X(vkFreeMemory)                                                                            \
	X(vkMapMemory)                                                                             \
	X(vkUnmapMemory)                                                                           \
	X(vkFlushMappedMemoryRanges)                                                               \
	X(vkInvalidateMappedMemoryRanges)                                                          \
	X(vkBindBufferMemory)                                                                      \
	X(vkBindImageMemory)                                                                       \
	X(vkBindImageMemory2)                                                                      \
	X(vkGetBufferMemoryRequirements)                                                           \
	X(vkGetImageMemoryRequirements)                                                            \
	X(vkGetImageMemoryRequirements2)                                                           \
	X(vkCreateFence)                                                                           \
	X(vkDestroyFence)                                                                          \
	X(vkResetFences)                                                                           \
	X(vkGetFenceStatus)                                                                        \
	X(vkWaitForFences)                                                                         \
	X(vkGetFenceFdKHR)                                                                         \
	X(vkImportFenceFdKHR)                                                                      \
	X(vkCreateSemaphore)                                                                       \
	X(vkDestroySemaphore)                                                                      \
	X(vkGetSemaphoreCounterValue)                                                              \
	X(vkWaitSemaphores)                                                                        \
	X(vkSignalSemaphore)                                                                       \
	X(vkGetSemaphoreFdKHR)                                                                     \
	X(vkImportSemaphoreFdKHR)                                                                  \
	X(vkCreateEvent)                                                                           \
	X(vkDestroyEvent)                                                                          \
	X(vkGetEventStatus)                                                                        \
	X(vkSetEvent)                                                                              \
	X(vkResetEvent)                                                                            \
	X(vkCreateBuffer)                                                                          \
	X(vkDestroyBuffer)                                                                         \
	X(vkCreateImage)                                                                           \
	X(vkDestroyImage)                                                                          \
	X(vkGetImageSubresourceLayout)                                                             \
	X(vkCreateImageView)                                                                       \
	X(vkDestroyImageView)                                                                      \
	X(vkCreateCommandPool)                                                                     \
	X(vkDestroyCommandPool)                                                                    \
	X(vkResetCommandPool)                                                                      \
	X(vkAllocateCommandBuffers)                                                                \
	X(vkFreeCommandBuffers)                                                                    \
	X(vkBeginCommandBuffer)                                                                    \
	X(vkEndCommandBuffer)                                                                      \
	X(vkResetCommandBuffer)                                                                    \
	X(vkCmdPipelineBarrier)                                                                    \
	X(vkCmdClearColorImage)                                                                    \
	X(vkCmdCopyImage)                                                                          \
	X(vkCmdCopyBuffer)                                                                         \
	X(vkCmdCopyImageToBuffer)                                                                  \
	X(vkCmdCopyBufferToImage)                                                                  \
	X(vkCmdFillBuffer)                                                                         \
	X(vkCmdSetEvent)                                                                           \
	X(vkCmdWaitEvents)                                                                         \
	X(vkGetDeviceGroupPeerMemoryFeatures)                                                      \
	X(vkGetMemoryFdKHR)                                                                        \
	X(vkGetMemoryFdPropertiesKHR)                                                              \
	X(vkGetAndroidHardwareBufferPropertiesANDROID)                                             \
	X(vkGetMemoryAndroidHardwareBufferANDROID)                                                 \
	X(vkGetMemoryHostPointerPropertiesEXT)                                                     \
	X(vkGetSwapchainGrallocUsageANDROID)                                                       \
	X(vkGetSwapchainGrallocUsage2ANDROID)                                                      \
	X(vkGetSwapchainGrallocUsage3ANDROID)                                                      \
	X(vkGetSwapchainGrallocUsage4ANDROID)                                                      \
	X(vkAcquireImageANDROID)                                                                   \
	X(vkQueueSignalReleaseImageANDROID)

struct check_vk {
	PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
#define CHECK_MEMBER(name) PFN_##name name;
	CHECK_GLOBAL_FUNCTIONS(CHECK_MEMBER)
	CHECK_INSTANCE_FUNCTIONS(CHECK_MEMBER)
	CHECK_DEVICE_FUNCTIONS(CHECK_MEMBER)
#undef CHECK_MEMBER
};

#endif
