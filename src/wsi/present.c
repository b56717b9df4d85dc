/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Presenting one image: the driver says when it is ready to be shown (W-08), the window gets it
 * together with that fence. Nothing here waits, neither for this frame nor for an earlier one; what
 * a driver waits for in vkQueueSignalReleaseImageANDROID is its own.
 */
#include "wsi/present.h"

#include <errno.h>

#include "sync/fault/fault.h"
#include "sync/fence/fence.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/queue/frame.h"
#include "window/window.h"

const VkPresentRegionKHR *
kr_wsi_present_region(const VkPresentInfoKHR *info, uint32_t place)
{
	const VkBaseInStructure *s;

	for (s = info->pNext; s; s = s->pNext) {
		const VkPresentRegionsKHR *regions = (const VkPresentRegionsKHR *)s;

		if (s->sType == VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR)
			return regions->pRegions && place < regions->swapchainCount
				? &regions->pRegions[place]
				: NULL;
	}
	return NULL;
}

/* A rectangle cut to the image; the sums can't overflow in 64 bits. */
static android_native_rect_t
rect_inside(const VkRectLayerKHR *rect, VkExtent2D extent)
{
	int64_t right = (int64_t)rect->offset.x + rect->extent.width;
	int64_t bottom = (int64_t)rect->offset.y + rect->extent.height;

	return (android_native_rect_t){
		.left = KR_MIN(KR_MAX(rect->offset.x, 0), (int32_t)extent.width),
		.top = KR_MIN(KR_MAX(rect->offset.y, 0), (int32_t)extent.height),
		.right = (int32_t)KR_MIN(KR_MAX(right, 0), (int64_t)extent.width),
		.bottom = (int32_t)KR_MIN(KR_MAX(bottom, 0), (int64_t)extent.height),
	};
}

/* Damage has its origin at the top left, as Vulkan's regions have (krafla/native_window.h). */
static void
say_damage(struct kr_wsi_swapchain *s, const VkPresentRegionKHR *region)
{
	android_native_rect_t rects[KR_FRAME_MAX_DAMAGE];
	uint32_t count = region ? region->rectangleCount : 0;

	/* More than a frame can say: everything. */
	if (count > KR_FRAME_MAX_DAMAGE || (count && !region->pRectangles))
		count = 0;
	if (!count && !s->damage_said)
		return;
	for (uint32_t i = 0; i < count; i++)
		rects[i] = rect_inside(&region->pRectangles[i], s->extent);
	if (s->window->perform(s->window, NATIVE_WINDOW_SET_SURFACE_DAMAGE, count ? rects : NULL,
		    (size_t)count))
		kr_debug("window system: the window takes no damage");
	s->damage_said = count > 0;
}

/* Whether a new swapchain would fit the window better than this one. */
static bool
suboptimal(const struct kr_wsi_swapchain *s)
{
	uint32_t hint, width, height;

	if (kr_wsi_window_query(s->window, NATIVE_WINDOW_TRANSFORM_HINT, &hint) &&
		s->transform != VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR &&
		kr_wsi_transform_from_hint(hint) != s->transform)
		return true;
	/* Only windows that someone can resize. */
	if (!s->surface->ops->refresh)
		return false;
	return kr_wsi_window_query(s->window, NATIVE_WINDOW_DEFAULT_WIDTH, &width) &&
		kr_wsi_window_query(s->window, NATIVE_WINDOW_DEFAULT_HEIGHT, &height) &&
		(width != s->extent.width || height != s->extent.height);
}

static VkResult
queue_image(struct kr_wsi_swapchain *s, struct kr_wsi_image *image, int take_fence, bool has_pixels,
	const VkPresentRegionKHR *region)
{
	ANativeWindow *window = s->window;
	int ret;

	if (s->retired) {
		/* An error means that the window has dropped the buffer already. */
		(void)window->cancelBuffer(window, image->buffer, take_fence);
		return VK_ERROR_OUT_OF_DATE_KHR;
	}
	say_damage(s, region);
	if (!has_pixels && window->perform(window, KR_WINDOW_NO_PIXELS))
		kr_debug("window system: the window doesn't know frames without pixels");
	ret = window->queueBuffer(window, image->buffer, take_fence);
	if (ret) {
		kr_error("vkQueuePresentKHR: the window takes no frame (%d)", ret);
		(void)window->cancelBuffer(window, image->buffer, -1);
		return VK_ERROR_SURFACE_LOST_KHR;
	}
	if (s->surface->ops->presented) {
		VkResult result = s->surface->ops->presented(s->surface->data, s->extent);

		if (result != VK_SUCCESS)
			return result;
	}
	return suboptimal(s) ? VK_SUBOPTIMAL_KHR : VK_SUCCESS;
}

