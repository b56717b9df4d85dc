/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the window system answers and older Vulkan headers don't have yet, each extension behind its
 * own macro: names and numbers of registry 1.4.359. Where the headers have one, theirs counts.
 */
#ifndef KR_UTIL_VULKAN_NEWER_H
#define KR_UTIL_VULKAN_NEWER_H

#include <vulkan/vulkan_core.h>

/* As the registry counts: the number of the extension, and of the value in it. */
#define KR_VK_NEWER(extension, offset)      (1000000000 + ((extension)-1) * 1000 + (offset))
#define KR_VK_NEWER_TYPE(extension, offset) ((VkStructureType)KR_VK_NEWER((extension), (offset)))

#ifndef VK_KHR_surface_maintenance1
#define VK_KHR_surface_maintenance1                                1
#define VK_KHR_SURFACE_MAINTENANCE_1_SPEC_VERSION                  1
#define VK_KHR_SURFACE_MAINTENANCE_1_EXTENSION_NAME                "VK_KHR_surface_maintenance1"
#define VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_KHR                 KR_VK_NEWER_TYPE(275, 0)
#define VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_KHR KR_VK_NEWER_TYPE(275, 1)
#define VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_KHR   KR_VK_NEWER_TYPE(275, 2)

#define VK_PRESENT_SCALING_ONE_TO_ONE_BIT_KHR VK_PRESENT_SCALING_ONE_TO_ONE_BIT_EXT
#define VK_PRESENT_SCALING_ASPECT_RATIO_STRETCH_BIT_KHR                                            \
	VK_PRESENT_SCALING_ASPECT_RATIO_STRETCH_BIT_EXT
#define VK_PRESENT_SCALING_STRETCH_BIT_KHR  VK_PRESENT_SCALING_STRETCH_BIT_EXT
#define VK_PRESENT_GRAVITY_MIN_BIT_KHR      VK_PRESENT_GRAVITY_MIN_BIT_EXT
#define VK_PRESENT_GRAVITY_MAX_BIT_KHR      VK_PRESENT_GRAVITY_MAX_BIT_EXT
#define VK_PRESENT_GRAVITY_CENTERED_BIT_KHR VK_PRESENT_GRAVITY_CENTERED_BIT_EXT
typedef VkPresentScalingFlagBitsEXT VkPresentScalingFlagBitsKHR;
typedef VkPresentScalingFlagsEXT VkPresentScalingFlagsKHR;
typedef VkPresentGravityFlagBitsEXT VkPresentGravityFlagBitsKHR;
typedef VkPresentGravityFlagsEXT VkPresentGravityFlagsKHR;
typedef VkSurfacePresentModeEXT VkSurfacePresentModeKHR;
typedef VkSurfacePresentScalingCapabilitiesEXT VkSurfacePresentScalingCapabilitiesKHR;
typedef VkSurfacePresentModeCompatibilityEXT VkSurfacePresentModeCompatibilityKHR;
#endif

#ifndef VK_KHR_swapchain_maintenance1
#define VK_KHR_swapchain_maintenance1                 1
#define VK_KHR_SWAPCHAIN_MAINTENANCE_1_SPEC_VERSION   1
#define VK_KHR_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME "VK_KHR_swapchain_maintenance1"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_KHR                     \
	KR_VK_NEWER_TYPE(276, 0)
#define VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_KHR          KR_VK_NEWER_TYPE(276, 1)
#define VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_KHR   KR_VK_NEWER_TYPE(276, 2)
#define VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_KHR           KR_VK_NEWER_TYPE(276, 3)
#define VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_KHR KR_VK_NEWER_TYPE(276, 4)
#define VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_KHR         KR_VK_NEWER_TYPE(276, 5)
#define VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_KHR                                     \
	VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT
typedef VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT
	VkPhysicalDeviceSwapchainMaintenance1FeaturesKHR;
