/* SPDX-License-Identifier: Apache-2.0 */
/* Acquire fences that fail, end late, or are none. */
#include "check/faults/frame.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sync/timeline/timeline.h"
#include "util/clock.h"

/* A frame behind the fence ends, whatever acquire says of it, and the next is as it should be. */
static void
end_frame_behind(struct check *c, struct faults_rig *rig, struct faults_fence *fence,
	bool may_refuse, const char *what)
{
	VkResult result = faults_acquire(c, rig, 0, fence);

	CHECK(c, result == VK_SUCCESS || may_refuse, "vkAcquireImageANDROID gave %s",
		check_result_name(result));
	if (result == VK_SUCCESS)
		faults_end(c, faults_draw(c, rig, 0, faults_red), what);
	faults_fence_is_closed(c, fence);
	faults_clean_frame(c, rig, 0);
	faults_clean_frame(c, rig, 1);
}

static void
failed_fence(struct check *c)
{
	struct check_timeline *timeline;
	struct faults_fence fence;
	struct faults_rig rig;

	faults_rig_make(c, &rig);
	fence = faults_fence_of(c, check_fence(c, &timeline));
	check_signal(c, timeline, -EIO);
	end_frame_behind(c, &rig, &fence, true, "the acquire fence had failed before");
}

static void
fence_that_fails(struct check *c)
{
	struct check_timeline *timeline;
	struct faults_fence fence;
	struct faults_rig rig;

	faults_rig_make(c, &rig);
	fence = faults_fence_of(c, check_fence(c, &timeline));
	check_signal_later(c, timeline, -EIO, 50);
	end_frame_behind(c, &rig, &fence, false, "the acquire fence failed");
}

/* The other process: it makes a fence, hands it on, and waits for its end. */
static _Noreturn void
be_consumer(int out)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec word = {&(char){0}, 1};
	struct msghdr message = {.msg_iov = &word,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	struct kr_timeline *timeline;
	uint64_t value;
	int fence;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (kr_timeline_create("consumer", NULL, NULL, &timeline) ||
		kr_timeline_submit(timeline, "frame", &value, &fence))
		_exit(1);
	control.align.cmsg_level = SOL_SOCKET;
	control.align.cmsg_type = SCM_RIGHTS;
	control.align.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.align), &fence, sizeof(fence));
	if (sendmsg(out, &message, MSG_NOSIGNAL) != 1)
		_exit(1);
	for (;;)
		pause();
}

static int
receive_fence(int in)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec word = {&(char){0}, 1};
	struct msghdr message = {.msg_iov = &word,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	int fence;

	if (recvmsg(in, &message, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&message))
		return -1;
	memcpy(&fence, CMSG_DATA(&control.align), sizeof(fence));
	return fence;
}

/* Forks before the driver is there: it is its own affair to bear forks. */
static pid_t
start_consumer(struct check *c, int *fence)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		check_skip(c, "no socket pair: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		check_skip(c, "no process: %s", strerror(errno));
	if (!pid)
		be_consumer(ends[1]);
	close(ends[1]);
	*fence = receive_fence(ends[0]);
	close(ends[0]);
	if (*fence < 0)
		check_skip(c, "another process has no fence to give");
	return pid;
}

static void *
kill_consumer(void *data)
{
	pid_t consumer = *(pid_t *)data;

	usleep(100000);
	kill(consumer, SIGKILL);
	while (waitpid(consumer, NULL, 0) < 0 && errno == EINTR)
		continue;
	return NULL;
}

static void
dead_consumer(struct check *c)
{
	struct faults_fence fence;
	struct faults_rig rig;
	pthread_t killer;
	pid_t consumer;
	int fd;

	consumer = start_consumer(c, &fd);
	faults_rig_make(c, &rig);
	fence = faults_fence_of(c, fd);
	if (pthread_create(&killer, NULL, kill_consumer, &consumer))
		check_skip(c, "no thread could be started");
	CHECK(c, faults_acquire(c, &rig, 0, &fence) == VK_SUCCESS,
		"the fence of another process isn't taken");
	faults_end(c, faults_draw(c, &rig, 0, faults_red), "the consumer died");
	pthread_join(killer, NULL);
	faults_fence_is_closed(c, &fence);
	faults_clean_frame(c, &rig, 0);
}

