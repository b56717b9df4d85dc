/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Releasing images: the fence that says when one may be looked at (W-08), at once, whatever the
 * queue has still to do.
 *
 * With SYNC_FD the ICD gives it, by exporting the semaphore that the last submit signals. Without,
 * it is one of the platform, which the queue's thread signals when the submit is done
 * (flights.h); so it is too where the CPU copies, since that comes after. Only without fence or
 * thread the release waits itself, and answers -1.
 */
#include "adapter/native.h"

#include "adapter/flights_thread.h"
#include "adapter/image.h"
#include "adapter/queue.h"
#include "sync/timeline/timeline.h"
#include "util/clock.h"
#include "util/log.h"

/* What a release does, and where. */
struct release {
	struct kr_adapter_queue *queue;
	struct kr_adapter_image *image;
	bool wanted; /* by anybody: else nothing is copied */
	bool copies; /* the batch does */
	struct kr_batch batch;
	/* Where the last submit goes: to the same or, where that can't copy, to the helper. */
	struct kr_adapter_queue *last;
};

/* What is done to the image at its end; NULL: the queue's family can't. */
static VkCommandBuffer
commands_for(const struct release *release, const struct kr_adapter_queue *queue)
{
	const struct kr_adapter_image *image = release->image;

	if (image->exported)
		return kr_exported_give(image, queue, release->copies);
	return image->commands[kr_adapter_queue_family(queue) - queue->device->families];
}

/* One that nobody has taken back since it was given comes back first. */
static void
add_commands(struct release *release, VkCommandBuffer commands)
{
	struct kr_batch *batch = &release->batch;

	if (kr_exported_is_out(release->image)) {
		/* What is waited for now has nothing to take any more. */
		kr_promises_forget_image(&release->queue->device->promises, release->image);
		batch->commands[batch->command_count++] =
			kr_exported_take(release->image, release->last);
	}
	batch->commands[batch->command_count++] = commands;
}

/* Decides where the last submit goes, and what it copies. */
static VkResult
choose_queue(struct release *release)
{
	struct kr_adapter_queue *helper = release->queue->device->helper;

	VkCommandBuffer commands;

	release->last = release->queue;
	release->copies = release->image->commands && release->wanted;
	if (!release->copies && !release->image->exported)
		return VK_SUCCESS;
	commands = commands_for(release, release->queue);
	if (!commands && helper) {
		release->last = helper;
		commands = commands_for(release, helper);
	}
	if (!commands) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "no queue of the device can copy an image");
		return VK_ERROR_FEATURE_NOT_PRESENT;
	}
	add_commands(release, commands);
	return VK_SUCCESS;
}

/* A semaphore of our own: it is not shared, so nobody else's export can take its signal. */
static VkResult
get_semaphore(const struct kr_adapter_device *device, const void *chain, VkSemaphore *semaphore)
{
	const VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
		.pNext = chain,
	};

	if (*semaphore)
		return VK_SUCCESS;
	return device->vk.CreateSemaphore(device->handle, &info, device->allocator, semaphore);
}

/*
 * After everything submitted has been done: away with a semaphore that nobody took the signal of.
 */
static VkResult
drain_and_drop(
	struct kr_adapter_queue *queue, struct kr_adapter_queue *signaller, VkSemaphore *semaphore)
{
	struct kr_adapter_device *device = queue->device;
	VkResult result = kr_adapter_queue_get_fence(queue);

	if (result == VK_SUCCESS)
		result = kr_adapter_queue_submit(signaller, NULL, queue->fence);
	if (result == VK_SUCCESS)
		result = kr_adapter_queue_wait_fence(queue);
	if (result != VK_SUCCESS)
		return result;
	device->vk.DestroySemaphore(device->handle, *semaphore, device->allocator);
	*semaphore = VK_NULL_HANDLE;
	return VK_SUCCESS;
}

/* The queue hands over to the helper. */
static VkResult
hand_over(struct release *release)
{
	struct kr_adapter_image *image = release->image;
	struct kr_batch handoff = release->batch;
	VkResult result;

	result = get_semaphore(release->queue->device, NULL, &image->handoff);
	if (result != VK_SUCCESS)
		return result;
	handoff.command_count = 0;
	handoff.signal = image->handoff;
	result = kr_adapter_queue_submit(release->queue, &handoff, VK_NULL_HANDLE);
	release->batch.wait_count = 1;
	release->batch.waits = &image->handoff;
	return result;
}

