/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What events do to an unfinished merge. An input that has signalled is no longer watched but stays
 * open: its points are read when the merge ends. The first that has failed ends it (S-03), as does the last
 * that has signalled. A hangup of the producer end says that nobody holds the merged fence any more.
 *
 * An fd leaves the epoll set before it is closed: it is a duplicate, and closing it would not remove it.
 */
#include "sync/merge_list.h"

#include <errno.h>
#include <sys/epoll.h>

#include "sync/fence.h"
#include "sync/status.h"
#include "util/clock.h"

int
kr_sync_merge_watch(struct kr_sync_watch *watch, int epoll, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = &watch->source};

	if (watch->fd < 0)
		return 0;
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, watch->fd, &event))
		return -errno;
	watch->watched = true;
	return 0;
}

void
kr_sync_merge_unwatch(struct kr_sync_watch *watch, int epoll)
{
	if (watch->watched)
		epoll_ctl(epoll, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->watched = false;
}

/* Its fence signals, or fails when status is 0, when the batch is through. */
static void
end(struct kr_sync_merge *merge, int32_t status, int epoll, struct kr_list *ended)
{
	kr_sync_merge_unwatch(&merge->producer, epoll);
	kr_sync_merge_unwatch(&merge->inputs[0], epoll);
	kr_sync_merge_unwatch(&merge->inputs[1], epoll);
	merge->status = status;
	kr_list_remove(&merge->link);
	kr_list_append(ended, &merge->link);
}

static bool
is_done(const struct kr_sync_watch *input)
{
	return input->done || input->fd < 0;
}

static void
handle_input(struct kr_sync_watch *watch, int epoll, struct kr_list *ended)
{
	struct kr_sync_merge *merge = watch->merge;
	int32_t status;

	if (kr_sync_status_ready(watch->fd, &status))
		status = -EINVAL;
	if (status == KR_FENCE_ACTIVE)
		return;
	if (status < 0) {
		end(merge, status, epoll, ended);
		return;
	}
	kr_sync_merge_unwatch(watch, epoll);
	watch->done = true;
	if (is_done(&merge->inputs[0]) && is_done(&merge->inputs[1]))
		end(merge, KR_FENCE_SIGNALLED, epoll, ended);
}

/* An event of a merge that ended in this very batch is stale: nothing of it is watched any more. */
void
kr_sync_merge_handle(struct kr_sync_watch *watch, int epoll, struct kr_list *ended)
{
	if (!watch->watched)
		return;
	if (watch == &watch->merge->producer)
		end(watch->merge, 0, epoll, ended);
	else
		handle_input(watch, epoll, ended);
}

void
kr_sync_merge_result(const struct kr_sync_merge *merge, const struct kr_list *pending,
	struct kr_sync_points *points)
{
	kr_sync_merge_points(merge, pending, points);
	points->status = merge->status;
	if (!points->timestamp)
		points->timestamp = kr_clock_now();
}
