/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and signals user-space fences: user_fence.h has the design. Reading them is user_read.c. */
#include "sync/fence/user_fence.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "sync/fence/fork.h"
#include "sync/fence/name.h"
#include "sync/fence/packet.h"
#include "sync/fence/producers.h"
#include "util/clock.h"
#include "util/fd.h"

atomic_uint kr_sync_order;

static uint64_t
next_counter(void)
{
	static _Atomic uint64_t counter;

	return atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed) + 1;
}

/* The mark is needed to be cheap, the lock to be safe. */
static int
prepare_consumer(int fd)
{
	int mark = KR_SYNC_PEEK_MARK, one = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &mark, sizeof(mark)) && errno != EOPNOTSUPP &&
		errno != ENOPROTOOPT)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_LOCK_FILTER, &one, sizeof(one)))
		return -errno;
	return 0;
}

static int
make_pair(int ends[2])
{
	int err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
		return -errno;
	if (shutdown(ends[0], SHUT_RD)) {
		err = -errno;
		goto err_close;
	}
	err = prepare_consumer(ends[1]);
	if (err)
		goto err_close;
	return 0;
err_close:
	kr_fd_close(&ends[0]);
	kr_fd_close(&ends[1]);
	return err;
}

/* A pair whose producer end a forked child will drop. */
static int
make_registered_pair(int ends[2])
{
	int err = kr_sync_fork_init();

	if (err)
		return err;
	kr_mutex_lock(&kr_sync_producers_lock);
	err = make_pair(ends);
	if (!err) {
		err = kr_sync_producers_add_locked(ends[0]);
		if (err) {
			kr_fd_close(&ends[0]);
			kr_fd_close(&ends[1]);
		}
	}
	kr_mutex_unlock(&kr_sync_producers_lock);
	return err;
}

KR_PRIVATE int
kr_fence_create(const struct kr_fence_label *label, int *producer, int *fence)
{
	static const struct kr_fence_label none;
	struct kr_fence_label named = label ? *label : none;
	int ends[2];
	int err = make_registered_pair(ends);

	if (err)
		return err;
	if (!named.timeline)
		named.timeline = "krafla";
	err = kr_sync_name_bind(ends[0], KR_SYNC_NAME_FENCE, next_counter(), &named);
	(void)err; /* a label: some sandboxes deny abstract names */
	*producer = ends[0];
	*fence = ends[1];
	return 0;
}

/* One packet with nothing beyond what it needs; what it says is known before anybody can see it. */
static void
send_packet(int producer, const struct kr_sync_points *points)
{
	struct kr_sync_packet_head head = {
		.magic = KR_SYNC_MAGIC,
		.version = KR_SYNC_VERSION,
		.status = points->status,
		.n_points = points->count,
		.timestamp = points->timestamp,
	};
	static char zeros[KR_SYNC_FAILED_LEN + KR_SYNC_MAX_ERRNO];
	struct iovec iov[3] = {
		{&head, sizeof(head)},
		{(void *)points->point, points->count * sizeof(points->point[0])},
		{zeros, 0},
	};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};

	memcpy(head.name, points->name, sizeof(head.name));
	if (points->status != 1 && (points->status >= 0 || points->status < -KR_SYNC_MAX_ERRNO))
		head.status = -EINVAL;
	if (head.status < 0) {
		iov[2].iov_len = (size_t)(KR_SYNC_FAILED_LEN - head.status) - iov[0].iov_len -
			iov[1].iov_len;
		msg.msg_iovlen = 3;
	}
	/*
	 * A packet that can't be sent leaves end-of-file, which is an error: never a false success.
	 */
	sendmsg(producer, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void
kr_sync_user_signal(int take_producer, const struct kr_sync_points *points)
{
	int saved = errno, cancelling;

	if (take_producer < 0)
		return;
	/*
	 * Both calls are cancellation points, and a fence that is signalled by half
	 * would never end.
	 */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	atomic_fetch_add_explicit(&kr_sync_order, 1, memory_order_release);
	send_packet(take_producer, points);
	kr_sync_producers_close(take_producer);
	pthread_setcancelstate(cancelling, NULL);
	errno = saved;
}

/* The point and its name are told by the label, so that only status and time are sent. */
void
kr_fence_signal_at(int take_producer, int status, int64_t time_ns)
{
	struct kr_sync_points points;

	kr_sync_points_init(&points, NULL);
	points.status = status;
	points.timestamp = time_ns;
	kr_sync_user_signal(take_producer, &points);
}

KR_PRIVATE void
kr_fence_signal(int take_producer, int status)
{
	kr_fence_signal_at(take_producer, status, kr_clock_now());
}

int
kr_sync_user_create_done(const struct kr_sync_points *points, int *fence)
{
	int ends[2];
	int err = make_registered_pair(ends);

	if (err)
		return err;
	kr_sync_user_signal(ends[0], points);
	*fence = ends[1];
	return 0;
}

int
kr_fence_create_done(const struct kr_fence_label *label, int status, int *fence)
{
	struct kr_sync_points points;
	struct sync_fence_info *point = &points.point[0];
	int64_t now = kr_clock_now();

	kr_sync_points_init(&points, label ? label->name : NULL);
	points.status = status;
	points.timestamp = now;
	points.count = 1;
	*point = (struct sync_fence_info){.status = status, .timestamp_ns = (uint64_t)now};
	kr_sync_text_copy(point->obj_name, label && label->timeline ? label->timeline : "krafla");
	kr_sync_text_copy(point->driver_name, "krafla");
	return kr_sync_user_create_done(&points, fence);
}

void
kr_sync_user_rename(int fence, const char *name)
{
	struct kr_fence_label label = {.name = name};
	int err = kr_sync_name_bind(fence, KR_SYNC_NAME_RENAME, next_counter(), &label);

	(void)err; /* a label */
}
