/* SPDX-License-Identifier: Apache-2.0 */
/* Fences of a consumer: what a driver is given when it acquires. */
#include "check/rig/state.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "sync/fence/status.h"
#include "sync/timeline/timeline.h"
#include "sync/wait/wait.h"
#include "util/clock.h"

struct check_timeline {
	struct check *check;
	struct kr_timeline *timeline;
	/* of check_signal_later */
	int status;
	int delay_ms;
};

int
check_fence(struct check *c, struct check_timeline **out)
{
	struct check_timeline *timeline = calloc(1, sizeof(*timeline));
	uint64_t value;
	int fence = -1, ret;

	if (!timeline)
		check_skip(c, "no memory");
	timeline->check = c;
	ret = kr_timeline_create("krafla check", NULL, NULL, &timeline->timeline);
	if (!ret)
		ret = kr_timeline_submit(timeline->timeline, "consumer", &value, &fence);
	if (ret)
		check_skip(c, "no fence could be made: %s", strerror(-ret));
	*out = timeline;
	return fence;
}

void
check_signal(struct check *c, struct check_timeline *timeline, int status)
{
	int ret = status > 0 ? kr_timeline_signal(timeline->timeline, 1)
			     : kr_timeline_fail(timeline->timeline, 1, status);

	if (ret)
		check_skip(c, "a fence couldn't be ended: %s", strerror(-ret));
	kr_timeline_destroy(timeline->timeline);
	free(timeline);
}

static void *
signal_later(void *data)
{
	struct check_timeline *timeline = data;

	usleep((useconds_t)timeline->delay_ms * 1000);
	check_signal(timeline->check, timeline, timeline->status);
	return NULL;
}

void
check_signal_later(struct check *c, struct check_timeline *timeline, int status, int delay_ms)
{
	pthread_t thread;

	timeline->status = status;
	timeline->delay_ms = delay_ms;
	if (pthread_create(&thread, NULL, signal_later, timeline))
		check_skip(c, "no thread could be started");
	pthread_detach(thread);
}

void
check_abandon(struct check *c, struct check_timeline *timeline)
{
	kr_timeline_destroy(timeline->timeline);
	free(timeline);
}

bool
check_wait_fence(struct check *c, int fd, int timeout_ms)
{
	return !kr_fence_wait(fd, kr_deadline_in((uint64_t)timeout_ms * KR_NSEC_PER_MSEC));
}

int
check_fence_status(struct check *c, int fd)
{
	return kr_fence_status(fd);
}
