/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an unfinished merge consists of, and what holds it up. Receives from fences of others never.
 */
#include "sync/merge/list.h"

#include <errno.h>

#include "sync/fence/fence.h"
#include "sync/fence/status.h"
#include "util/clock.h"
#include "util/fd.h"

/* Merges of merges are followed so deep; what lies deeper is told as one point. */
#define MAX_DEPTH 4

/* Which points of the list are of which timeline of this process. */
struct told {
	uint64_t timelines[KR_SYNC_MAX_POINTS];
};

/*
 * Points of one timeline are told as one, as the kernel does: failed when one has,
 * done when all are.
 */
static bool
add_to_timeline(const struct kr_sync_input *input, const struct kr_sync_points *more,
	struct told *told, struct kr_sync_points *points)
{
	struct sync_fence_info *into = NULL;

	for (uint32_t i = 0; i < points->count && !into; i++) {
		if (told->timelines[i] == input->point.timeline)
			into = &points->point[i];
	}
	if (!into)
		return false;
	if (into->status >= 0 && (more->status < 0 || more->status < into->status))
		into->status = more->status;
	into->timestamp_ns =
		into->status ? KR_MAX(into->timestamp_ns, (uint64_t)more->timestamp) : 0;
	return true;
}

static void
add_input(const struct kr_sync_input *input, const struct kr_sync_points *more, struct told *told,
	struct kr_sync_points *points)
{
	points->timestamp = KR_MAX(points->timestamp, more->timestamp);
	if (input->point.timeline && more->count == 1) {
		if (add_to_timeline(input, more, told, points))
			return;
		told->timelines[KR_MIN(points->count, KR_SYNC_MAX_POINTS - 1u)] =
			input->point.timeline;
	}
	kr_sync_points_append(points, more);
}

static void
collect(const struct kr_sync_merge *merge, const struct kr_list *pending, unsigned depth,
	struct told *told, struct kr_sync_points *points)
{
	struct kr_sync_points more;

	for (unsigned i = 0; i < merge->count; i++) {
		const struct kr_sync_input *input = merge->uses[i].input;
		const struct kr_sync_merge *inner = NULL;

		if (input->fd < 0 || points->count == KR_SYNC_MAX_POINTS ||
			kr_sync_points_read(input->fd, true, &more))
			continue;
		if (more.status == KR_FENCE_ACTIVE && depth < MAX_DEPTH)
			inner = kr_sync_merge_find(pending, input->fd);
		if (inner)
			collect(inner, pending, depth + 1, told, points);
		else
			add_input(input, &more, told, points);
	}
}

void
kr_sync_merge_points(const struct kr_sync_merge *merge, const struct kr_list *pending,
	struct kr_sync_points *points)
{
	struct told told = {{0}};

	kr_sync_points_init(points, merge->name);
	collect(merge, pending, 0, &told, points);
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

/* Inputs are counted, and the first that is active is found. Receives from none of them. */
static void
find_active(const struct kr_sync_merge *merge, const struct kr_list *pending, unsigned depth,
	int *active, uint32_t *count)
{
	for (unsigned i = 0; i < merge->count; i++) {
		const struct kr_sync_merge *inner = NULL;
		int fd = merge->uses[i].input->fd;
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
