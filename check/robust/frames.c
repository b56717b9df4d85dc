/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that these cases make. */
#include <fcntl.h>
#include <unistd.h>

#include "check/robust/robust.h"

void
robust_colour(unsigned number, float rgba[4])
{
	rgba[0] = (float)(number % 2);
	rgba[1] = (float)(number / 2 % 2);
	rgba[2] = (float)(number / 4 % 2);
	rgba[3] = 1.0f;
}

VkSemaphore
robust_semaphore(struct check *c, const struct check_device *device)
{
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkSemaphore semaphore = VK_NULL_HANDLE;

	CHECK_SUCCESS(c, vkCreateSemaphore, device->device, &info, NULL, &semaphore);
	return semaphore;
}

int
robust_frame(struct check *c, struct check_device *device, struct check_image *image,
	uint32_t queue, VkSemaphore semaphore, unsigned number, int take_fd)
{
	float rgba[4];
	int fence = -1;

	robust_colour(number, rgba);
	CHECK_SUCCESS(c, vkAcquireImageANDROID, device->device, image->image, take_fd, semaphore,
		VK_NULL_HANDLE);
	check_clear(c, device, image, queue, rgba, semaphore, VK_NULL_HANDLE);
	CHECK_SUCCESS(c, vkQueueSignalReleaseImageANDROID, device->queues[queue], 0, NULL,
		image->image, &fence);
	return fence;
}

void
robust_end(struct check *c, int take_fd)
{
	CHECK(c, check_wait_fence(c, take_fd, ROBUST_PATIENCE_MS),
		"a release fence doesn't signal within %d ms, or fails", ROBUST_PATIENCE_MS);
	if (take_fd >= 0)
		close(take_fd);
}

void
robust_whole_frame(struct check *c, struct check_device *device, struct check_image *image,
	uint32_t queue, VkSemaphore semaphore, unsigned number)
{
	float rgba[4];

	robust_colour(number, rgba);
	robust_end(c, robust_frame(c, device, image, queue, semaphore, number, -1));
	check_pixels(c, image, rgba);
}

bool
robust_waits_inside(struct check *c, struct check_device *device, struct check_image *image)
{
	VkSemaphore semaphore = robust_semaphore(c, device);
	struct check_timeline *timeline;
	int fence = check_fence(c, &timeline), watch = fcntl(fence, F_DUPFD_CLOEXEC, 3);
	bool waited;

	check_signal_later(c, timeline, 1, 50);
	CHECK_SUCCESS(c, vkAcquireImageANDROID, device->device, image->image, fence, semaphore,
		VK_NULL_HANDLE);
	waited = check_fence_status(c, watch);
	close(watch);
	check_clear(c, device, image, 0, (const float[4]){0, 0, 0, 1}, semaphore, VK_NULL_HANDLE);
	CHECK_SUCCESS(c, vkQueueSignalReleaseImageANDROID, device->queues[0], 0, NULL, image->image,
		&fence);
	robust_end(c, fence);
	return waited;
}
