/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A swapchain: images of the driver over buffers of a window.
 *
 * An image's state changes hands by compare-and-exchange, because a lost device may be noticed on
 * any thread and gives acquired images back:
 *
 *   FREE --acquire--> ACQUIRED --present--> PRESENTING --> FREE
 *     ^-- device lost, destroy, release'
 *
 * A shared image is with the far end and the application at once: its buffer stays dequeued, and
 * from its first acquire on it is ACQUIRED except while it is being presented.
 */
#ifndef KR_WSI_SWAPCHAIN_H
#define KR_WSI_SWAPCHAIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <krafla/native_window.h>
#include "colour/hdr.h"
#include "util/list.h"
#include "util/macros.h"
#include "sync/wait/watchdog.h"
#include "window/window.h"
#include "wsi/device.h"
#include "wsi/present_ids.h"
#include "wsi/present_state.h"
#include "wsi/timings.h"
#include "wsi/surface/image_info.h"
#include "wsi/semaphore.h"
#include "wsi/status.h"
#include "wsi/surface/surface.h"

#define KR_WSI_MAX_IMAGES 64u

enum kr_wsi_image_state {
	KR_WSI_IMAGE_FREE,     /* with the window, or waiting to be dequeued */
	KR_WSI_IMAGE_ACQUIRED, /* the application's */
	KR_WSI_IMAGE_PRESENTING,
};

struct kr_wsi_image {
	VkImage handle;
	ANativeWindowBuffer *buffer; /* one reference */
	atomic_int state;            /* enum kr_wsi_image_state */
	/*
	 * The buffer's release fence, -1 for none, while the buffer is dequeued: the window gets it
	 * back with a buffer that was never presented. Of whoever holds the image by its state.
	 */
	int fence;
	/*
	 * Both belong to presents that were split: the stand-in and what says that
	 * its wait is over.
	 */
	struct kr_wsi_semaphore *semaphore;
	int semaphore_fence;
};

struct kr_wsi_private_value {
	VkPrivateDataSlot slot;
	uint64_t value;
};

/* What a swapchain asks its window for. */
struct kr_wsi_buffers {
	uint32_t format;   /* AHARDWAREBUFFER_FORMAT_* */
	int32_t dataspace; /* HAL_DATASPACE_* */
	uint32_t width;
	uint32_t height;
	uint64_t usage; /* AHARDWAREBUFFER_USAGE_* */
	uint32_t count; /* at least */
	bool drops;     /* frames may be replaced by later ones */
};

struct kr_wsi_swapchain {
	struct kr_list link; /* kr_wsi_device.swapchains */
	struct kr_wsi_device *device;
	struct kr_wsi_surface *surface; /* outlives it */
	ANativeWindow *window;          /* one reference */
	atomic_bool retired;            /* also read by who waits for presents */
	bool damage_said;               /* the window may have damage from an earlier present */
	bool suboptimal;                /* as it was found last: what acquiring says */
	bool out_of_date;               /* the far end has said so */
	bool gpu_memory;                /* its images' memory was exported */
	bool gpu_memory_failed;         /* ... of some it couldn't be, which was told */
	VkExtent2D extent;
	VkSurfaceTransformFlagBitsKHR transform;
	struct kr_window_shape made_for;
	struct kr_wsi_present_state present;
	struct kr_wsi_present_ids ids;
	struct kr_wsi_timings timings;
	struct kr_wsi_buffers buffers;
	struct kr_hdr_metadata hdr KR_GUARDED_BY(device->lock);
	int64_t dequeue_timeout; /* as the window has it */
	/* A buffer's release fence, also across acquires whose time was up. Of who acquires. */
	struct kr_fence_watchdog late;
	struct kr_wsi_private_value *values KR_GUARDED_BY(device->lock);
	uint32_t value_count KR_GUARDED_BY(device->lock);
	uint32_t image_count;
	struct kr_wsi_image images[KR_WSI_MAX_IMAGES];
};

static inline struct kr_wsi_swapchain *
kr_wsi_swapchain_from_handle(VkSwapchainKHR handle)
{
	return (struct kr_wsi_swapchain *)(uintptr_t)handle;
}

/* Gives an acquired image back to the window undrawn; nothing when it isn't acquired. */
static inline void
kr_wsi_image_give_back(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image)
{
	int state = KR_WSI_IMAGE_ACQUIRED;

	int fence;

	if (!atomic_compare_exchange_strong(&image->state, &state, KR_WSI_IMAGE_PRESENTING))
		return;
	fence = image->fence;
	image->fence = -1;
	atomic_store(&image->state, KR_WSI_IMAGE_FREE);
	/* An error means that the window has dropped the buffer already. */
	(void)swapchain->window->cancelBuffer(swapchain->window, image->buffer, fence);
}

/*
 * The application's ACQUIRED image becomes PRESENTING. VK_ERROR_DEVICE_LOST, or VK_ERROR_UNKNOWN
 * for an image that the application doesn't hold (logged).
 */
VkResult kr_wsi_image_claim(struct kr_wsi_swapchain *swapchain, uint32_t index,
	struct kr_wsi_image **image) KR_MUST_CHECK;

/*
 * Makes the images of a swapchain over `count` buffers of its window. What was made stays in
 * swapchain->images also on failure.
 */
VkResult kr_wsi_images_create(struct kr_wsi_swapchain *swapchain,
	const struct kr_wsi_image_info *info, uint32_t count,
	const VkAllocationCallbacks *allocator) KR_MUST_CHECK;
/* Waits for nothing but our own semaphores. */
void kr_wsi_images_destroy(
	struct kr_wsi_swapchain *swapchain, const VkAllocationCallbacks *allocator);

/* A new swapchain's window. */
struct kr_wsi_window_request {
	const VkSwapchainCreateInfoKHR *info;
	struct kr_wsi_buffers buffers;
	bool shared;    /* one buffer, which the far end reads at the same time */
	bool reuses;    /* it has such buffers already, and keeps them */
	uint32_t count; /* images that there are then */
};

/* The window's side of a new swapchain: connected, all its state set, its buffers dropped. */
VkResult kr_wsi_window_configure(
	struct kr_wsi_surface *surface, struct kr_wsi_window_request *request) KR_MUST_CHECK;

#endif
