/* SPDX-License-Identifier: Apache-2.0 */
/* The window's side of a present. */
#include "wsi/present/frame.h"

#include "util/fd.h"
#include "util/log.h"
#include "window/queue/frame.h"
#include "window/window.h"
#include "wsi/surface/present_mode.h"

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

static bool
is_empty(const android_native_rect_t *rect)
{
	return rect->left >= rect->right || rect->top >= rect->bottom;
}

/* What both change lies in. */
static android_native_rect_t
around(const android_native_rect_t *a, const android_native_rect_t *b)
{
	if (is_empty(a) || is_empty(b))
		return is_empty(a) ? *b : *a;
	return (android_native_rect_t){
		.left = KR_MIN(a->left, b->left),
		.top = KR_MIN(a->top, b->top),
		.right = KR_MAX(a->right, b->right),
		.bottom = KR_MAX(a->bottom, b->bottom),
	};
}

/* Damage has its origin at the top left, as Vulkan's regions have (krafla/native_window.h). */
static void
say_damage(struct kr_wsi_swapchain *s, const VkPresentRegionKHR *region)
{
	android_native_rect_t rects[KR_FRAME_MAX_DAMAGE];
	uint32_t count = region ? region->rectangleCount : 0;

	if (count && !region->pRectangles)
		count = 0;
	if (!count && !s->damage_said)
		return;
	for (uint32_t i = 0; i < count; i++) {
		android_native_rect_t rect = rect_inside(&region->pRectangles[i], s->extent);

		/* More than a frame can say: the last one lies around all others. */
		if (i < KR_FRAME_MAX_DAMAGE)
			rects[i] = rect;
		else
			rects[KR_FRAME_MAX_DAMAGE - 1] =
				around(&rects[KR_FRAME_MAX_DAMAGE - 1], &rect);
	}
	count = KR_MIN(count, (uint32_t)KR_FRAME_MAX_DAMAGE);
	if (s->window->perform(s->window, NATIVE_WINDOW_SET_SURFACE_DAMAGE, count ? rects : NULL,
		    (size_t)count))
		kr_debug("window system: the window takes no damage");
	s->damage_said = count > 0;
}

void
kr_wsi_frame_let_go(struct kr_wsi_swapchain *s, struct kr_wsi_image *image)
{
	atomic_store(&image->state, s->present.shared ? KR_WSI_IMAGE_ACQUIRED : KR_WSI_IMAGE_FREE);
	/* Who lost the device meanwhile didn't see this image as acquired. */
	if (s->present.shared && atomic_load(&s->device->lost))
		kr_wsi_image_give_back(s, image);
}

void
kr_wsi_frame_cancel(struct kr_wsi_swapchain *s, struct kr_wsi_image *image, int take_fence)
{
	if (s->present.shared) {
		kr_fd_close(&take_fence);
		return;
	}
	/* An error means that the window has dropped the buffer already. */
	(void)s->window->cancelBuffer(s->window, image->buffer, take_fence);
}

/* The far end has a shared buffer, and so has the application: the queue gives it again at once. */
static VkResult
take_shared_again(struct kr_wsi_swapchain *s, struct kr_wsi_image *image)
{
	ANativeWindowBuffer *buffer;
	int fence = -1;

	if (s->window->dequeueBuffer(s->window, &buffer, &fence)) {
		kr_error("vkQueuePresentKHR: the window doesn't give the shared buffer again");
		return VK_ERROR_SURFACE_LOST_KHR;
	}
	if (buffer != image->buffer) {
		kr_error("vkQueuePresentKHR: the window gave another buffer than the shared one");
		(void)s->window->cancelBuffer(s->window, buffer, fence);
		return VK_ERROR_SURFACE_LOST_KHR;
	}
	/* Nobody waits for who reads a shared image. */
	kr_fd_close(&fence);
	return VK_SUCCESS;
}

/* A time that lies beyond all that windows know is the last one. */
static int64_t
absolute(uint64_t time, int64_t behind_ns)
{
	int64_t sum;

	if (__builtin_add_overflow(time, behind_ns, &sum))
		return INT64_MAX;
	/* It may have passed before the window's clock began; 0 would be none. */
	return KR_MAX(sum, 1);
}

/* When the next frame is to be shown; of one alone. */
static void
say_target(ANativeWindow *window, const struct kr_wsi_present_request *request, int64_t behind_ns)
{
	struct kr_frame_target target = {0};

	if (request->timing && request->timing->targetTime) {
		VkPresentTimingInfoFlagsEXT flags = request->timing->flags;

		target.kind = flags & VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT
			? KR_TARGET_RELATIVE
			: KR_TARGET_ABSOLUTE;
		target.nearest =
			flags & VK_PRESENT_TIMING_INFO_PRESENT_AT_NEAREST_REFRESH_CYCLE_BIT_EXT;
		target.time_ns = absolute(request->timing->targetTime,
			target.kind == KR_TARGET_RELATIVE ? 0 : behind_ns);
	} else if (request->google && request->google->desiredPresentTime) {
		target.kind = KR_TARGET_TIMESTAMP;
		target.time_ns =
			(int64_t)KR_MIN(request->google->desiredPresentTime, (uint64_t)INT64_MAX);
	} else {
		return;
	}
	if (window->perform(window, KR_WINDOW_SET_TARGET, &target))
		kr_debug("vkQueuePresentKHR: the window takes no times");
}