#define LATE_MS 300

static void
late_fence(struct check *c)
{
	struct check_timeline *timeline;
	struct faults_fence fence;
	struct faults_rig rig;
	uint32_t before;
	int fd;

	faults_rig_make(c, &rig);
	faults_clean_frame(c, &rig, 0);
	before = check_pixel(c, &rig.images[0], 0, 0);
	fence = faults_fence_of(c, check_fence(c, &timeline));
	check_signal_later(c, timeline, 1, LATE_MS);
	CHECK(c, faults_acquire(c, &rig, 0, &fence) == VK_SUCCESS, "a fence isn't taken");
	fd = faults_draw(c, &rig, 0, faults_red);
	while (!check_fence_status(c, fence.watch)) {
		bool same = check_pixel(c, &rig.images[0], 0, 0) == before;
		bool over = check_fence_status(c, fd);

		if (check_fence_status(c, fence.watch))
			break;
		CHECK(c, same, "the buffer changed before its acquire fence was over");
		CHECK(c, !over, "the release fence is over before the acquire fence is");
		usleep(5000);
	}
	CHECK(c, check_wait_fence(c, fd, FAULTS_PATIENCE_MS), "the release fence doesn't signal");
	if (fd >= 0)
		close(fd);
	check_pixels(c, &rig.images[0], faults_red);
	faults_fence_is_closed(c, &fence);
}

static void
no_fence(struct check *c)
{
	int other = eventfd(0, EFD_CLOEXEC);
	struct faults_fence fence;
	struct faults_rig rig;

	if (other < 0)
		check_skip(c, "no eventfd: %s", strerror(errno));
	faults_rig_make(c, &rig);
	fence = faults_fence_of(c, other);
	end_frame_behind(c, &rig, &fence, true, "the acquire fence was none");
}

static void
closed_descriptor(struct check *c)
{
	/* A number that the system never gives. */
	struct faults_fence fence = {INT_MAX, {-1, -1}, -1};
	struct faults_rig rig;

	faults_rig_make(c, &rig);
	if (faults_acquire(c, &rig, 0, &fence) == VK_SUCCESS)
		faults_end(c, faults_draw(c, &rig, 0, faults_red),
			"the acquire fence was a descriptor that isn't open");
	faults_clean_frame(c, &rig, 0);
	faults_clean_frame(c, &rig, 1);
}

static const struct check_case rows[] = {
	{
		.name = "faults.failed_fence_is_over",
		.requirement = "W-07",
		.expected =
			"an acquire fence that has failed is refused or counts as over, and is closed",
		.consequence =
			"one failed frame of a consumer hangs the application, or costs its device",
		.run = failed_fence,
	},
	{
		.name = "faults.fence_that_fails_is_over",
		.requirement = "W-07",
		.expected =
			"an acquire fence that fails while it is waited for is over: work behind it ends",
		.consequence = "one failed frame of a consumer hangs the application",
		.run = fence_that_fails,
	},
	{
		.name = "faults.dead_consumer_is_over",
		.requirement = "W-07",
		.expected =
			"the fence of a process that is killed meanwhile is over: work behind it ends",
		.consequence = "a display that crashes takes the application with it, which hangs",
		.run = dead_consumer,
	},
	{
		.name = "faults.late_fence_is_waited_for",
		.requirement = "W-07",
		.expected =
			"what a late acquire fence guards isn't touched, or told done, before it ends",
		.consequence = "on a slow display frames tear: they are drawn while they are shown",
		.run = late_fence,
	},
	{
		.name = "faults.no_fence_is_survived",
		.requirement = "W-07",
		.expected =
			"a descriptor that is no fence is refused or counts as over, and is closed",
		.consequence = "a wrong descriptor hangs the application, or leaks with each frame",
		.run = no_fence,
	},
	{
		.name = "faults.closed_descriptor_is_survived",
		.requirement = "W-07",
		.expected = "a descriptor that isn't open is refused or counts as over",
		.consequence = "a wrong descriptor hangs or crashes the application",
		.run = closed_descriptor,
	},
};

const struct check_rows check_faults_fences = CHECK_ROWS(rows);