/* Remembers what says that this present's stand-in semaphore has been waited for. */
static void
keep_semaphore_fence(struct kr_wsi_swapchain *s, struct kr_wsi_image *image, int fence)
{
	kr_fd_close(&image->semaphore_fence);
	if (!kr_fd_dup(fence, &image->semaphore_fence))
		return;
	kr_warn("window system: no descriptor to keep a release fence with");
	kr_wsi_semaphore_abandon(s->device, image->semaphore);
	image->semaphore = NULL;
}

static VkResult
release_failed(struct kr_wsi_swapchain *s, struct kr_wsi_image *image, VkResult result)
{
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "vkQueueSignalReleaseImageANDROID failed (%d)",
		result);
	if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
		/* Vulkan: then nothing has happened, and the application may try again. */
		atomic_store(&image->state, KR_WSI_IMAGE_ACQUIRED);
		return result;
	}
	(void)s->window->cancelBuffer(s->window, image->buffer, -1);
	atomic_store(&image->state, KR_WSI_IMAGE_FREE);
	return kr_wsi_note_result(s->device, result);
}

/*
 * When the image may be read can't be known then: it isn't shown, and is the window's again. What
 * the driver gave is closed, if it is open, as a fence of it would be.
 */
static VkResult
no_fence(struct kr_wsi_swapchain *s, struct kr_wsi_image *image, int take_fd)
{
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
		"vkQueueSignalReleaseImageANDROID gave the descriptor %d, which is no fence: the image isn't presented; the driver has to give a fence or -1",
		take_fd);
	kr_fd_close(&take_fd);
	atomic_store(&image->state, KR_WSI_IMAGE_FREE);
	(void)s->window->cancelBuffer(s->window, image->buffer, -1);
	return VK_ERROR_UNKNOWN;
}

/* The driver's release; whether the buffer has the image's pixels then. */
static VkResult
release_image(const struct kr_wsi_swapchain *s, const struct kr_wsi_image *image, VkQueue queue,
	uint32_t wait_count, const VkSemaphore *waits, int *fence, bool *has_pixels)
{
	const struct kr_wsi_native_functions *native = &s->device->native;
	VkBool32 has = VK_TRUE;
	bool wanted = true;
	VkResult result;

	if (!native->release_wanted)
		return native->release(queue, wait_count, waits, image->handle, fence);
	/* A window that doesn't know the question wants them. */
	if (s->window->perform(s->window, KR_WINDOW_NEXT_WANTED, &wanted))
		wanted = true;
	result = native->release_wanted(
		queue, wait_count, waits, image->handle, wanted, fence, &has);
	*has_pixels = has;
	return result;
}

VkResult
kr_wsi_image_present(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image, VkQueue queue,
	uint32_t wait_count, const VkSemaphore *waits, const VkPresentRegionKHR *region)
{
	VkResult result;
	bool has_pixels = true;
	int fence = -1, given;

	result = release_image(swapchain, image, queue, wait_count, waits, &fence, &has_pixels);
	if (result != VK_SUCCESS)
		return release_failed(swapchain, image, result);
	given = fence;
	fence = kr_fault_fence(KRAFLA_FAULT_AT_DRIVER_RELEASE, fence);
	if ((!swapchain->device->native.adapter || fence != given) &&
		kr_fence_status(fence) == -EINVAL)
		return no_fence(swapchain, image, fence);
	if (image->semaphore && waits == &image->semaphore->handle)
		keep_semaphore_fence(swapchain, image, fence);
	/* FREE before it is queued: from then on it may be dequeued. */
	atomic_store(&image->state, KR_WSI_IMAGE_FREE);
	return queue_image(swapchain, image, fence, has_pixels, region);
}