static VkResult
submit(struct release *release, VkFence fence)
{
	bool handed_over = release->last != release->queue;
	VkResult result = VK_SUCCESS;

	if (handed_over)
		result = hand_over(release);
	if (result != VK_SUCCESS)
		return result;
	result = kr_adapter_queue_submit(release->last, &release->batch, fence);
	if (release->image->exported && result == VK_SUCCESS)
		kr_exported_given(release->image);
	if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST && handed_over)
		(void)drain_and_drop(release->queue, release->queue, &release->image->handoff);
	return result;
}

/* One that isn't on its way, or else the first. */
static VkResult
choose_given(const struct kr_adapter_device *device, struct kr_adapter_image *image,
	struct kr_adapter_given **given)
{
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

	*given = &image->given[0];
	for (size_t i = 0; i < KR_IMAGE_GIVEN; i++) {
		struct kr_adapter_given *one = &image->given[i];

		if (!one->fence)
			return device->vk.CreateFence(
				device->handle, &info, device->allocator, &(*given = one)->fence);
		if (one->submitted &&
			device->vk.GetFenceStatus(device->handle, one->fence) == VK_NOT_READY)
			continue;
		*given = one;
		break;
	}
	return VK_SUCCESS;
}

/*
 * Likewise of an image that is given without a copy, which costs no wait unless as many are on
 * their way as there are fences.
 */
static VkResult
get_given(const struct release *release, VkFence *fence, bool **submitted)
{
	const struct kr_adapter_device *device = release->queue->device;
	struct kr_adapter_given *given;
	VkResult result = choose_given(device, release->image, &given);

	if (result == VK_SUCCESS && given->submitted)
		result = device->vk.WaitForFences(
			device->handle, 1, &given->fence, VK_TRUE, UINT64_MAX);
	if (result == VK_SUCCESS && given->submitted)
		result = device->vk.ResetFences(device->handle, 1, &given->fence);
	if (result != VK_SUCCESS)
		return result;
	given->submitted = false;
	*fence = given->fence;
	*submitted = &given->submitted;
	return VK_SUCCESS;
}

/*
 * A copy uses what is the image's, so its end is known to us, too: by *fence, NULL without one. The
 * last one's is waited for: without an acquire between (W-09) it may be on its way still.
 */
static VkResult
get_copied(const struct release *release, VkFence *fence, bool **submitted)
{
	const struct kr_adapter_device *device = release->queue->device;
	struct kr_adapter_image *image = release->image;
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkResult result = VK_SUCCESS;

	*fence = VK_NULL_HANDLE;
	*submitted = &image->copied_submitted;
	if (!release->batch.command_count)
		return VK_SUCCESS;
	if (!release->copies)
		return get_given(release, fence, submitted);
	if (!image->copied)
		result = device->vk.CreateFence(
			device->handle, &info, device->allocator, &image->copied);
	if (result == VK_SUCCESS && image->copied_submitted)
		result = device->vk.WaitForFences(
			device->handle, 1, &image->copied, VK_TRUE, UINT64_MAX);
	if (result == VK_SUCCESS && image->copied_submitted)
		result = device->vk.ResetFences(device->handle, 1, &image->copied);
	if (result != VK_SUCCESS)
		return result;
	image->copied_submitted = false;
	*fence = image->copied;
	return VK_SUCCESS;
}

/* The ICD gives a fence for what it has been given to do. */
static VkResult
release_by_export(struct release *release, int *fence)
{
	const VkExportSemaphoreCreateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	struct kr_adapter_queue *queue = release->queue;
	struct kr_adapter_device *device = queue->device;
	VkSemaphoreGetFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	VkFence copied;
	bool *submitted;
	int fd = -1;
	VkResult result;

	result = get_semaphore(device, &export, &queue->exportable);
	if (result == VK_SUCCESS)
		result = get_copied(release, &copied, &submitted);
	if (result != VK_SUCCESS)
		return result;
	release->batch.signal = info.semaphore = queue->exportable;
	result = submit(release, copied);
	if (result != VK_SUCCESS)
		return result;
	if (copied)
		*submitted = true;
	result = device->vk.GetSemaphoreFdKHR(device->handle, &info, &fd);
	/* Without a descriptor for it, wait: then there is nothing to signal any more. */
	if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST)
		result = drain_and_drop(queue, release->last, &queue->exportable);
	if (result == VK_SUCCESS)
		*fence = fd;
	return result;
}

/* What the CPU has to do when the GPU is done. */
static bool
cpu_copies(const struct release *release)
{
	return release->copies && release->image->way == KR_IMAGE_COPY_MAPPED;
}

