/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acquiring: a buffer from the window, then the driver's vkAcquireImageANDROID with the buffer's
 * release fence (W-07).
 *
 *   a kernel's fence that is pending     is handed on, to a driver that imports it into what the
 *                                        caller wants signalled: nobody waits on the CPU
 *   any other that is pending            is waited for within the caller's time, then -1: one made
 *                                        in user space may enter no kernel interface (S-05)
 *   one that is done, and what is none   -1, "signalled"
 *
 * A fence in error counts as signalled, because nobody reads the buffer any more; whether the far
 * end lives is the window's to say. A fence that was handed on is the driver's, however late.
 */
#include "wsi/swapchain.h"

#include <errno.h>

#include "sync/fault/fault.h"
#include "sync/fence/fence.h"
#include "sync/fence/status.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "wsi/image_deferred.h"

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

/* An acquire under way. */
struct acquire {
	struct kr_wsi_swapchain *swapchain;
	const VkAcquireNextImageInfoKHR *info;
	struct kr_wsi_image *image;
	int64_t deadline;
	ANativeWindowBuffer *buffer; /* dequeued */
	int fence;                   /* its own, or -1 once that doesn't matter any more */
	int given;                   /* a duplicate for the driver, or -1 */
	bool late;                   /* the buffer can't be had yet, and is back */
};

/* Whether the driver imports a kernel's fence into all that it has to signal. */
static bool
imports(const struct acquire *a)
{
	const struct kr_wsi_native_functions *native = &a->swapchain->device->native;

	if (a->info->semaphore && !native->acquire_semaphores)
		return false;
	if (a->info->fence && !native->acquire_fences)
		return false;
	return a->info->semaphore || a->info->fence;
}

/* Waits for a fence, but not past the time to look for another buffer. False: it is late. */
static bool
wait_for(struct acquire *a, int fence)
{
	return kr_fence_wait_watched(fence, KR_MIN(a->deadline, kr_deadline_in(OTHER_BUFFER_NS)),
		       &a->swapchain->late, "vkAcquireNextImageKHR") != -ETIME;
}

/*
 * What the driver is given for the buffer's fence. The buffer keeps its own until the driver has
 * taken the image: should it fail, the window needs it. False: the fence is late.
 */
static bool
prepare_fence(struct acquire *a)
{
	bool kernel = false, done = false;
	int32_t status;

	if (a->fence >= 0 && imports(a))
		done = kr_sync_status_and_kind(a->fence, &status, &kernel) ||
			status != KR_FENCE_ACTIVE;
	if (!done && kernel && !kr_fd_dup(a->fence, &a->given))
		done = true;
	if (done)
		kr_fence_watchdog_stop(&a->swapchain->late);
	else if (!wait_for(a, a->fence))
		return false;
	if (a->given < 0)
		kr_fd_close(&a->fence);
	return true;
}

/* What a fault puts in its place: what is no fence is the driver's to refuse. */
static bool
prepare_fault(struct acquire *a)
{
	int before = a->given;
	bool kernel;
	int32_t status;

	a->given = kr_fault_fence(KRAFLA_FAULT_AT_DRIVER_ACQUIRE, a->given);
	if (a->given == before || kr_sync_status_and_kind(a->given, &status, &kernel) || kernel)
		return true;
	if (!wait_for(a, a->given)) {
		/* Late is what the driver would be given: the buffer is so, too. */
		kr_fd_close(&a->fence);
		a->fence = a->given;
		a->given = -1;
		return false;
	}
	kr_fd_close(&a->given);
	return true;
}

/*
 * The buffer goes back with its fence, a shared one stays with it; whatever was meant for the
 * driver is gone.
 */
static void
give_back(struct acquire *a)
{
	kr_fd_close(&a->given);
	if (a->swapchain->present.shared)
		a->image->fence = a->fence;
	else
		(void)a->swapchain->window->cancelBuffer(a->swapchain->window, a->buffer, a->fence);
	a->fence = -1;
}

/* How much of the caller's time is left; false: nothing. */
static bool
time_left(const struct acquire *a, uint64_t *left)
{
	int64_t now = kr_clock_now();

	if (now >= a->deadline)
		return false;
	*left = a->deadline == KR_FOREVER ? UINT64_MAX : (uint64_t)(a->deadline - now);
	return true;
}

