/* SPDX-License-Identifier: Apache-2.0 */
/* What all timelines have in common: values, order of those who signal, owner, text. */
#include "sync/timeline/timeline.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/fence/packet.h"
#include "sync/timeline/impl.h"

static bool
is_owner(const struct kr_timeline *timeline)
{
	return timeline->owner == getpid();
}

/*
 * What a caller who knows fewer functions doesn't give is NULL; what one who knows
 * more gives is left.
 */
static int
copy_ops(struct krafla_timeline_ops *to, const struct krafla_timeline_ops *from)
{
	memset(to, 0, sizeof(*to));
	if (!from)
		return 0;
	if (from->size < sizeof(from->size))
		return -EINVAL;
	memcpy(to, from, KR_MIN(from->size, sizeof(*to)));
	return 0;
}

int
kr_timeline_create_on(const struct kr_timeline_impl *impl, const char *name,
	const struct krafla_timeline_ops *ops, void *data, struct kr_timeline **out)
{
	struct krafla_timeline_ops copy;
	struct kr_timeline *timeline;
	int err;

	if (!name || !name[0] || copy_ops(&copy, ops))
		return -EINVAL;
	timeline = calloc(1, sizeof(*timeline));
	if (!timeline)
		return -ENOMEM;
	timeline->impl = impl;
	kr_sync_text_copy(timeline->name, name);
	timeline->ops = copy;
	timeline->data = data;
	timeline->owner = getpid();
	kr_mutex_init(&timeline->signal_lock);
	kr_mutex_init(&timeline->lock);
	err = impl->open(timeline);
	if (err) {
		kr_mutex_finish(&timeline->lock);
		kr_mutex_finish(&timeline->signal_lock);
		free(timeline);
		return err;
	}
	*out = timeline;
	return 0;
}

/*
 * Locks that another thread of the parent held at fork stay locked in the child: they
 * are left alone.
 */
void
kr_timeline_destroy(struct kr_timeline *timeline)
{
	if (!timeline)
		return;
	if (is_owner(timeline)) {
		timeline->impl->close(timeline);
		kr_mutex_finish(&timeline->lock);
		kr_mutex_finish(&timeline->signal_lock);
	} else {
		timeline->impl->forget(timeline);
	}
	free(timeline);
}

/* A fence without a name gets one with its value in it, as the kernel names its own. */
static const char *
name_of(const struct kr_timeline *timeline, const char *name, uint64_t value,
	char out[KR_SYNC_TEXT])
{
	char number[24];
	int len;

	if (name && name[0])
		return name;
	len = snprintf(number, sizeof(number), "-%llu", (unsigned long long)value);
	snprintf(out, KR_SYNC_TEXT, "%.*s%s", KR_SYNC_TEXT - 1 - len, timeline->name, number);
	return out;
}

static void
raise_last_locked(struct kr_timeline *timeline, uint64_t value) KR_REQUIRES(timeline->lock)
{
	uint64_t last = atomic_load_explicit(&timeline->last, memory_order_relaxed);

	atomic_store_explicit(&timeline->last, KR_MAX(last, value), memory_order_relaxed);
}

static int
fence_locked(struct kr_timeline *timeline, const char *name, uint64_t value, int *fence)
	KR_REQUIRES(timeline->lock)
{
	char made_up[KR_SYNC_TEXT];
	int err = timeline->impl->fence_locked(
		timeline, name_of(timeline, name, value, made_up), value, fence);

	if (!err)
		raise_last_locked(timeline, value);
	return err;
}

int
kr_timeline_submit(struct kr_timeline *timeline, const char *name, uint64_t *value, int *fence)
{
	uint64_t next;
	int err;

	if (!is_owner(timeline))
		return -EPERM;
	kr_mutex_lock(&timeline->lock);
	next = kr_timeline_last(timeline) + 1;
	err = next ? fence_locked(timeline, name, next, fence) : -EOVERFLOW;
	kr_mutex_unlock(&timeline->lock);
	if (!err && value)
		*value = next;
	return err;
}

int
kr_timeline_fence(struct kr_timeline *timeline, const char *name, uint64_t value, int *fence)
{
	int err;

	if (!is_owner(timeline))
		return -EPERM;
	kr_mutex_lock(&timeline->lock);
	err = fence_locked(timeline, name, value, fence);
	kr_mutex_unlock(&timeline->lock);
	return err;
}

/* A job that is signalled counts as submitted. */
static int
reach_locked(struct kr_timeline *timeline, uint64_t value, int error)
	KR_REQUIRES(timeline->signal_lock)
{
	uint64_t now = timeline->impl->value(timeline);
	int err;

	if (value < now || (value == now && error))
		return -EINVAL;
	if (value == now)
		return 0;
	err = timeline->impl->reach(timeline, value, error);
	if (err)
		return err;
	kr_mutex_lock(&timeline->lock);
	raise_last_locked(timeline, value);
	kr_mutex_unlock(&timeline->lock);
	return 0;
}

int
kr_timeline_signal(struct kr_timeline *timeline, uint64_t value)
{
	int err;

	if (!is_owner(timeline))
		return -EPERM;
	kr_mutex_lock(&timeline->signal_lock);
	err = reach_locked(timeline, value, 0);
	kr_mutex_unlock(&timeline->signal_lock);
	return err;
}

int
kr_timeline_fail(struct kr_timeline *timeline, uint64_t value, int error)
{
	int err;

	if (!is_owner(timeline))
		return -EPERM;
	if (error >= 0 || error < -KR_SYNC_MAX_ERRNO)
		return -EINVAL;
	kr_mutex_lock(&timeline->signal_lock);
	err = reach_locked(timeline, value, error);
	kr_mutex_unlock(&timeline->signal_lock);
	return err;
}

int
kr_timeline_advance(struct kr_timeline *timeline, uint64_t count)
{
	uint64_t now;
	int err;

	if (!is_owner(timeline))
		return -EPERM;
	kr_mutex_lock(&timeline->signal_lock);
	now = timeline->impl->value(timeline);
	err = count > UINT64_MAX - now ? -EOVERFLOW : reach_locked(timeline, now + count, 0);
	kr_mutex_unlock(&timeline->signal_lock);
	return err;
}

uint64_t
kr_timeline_value(struct kr_timeline *timeline)
{
	return timeline->impl->value(timeline);
}

uint64_t
kr_timeline_last(struct kr_timeline *timeline)
{
	return atomic_load_explicit(&timeline->last, memory_order_relaxed);
}

const char *
kr_timeline_name(const struct kr_timeline *timeline)
{
	return timeline->name;
}

void
kr_timeline_point_text(struct kr_timeline *timeline, uint64_t value, char *out, size_t room)
{
	if (!room)
		return;
	if (timeline->ops.value_text)
		timeline->ops.value_text(timeline->data, value, out, room);
	else
		snprintf(out, room, "%llu", (unsigned long long)value);
	out[room - 1] = '\0';
}

int
kr_timeline_driver_data(struct kr_timeline *timeline, uint64_t value, void *out, size_t room)
{
	int written;

	if (!timeline->ops.fill_driver_data)
		return 0;
	written = timeline->ops.fill_driver_data(timeline->data, value, out, room);
	return written > 0 && (size_t)written > room ? -EOVERFLOW : written;
}

uint64_t
kr_timeline_widen(uint64_t now, uint32_t value)
{
	int64_t distance = (int32_t)(value - (uint32_t)now);

	if (distance < 0 && (uint64_t)-distance > now)
		return 0;
	return now + (uint64_t)distance;
}
