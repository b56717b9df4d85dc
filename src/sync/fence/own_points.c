/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table with open addressing: an entry stands in the first free slot from its home on.
 * Taking one out moves those behind it that would no longer be found into the gap. Few points fit
 * into memory that is always there, so that a steady frame allocates nothing.
 */
#include "sync/fence/own_points.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sync/fence/fork.h"

#define FEW 128

static struct kr_own_point few[FEW] KR_GUARDED_BY(kr_sync_producers_lock);
static struct kr_own_point *slots KR_GUARDED_BY(kr_sync_producers_lock) = few;
static size_t room KR_GUARDED_BY(kr_sync_producers_lock) = FEW; /* a power of two */
static size_t count KR_GUARDED_BY(kr_sync_producers_lock);

uint64_t
kr_own_points_new_timeline(void)
{
	static _Atomic uint64_t last;

	return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

static size_t
home_of(uint64_t cookie, size_t of_room)
{
	return (size_t)(cookie * 0x9e3779b97f4a7c15u >> 32) & (of_room - 1);
}

/* Where it is, or the free slot where it belongs. */
static struct kr_own_point *
slot_of(struct kr_own_point *in, size_t of_room, uint64_t cookie)
{
	size_t at = home_of(cookie, of_room);

	while (in[at].cookie && in[at].cookie != cookie)
		at = (at + 1) & (of_room - 1);
	return &in[at];
}

static int
grow_locked(void) KR_REQUIRES(kr_sync_producers_lock)
{
	struct kr_own_point *more = calloc(2 * room, sizeof(*more));

	if (!more)
		return -ENOMEM;
	for (size_t i = 0; i < room; i++) {
		if (slots[i].cookie)
			*slot_of(more, 2 * room, slots[i].cookie) = slots[i];
	}
	if (slots != few)
		free(slots);
	slots = more;
	room *= 2;
	return 0;
}

/* Back to the memory that is always there. */
static void
shrink_locked(void) KR_REQUIRES(kr_sync_producers_lock)
{
	if (slots != few)
		free(slots);
	memset(few, 0, sizeof(few));
	slots = few;
	room = FEW;
	count = 0;
}

int
kr_own_points_add(const struct kr_own_point *point)
{
	int err = 0;

	kr_mutex_lock(&kr_sync_producers_lock);
	if (2 * (count + 1) > room)
		err = grow_locked();
	if (!err) {
		*slot_of(slots, room, point->cookie) = *point;
		count++;
	}
	kr_mutex_unlock(&kr_sync_producers_lock);
	return err;
}

static void
close_gap_locked(size_t gap) KR_REQUIRES(kr_sync_producers_lock)
{
	size_t mask = room - 1;

	for (size_t at = (gap + 1) & mask; slots[at].cookie; at = (at + 1) & mask) {
		size_t home = home_of(slots[at].cookie, room);

		/* It may stay where it is if its home lies behind the gap. */
		if (((at - home) & mask) < ((at - gap) & mask))
			continue;
		slots[gap] = slots[at];
		gap = at;
	}
	slots[gap] = (struct kr_own_point){0};
}

void
kr_own_points_remove(uint64_t cookie)
{
	struct kr_own_point *slot;

	kr_mutex_lock(&kr_sync_producers_lock);
	slot = slot_of(slots, room, cookie);
	if (slot->cookie) {
		close_gap_locked((size_t)(slot - slots));
		count--;
	}
	if (!count && slots != few)
		shrink_locked();
	kr_mutex_unlock(&kr_sync_producers_lock);
}

bool
kr_own_points_find(uint64_t cookie, struct kr_own_point *point)
{
	bool found;

	if (!cookie)
		return false;
	kr_mutex_lock(&kr_sync_producers_lock);
	*point = *slot_of(slots, room, cookie);
	found = point->cookie != 0;
	kr_mutex_unlock(&kr_sync_producers_lock);
	return found;
}

/* The lock is free again by now, and nobody else is here who could take it. */
static void
after_fork(bool child)
{
	if (!child)
		return;
	kr_mutex_lock(&kr_sync_producers_lock);
	shrink_locked();
	kr_mutex_unlock(&kr_sync_producers_lock);
}

__attribute__((constructor)) static void
register_hook(void)
{
	static const struct kr_sync_fork_hook hook = {NULL, after_fork};

	kr_sync_fork_register(KR_SYNC_FORK_OWN_POINTS, &hook);
}
