/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of points. */
#include "sync/fence/points.h"

void
kr_sync_points_init(struct kr_sync_points *points, const char *name)
{
	kr_sync_text_copy(points->name, name);
	points->status = 0;
	points->count = 0;
	points->timestamp = 0;
}

/* Two points as one: failed when one has, done when both are, at the later time. */
static void
fold(struct sync_fence_info *into, const struct sync_fence_info *point)
{
	kr_sync_text_copy(into->obj_name, "more");
	kr_sync_text_copy(into->driver_name, "krafla");
	if (into->status >= 0 && (point->status < 0 || point->status < into->status))
		into->status = point->status;
	into->timestamp_ns = into->status ? KR_MAX(into->timestamp_ns, point->timestamp_ns) : 0;
}

void
kr_sync_points_add(struct kr_sync_points *points, const struct sync_fence_info *point)
{
	if (points->count < KR_SYNC_MAX_POINTS)
		points->point[points->count++] = *point;
	else
		fold(&points->point[KR_SYNC_MAX_POINTS - 1], point);
}

void
kr_sync_points_append(struct kr_sync_points *points, const struct kr_sync_points *more)
{
	for (uint32_t i = 0; i < more->count; i++)
		kr_sync_points_add(points, &more->point[i]);
}
