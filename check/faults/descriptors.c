/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that have no descriptor left, and consumers that close what they are given. */
#include "check/faults/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_FILLERS 4096
#define FRAMES      30
#define PENDING_MS  200

/* All that may be open is. */
struct shortage {
	struct rlimit before;
	int count;
	int fillers[MAX_FILLERS];
};

static void
begin_shortage(struct check *c, struct shortage *shortage)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &shortage->before))
		check_skip(c, "RLIMIT_NOFILE can't be read: %s", strerror(errno));
	limit = shortage->before;
	limit.rlim_cur = KR_MIN(limit.rlim_cur, (rlim_t)MAX_FILLERS);
	if (setrlimit(RLIMIT_NOFILE, &limit))
		check_skip(c, "RLIMIT_NOFILE can't be set: %s", strerror(errno));
	for (shortage->count = 0; shortage->count < MAX_FILLERS; shortage->count++) {
		int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

		if (fd < 0)
			return;
		shortage->fillers[shortage->count] = fd;
	}
}

static void
end_shortage(struct shortage *shortage)
{
	for (int i = 0; i < shortage->count; i++)
		close(shortage->fillers[i]);
	setrlimit(RLIMIT_NOFILE, &shortage->before);
}

static struct shortage shortage;

static void
acquire_without(struct check *c)
{
	struct check_timeline *timeline;
	struct faults_fence fence;
	struct faults_rig rig;
	VkResult result;

	faults_rig_make(c, &rig);
	fence = faults_fence_of(c, check_fence(c, &timeline));
	check_signal_later(c, timeline, 1, PENDING_MS);
	begin_shortage(c, &shortage);
	result = faults_acquire(c, &rig, 0, &fence);
	if (result != VK_SUCCESS)
		faults_fence_is_closed(c, &fence);
	end_shortage(&shortage);
	if (result == VK_SUCCESS)
		faults_end(c, faults_draw(c, &rig, 0, faults_red), "descriptors were short");
	faults_fence_is_closed(c, &fence);
	faults_clean_frame(c, &rig, 0);
}

static void
release_without(struct check *c)
{
	struct check_timeline *timeline;
	struct faults_fence fence;
	struct faults_rig rig;
	VkResult result;
	int fd = -1;

	faults_rig_make(c, &rig);
	fence = faults_fence_of(c, check_fence(c, &timeline));
	check_signal_later(c, timeline, 1, PENDING_MS);
	CHECK(c, faults_acquire(c, &rig, 0, &fence) == VK_SUCCESS, "a fence isn't taken");
	check_clear(
		c, &rig.device, &rig.images[0], 0, faults_red, rig.semaphores[0], VK_NULL_HANDLE);
	begin_shortage(c, &shortage);
	result = CHECK_CALL(c, vkQueueSignalReleaseImageANDROID, rig.device.queues[0], 0, NULL,
		rig.images[0].image, &fd);
	end_shortage(&shortage);
	CHECK(c, result != VK_ERROR_DEVICE_LOST,
		"vkQueueSignalReleaseImageANDROID says that the device is lost");
	CHECK(c,
		result != VK_SUCCESS || check_fence_status(c, fd) <= 0 ||
			check_fence_status(c, fence.watch),
		"the release is told done (%d), while the acquire fence is pending", fd);
	if (result == VK_SUCCESS)
		faults_end(c, fd, "descriptors were short");
	else
		CHECK_SUCCESS(c, vkQueueSignalReleaseImageANDROID, rig.device.queues[0], 0, NULL,
			rig.images[0].image, &fd);
	if (result != VK_SUCCESS)
		faults_end(c, fd, "descriptors had been short");
	faults_fence_is_closed(c, &fence);
	faults_clean_frame(c, &rig, 0);
}

/* The consumer isn't interested, or dead. */
static void
release_closed(struct check *c)
{
	struct faults_rig rig;

	faults_rig_make(c, &rig);
	for (unsigned i = 0; i < FRAMES; i++) {
		struct check_timeline *timeline;
		struct faults_fence fence = faults_fence_of(c, check_fence(c, &timeline));
		int fd;

		check_signal_later(c, timeline, 1, 3);
		CHECK(c, faults_acquire(c, &rig, i % 3, &fence) == VK_SUCCESS,
			"a fence isn't taken");
		fd = faults_draw(c, &rig, i % 3, faults_red);
		if (fd >= 0)
			close(fd);
		faults_fence_is_closed(c, &fence);
	}
	for (unsigned i = 0; i < FAULTS_IMAGES; i++)
		faults_clean_frame(c, &rig, i);
}

static const struct check_case rows[] = {
	{
		.name = "faults.acquire_without_descriptors",
		.requirement = "W-07",
		.expected =
			"without a descriptor left acquire works or says an error, and closes the fence",
		.consequence = "an application that is short of descriptors never gets out of it",
		.run = acquire_without,
	},
	{
		.name = "faults.release_without_descriptors",
		.requirement = "W-08",
		.expected =
			"without a descriptor left a release of pending work gives a fence or an error, no -1",
		.consequence = "a frame is shown before it is drawn",
		.run = release_without,
	},
	{
		.name = "faults.release_fence_may_be_closed",
		.requirement = "W-08",
		.expected =
			"a release fence that its owner closes at once costs the driver nothing",
		.consequence = "a display that crashes takes the application with it",
		.run = release_closed,
	},
};

const struct check_rows check_faults_descriptors = CHECK_ROWS(rows);
