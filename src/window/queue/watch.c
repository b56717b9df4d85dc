/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a producer hears (notice.h), and the descriptor that it polls for it: an epoll set of the
 * notices' own and of the sink's, since what the far end says comes only when somebody takes it in.
 */
#include "window/queue/queue.h"

#include <errno.h>
#include <sys/epoll.h>

#include "util/fd.h"
#include "util/log.h"
#include "util/clock.h"
#include "window/queue/core.h"

static int
add(int set, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};

	return epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* Of a sink that has gone everything would be readable for ever. */
static void
leave_sink(const struct kr_sink *sink, int set)
{
	struct pollfd fds[KR_SINK_MAX_POLL];
	int count = sink->impl->poll_fds ? sink->impl->poll_fds((struct kr_sink *)sink, fds) : 0;

	for (int i = 0; i < count; i++)
		(void)epoll_ctl(set, EPOLL_CTL_DEL, fds[i].fd, NULL);
}

/* The ring's and the sink's descriptors in one. */
static int
make_set(struct kr_sink *sink, const struct kr_notice_ring *ring, int *set)
{
	struct pollfd fds[KR_SINK_MAX_POLL];
	int count = sink->impl->poll_fds ? sink->impl->poll_fds(sink, fds) : 0;
	int made = epoll_create1(EPOLL_CLOEXEC);
	int err = made < 0 ? -errno : add(made, kr_notice_ring_fd(ring));

	for (int i = 0; i < count && !err; i++)
		err = add(made, fds[i].fd);
	if (err)
		kr_fd_close(&made);
	else
		*set = made;
	return err;
}

/* Inside the sink. */
static int
begin_locked(struct kr_queue *queue, uint32_t kinds) KR_REQUIRES(queue->lock)
{
	struct kr_notice_ring *ring;
	int err = kr_notice_ring_create(kinds, &ring);

	if (err)
		return err;
	err = make_set(queue->sink, ring, &queue->notices_fd);
	if (err) {
		kr_notice_ring_destroy(ring);
		return err;
	}
	queue->notices = ring;
	if (queue->abandoned) {
		leave_sink(queue->sink, queue->notices_fd);
		kr_queue_tell_locked(queue, KR_NOTICE_DISCONNECTED, NULL, 0);
	}
	return 0;
}

int
kr_queue_watch(struct kr_queue *queue, uint32_t kinds, int *fd)
{
	int err;

	kr_mutex_lock(&queue->lock);
	err = kr_queue_enter_sink_locked(queue, KR_FOREVER);
	if (!err) {
		if (queue->notices)
			kr_notice_ring_want(queue->notices, kinds);
		else
			err = begin_locked(queue, kinds);
		kr_queue_leave_sink_locked(queue);
	}
	if (!err)
		*fd = queue->notices_fd;
	kr_mutex_unlock(&queue->lock);
	return err;
}

int
kr_queue_next_notice(struct kr_queue *queue, struct kr_notice *notice)
{
	struct kr_log_hold hold;
	int err = -EAGAIN;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	kr_queue_listen_locked(queue);
	if (queue->notices)
		err = kr_notice_ring_pop(queue->notices, notice);
	if (queue->abandoned && queue->notices_fd >= 0 && !kr_queue_enter_sink_locked(queue, 0)) {
		leave_sink(queue->sink, queue->notices_fd);
		kr_queue_leave_sink_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}
