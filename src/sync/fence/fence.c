/* SPDX-License-Identifier: Apache-2.0 */
/* What an fd is, asked of the fd each time, and the questions that both kinds of fence answer. */
#include "sync/fence/fence.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "sync/fence/kernel_fence.h"
#include "sync/fence/points.h"
#include "sync/fence/status.h"
#include "sync/fence/user_fence.h"
#include "sync/wait/watchdog.h"
#include "util/clock.h"
#include "util/fd.h"

int
kr_sync_status_and_kind(int fd, int32_t *status, bool *kernel)
{
	int err = fd < 0 ? -EINVAL : kr_sync_user_status(fd, status);

	*kernel = err == -ENOTSOCK;
	if (*kernel)
		err = kr_sync_kernel_status(fd, status);
	return err ? -EINVAL : 0;
}

int
kr_sync_status(int fd, int32_t *status)
{
	bool kernel;

	return kr_sync_status_and_kind(fd, status, &kernel);
}

int
kr_sync_status_ready(int fd, int32_t *status)
{
	bool kernel;
	int err = kr_sync_status_and_kind(fd, status, &kernel);

	if (!err && kernel && *status == KR_FENCE_ACTIVE)
		*status = -EOWNERDEAD;
	return err;
}

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
int
kr_sync_wait_until(int fd, int64_t deadline_ns, int32_t *status)
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
kr_fence_status(int fence)
{
	int32_t status;

	if (fence == -1)
		return KR_FENCE_SIGNALLED;
	if (fence >= 0 && kr_sync_user_is_active(fence))
		return KR_FENCE_ACTIVE;
	return kr_sync_status(fence, &status) ? -EINVAL : status;
}

int64_t
kr_fence_signal_time(int fence)
{
	struct kr_sync_points points;
	int32_t status;

	if (fence < 0)
		return 0;
	if (!kr_sync_user_status(fence, &status) && kr_sync_user_owner(fence) != getpid())
		return 0;
	if (kr_sync_points_read(fence, true, &points) || points.status == KR_FENCE_ACTIVE)
		return 0;
	return points.timestamp;
}

int
kr_fence_wait(int fence, int64_t deadline_ns)
{
	struct kr_fence_watchdog watchdog = {0};

	return kr_fence_wait_watched(fence, deadline_ns, &watchdog, "kr_fence_wait");
}
