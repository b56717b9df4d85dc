/* SPDX-License-Identifier: Apache-2.0 */
/* fork and exec beside a driver that is at work (D-03, S-06). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/robust/robust.h"

/* More than a case opens. */
#define MAX_FDS 1024

struct rig {
	struct check_device device;
	struct check_image image;
	VkSemaphore semaphore;
};

static void
make_rig(struct check *c, struct rig *rig)
{
	check_make_device(c, NULL, &rig->device);
	check_make_image(c, &rig->device, NULL, &rig->image);
	rig->semaphore = robust_semaphore(c, &rig->device);
}

static void
end_child(struct check *c, pid_t child)
{
	int status = 0;
	pid_t ended;

	do {
		ended = waitpid(child, &status, 0);
	} while (ended < 0 && errno == EINTR);
	CHECK(c, ended != child || !WIFSIGNALED(status), "a child that only ends was killed by %s",
		strsignal(WTERMSIG(status)));
}

static pid_t
make_child(struct check *c)
{
	pid_t child = fork();

	if (child < 0)
		check_skip(c, "no process can be made: %s", strerror(errno));
	return child;
}

/* With a frame on its way, whose fence signals after the child has ended. */
static void
child_may_end(struct check *c)
{
	struct check_timeline *timeline;
	struct rig rig;
	float rgba[4];
	int fence, acquire, watch;
	pid_t child;

	make_rig(c, &rig);
	if (robust_waits_inside(c, &rig.device, &rig.image))
		check_not_applicable(c, "acquires wait for their fences themselves");
	acquire = check_fence(c, &timeline);
	watch = fcntl(acquire, F_DUPFD_CLOEXEC, 3);
	fence = robust_frame(c, &rig.device, &rig.image, 0, rig.semaphore, 3, acquire);
	child = make_child(c);
	if (child == 0)
		exit(0); /* as a program does: with all that runs at exit */
	end_child(c, child);
	CHECK(c, check_fence_status(c, watch) || !check_fence_status(c, fence),
		"when a forked child ended, the release fence of a frame that still waits was over");
	CHECK(c, !check_fence_status(c, watch),
		"when a forked child ended, an acquire fence ended with it");
	check_signal(c, timeline, 1);
	robust_end(c, fence);
	robust_colour(3, rgba);
	check_pixels(c, &rig.image, rgba);
	robust_whole_frame(c, &rig.device, &rig.image, 0, rig.semaphore, 4);
	close(watch);
}

static void
fork_in_a_frame(struct check *c)
{
	struct rig rig;

	make_rig(c, &rig);
	for (unsigned i = 0; i < 8; i++) {
		pid_t child;
		int fence;
		float rgba[4];

		robust_colour(i, rgba);
		CHECK_SUCCESS(c, vkAcquireImageANDROID, rig.device.device, rig.image.image, -1,
			rig.semaphore, VK_NULL_HANDLE);
		child = make_child(c);
		if (child == 0)
			_exit(0);
		check_clear(c, &rig.device, &rig.image, 0, rgba, rig.semaphore, VK_NULL_HANDLE);
		end_child(c, child);
		CHECK_SUCCESS(c, vkQueueSignalReleaseImageANDROID, rig.device.queues[0], 0, NULL,
			rig.image.image, &fence);
		robust_end(c, fence);
		check_pixels(c, &rig.image, rgba);
	}
}

static void
exec_takes_nothing(struct check *c)
{
	bool before[MAX_FDS];
	struct check_timeline *timeline;
	char path[64], target[256];
	struct rig rig;
	int fence;

	for (int fd = 0; fd < MAX_FDS; fd++)
		before[fd] = check_fd_is_open(c, fd);
	make_rig(c, &rig);
	fence = check_fence(c, &timeline);
	check_signal_later(c, timeline, 1, 50);
	fence = robust_frame(c, &rig.device, &rig.image, 0, rig.semaphore, 2, fence);
	for (int fd = 0; fd < MAX_FDS; fd++) {
		int flags = fcntl(fd, F_GETFD);
		ssize_t length;

		if (before[fd] || flags < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof(target) - 1);
		target[length < 0 ? 0 : length] = '\0';
		CHECK(c, flags & FD_CLOEXEC, "descriptor %d (%s) isn't closed by exec%s", fd,
			target, fd == fence ? ": the release fence" : "");
	}
	robust_end(c, fence);
}

static const struct check_case rows[] = {
	{
		.name = "processes.child_may_end",
		.requirement = "W-08",
		.expected =
			"a forked child that ends, with all that runs at exit, changes nothing of its parent's frames",
		.consequence =
			"a program that starts others by fork shows frames too early, or hangs",
		.run = child_may_end,
	},
	{
		.name = "processes.fork_in_a_frame",
		.requirement = "W-07 W-08",
		.expected = "forks between acquire and release leave the frame exact",
		.consequence = "programs that start others while they draw show wrong frames",
		.run = fork_in_a_frame,
	},
	{
		.name = "processes.exec_takes_nothing",
		.requirement = "S-06",
		.expected = "all descriptors that the driver opens, or gives, are closed by exec",
		.consequence =
			"programs that a program starts hold its buffers, fences and devices",
		.run = exec_takes_nothing,
	},
};

const struct check_rows check_robust_processes = CHECK_ROWS(rows);
