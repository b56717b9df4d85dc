/* SPDX-License-Identifier: Apache-2.0 */
/* Acquiring and releasing images of native buffers (W-07, W-08, W-09). */
#include "null/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "null/commands.h"
#include "null/draw.h"
#include "null/faults.h"
#include "null/mutants.h"
#include "null/native_image.h"
#include "sync/fence/fence.h"
#include "sync/timeline/timeline.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"

static void
signal_now(struct null_device *device, struct null_image *image, VkSemaphore semaphore,
	VkFence fence) KR_REQUIRES(device->lock)
{
	if (image)
		null_native_image_acquired(device, image);
	if (semaphore)
		null_object(null_semaphore, semaphore)->value = 1;
	if (fence)
		null_object(null_fence, fence)->signalled = true;
	null_device_progress(device);
}

/* Hands the fence to the reactor. */
static VkResult
signal_later(struct null_device *device, struct null_image *image, int take_fd,
	VkSemaphore semaphore, VkFence fence) KR_REQUIRES(device->lock)
{
	struct null_acquire *acquire = calloc(1, sizeof(*acquire));

	if (!acquire)
		goto err_close;
	acquire->fd = take_fd;
	acquire->image = image;
	acquire->semaphore = null_object(null_semaphore, semaphore);
	acquire->fence = null_object(null_fence, fence);
	if (acquire->semaphore && null_has_fault(semaphore_is_early))
		acquire->semaphore->value = 1;
	if (acquire->fence && null_has_fault(fence_is_early))
		acquire->fence->signalled = true;
	if (acquire->fence && null_has_fault(both_forgets_the_semaphore))
		acquire->semaphore = NULL;
	if (image && null_has_fault(reads_what_was_at_acquire))
		null_draw_remember(image);
	acquire->since = kr_clock_now();
	acquire->deadline = KR_FOREVER;
	if (null_has_fault(late_fence_times_out))
		acquire->deadline = acquire->since + 100 * KR_NSEC_PER_MSEC;
	kr_list_append(&device->acquires, &acquire->link);
	if (null_reactor_wake(device))
		goto err_free;
	return VK_SUCCESS;

err_free:
	kr_list_remove(&acquire->link);
	free(acquire);
err_close:
	if (!null_has_fault(short_acquire_keeps_fd))
		kr_fd_close(&take_fd);
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Whether a wrong driver leaves a fence open that had signalled before. */
static bool
keeps_signalled(int fd, VkSemaphore semaphore, VkFence fence)
{
	if (kr_fence_status(fd) != KR_FENCE_SIGNALLED)
		return false;
	return semaphore || fence ? null_has_fault(keeps_signalled_fd)
				  : null_has_fault(keeps_signalled_fd_with_nothing);
}

/* What a wrong driver does to the descriptor before it looks at it; another one, or the same. */
static int
mishandle(int fd)
{
	static int last = -1;

	if (null_has_fault(closes_fd_twice)) {
		if (last >= 0)
			close(last);
		last = fd;
	}
	return !fd && null_has_fault(takes_fd_0_for_none) ? -1 : fd;
}

static VkResult
acquire_locked(struct null_device *device, struct null_image *image, int given,
	VkSemaphore semaphore, VkFence fence) KR_REQUIRES(device->lock)
{
	int take_fd = mishandle(given);
	int status = kr_fence_status(take_fd);
	VkResult result = VK_SUCCESS;

	if (null_has_fault(closed_descriptor_aborts) && take_fd >= 0 && fcntl(take_fd, F_GETFD) < 0)
		abort();
	if (null_has_fault(no_fence_stays_open) && status == -EINVAL)
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	if (null_has_fault(failed_fence_loses_device) && status < 0)
		device->lost = true;
	if (null_has_fault(acquire_waits_inside))
		status = kr_fence_wait(take_fd, kr_deadline_in(KR_NSEC_PER_SEC));
	if (take_fd < 0 && null_has_fault(none_signals_nothing))
		semaphore = VK_NULL_HANDLE, fence = VK_NULL_HANDLE;
	if (take_fd >= 0 && status == KR_FENCE_SIGNALLED &&
		null_has_fault(signalled_fence_is_forgotten))
		fence = VK_NULL_HANDLE;
	if (device->lost && null_has_fault(keeps_fd_when_lost))
		return VK_ERROR_DEVICE_LOST;
	if (device->lost)
		result = VK_ERROR_DEVICE_LOST;
	else if (null_has_fault(slots_are_32) && null_count_acquired(device) >= 32)
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
	else if (status == -EINVAL)
		result = VK_ERROR_INVALID_EXTERNAL_HANDLE;
	else if (status == KR_FENCE_ACTIVE && (semaphore || fence || image))
		return signal_later(device, image, take_fd, semaphore, fence);
	else
		signal_now(device, image, semaphore, fence);
	if (!keeps_signalled(take_fd, semaphore, fence))
		kr_fd_close(&take_fd);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_AcquireImageANDROID(
	VkDevice handle, VkImage image, int take_fd, VkSemaphore semaphore, VkFence fence)
{
	struct null_device *device = null_device_from_handle(handle);
	VkResult result;

	if (null_has_fault(acquire_races))
		semaphore = null_race(semaphore);
	kr_mutex_lock(&device->lock);
	result = acquire_locked(device, null_object(null_image, image), take_fd, semaphore, fence);
	kr_mutex_unlock(&device->lock);
	return result;
}

/* The timeline stands for the queue's work: it may only have points that end when that is over. */
static int
create_point(struct null_queue *queue, struct null_release *release, int *fence)
{
	int ret = 0;

	if (!queue->timeline)
		ret = kr_timeline_create("null-release", NULL, NULL, &queue->timeline);
	return ret ? ret : kr_timeline_submit(queue->timeline, "release", &release->point, fence);
}

/* The reactor is started here, where failing is still possible. */
static int
create_held(struct null_device *device, struct null_queue *queue, struct null_release *release,
	int *fence) KR_REQUIRES(device->lock)
{
	struct kr_fence_label label = {"null-held", ++queue->held, "release"};
	int ret = kr_fence_create(&label, &release->producer, fence);

	if (!ret && release->setting.mode == NULL_RELEASE_LATE) {
		ret = null_reactor_wake(device);
		if (ret)
			kr_fd_close(fence);
	}
	return ret;
}

static int
create_release(struct null_device *device, struct null_queue *queue, struct null_release **out,
	int *fence) KR_REQUIRES(device->lock)
{
	struct null_release *release = calloc(1, sizeof(*release));
	int ret;

	if (!release)
		return -ENOMEM;
	kr_list_init(&release->link);
	release->queue = queue;
	release->producer = -1;
	release->given = -1;
	release->setting = device->release;
	release->deadline = KR_FOREVER;
	if (release->setting.mode == NULL_RELEASE_SIGNALLED)
		ret = create_point(queue, release, fence);
	else
		ret = create_held(device, queue, release, fence);
	if (ret) {
		null_release_destroy(release);
		return ret;
	}
	*out = release;
	return 0;
}

/* What a wrong driver gives in place of a release's fence. */
static int
misgive(int take_fence)
{
	if (null_has_fault(closes_the_given_fd)) {
		static int given = -1;

		if (given >= 0)
			close(given);
		given = take_fence;
	}
	if (take_fence >= 0 && null_has_fault(gives_an_eventfd)) {
		close(take_fence);
		return eventfd(0, EFD_CLOEXEC);
	}
	return take_fence;
}

static VkResult
release_locked(struct null_device *device, struct null_queue *queue,
	const struct null_operations *waits, struct null_image *image, int *fd)
	KR_REQUIRES(device->lock)
{
	struct null_work work = {.waits = *waits, .image = image};
	VkResult result;
	bool hangs = null_has_fault(idle_release_hangs) && null_queue_is_ready(queue, waits);
	int fence = -1, ret;

	if (device->lost)
		return null_has_fault(lost_release_succeeds) ? VK_SUCCESS : VK_ERROR_DEVICE_LOST;
	if (image && image->shared && image->released && null_has_fault(shared_needs_an_acquire))
		return VK_ERROR_INITIALIZATION_FAILED;
	if (!kr_list_empty(&queue->batches) && null_has_fault(overtakes_work))
		return VK_SUCCESS;
	if (device->release.mode != NULL_RELEASE_SIGNALLED || hangs ||
		!null_queue_is_ready(queue, waits)) {
		ret = create_release(device, queue, &work.release, &fence);
		if (ret && !null_has_fault(short_release_is_done))
			return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (hangs && work.release)
		work.release->setting.mode = NULL_RELEASE_PENDING;
	if (work.release) /* which goes with its work, perhaps at once */
		work.release->given = fence;
	result = null_queue_submit(device, queue, &work);
	if (result != VK_SUCCESS) {
		null_release_destroy(work.release);
		kr_fd_close(&fence);
		return result;
	}
	null_device_progress(device);
	null_release_fault(fence);
	*fd = misgive(fence);
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_QueueSignalReleaseImageANDROID(
	VkQueue handle, uint32_t wait_count, const VkSemaphore *waits, VkImage image, int *fd)
{
	struct null_queue *queue = null_queue_from_handle(handle);
	struct null_device *device = queue->device;
	struct null_operations operations = {
		.count = wait_count,
		.semaphores = (const char *)waits,
		.semaphore_stride = sizeof(*waits),
	};
	VkResult result;
	int unsaid;

	if (null_has_fault(says_not_what_it_gives))
		fd = &unsaid;
	if (null_has_fault(ignores_wait_semaphores))
		operations.count = 0;
	if (null_has_fault(waits_for_one_semaphore))
		operations.count = KR_MIN(wait_count, 1u);
	*fd = -1;
	if (null_has_fault(release_is_of_the_first_queue))
		queue = &device->queues[0];
	kr_mutex_lock(&device->lock);
	result = release_locked(device, queue, &operations, null_object(null_image, image), fd);
	kr_mutex_unlock(&device->lock);
	return result;
}