static bool
asks_for_times(const struct kr_wsi_present_request *request)
{
	return request->google || (request->timing && request->timing->presentStageQueries);
}

static void
push_times(struct kr_wsi_swapchain *s, const struct kr_wsi_present_request *request, uint64_t frame,
	int64_t behind_ns)
{
	if (request->google)
		kr_wsi_timings_push_google(&s->timings, frame, request->google);
	if (request->timing && request->timing->presentStageQueries)
		kr_wsi_timings_push(&s->timings, frame, request->id, request->timing, behind_ns);
}

/* Into the window's queue, with the frame's number there when somebody will ask for it. */
static int
queue_frame(struct kr_wsi_swapchain *s, struct kr_wsi_image *image, int take_fence,
	const struct kr_wsi_present_request *request)
{
	bool times = asks_for_times(request);
	ANativeWindow *window = s->window;
	int64_t behind_ns = 0;
	uint64_t number = 0;
	int kept = -1, ret;

	if (request->timing)
		behind_ns = kr_wsi_timings_behind(&s->timings, request->timing->timeDomainId);
	say_target(window, request, behind_ns);
	if (!request->id && !times)
		return window->queueBuffer(window, image->buffer, take_fence);
	if ((s->ids.tells || times) &&
		window->perform(window, NATIVE_WINDOW_GET_NEXT_FRAME_ID, &number))
		kr_warn("vkQueuePresentKHR: the window doesn't number its frames");
	if (request->id && !s->ids.tells && kr_fd_dup(take_fence, &kept))
		kr_warn("vkQueuePresentKHR: no descriptor to know by when a frame is done");
	ret = window->queueBuffer(window, image->buffer, take_fence);
	if (!ret && request->id)
		kr_wsi_present_ids_push(&s->ids, request->id, number, kept);
	if (!ret)
		push_times(s, request, number, behind_ns);
	kr_fd_close(&kept);
	return ret;
}

static VkResult
queue_image(struct kr_wsi_swapchain *s, struct kr_wsi_image *image, int take_fence, bool has_pixels,
	const struct kr_wsi_present_request *request)
{
	ANativeWindow *window = s->window;
	enum kr_present_mode mode = (enum kr_present_mode)s->present.said.mode;
	int ret;

	if (atomic_load(&s->retired)) {
		kr_wsi_frame_cancel(s, image, take_fence);
		return VK_ERROR_OUT_OF_DATE_KHR;
	}
	say_damage(s, request->region);
	if (request->has_mode)
		(void)kr_wsi_present_mode_from_vulkan(request->mode, &mode);
	kr_wsi_present_state_say(
		&s->present, window, mode, request->id != 0, asks_for_times(request));
	if (!has_pixels && window->perform(window, KR_WINDOW_NO_PIXELS))
		kr_debug("window system: the window doesn't know frames without pixels");
	ret = queue_frame(s, image, take_fence, request);
	if (ret) {
		kr_error("vkQueuePresentKHR: the window takes no frame (%d)", ret);
		kr_wsi_frame_cancel(s, image, -1);
		return VK_ERROR_SURFACE_LOST_KHR;
	}
	return s->present.shared ? take_shared_again(s, image) : VK_SUCCESS;
}

/* How the swapchain fares, once the window has its frame. */
static VkResult
after_frame(struct kr_wsi_swapchain *s)
{
	VkResult result = VK_SUCCESS;

	if (s->surface->ops->presented)
		result = s->surface->ops->presented(s->surface->data, s->extent);
	s->out_of_date |= result == VK_ERROR_OUT_OF_DATE_KHR;
	if (result != VK_SUCCESS)
		return result;
	s->suboptimal = kr_wsi_is_suboptimal(s);
	return s->suboptimal ? VK_SUBOPTIMAL_KHR : VK_SUCCESS;
}

VkResult
kr_wsi_frame_present(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image, int take_fence,
	bool has_pixels, const struct kr_wsi_present_request *request)
{
	VkResult result;

	/* What was for a buffer that goes back undrawn. */
	kr_fd_close(&image->fence);
	/* FREE before it is queued: from then on it may be dequeued. A shared one is ours still. */
	if (!swapchain->present.shared)
		atomic_store(&image->state, KR_WSI_IMAGE_FREE);
	result = queue_image(swapchain, image, take_fence, has_pixels, request);
	if (swapchain->present.shared)
		kr_wsi_frame_let_go(swapchain, image);
	return result == VK_SUCCESS ? after_frame(swapchain) : result;
}