typedef VkSwapchainPresentFenceInfoEXT VkSwapchainPresentFenceInfoKHR;
typedef VkSwapchainPresentModesCreateInfoEXT VkSwapchainPresentModesCreateInfoKHR;
typedef VkSwapchainPresentModeInfoEXT VkSwapchainPresentModeInfoKHR;
typedef VkSwapchainPresentScalingCreateInfoEXT VkSwapchainPresentScalingCreateInfoKHR;
typedef VkReleaseSwapchainImagesInfoEXT VkReleaseSwapchainImagesInfoKHR;
typedef PFN_vkReleaseSwapchainImagesEXT PFN_vkReleaseSwapchainImagesKHR;
#endif

#ifndef VK_KHR_present_mode_fifo_latest_ready
#define VK_KHR_present_mode_fifo_latest_ready                1
#define VK_KHR_PRESENT_MODE_FIFO_LATEST_READY_SPEC_VERSION   1
#define VK_KHR_PRESENT_MODE_FIFO_LATEST_READY_EXTENSION_NAME "VK_KHR_present_mode_fifo_latest_ready"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_MODE_FIFO_LATEST_READY_FEATURES_KHR              \
	KR_VK_NEWER_TYPE(362, 0)
#define VK_PRESENT_MODE_FIFO_LATEST_READY_KHR ((VkPresentModeKHR)KR_VK_NEWER(362, 0))
typedef struct VkPhysicalDevicePresentModeFifoLatestReadyFeaturesKHR {
	VkStructureType sType;
	void *pNext;
	VkBool32 presentModeFifoLatestReady;
} VkPhysicalDevicePresentModeFifoLatestReadyFeaturesKHR;
#endif

#ifndef VK_EXT_present_mode_fifo_latest_ready
#define VK_EXT_present_mode_fifo_latest_ready                1
#define VK_EXT_PRESENT_MODE_FIFO_LATEST_READY_SPEC_VERSION   1
#define VK_EXT_PRESENT_MODE_FIFO_LATEST_READY_EXTENSION_NAME "VK_EXT_present_mode_fifo_latest_ready"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_MODE_FIFO_LATEST_READY_FEATURES_EXT              \
	KR_VK_NEWER_TYPE(362, 0)
#define VK_PRESENT_MODE_FIFO_LATEST_READY_EXT ((VkPresentModeKHR)KR_VK_NEWER(362, 0))
typedef VkPhysicalDevicePresentModeFifoLatestReadyFeaturesKHR
	VkPhysicalDevicePresentModeFifoLatestReadyFeaturesEXT;
#endif

#ifndef VK_KHR_present_id2
#define VK_KHR_present_id2                                          1
#define VK_KHR_PRESENT_ID_2_SPEC_VERSION                            1
#define VK_KHR_PRESENT_ID_2_EXTENSION_NAME                          "VK_KHR_present_id2"
#define VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_ID_2_KHR     KR_VK_NEWER_TYPE(480, 0)
#define VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR                          KR_VK_NEWER_TYPE(480, 1)
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR KR_VK_NEWER_TYPE(480, 2)

#define VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR ((VkSwapchainCreateFlagBitsKHR)0x40)
typedef struct VkSurfaceCapabilitiesPresentId2KHR {
	VkStructureType sType;
	void *pNext;
	VkBool32 presentId2Supported;
} VkSurfaceCapabilitiesPresentId2KHR;
typedef struct VkPresentId2KHR {
	VkStructureType sType;
	const void *pNext;
	uint32_t swapchainCount;
	const uint64_t *pPresentIds;
} VkPresentId2KHR;
typedef struct VkPhysicalDevicePresentId2FeaturesKHR {
	VkStructureType sType;
	void *pNext;
	VkBool32 presentId2;
} VkPhysicalDevicePresentId2FeaturesKHR;
#endif

#ifndef VK_KHR_present_wait2
#define VK_KHR_present_wait2                                          1
#define VK_KHR_PRESENT_WAIT_2_SPEC_VERSION                            1
#define VK_KHR_PRESENT_WAIT_2_EXTENSION_NAME                          "VK_KHR_present_wait2"
#define VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_WAIT_2_KHR     KR_VK_NEWER_TYPE(481, 0)
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_2_FEATURES_KHR KR_VK_NEWER_TYPE(481, 1)
#define VK_STRUCTURE_TYPE_PRESENT_WAIT_2_INFO_KHR                     KR_VK_NEWER_TYPE(481, 2)

