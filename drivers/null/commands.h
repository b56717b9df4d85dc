/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every core command of Vulkan 1.0 to 1.3 that does something; the other vkCmd* are one function
 * that does nothing (table.c). NULL_COMMANDS names them all, and declares them with the types of
 * the Vulkan headers.
 */
#ifndef KR_NULL_COMMANDS_H
#define KR_NULL_COMMANDS_H

#include <krafla/native_buffer.h>
#include "util/vulkan.h"

#define NULL_INSTANCE_COMMANDS(X)                                                                  \
	X(CreateInstance)                                                                          \
	X(DestroyInstance)                                                                         \
	X(EnumerateInstanceVersion)                                                                \
	X(EnumerateInstanceExtensionProperties)                                                    \
	X(EnumerateInstanceLayerProperties)                                                        \
	X(GetInstanceProcAddr)                                                                     \
	X(EnumeratePhysicalDevices)                                                                \
	X(EnumeratePhysicalDeviceGroups)                                                           \
	X(EnumerateDeviceExtensionProperties)                                                      \
	X(EnumerateDeviceLayerProperties)                                                          \
	X(GetPhysicalDeviceFeatures)                                                               \
	X(GetPhysicalDeviceFeatures2)                                                              \
	X(GetPhysicalDeviceProperties)                                                             \
	X(GetPhysicalDeviceProperties2)                                                            \
	X(GetPhysicalDeviceFormatProperties)                                                       \
	X(GetPhysicalDeviceFormatProperties2)                                                      \
	X(GetPhysicalDeviceImageFormatProperties)                                                  \
	X(GetPhysicalDeviceImageFormatProperties2)                                                 \
	X(GetPhysicalDeviceSparseImageFormatProperties)                                            \
	X(GetPhysicalDeviceSparseImageFormatProperties2)                                           \
	X(GetPhysicalDeviceQueueFamilyProperties)                                                  \
	X(GetPhysicalDeviceQueueFamilyProperties2)                                                 \
	X(GetPhysicalDeviceMemoryProperties)                                                       \
	X(GetPhysicalDeviceMemoryProperties2)                                                      \
	X(GetPhysicalDeviceExternalBufferProperties)                                               \
	X(GetPhysicalDeviceExternalFenceProperties)                                                \
	X(GetPhysicalDeviceExternalSemaphoreProperties)                                            \
	X(GetPhysicalDeviceToolProperties)                                                         \
	X(CreateDevice)

#define NULL_DEVICE_COMMANDS(X)                                                                    \
	X(DestroyDevice)                                                                           \
	X(GetDeviceProcAddr)                                                                       \
	X(GetDeviceQueue)                                                                          \
	X(GetDeviceQueue2)                                                                         \
	X(DeviceWaitIdle)                                                                          \
	X(GetDeviceGroupPeerMemoryFeatures)

#define NULL_QUEUE_COMMANDS(X)                                                                     \
	X(QueueSubmit)                                                                             \
	X(QueueSubmit2)                                                                            \
	X(QueueBindSparse)                                                                         \
	X(QueueWaitIdle)

#define NULL_SYNC_COMMANDS(X)                                                                      \
	X(CreateFence)                                                                             \
	X(DestroyFence)                                                                            \
	X(ResetFences)                                                                             \
	X(GetFenceStatus)                                                                          \
	X(WaitForFences)                                                                           \
	X(CreateSemaphore)                                                                         \
	X(DestroySemaphore)                                                                        \
	X(GetSemaphoreCounterValue)                                                                \
	X(WaitSemaphores)                                                                          \
	X(SignalSemaphore)                                                                         \
	X(CreateEvent)                                                                             \
	X(DestroyEvent)                                                                            \
	X(GetEventStatus)                                                                          \
	X(SetEvent)                                                                                \
	X(ResetEvent)

#define NULL_MEMORY_COMMANDS(X)                                                                    \
	X(AllocateMemory)                                                                          \
	X(FreeMemory)                                                                              \
	X(MapMemory)                                                                               \
	X(UnmapMemory)                                                                             \
	X(FlushMappedMemoryRanges)                                                                 \
	X(InvalidateMappedMemoryRanges)                                                            \
	X(GetDeviceMemoryCommitment)                                                               \
	X(GetDeviceMemoryOpaqueCaptureAddress)                                                     \
	X(CreateBuffer)                                                                            \
	X(DestroyBuffer)                                                                           \
	X(BindBufferMemory)                                                                        \
	X(BindBufferMemory2)                                                                       \
	X(GetBufferMemoryRequirements)                                                             \
	X(GetBufferMemoryRequirements2)                                                            \
	X(GetDeviceBufferMemoryRequirements)                                                       \
	X(GetBufferDeviceAddress)                                                                  \
	X(GetBufferOpaqueCaptureAddress)                                                           \
	X(CreateImage)                                                                             \
	X(DestroyImage)                                                                            \
	X(BindImageMemory)                                                                         \
	X(BindImageMemory2)                                                                        \
	X(GetImageMemoryRequirements)                                                              \
	X(GetImageMemoryRequirements2)                                                             \
	X(GetDeviceImageMemoryRequirements)                                                        \
	X(GetImageSparseMemoryRequirements)                                                        \
	X(GetImageSparseMemoryRequirements2)                                                       \
	X(GetDeviceImageSparseMemoryRequirements)                                                  \
	X(GetImageSubresourceLayout)

