/* SPDX-License-Identifier: Apache-2.0 */
/* The wait, which looks up in between to let the watchdog name a late fence. */
#include "sync/wait/wait.h"

#include <errno.h>
#include <poll.h>

#include "sync/fence/fence.h"
#include "sync/fence/status.h"
#include "util/clock.h"
#include "util/fd.h"

/* Ready (also by hangup alone), -ETIME, or -EINVAL for what can't be polled. */
static int
poll_until(int fd, int64_t deadline_ns)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	int count = kr_fd_poll(&p, 1, deadline_ns);

	if (count == 0)
		return -ETIME;
	return count < 0 || p.revents & POLLNVAL ? -EINVAL : 0;
}

/* Somebody may take the packet between poll and read: then the fence is asked again. */
static int
wait_until(int fd, int64_t deadline_ns, int32_t *status)
{
	int32_t now = KR_FENCE_ACTIVE;
	int err = kr_sync_status(fd, &now);

	while (!err && now == KR_FENCE_ACTIVE) {
		err = poll_until(fd, deadline_ns);
		if (!err)
			err = kr_sync_status_ready(fd, &now);
	}
	if (!err)
		*status = now;
	return err;
}

int
kr_sync_wait_watched(int fd, int64_t deadline_ns, struct kr_fence_watchdog *watchdog,
	const char *what, int32_t *status)
{
	if (!watchdog->since_ns)
		kr_fence_watchdog_start(watchdog, kr_clock_now());
	for (;;) {
		int64_t until = KR_MIN(deadline_ns, watchdog->next_ns);
		int err = wait_until(fd, until, status);

		if (err != -ETIME) {
			kr_fence_watchdog_stop(watchdog);
			return err;
		}
		kr_fence_watchdog_look(watchdog, fd, what, kr_clock_now());
		if (until == deadline_ns)
			return -ETIME;
	}
}

int
kr_fence_wait_watched(
	int fence, int64_t deadline_ns, struct kr_fence_watchdog *watchdog, const char *what)
{
	int32_t status = KR_FENCE_SIGNALLED;
	int err = 0;

	if (fence == -1)
		kr_fence_watchdog_stop(watchdog);
	else
		err = kr_sync_wait_watched(fence, deadline_ns, watchdog, what, &status);
	return !err && status < 0 ? status : err;
}

int
kr_fence_wait(int fence, int64_t deadline_ns)
{
	struct kr_fence_watchdog watchdog = {0};

	return kr_fence_wait_watched(fence, deadline_ns, &watchdog, "kr_fence_wait");
}
