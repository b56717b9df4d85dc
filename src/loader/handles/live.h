/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which dispatch tables are ours, for entry points that are handed something else.
 *
 * A device's table begins with a magic number: commands are recorded through it, so it must cost
 * nothing. Tables of instances are looked up instead, by address: a wrong handle's first word isn't
 * followed, and a destroyed instance is noticed. A small table of slots, chosen by the address,
 * answers without a lock; when two tables meet in one slot, the one put there later keeps it and
 * the other is found in the list.
 */
#ifndef KR_LOADER_HANDLES_LIVE_H
#define KR_LOADER_HANDLES_LIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/list.h"
#include "util/macros.h"

/*
 * `magic` of our tables. That of devices is ours alone: with the Khronos loader's number its
 * objects would be taken for ours when both are in one process (entry/elsewhere.h).
 */
#define KR_INSTANCE_MAGIC UINT64_C(0x10aded010110aded)
#define KR_DEVICE_MAGIC   UINT64_C(0x6b7261666c610404)

struct kr_instance_table;

struct kr_live {
	struct kr_list link;
	const struct kr_instance_table *table;
};

#define KR_LIVE_SLOTS 256
/*
 * What stands in an empty slot must not be a table that would be looked for there:
 * NULL is, in the first.
 */
#define KR_LIVE_NOT_NULL ((const struct kr_instance_table *)(uintptr_t)16)
/* Relaxed: whoever holds a handle got it after its table was added. */
extern _Atomic(const struct kr_instance_table *) kr_live_slots[KR_LIVE_SLOTS];

/* From here on `table` is one of ours, until it is removed. Thread-safe. */
void kr_live_add(struct kr_live *live, const struct kr_instance_table *table);
/* Does nothing for one that was never added. */
void kr_live_remove(struct kr_live *live);
bool kr_live_is_listed(const struct kr_instance_table *table) __attribute__((cold));

static inline _Atomic(const struct kr_instance_table *) *
kr_live_slot(const struct kr_instance_table *table)
{
	return &kr_live_slots[((uintptr_t)table >> 4) % KR_LIVE_SLOTS];
}

/* Whether a table is found without the list; false says nothing. */
static inline bool
kr_live_is_in_slot(const struct kr_instance_table *table)
{
	return atomic_load_explicit(kr_live_slot(table), memory_order_relaxed) == table;
}

static inline bool
kr_instance_table_is_live(const struct kr_instance_table *table)
{
	return kr_live_is_in_slot(table) || kr_live_is_listed(table);
}

/* The first word of an instance or a physical device. */
static inline const struct kr_instance_table *
kr_instance_table_of(const void *handle)
{
	return *(const struct kr_instance_table *const *)handle;
}

#endif