/* The driver takes the image, or it goes back. */
static VkResult
hand_to_driver(struct acquire *a)
{
	struct kr_wsi_device *device = a->swapchain->device;
	VkResult result;

	result = device->native.acquire(device->info.device, a->image->handle, a->given,
		a->info->semaphore, a->info->fence);
	a->given = -1;
	/* Should the image be released without a present, the window needs its fence again. */
	if (result == VK_SUCCESS)
		a->image->fence = a->fence;
	else
		give_back(a);
	a->late = result == VK_TIMEOUT && device->native.adapter;
	return result;
}

static VkResult
take_buffer(struct acquire *a)
{
	if (!prepare_fence(a) || !prepare_fault(a)) {
		give_back(a);
		a->late = true;
		return VK_TIMEOUT;
	}
	return hand_to_driver(a);
}

/* The image of the buffer that was dequeued. */
static VkResult
take_dequeued(struct acquire *a)
{
	VkResult result;

	a->image = find_image(a->swapchain, a->buffer);
	if (a->image)
		return take_buffer(a);
	result = kr_wsi_image_adopt(a->swapchain, a->buffer, &a->image);
	if (result == VK_SUCCESS)
		return take_buffer(a);
	if (result == VK_ERROR_OUT_OF_DATE_KHR)
		kr_warn("window system: the window gave a buffer that is none of the swapchain's");
	give_back(a);
	return result;
}

/*
 * A shared image is the application's for good, and may be acquired again while it has it: the
 * driver gets its acquire all the same (W-13). Only the first has a fence to wait for.
 */
static VkResult
take_shared(struct acquire *a)
{
	a->image = &a->swapchain->images[0];
	a->given = -1;
	do {
		VkResult result;

		a->fence = a->image->fence;
		a->image->fence = -1;
		a->late = false;
		result = take_buffer(a);
		if (!a->late)
			return result;
	} while (kr_clock_now() < a->deadline);
	return time_is_up(a->info->timeout);
}

/* Nothing would ever come back: the application has all images there are. */
static bool
has_all(struct kr_wsi_swapchain *s)
{
	for (uint32_t i = 0; i < s->image_count; i++) {
		if (atomic_load(&s->images[i].state) != KR_WSI_IMAGE_ACQUIRED)
			return false;
	}
	return true;
}

/*
 * Dequeues until the driver has taken what came, within the caller's time. A buffer whose fence is
 * late goes back with it, and the window gives another if it has one: one fence that never signals
 * doesn't hold up all.
 */
static VkResult
take_image(struct acquire *a)
{
	uint64_t timeout = a->info->timeout, left = timeout;

	if (timeout == UINT64_MAX && has_all(a->swapchain))
		return result_from_dequeue(-ENOSYS, timeout);
	do {
		VkResult result;
		int ret;

		a->fence = a->given = -1;
		a->late = false;
		ret = dequeue(a->swapchain, left, &a->buffer, &a->fence);
		if (ret)
			return result_from_dequeue(ret, timeout);
		result = take_dequeued(a);
		if (!a->late)
			return result;
	} while (time_left(a, &left));
	return time_is_up(timeout);
}

VkResult
kr_wsi_acquire_next_image(
	struct kr_wsi_device *device, const VkAcquireNextImageInfoKHR *info, uint32_t *index)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(info->swapchain);
	struct acquire acquire = {
		.swapchain = s,
		.info = info,
		.deadline = kr_deadline_in(info->timeout),
	};
	VkResult result;

	if (atomic_load(&device->lost))
		return VK_ERROR_DEVICE_LOST;
	if (atomic_load(&s->retired) || s->out_of_date)
		return VK_ERROR_OUT_OF_DATE_KHR;
	if (!(info->deviceMask & 1)) {
		kr_error("vkAcquireNextImage2KHR: images live on the group's first device");
		return VK_ERROR_UNKNOWN;
	}
	result = s->present.shared ? take_shared(&acquire) : take_image(&acquire);
	if (result != VK_SUCCESS)
		return kr_wsi_note_result(device, result);
	atomic_store(&acquire.image->state, KR_WSI_IMAGE_ACQUIRED);
	/* Who lost the device meanwhile didn't see this image as acquired. */
	if (atomic_load(&device->lost)) {
		kr_wsi_image_give_back(s, acquire.image);
		return VK_ERROR_DEVICE_LOST;
	}
	*index = (uint32_t)(acquire.image - s->images);
	return s->suboptimal ? VK_SUBOPTIMAL_KHR : VK_SUCCESS;
}
