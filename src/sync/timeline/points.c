/* SPDX-License-Identifier: Apache-2.0 */
/* The heap of open points, and the list of failures. */
#include "sync/timeline/points.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "sync/fence/own_points.h"

#define FIRST_ROOM 16
#define POLL_BATCH 64

static bool
is_before(const struct kr_timeline_point *a, const struct kr_timeline_point *b)
{
	return a->value != b->value ? a->value < b->value : a->order < b->order;
}

static void
sift_up(struct kr_timeline_point *heap, size_t at)
{
	struct kr_timeline_point point = heap[at];

	while (at && is_before(&point, &heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = point;
}

static void
sift_down(struct kr_timeline_point *heap, size_t count, size_t at)
{
	struct kr_timeline_point point = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &point))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = point;
}

/*
 * Half empty after a sweep is enough: then the next one is as many arrivals away as it has points.
 */
int
kr_timeline_points_reserve(struct kr_timeline_points *points)
{
	size_t room = points->room ? 2 * points->room : FIRST_ROOM;
	struct kr_timeline_point *heap;

	if (points->count < points->room)
		return 0;
	kr_timeline_points_sweep(points);
	if (points->count < points->room / 2)
		return 0;
	heap = reallocarray(points->heap, room, sizeof(*heap));
	if (!heap)
		return points->count < points->room ? 0 : -ENOMEM;
	points->heap = heap;
	points->room = room;
	return 0;
}

void
kr_timeline_points_push(
	struct kr_timeline_points *points, uint64_t value, uint64_t cookie, int take_producer)
{
	points->heap[points->count++] = (struct kr_timeline_point){
		.value = value,
		.order = points->arrived++,
		.cookie = cookie,
		.producer = take_producer,
	};
	sift_up(points->heap, points->count - 1);
}

bool
kr_timeline_points_pop(
	struct kr_timeline_points *points, uint64_t upto, struct kr_timeline_point *first)
{
	if (!points->count || points->heap[0].value > upto)
		return false;
	*first = points->heap[0];
	points->heap[0] = points->heap[--points->count];
	if (points->count)
		sift_down(points->heap, points->count, 0);
	return true;
}

/*
 * Of `count` points the ones that somebody holds are moved to `out`, the others
 * closed. Returns how many.
 */
static size_t
sweep_batch(struct kr_timeline_point *out, const struct kr_timeline_point *in, size_t count)
{
	struct pollfd asked[POLL_BATCH];
	size_t kept = 0;
	int ready;

	for (size_t i = 0; i < count; i++)
		asked[i] = (struct pollfd){.fd = in[i].producer};
	ready = poll(asked, count, 0);
	for (size_t i = 0; i < count; i++) {
		if (ready <= 0 || !(asked[i].revents & POLLHUP)) {
			out[kept++] = in[i];
			continue;
		}
		kr_own_points_remove(in[i].cookie);
		kr_sync_producers_close(in[i].producer);
	}
	return kept;
}

bool
kr_timeline_points_sweep(struct kr_timeline_points *points)
{
	size_t kept = 0, before = points->count;

	for (size_t i = 0; i < before; i += POLL_BATCH)
		kept += sweep_batch(&points->heap[kept], &points->heap[i],
			KR_MIN(before - i, (size_t)POLL_BATCH));
	points->count = kept;
	if (kept == before)
		return false;
	for (size_t i = kept / 2; i-- > 0;)
		sift_down(points->heap, kept, i);
	return true;
}

void
kr_timeline_points_finish(struct kr_timeline_points *points)
{
	free(points->heap);
	*points = (struct kr_timeline_points){0};
}

int
kr_timeline_failures_add(struct kr_timeline_failures *failures, uint64_t value, int error)
{
	struct kr_timeline_failure *last =
		failures->count ? &failures->list[failures->count - 1] : NULL;

	if (last && last->error == error && last->last + 1 == value) {
		last->last = value;
		return 0;
	}
	if (failures->count == failures->room) {
		size_t room = failures->room ? 2 * failures->room : FIRST_ROOM;
		void *list = reallocarray(failures->list, room, sizeof(*last));

		if (!list)
			return -ENOMEM;
		failures->list = list;
		failures->room = room;
	}
	failures->list[failures->count++] = (struct kr_timeline_failure){value, value, error};
	return 0;
}

int
kr_timeline_failures_find(const struct kr_timeline_failures *failures, uint64_t value)
{
	size_t from = 0, to = failures->count;

	while (from < to) {
		size_t middle = (from + to) / 2;
		const struct kr_timeline_failure *failure = &failures->list[middle];

		if (value < failure->first)
			to = middle;
		else if (value > failure->last)
			from = middle + 1;
		else
			return failure->error;
	}
	return 0;
}

void
kr_timeline_failures_finish(struct kr_timeline_failures *failures)
{
	free(failures->list);
	*failures = (struct kr_timeline_failures){0};
}