static VkResult
release_by_waiting(struct release *release, int *fence)
{
	VkResult result = kr_adapter_queue_get_fence(release->queue);

	if (result == VK_SUCCESS)
		result = submit(release, release->queue->fence);
	if (result == VK_SUCCESS)
		result = kr_adapter_queue_wait_fence(release->queue);
	if (result != VK_SUCCESS)
		return result;
	kr_adapter_image_give_pixels(release->image, cpu_copies(release));
	*fence = -1;
	return VK_SUCCESS;
}

/* It was submitted. Without a fence for it (no descriptor, mostly) it is waited for. */
static VkResult
launch(struct kr_flights *flights, struct kr_flight *flight, int *fence)
{
	uint64_t value = flight->value;
	int made = -1;
	int err = kr_timeline_fence(flights->timeline, NULL, value, &made);

	kr_flights_launch(flights, flight, KR_FLIGHT_FLYING);
	if (err) {
		kr_warn("vkQueueSignalReleaseImageANDROID: no fence can be made (%d): the release waits",
			err);
		(void)kr_flights_wait(flights, value, KR_FOREVER);
		if (atomic_load(&flights->queue->device->lost))
			return VK_ERROR_DEVICE_LOST;
	}
	*fence = made;
	return VK_SUCCESS;
}

static VkResult
release_by_flight(struct release *release, struct kr_flights *flights, int *fence)
{
	struct kr_flight *flight;
	VkResult result = kr_flights_take(flights, release->image, cpu_copies(release), &flight);

	if (result == VK_ERROR_TOO_MANY_OBJECTS)
		return release_by_waiting(release, fence);
	if (result != VK_SUCCESS)
		return result;
	result = submit(release, flight->done);
	if (result == VK_SUCCESS)
		return launch(flights, flight, fence);
	kr_flights_launch(flights, flight, KR_FLIGHT_REFUSED);
	return result;
}

static VkResult
release_image(struct release *release, int *fence)
{
	struct kr_adapter_device *device = release->queue->device;
	struct kr_flights *flights;
	VkResult result = choose_queue(release);

	if (result != VK_SUCCESS)
		return result;
	if (atomic_load(&device->lost))
		return VK_ERROR_DEVICE_LOST;
	/*
	 * The semaphore between them is the image's: it is free again when the image's last release
	 * has landed, which an acquire has waited for, if there was one (W-09).
	 */
	if (release->last != release->queue)
		(void)kr_flights_wait_image(device, release->image, KR_FOREVER);
	if (device->sync_fd_semaphore && !cpu_copies(release))
		return release_by_export(release, fence);
	result = kr_flights_open(release->last, &flights);
	if (result == VK_SUCCESS)
		return release_by_flight(release, flights, fence);
	if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
		return result;
	return release_by_waiting(release, fence);
}

/* Whether the buffer has what is in the image. */
static bool
gives_pixels(const struct release *release)
{
	return release->image->way == KR_IMAGE_HOST || release->copies;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_QueueSignalReleaseImageKRAFLA(VkQueue queue, uint32_t waitSemaphoreCount,
	const VkSemaphore *pWaitSemaphores, VkImage image, VkBool32 wanted, int *fence,
	VkBool32 *has_pixels)
{
	struct kr_adapter_queue *state = kr_adapter_queue_from_handle(queue);
	struct release release = {
		.queue = state,
		.image = kr_adapter_image_from_handle(state->device, image),
		.wanted = wanted,
		.batch = {.wait_count = waitSemaphoreCount, .waits = pWaitSemaphores},
	};
	VkResult result;

	if (!release.image || !release.image->buffer) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkQueueSignalReleaseImageANDROID: the image has no native buffer");
		return VK_ERROR_UNKNOWN;
	}
	result = release_image(&release, fence);
	/* What was to take it back wasn't submitted. */
	if (result != VK_SUCCESS && release.batch.command_count > 1)
		kr_exported_untake(release.image);
	if (result == VK_ERROR_DEVICE_LOST)
		atomic_store(&state->device->lost, true);
	if (result == VK_SUCCESS) {
		*has_pixels = gives_pixels(&release);
		release.image->written = release.copies;
	}
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_QueueSignalReleaseImageANDROID(VkQueue queue, uint32_t waitSemaphoreCount,
	const VkSemaphore *pWaitSemaphores, VkImage image, int *pNativeFenceFd)
{
	VkBool32 has_pixels;

	return kr_adapter_QueueSignalReleaseImageKRAFLA(queue, waitSemaphoreCount, pWaitSemaphores,
		image, VK_TRUE, pNativeFenceFd, &has_pixels);
}
