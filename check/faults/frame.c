/* SPDX-License-Identifier: Apache-2.0 */
#include "check/faults/frame.h"

#include <fcntl.h>
#include <unistd.h>

#include "util/clock.h"

const float faults_red[4] = {1.0f, 0.0f, 0.0f, 1.0f};
const float faults_blue[4] = {0.0f, 0.0f, 1.0f, 1.0f};

void
faults_rig_make(struct check *c, struct faults_rig *rig)
{
	const VkSemaphoreCreateInfo semaphore = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	const VkFenceCreateInfo fence = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

	check_make_device(c, NULL, &rig->device);
	for (unsigned i = 0; i < FAULTS_IMAGES; i++) {
		check_make_image(c, &rig->device, NULL, &rig->images[i]);
		CHECK_SUCCESS(c, vkCreateSemaphore, rig->device.device, &semaphore, NULL,
			&rig->semaphores[i]);
	}
	CHECK_SUCCESS(c, vkCreateFence, rig->device.device, &fence, NULL, &rig->fence);
}

struct faults_fence
faults_fence_of(struct check *c, int take_fd)
{
	struct faults_fence fence = {take_fd, {-1, -1}, -1};

	if (take_fd < 0)
		return fence;
	fence.mark = check_mark_fd(c, take_fd);
	fence.watch = fcntl(take_fd, F_DUPFD_CLOEXEC, 3);
	if (fence.watch < 0)
		check_skip(c, "a descriptor can't be duplicated");
	return fence;
}

void
faults_fence_is_closed(struct check *c, struct faults_fence *fence)
{
	int64_t deadline = kr_clock_now() + FAULTS_PATIENCE_MS * KR_NSEC_PER_MSEC;

	if (fence->fd < 0)
		return;
	while (check_mark_is_open(c, &fence->mark)) {
		CHECK(c, kr_clock_now() < deadline,
			"the descriptor that was given to vkAcquireImageANDROID is still open");
		usleep(1000);
	}
	check_unmark(c, &fence->mark);
	close(fence->watch);
	fence->fd = fence->watch = -1;
}

VkResult
faults_acquire(
	struct check *c, struct faults_rig *rig, unsigned image, const struct faults_fence *fence)
{
	int64_t start = kr_clock_now(), took;
	VkResult result = CHECK_CALL(c, vkAcquireImageANDROID, rig->device.device,
		rig->images[image].image, fence->fd, rig->semaphores[image], VK_NULL_HANDLE);

	took = (kr_clock_now() - start) / KR_NSEC_PER_MSEC;
	CHECK(c, took < FAULTS_PATIENCE_MS, "vkAcquireImageANDROID took %lld ms", (long long)took);
	CHECK(c, result != VK_ERROR_DEVICE_LOST,
		"vkAcquireImageANDROID says that the device is lost");
	return result;
}

bool
faults_waits_inside(struct check *c, struct faults_rig *rig)
{
	struct check_timeline *timeline;
	struct faults_fence fence = faults_fence_of(c, check_fence(c, &timeline));
	VkResult result;
	bool waited;

	check_signal_later(c, timeline, 1, 50);
	result = faults_acquire(c, rig, 0, &fence);
	waited = check_fence_status(c, fence.watch);
	CHECK(c, result == VK_SUCCESS, "vkAcquireImageANDROID gave %s", check_result_name(result));
	faults_end(c, faults_draw(c, rig, 0, faults_red), "its acquire fence signalled");
	faults_fence_is_closed(c, &fence);
	return waited;
}

int
faults_draw(struct check *c, struct faults_rig *rig, unsigned image, const float rgba[4])
{
	int fd = -1;

	check_clear(c, &rig->device, &rig->images[image], 0, rgba, rig->semaphores[image],
		VK_NULL_HANDLE);
	CHECK_SUCCESS(c, vkQueueSignalReleaseImageANDROID, rig->device.queues[0], 0, NULL,
		rig->images[image].image, &fd);
	return fd;
}

void
faults_end(struct check *c, int take_fd, const char *after)
{
	int64_t deadline = kr_clock_now() + FAULTS_PATIENCE_MS * KR_NSEC_PER_MSEC;

	while (!check_fence_status(c, take_fd)) {
		CHECK(c, kr_clock_now() < deadline,
			"the release fence isn't over within %u ms after %s", FAULTS_PATIENCE_MS,
			after);
		usleep(200);
	}
	if (take_fd >= 0)
		close(take_fd);
}

void
faults_clean_frame(struct check *c, struct faults_rig *rig, unsigned image)
{
	const struct faults_fence none = {-1, {-1, -1}, -1};
	VkResult result = faults_acquire(c, rig, image, &none);
	int fd;

	CHECK(c, result == VK_SUCCESS, "the next vkAcquireImageANDROID gave %s",
		check_result_name(result));
	fd = faults_draw(c, rig, image, faults_blue);
	CHECK(c, check_wait_fence(c, fd, FAULTS_PATIENCE_MS),
		"the next frame's release fence doesn't signal, or fails");
	if (fd >= 0)
		close(fd);
	check_pixels(c, &rig->images[image], faults_blue);
}
