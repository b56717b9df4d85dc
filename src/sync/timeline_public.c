/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <krafla/timeline.h>, exported by libkrafla.so.0. Fences pass the boundary at which tests can make
 * them misbehave (fault.h).
 */
#include <krafla/timeline.h>

#include "sync/fault/fault.h"
#include "sync/timeline/timeline.h"

static struct kr_timeline *
inner(struct krafla_timeline *timeline)
{
	return (struct kr_timeline *)timeline;
}

KR_EXPORT int
krafla_timeline_create(const char *name, const struct krafla_timeline_ops *ops, void *data,
	struct krafla_timeline **timeline)
{
	struct kr_timeline *made;
	int err = kr_timeline_create(name, ops, data, &made);

	if (!err)
		*timeline = (struct krafla_timeline *)made;
	return err;
}

KR_EXPORT void
krafla_timeline_destroy(struct krafla_timeline *timeline)
{
	kr_timeline_destroy(inner(timeline));
}

KR_EXPORT int
krafla_timeline_submit(
	struct krafla_timeline *timeline, const char *name, uint64_t *value, int *fence)
{
	int made;
	int err = kr_timeline_submit(inner(timeline), name, value, &made);

	if (!err)
		*fence = kr_fault_fence(KRAFLA_FAULT_AT_TIMELINE, made);
	return err;
}

KR_EXPORT int
krafla_timeline_fence(
	struct krafla_timeline *timeline, const char *name, uint64_t value, int *fence)
{
	int made;
	int err = kr_timeline_fence(inner(timeline), name, value, &made);

	if (!err)
		*fence = kr_fault_fence(KRAFLA_FAULT_AT_TIMELINE, made);
	return err;
}

KR_EXPORT int
krafla_timeline_signal(struct krafla_timeline *timeline, uint64_t value)
{
	return kr_timeline_signal(inner(timeline), value);
}

KR_EXPORT int
krafla_timeline_fail(struct krafla_timeline *timeline, uint64_t value, int error)
{
	return kr_timeline_fail(inner(timeline), value, error);
}

KR_EXPORT uint64_t
krafla_timeline_value(struct krafla_timeline *timeline)
{
	return kr_timeline_value(inner(timeline));
}

KR_EXPORT uint64_t
krafla_timeline_last(struct krafla_timeline *timeline)
{
	return kr_timeline_last(inner(timeline));
}

KR_EXPORT const char *
krafla_timeline_name(const struct krafla_timeline *timeline)
{
	return kr_timeline_name((const struct kr_timeline *)timeline);
}

KR_EXPORT void
krafla_timeline_value_text(struct krafla_timeline *timeline, char *out, size_t room)
{
	kr_timeline_point_text(inner(timeline), kr_timeline_value(inner(timeline)), out, room);
}

KR_EXPORT void
krafla_timeline_point_text(struct krafla_timeline *timeline, uint64_t value, char *out, size_t room)
{
	kr_timeline_point_text(inner(timeline), value, out, room);
}

KR_EXPORT int
krafla_timeline_driver_data(
	struct krafla_timeline *timeline, uint64_t value, void *out, size_t room)
{
	return kr_timeline_driver_data(inner(timeline), value, out, room);
}
