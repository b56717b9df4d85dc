/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acquiring: a buffer from the window, its release fence waited for within the caller's time, then
 * the driver's vkAcquireImageANDROID.
 *
 * The driver is handed -1, "signalled": the fence has signalled by then, and one made in user space
 * may enter no kernel interface (S-05). A fence in error counts as signalled, because nobody reads
 * the buffer any more; whether the far end lives is the window's to say.
 */
#include "wsi/swapchain.h"

#include <errno.h>

#include "sync/fault/fault.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

/* After so long a wait for a buffer's fence, look whether the window has another buffer by now. */
#define OTHER_BUFFER_NS (100 * KR_NSEC_PER_MSEC)

static VkResult
time_is_up(uint64_t timeout)
{
	return timeout ? VK_TIMEOUT : VK_NOT_READY;
}

static VkResult
result_from_dequeue(int error, uint64_t timeout)
{
	if (error == -ETIMEDOUT || error == -EWOULDBLOCK)
		return time_is_up(timeout);
	if (error != -ENOSYS)
		return kr_wsi_result_from_window(error);
	/*
	 * More images are acquired than the application may hold. It calls us from one
	 * thread at a time, so that waiting would change nothing; without a limit of time
	 * there is no right answer left.
	 */
	if (timeout != UINT64_MAX)
		return time_is_up(timeout);
	kr_error("vkAcquireNextImageKHR: too many images are acquired to wait for one more");
	return VK_ERROR_UNKNOWN;
}

static int
dequeue(struct kr_wsi_swapchain *s, uint64_t timeout, ANativeWindowBuffer **buffer, int *fence)
{
	ANativeWindow *window = s->window;
	int64_t limit = timeout > INT64_MAX ? -1 : (int64_t)timeout;
	int ret;

	if (limit != s->dequeue_timeout) {
		ret = window->perform(window, NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT, limit);
		if (ret)
			return ret;
		s->dequeue_timeout = limit;
	}
	return window->dequeueBuffer(window, buffer, fence);
}

static struct kr_wsi_image *
find_image(struct kr_wsi_swapchain *s, const ANativeWindowBuffer *buffer)
{
	for (uint32_t i = 0; i < s->image_count; i++) {
		if (s->images[i].buffer == buffer)
			return &s->images[i];
	}
	return NULL;
}

/*
 * Dequeues until the fence of what came signals, within the caller's time. One that is late goes
 * back with its fence, and the window gives another buffer if it has one: one fence that never
 * signals doesn't hold up all.
 */
static VkResult
dequeue_signalled(struct kr_wsi_swapchain *s, uint64_t timeout, ANativeWindowBuffer **buffer)
{
	int64_t deadline = kr_deadline_in(timeout), now;
	uint64_t left = timeout;

	for (;;) {
		int fence = -1;
		int ret = dequeue(s, left, buffer, &fence);

		if (ret)
			return result_from_dequeue(ret, timeout);
		ret = kr_fence_wait_watched(fence,
			KR_MIN(deadline, kr_deadline_in(OTHER_BUFFER_NS)), &s->late,
			"vkAcquireNextImageKHR");
		if (ret != -ETIME) {
			kr_fd_close(&fence);
			return VK_SUCCESS;
		}
		(void)s->window->cancelBuffer(s->window, *buffer, fence);
		now = kr_clock_now();
		if (now >= deadline)
			return time_is_up(timeout);
		left = deadline == KR_FOREVER ? UINT64_MAX : (uint64_t)(deadline - now);
	}
}

/* Dequeues a buffer that may be written now; it is still the window's on any failure. */
static VkResult
dequeue_ready(struct kr_wsi_swapchain *s, uint64_t timeout, struct kr_wsi_image **image)
{
	ANativeWindowBuffer *buffer;
	VkResult result = dequeue_signalled(s, timeout, &buffer);

	if (result != VK_SUCCESS)
		return result;
	*image = find_image(s, buffer);
	if (*image)
		return VK_SUCCESS;
	kr_warn("window system: the window gave a buffer that is none of the swapchain's");
	(void)s->window->cancelBuffer(s->window, buffer, -1);
	return VK_ERROR_OUT_OF_DATE_KHR;
}

VkResult
kr_wsi_acquire_next_image(
	struct kr_wsi_device *device, const VkAcquireNextImageInfoKHR *info, uint32_t *index)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(info->swapchain);
	struct kr_wsi_image *image = NULL;
	VkResult result;

	if (atomic_load(&device->lost))
		return VK_ERROR_DEVICE_LOST;
	if (s->retired)
		return VK_ERROR_OUT_OF_DATE_KHR;
	if (!(info->deviceMask & 1)) {
		kr_error("vkAcquireNextImage2KHR: images live on the group's first device");
		return VK_ERROR_UNKNOWN;
	}
	result = dequeue_ready(s, info->timeout, &image);
	if (result != VK_SUCCESS)
		return result;
	result = device->native.acquire(device->info.device, image->handle,
		kr_fault_fence(KRAFLA_FAULT_AT_DRIVER_ACQUIRE, -1), info->semaphore, info->fence);
	if (result != VK_SUCCESS) {
		(void)s->window->cancelBuffer(s->window, image->buffer, -1);
		return kr_wsi_note_result(device, result);
	}
	atomic_store(&image->state, KR_WSI_IMAGE_ACQUIRED);
	/* Who lost the device meanwhile didn't see this image as acquired. */
	if (atomic_load(&device->lost)) {
		kr_wsi_image_give_back(s, image);
		return VK_ERROR_DEVICE_LOST;
	}
	*index = (uint32_t)(image - s->images);
	return VK_SUCCESS;
}