#define VK_SWAPCHAIN_CREATE_PRESENT_WAIT_2_BIT_KHR ((VkSwapchainCreateFlagBitsKHR)0x80)
typedef struct VkSurfaceCapabilitiesPresentWait2KHR {
	VkStructureType sType;
	void *pNext;
	VkBool32 presentWait2Supported;
} VkSurfaceCapabilitiesPresentWait2KHR;
typedef struct VkPhysicalDevicePresentWait2FeaturesKHR {
	VkStructureType sType;
	void *pNext;
	VkBool32 presentWait2;
} VkPhysicalDevicePresentWait2FeaturesKHR;
typedef struct VkPresentWait2InfoKHR {
	VkStructureType sType;
	const void *pNext;
	uint64_t presentId;
	uint64_t timeout;
} VkPresentWait2InfoKHR;
typedef VkResult(VKAPI_PTR *PFN_vkWaitForPresent2KHR)(
	VkDevice device, VkSwapchainKHR swapchain, const VkPresentWait2InfoKHR *pPresentWait2Info);
#endif

#ifndef VK_KHR_calibrated_timestamps
#define VK_KHR_calibrated_timestamps                    1
#define VK_KHR_CALIBRATED_TIMESTAMPS_SPEC_VERSION       1
#define VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME     "VK_KHR_calibrated_timestamps"
#define VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_KHR KR_VK_NEWER_TYPE(185, 0)
#define VK_TIME_DOMAIN_DEVICE_KHR                       VK_TIME_DOMAIN_DEVICE_EXT
#define VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR              VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT
#define VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR          VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT
typedef VkTimeDomainEXT VkTimeDomainKHR;
typedef VkCalibratedTimestampInfoEXT VkCalibratedTimestampInfoKHR;
typedef PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT
	PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR;
typedef PFN_vkGetCalibratedTimestampsEXT PFN_vkGetCalibratedTimestampsKHR;
#endif

#ifndef VK_EXT_present_timing
#define VK_EXT_present_timing                                         1
#define VK_EXT_PRESENT_TIMING_SPEC_VERSION                            3
#define VK_EXT_PRESENT_TIMING_EXTENSION_NAME                          "VK_EXT_present_timing"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT KR_VK_NEWER_TYPE(209, 0)
#define VK_STRUCTURE_TYPE_SWAPCHAIN_TIMING_PROPERTIES_EXT             KR_VK_NEWER_TYPE(209, 1)
#define VK_STRUCTURE_TYPE_SWAPCHAIN_TIME_DOMAIN_PROPERTIES_EXT        KR_VK_NEWER_TYPE(209, 2)
#define VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT                    KR_VK_NEWER_TYPE(209, 3)
#define VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT                     KR_VK_NEWER_TYPE(209, 4)
#define VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_INFO_EXT           KR_VK_NEWER_TYPE(209, 5)
#define VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_PROPERTIES_EXT     KR_VK_NEWER_TYPE(209, 6)
#define VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_EXT                KR_VK_NEWER_TYPE(209, 7)
#define VK_STRUCTURE_TYPE_PRESENT_TIMING_SURFACE_CAPABILITIES_EXT     KR_VK_NEWER_TYPE(209, 8)
#define VK_STRUCTURE_TYPE_SWAPCHAIN_CALIBRATED_TIMESTAMP_INFO_EXT     KR_VK_NEWER_TYPE(209, 9)

#define VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT     ((VkTimeDomainKHR)KR_VK_NEWER(209, 0))
#define VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT         ((VkTimeDomainKHR)KR_VK_NEWER(209, 1))
#define VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT     ((VkResult)-KR_VK_NEWER(209, 0))
#define VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT ((VkSwapchainCreateFlagBitsKHR)0x200)