#define NULL_POOL_COMMANDS(X)                                                                      \
	X(CreateCommandPool)                                                                       \
	X(DestroyCommandPool)                                                                      \
	X(ResetCommandPool)                                                                        \
	X(TrimCommandPool)                                                                         \
	X(AllocateCommandBuffers)                                                                  \
	X(FreeCommandBuffers)                                                                      \
	X(BeginCommandBuffer)                                                                      \
	X(EndCommandBuffer)                                                                        \
	X(ResetCommandBuffer)                                                                      \
	X(CreateDescriptorPool)                                                                    \
	X(DestroyDescriptorPool)                                                                   \
	X(ResetDescriptorPool)                                                                     \
	X(AllocateDescriptorSets)                                                                  \
	X(FreeDescriptorSets)                                                                      \
	X(CreateQueryPool)                                                                         \
	X(DestroyQueryPool)                                                                        \
	X(GetQueryPoolResults)                                                                     \
	X(ResetQueryPool)

#define NULL_EVENT_COMMANDS(X)                                                                     \
	X(CmdSetEvent)                                                                             \
	X(CmdSetEvent2)                                                                            \
	X(CmdResetEvent)                                                                           \
	X(CmdResetEvent2)                                                                          \
	X(CmdExecuteCommands)

#define NULL_OBJECT_COMMANDS(X)                                                                    \
	X(CreateBufferView)                                                                        \
	X(DestroyBufferView)                                                                       \
	X(CreateImageView)                                                                         \
	X(DestroyImageView)                                                                        \
	X(CreateShaderModule)                                                                      \
	X(DestroyShaderModule)                                                                     \
	X(CreatePipelineCache)                                                                     \
	X(DestroyPipelineCache)                                                                    \
	X(GetPipelineCacheData)                                                                    \
	X(MergePipelineCaches)                                                                     \
	X(CreateGraphicsPipelines)                                                                 \
	X(CreateComputePipelines)                                                                  \
	X(DestroyPipeline)                                                                         \
	X(CreatePipelineLayout)                                                                    \
	X(DestroyPipelineLayout)                                                                   \
	X(CreateSampler)                                                                           \
	X(DestroySampler)                                                                          \
	X(CreateSamplerYcbcrConversion)                                                            \
	X(DestroySamplerYcbcrConversion)                                                           \
	X(CreateDescriptorSetLayout)                                                               \
	X(DestroyDescriptorSetLayout)                                                              \
	X(GetDescriptorSetLayoutSupport)                                                           \
	X(UpdateDescriptorSets)                                                                    \
	X(CreateDescriptorUpdateTemplate)                                                          \
	X(DestroyDescriptorUpdateTemplate)                                                         \
	X(UpdateDescriptorSetWithTemplate)                                                         \
	X(CreateFramebuffer)                                                                       \
	X(DestroyFramebuffer)                                                                      \
	X(CreateRenderPass)                                                                        \
	X(CreateRenderPass2)                                                                       \
	X(DestroyRenderPass)                                                                       \
	X(GetRenderAreaGranularity)                                                                \
	X(CreatePrivateDataSlot)                                                                   \
	X(DestroyPrivateDataSlot)                                                                  \
	X(SetPrivateData)                                                                          \
	X(GetPrivateData)

#define NULL_NATIVE_BUFFER_COMMANDS(X)                                                             \
	X(GetSwapchainGrallocUsageANDROID)                                                         \
	X(GetSwapchainGrallocUsage2ANDROID)                                                        \
	X(AcquireImageANDROID)                                                                     \
	X(QueueSignalReleaseImageANDROID)

#define NULL_COMMANDS(X)                                                                           \
	NULL_INSTANCE_COMMANDS(X)                                                                  \
	NULL_DEVICE_COMMANDS(X)                                                                    \
	NULL_QUEUE_COMMANDS(X)                                                                     \
	NULL_SYNC_COMMANDS(X)                                                                      \
	NULL_MEMORY_COMMANDS(X)                                                                    \
	NULL_POOL_COMMANDS(X)                                                                      \
	NULL_EVENT_COMMANDS(X)                                                                     \
	NULL_OBJECT_COMMANDS(X)

#define NULL_DECLARE(name) __typeof__(*(PFN_vk##name)0) null_##name;
NULL_COMMANDS(NULL_DECLARE)
NULL_NATIVE_BUFFER_COMMANDS(NULL_DECLARE)

#endif
