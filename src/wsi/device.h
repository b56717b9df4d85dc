/* SPDX-License-Identifier: Apache-2.0 */
/* A device with swapchains of ours: the driver's native-buffer functions, and what lives on it. */
#ifndef KR_WSI_DEVICE_H
#define KR_WSI_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <krafla/native_buffer.h>
#include "util/list.h"
#include "util/mutex.h"
#include "util/native_memory.h"
#include "util/native_release.h"
#include "wsi/wsi.h"

/* VK_ANDROID_native_buffer as the driver has it; at least one of the usage functions is there. */
struct kr_wsi_native_functions {
	PFN_vkGetSwapchainGrallocUsageANDROID usage;
	PFN_vkGetSwapchainGrallocUsage2ANDROID usage2;
	PFN_vkGetSwapchainGrallocUsage3ANDROID usage3;
	PFN_vkGetSwapchainGrallocUsage4ANDROID usage4;
	PFN_vkAcquireImageANDROID acquire;
	/* Into what it imports a kernel's fence (util/native_acquire.h); HAL drivers into both. */
	bool acquire_semaphores;
	bool acquire_fences;
	/*
	 * All this is the adapter's: whose acquire may wait for others' use of a buffer and then
	 * says VK_TIMEOUT, and whose release gives nothing but a fence or -1.
	 */
	bool adapter;
	PFN_vkQueueSignalReleaseImageANDROID release;
	PFN_vkQueueSignalReleaseImageKRAFLA release_wanted; /* NULL: a driver of another platform */
	PFN_vkGetNativeBufferMemoryKRAFLA memory;           /* likewise */
};

struct kr_wsi_device {
	struct kr_wsi_device_info info;
	struct kr_wsi_native_functions native;
	const VkAllocationCallbacks *allocator; /* NULL: malloc */
	/*
	 * Length of `swapchains`, for whoever asks without the lock (kr_wsi_device_has_swapchains).
	 */
	atomic_uint swapchain_count;
	atomic_bool lost; /* set once; read by acquire and present */
	struct kr_mutex lock;
	struct kr_list swapchains KR_GUARDED_BY(lock); /* kr_wsi_swapchain.link */
	struct kr_list semaphores KR_GUARDED_BY(lock); /* kr_wsi_semaphore.link */
};

/*
 * The device's loss is noted when a result says so; returns the result, so that it can
 * stand around a driver call.
 */
VkResult kr_wsi_note_result(struct kr_wsi_device *device, VkResult result);

#endif
