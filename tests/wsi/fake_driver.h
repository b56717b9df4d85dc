/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver with VK_ANDROID_native_buffer that does nothing but keep count: of objects, of
 * descriptors that it owns, and of binary semaphores, which may be waited for once a signal.
 */
#ifndef KR_TESTS_WSI_FAKE_DRIVER_H
#define KR_TESTS_WSI_FAKE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <krafla/native_buffer.h>
#include "gen/tables.h"
#include "util/vulkan.h"

#define FAKE_MAX 64

struct fake_image {
	bool live;
	bool acquired;
	VkNativeBufferANDROID native; /* as it was created or bound with */
};

struct fake_driver {
	struct kr_instance_table instance;
	struct kr_device_table device;

	/* What it is asked to answer. */
	VkFormat only_format; /* VK_FORMAT_UNDEFINED: all */
	VkImageUsageFlags refused_usage;
	VkImageUsageFlags srgb_refused_usage; /* of B8G8R8A8_SRGB */
	uint32_t max_extent;
	VkQueueFlags queue_flags;
	uint32_t usage_version; /* 1 to 4: the newest of the usage functions that exists */
	uint64_t usage;         /* as gralloc 0 bits; usage2 answers in gralloc 1's */
	VkResult usage_result;
	uint32_t usages_refused; /* 1 << version of those that answer usage_result */
	VkImageCreateFlags refused_flags;
	bool refuses_compression;
	uint64_t hardware_usage; /* 0: it doesn't know VkAndroidHardwareBufferUsageANDROID */
	uint32_t fail_image_at;  /* the n-th vkCreateImage from now, 0 never */
	VkResult fail_image_with;
	VkResult bind_result;
	VkResult acquire_result;
	uint32_t acquire_timeouts; /* so many acquires say VK_TIMEOUT first */
	bool adapter;              /* it says what its acquire imports fences into */
	bool imports_semaphores;
	bool imports_fences;
	bool exports; /* memory of images (util/native_memory.h) of 320x200 */
	VkResult export_result;
	VkResult release_result;
	VkResult submit_result;
	VkResult present_result;
	bool present_silent; /* fails without filling in pResults */
	bool release_fences; /* release makes fences; their producer ends in `producers` */
	VkResult semaphore_result;

	/* What it has seen. */
	struct fake_image images[FAKE_MAX]; /* the handle is the index plus one */
	uint32_t images_live;
	/* 0 not there, 1 unsignalled, 2 signalled; handle is index plus 1 */
	int semaphores[FAKE_MAX];
	uint32_t semaphores_live;
	uint32_t semaphore_errors; /* waits for what isn't signalled, signals of what is */
	uint32_t acquires;
	int acquire_fd;
	int acquire_status; /* of that fence, when it came */
	VkSemaphore acquire_semaphore;
	VkFence acquire_fence;
	uint32_t exported;    /* how often */
	uint32_t image_usage; /* of VkSwapchainImageCreateInfoANDROID */
	uint32_t releases;
	uint32_t release_waits;
	uint32_t releases_wanted; /* of those that were asked with a wish */
	uint32_t releases_unwanted;
	uint32_t submits;
	uint32_t submit_waits;
	uint32_t submit_signals;
	VkFence submit_fences[FAKE_MAX]; /* of submits, in order */
	uint32_t submit_fence_count;
	uint32_t submit_fence_releases; /* how many releases there had been at the last one */
	uint32_t fail_submits;          /* so many say that there is no memory first */
	uint32_t idles;
	uint32_t presents;
	VkPresentInfoKHR present; /* pointers not valid any more, except for the copies below */
	VkSwapchainKHR present_swapchains[FAKE_MAX];
	uint32_t present_indices[FAKE_MAX];
	bool present_had_regions;
	uint32_t present_rects[FAKE_MAX]; /* of each region */
	uint32_t present_ids;
	uint64_t present_id[FAKE_MAX];
	uint32_t present_chain; /* how many structures */
	uint32_t present_ids2, present_fences, present_modes, present_masks;
	uint64_t present_id2[FAKE_MAX];
	VkFence present_fence[FAKE_MAX];
	VkPresentModeKHR present_mode[FAKE_MAX];
	uint32_t present_mask[FAKE_MAX];
	int producers[FAKE_MAX];
	uint32_t producer_count;
	bool image_had_flags; /* VkSwapchainImageCreateInfoANDROID */
	bool image_had_native;
	uint32_t image_chain;        /* how many structures */
	uint32_t image_view_formats; /* of VkImageFormatListCreateInfo */
	bool image_had_compression;
	uint32_t format2_asks; /* for usages of hardware buffers */
	VkFormat format2_format;
	uint32_t usages_asked;     /* 1 << version */
	uint32_t usages_of_shared; /* likewise, with the shared bit */
	VkImage bind_image;
	bool image_had_swapchain_info;
	VkSwapchainKHR image_swapchain;
	VkImageCreateInfo image_info;
	uint32_t binds;
	bool bind_had_native;
	bool bind_had_device_group;
	VkSwapchainKHR bind_swapchain;
	buffer_handle_t bind_handle;
};

/* One driver a process; cleared by this. */
extern struct fake_driver fake;
/* It has vkQueueSignalReleaseImageKRAFLA, and leaves out what isn't wanted. Not cleared. */
extern bool fake_release_wanted;
void fake_driver_init(void);

/* A semaphore of the application that a submit would have signalled. */
VkSemaphore fake_signalled_semaphore(void);
PFN_vkVoidFunction VKAPI_CALL fake_get_device_proc_addr(VkDevice device, const char *name);
/* Signals the fences that releases have made. */
void fake_finish_work(int status);

#endif