typedef VkFlags VkPresentStageFlagsEXT;
#define VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT      0x1u
#define VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT          0x2u
#define VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT     0x4u
#define VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_VISIBLE_BIT_EXT 0x8u
typedef VkFlags VkPastPresentationTimingFlagsEXT;
#define VK_PAST_PRESENTATION_TIMING_ALLOW_PARTIAL_RESULTS_BIT_EXT      0x1u
#define VK_PAST_PRESENTATION_TIMING_ALLOW_OUT_OF_ORDER_RESULTS_BIT_EXT 0x2u
typedef VkFlags VkPresentTimingInfoFlagsEXT;
#define VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT         0x1u
#define VK_PRESENT_TIMING_INFO_PRESENT_AT_NEAREST_REFRESH_CYCLE_BIT_EXT 0x2u

typedef struct VkPhysicalDevicePresentTimingFeaturesEXT {
	VkStructureType sType;
	void *pNext;
	VkBool32 presentTiming;
	VkBool32 presentAtAbsoluteTime;
	VkBool32 presentAtRelativeTime;
} VkPhysicalDevicePresentTimingFeaturesEXT;
typedef struct VkPresentTimingSurfaceCapabilitiesEXT {
	VkStructureType sType;
	void *pNext;
	VkBool32 presentTimingSupported;
	VkBool32 presentAtAbsoluteTimeSupported;
	VkBool32 presentAtRelativeTimeSupported;
	VkPresentStageFlagsEXT presentStageQueries;
} VkPresentTimingSurfaceCapabilitiesEXT;
typedef struct VkSwapchainTimingPropertiesEXT {
	VkStructureType sType;
	void *pNext;
	uint64_t refreshDuration;
	uint64_t refreshInterval;
} VkSwapchainTimingPropertiesEXT;
typedef struct VkSwapchainTimeDomainPropertiesEXT {
	VkStructureType sType;
	void *pNext;
	uint32_t timeDomainCount;
	VkTimeDomainKHR *pTimeDomains;
	uint64_t *pTimeDomainIds;
} VkSwapchainTimeDomainPropertiesEXT;
typedef struct VkPresentStageTimeEXT {
	VkPresentStageFlagsEXT stage;
	uint64_t time;
} VkPresentStageTimeEXT;
typedef struct VkPastPresentationTimingInfoEXT {
	VkStructureType sType;
	const void *pNext;
	VkPastPresentationTimingFlagsEXT flags;
	VkSwapchainKHR swapchain;
} VkPastPresentationTimingInfoEXT;
typedef struct VkPastPresentationTimingEXT {
	VkStructureType sType;
	void *pNext;
	uint64_t presentId;
	uint64_t targetTime;
	uint32_t presentStageCount;
	VkPresentStageTimeEXT *pPresentStages;
	VkTimeDomainKHR timeDomain;
	uint64_t timeDomainId;
	VkBool32 reportComplete;
} VkPastPresentationTimingEXT;
typedef struct VkPastPresentationTimingPropertiesEXT {
	VkStructureType sType;
	void *pNext;
	uint64_t timingPropertiesCounter;
	uint64_t timeDomainsCounter;
	uint32_t presentationTimingCount;
	VkPastPresentationTimingEXT *pPresentationTimings;
} VkPastPresentationTimingPropertiesEXT;
typedef struct VkPresentTimingInfoEXT {
	VkStructureType sType;
	const void *pNext;
	VkPresentTimingInfoFlagsEXT flags;
	uint64_t targetTime;
	uint64_t timeDomainId;
	VkPresentStageFlagsEXT presentStageQueries;
	VkPresentStageFlagsEXT targetTimeDomainPresentStage;
} VkPresentTimingInfoEXT;
typedef struct VkPresentTimingsInfoEXT {
	VkStructureType sType;
	const void *pNext;
	uint32_t swapchainCount;
	const VkPresentTimingInfoEXT *pTimingInfos;
} VkPresentTimingsInfoEXT;
typedef struct VkSwapchainCalibratedTimestampInfoEXT {
	VkStructureType sType;
	const void *pNext;
	VkSwapchainKHR swapchain;
	VkPresentStageFlagsEXT presentStage;
	uint64_t timeDomainId;
} VkSwapchainCalibratedTimestampInfoEXT;
typedef VkResult(VKAPI_PTR *PFN_vkSetSwapchainPresentTimingQueueSizeEXT)(
	VkDevice device, VkSwapchainKHR swapchain, uint32_t size);
