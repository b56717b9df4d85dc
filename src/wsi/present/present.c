/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Presenting one image: the driver says when it is ready to be shown (W-08), the window gets it
 * together with that fence (frame.c). Nothing here waits, neither for this frame nor for an
 * earlier one; what a driver waits for in vkQueueSignalReleaseImageANDROID is its own.
 */
#include "wsi/present/present.h"

#include <errno.h>

#include "sync/fault/fault.h"
#include "sync/fence/fence.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/window.h"
#include "wsi/present/fence.h"
#include "wsi/present/frame.h"
#include "wsi/surface/present_mode.h"

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
	kr_wsi_frame_cancel(s, image, -1);
	kr_wsi_frame_let_go(s, image);
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
	kr_wsi_frame_cancel(s, image, -1);
	kr_wsi_frame_let_go(s, image);
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

/* What no frame of this swapchain can be; nothing has happened then. */
static VkResult
check_request(const struct kr_wsi_swapchain *s, const struct kr_wsi_present_request *request)
{
	enum kr_present_mode mode;

	if (request->device_mask != 1 ||
		request->group_mode != VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR) {
		kr_error(
			"vkQueuePresentKHR: the device mask 0x%x and the mode 0x%x: images are presented by the group's first device, in the local mode",
			request->device_mask, request->group_mode);
		return VK_ERROR_UNKNOWN;
	}
	if (request->has_mode &&
		(!kr_wsi_present_mode_from_vulkan(request->mode, &mode) ||
			!(s->present.modes & 1u << mode))) {
		kr_error("vkQueuePresentKHR: the swapchain wasn't made for the present mode %d",
			request->mode);
		return VK_ERROR_UNKNOWN;
	}
	return VK_SUCCESS;
}

static bool
has_room_for_times(struct kr_wsi_swapchain *s, const struct kr_wsi_present_request *request)
{
	return !request->timing || !request->timing->presentStageQueries ||
		kr_wsi_timings_has_room(&s->timings);
}

VkResult
kr_wsi_present_claim(struct kr_wsi_swapchain *swapchain, const VkPresentInfoKHR *info,
	uint32_t place, struct kr_wsi_present_request *request, struct kr_wsi_image **image)
{
	VkResult result;

	kr_wsi_present_request_read(request, info, place);
	result = check_request(swapchain, request);
	if (result != VK_SUCCESS)
		return result;
	if (!has_room_for_times(swapchain, request))
		return VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT;
	return kr_wsi_image_claim(swapchain, info->pImageIndices[place], image);
}

VkResult
kr_wsi_image_present(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image, VkQueue queue,
	uint32_t wait_count, const VkSemaphore *waits, const struct kr_wsi_present_request *request)
{
	VkResult result, signalled = VK_SUCCESS;
	bool has_pixels = true;
	int fence = -1, given;

	result = release_image(swapchain, image, queue, wait_count, waits, &fence, &has_pixels);
	/* Also when it failed, except without memory: then nothing has happened. */
	if (result != VK_ERROR_OUT_OF_HOST_MEMORY && result != VK_ERROR_OUT_OF_DEVICE_MEMORY)
		signalled = kr_wsi_present_fence_signal(swapchain->device, queue, request->fence);
	if (result != VK_SUCCESS)
		return release_failed(swapchain, image, result);
	given = fence;
	fence = kr_fault_fence(KRAFLA_FAULT_AT_DRIVER_RELEASE, fence);
	if ((!swapchain->device->native.adapter || fence != given) &&
		kr_fence_status(fence) == -EINVAL)
		return no_fence(swapchain, image, fence);
	if (image->semaphore && waits == &image->semaphore->handle)
		keep_semaphore_fence(swapchain, image, fence);
	result = kr_wsi_frame_present(swapchain, image, fence, has_pixels, request);
	return signalled == VK_SUCCESS ? result : signalled;
}
