/* SPDX-License-Identifier: Apache-2.0 */
/* Unfinished merges: made, searched, asked for their points. The reactor's lock is held by callers. */
#include "sync/merge_list.h"

#include <errno.h>
#include <stdlib.h>

#include "sync/fence.h"
#include "sync/status.h"
#include "sync/user_fence.h"
#include "util/fd.h"

/* Merges of merges are followed so deep; what lies deeper is told as one point. */
#define MAX_DEPTH 4

static int
dup_inputs(struct kr_sync_merge *merge, int fd1, int fd2)
{
	int err = kr_fd_dup(fd1, &merge->inputs[0].fd);

	return err ? err : kr_fd_dup(fd2, &merge->inputs[1].fd);
}

int
kr_sync_merge_create(const char *name, int fd1, int fd2,
	void (*handle_locked)(struct kr_sync_source *source, int epoll), struct kr_sync_merge **out,
	int *fence)
{
	struct kr_fence_label label = {.timeline = "merge", .name = name};
	struct kr_sync_merge *merge = calloc(1, sizeof(*merge));
	int consumer, err;

	if (!merge)
		return -ENOMEM;
	kr_list_init(&merge->link);
	kr_sync_text_copy(merge->name, name);
	merge->producer =
		(struct kr_sync_watch){.source = {handle_locked}, .merge = merge, .fd = -1};
	merge->inputs[0] = merge->inputs[1] = merge->producer;
	err = dup_inputs(merge, fd1, fd2);
	if (err)
		goto err_destroy;
	err = kr_fence_create(&label, &merge->producer.fd, &consumer);
	if (err)
		goto err_destroy;
	merge->cookie = kr_sync_user_cookie(consumer);
	*out = merge;
	*fence = consumer;
	return 0;
err_destroy:
	kr_sync_merge_destroy(merge);
	return err;
}

void
kr_sync_merge_destroy(struct kr_sync_merge *merge)
{
	if (!merge)
		return;
	kr_fd_close(&merge->inputs[0].fd);
	kr_fd_close(&merge->inputs[1].fd);
	kr_fd_close(&merge->producer.fd);
	free(merge);
}

const struct kr_sync_merge *
kr_sync_merge_find(const struct kr_list *pending, int fd)
{
	const struct kr_sync_merge *merge;
	uint64_t cookie = kr_list_empty(pending) ? 0 : kr_sync_user_cookie(fd);

	if (!cookie)
		return NULL;
	kr_list_for_each (merge, pending, link) {
		if (merge->cookie == cookie)
			return merge;
	}
	return NULL;
}

static void
collect(const struct kr_sync_merge *merge, const struct kr_list *pending, unsigned depth,
	struct kr_sync_points *points)
{
	struct kr_sync_points input;

	for (int i = 0; i < 2; i++) {
		const struct kr_sync_merge *inner = NULL;
		int fd = merge->inputs[i].fd;

		if (fd < 0 || points->count == KR_SYNC_MAX_POINTS ||
			kr_sync_points_read(fd, true, &input))
			continue;
		if (input.status == KR_FENCE_ACTIVE && depth < MAX_DEPTH)
			inner = kr_sync_merge_find(pending, fd);
		if (inner) {
			collect(inner, pending, depth + 1, points);
			continue;
		}
		kr_sync_points_append(points, &input);
		points->timestamp = KR_MAX(points->timestamp, input.timestamp);
	}
}

void
kr_sync_merge_points(const struct kr_sync_merge *merge, const struct kr_list *pending,
	struct kr_sync_points *points)
{
	kr_sync_points_init(points, merge->name);
	collect(merge, pending, 0, points);
}

/* Inputs are counted, and the first that is active is found. Receives from none of them. */
static void
find_active(const struct kr_sync_merge *merge, const struct kr_list *pending, unsigned depth,
	int *active, uint32_t *count)
{
	for (int i = 0; i < 2; i++) {
		const struct kr_sync_merge *inner = NULL;
		int fd = merge->inputs[i].fd;
		int32_t status;

		if (fd < 0 || kr_sync_status(fd, &status))
			continue;
		if (status == KR_FENCE_ACTIVE && depth < MAX_DEPTH)
			inner = kr_sync_merge_find(pending, fd);
		if (inner) {
			find_active(inner, pending, depth + 1, active, count);
			continue;
		}
		(*count)++;
		if (*active < 0 && status == KR_FENCE_ACTIVE)
			*active = fd;
	}
}

int
kr_sync_merge_blame(const struct kr_list *pending, int fd, int *input, uint32_t *count)
{
	const struct kr_sync_merge *merge = kr_sync_merge_find(pending, fd);
	int active = -1;

	*count = 0;
	if (!merge)
		return -ENOENT;
	find_active(merge, pending, 0, &active, count);
	return active < 0 ? -ENOENT : kr_fd_dup(active, input);
}