typedef VkResult(VKAPI_PTR *PFN_vkGetSwapchainTimingPropertiesEXT)(VkDevice device,
	VkSwapchainKHR swapchain, VkSwapchainTimingPropertiesEXT *pSwapchainTimingProperties,
	uint64_t *pSwapchainTimingPropertiesCounter);
typedef VkResult(VKAPI_PTR *PFN_vkGetSwapchainTimeDomainPropertiesEXT)(VkDevice device,
	VkSwapchainKHR swapchain,
	VkSwapchainTimeDomainPropertiesEXT *pSwapchainTimeDomainProperties,
	uint64_t *pTimeDomainsCounter);
typedef VkResult(VKAPI_PTR *PFN_vkGetPastPresentationTimingEXT)(VkDevice device,
	const VkPastPresentationTimingInfoEXT *pPastPresentationTimingInfo,
	VkPastPresentationTimingPropertiesEXT *pPastPresentationTimingProperties);
#endif

#ifndef VK_EXT_frame_boundary
#define VK_EXT_frame_boundary                                         1
#define VK_EXT_FRAME_BOUNDARY_SPEC_VERSION                            1
#define VK_EXT_FRAME_BOUNDARY_EXTENSION_NAME                          "VK_EXT_frame_boundary"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAME_BOUNDARY_FEATURES_EXT KR_VK_NEWER_TYPE(376, 0)
#define VK_STRUCTURE_TYPE_FRAME_BOUNDARY_EXT                          KR_VK_NEWER_TYPE(376, 1)
typedef VkFlags VkFrameBoundaryFlagsEXT;
typedef struct VkFrameBoundaryEXT {
	VkStructureType sType;
	const void *pNext;
	VkFrameBoundaryFlagsEXT flags;
	uint64_t frameID;
	uint32_t imageCount;
	const VkImage *pImages;
	uint32_t bufferCount;
	const VkBuffer *pBuffers;
	uint64_t tagName;
	size_t tagSize;
	const void *pTag;
} VkFrameBoundaryEXT;
typedef struct VkPhysicalDeviceFrameBoundaryFeaturesEXT {
	VkStructureType sType;
	void *pNext;
	VkBool32 frameBoundary;
} VkPhysicalDeviceFrameBoundaryFeaturesEXT;
#endif

#ifndef VK_EXT_multisampled_render_to_swapchain
#define VK_EXT_multisampled_render_to_swapchain              1
#define VK_EXT_MULTISAMPLED_RENDER_TO_SWAPCHAIN_SPEC_VERSION 1
#define VK_EXT_MULTISAMPLED_RENDER_TO_SWAPCHAIN_EXTENSION_NAME                                     \
	"VK_EXT_multisampled_render_to_swapchain"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SWAPCHAIN_FEATURES_EXT            \
	KR_VK_NEWER_TYPE(617, 0)
#define VK_STRUCTURE_TYPE_SWAPCHAIN_FLAGS_SURFACE_CAPABILITIES_EXT KR_VK_NEWER_TYPE(617, 1)
#define VK_SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT                          \
	((VkSwapchainCreateFlagBitsKHR)0x100)
typedef struct VkPhysicalDeviceMultisampledRenderToSwapchainFeaturesEXT {
	VkStructureType sType;
	void *pNext;
	VkBool32 multisampledRenderToSwapchain;
} VkPhysicalDeviceMultisampledRenderToSwapchainFeaturesEXT;
typedef struct VkSwapchainFlagsSurfaceCapabilitiesEXT {
	VkStructureType sType;
	void *pNext;
	VkSwapchainCreateFlagsKHR swapchainSupportedFlags;
} VkSwapchainFlagsSurfaceCapabilitiesEXT;
#endif

#endif
