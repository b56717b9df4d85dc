/* SPDX-License-Identifier: Apache-2.0 */
/* The list of tables behind the slots. */
#include "loader/handles/live.h"

#include <stddef.h>

#include "util/mutex.h"

_Atomic(const struct kr_instance_table *) kr_live_slots[KR_LIVE_SLOTS] = {KR_LIVE_NOT_NULL};

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct kr_list tables KR_GUARDED_BY(lock) = KR_LIST_INITIALIZER(tables); /* kr_live.link */

void
kr_live_add(struct kr_live *live, const struct kr_instance_table *table)
{
	live->table = table;
	kr_mutex_lock(&lock);
	kr_list_append(&tables, &live->link);
	atomic_store_explicit(kr_live_slot(table), table, memory_order_relaxed);
	kr_mutex_unlock(&lock);
}

void
kr_live_remove(struct kr_live *live)
{
	_Atomic(const struct kr_instance_table *) *slot = kr_live_slot(live->table);

	if (!live->table)
		return;
	kr_mutex_lock(&lock);
	kr_list_remove(&live->link);
	if (atomic_load_explicit(slot, memory_order_relaxed) == live->table)
		atomic_store_explicit(slot, slot == kr_live_slots ? KR_LIVE_NOT_NULL : NULL,
			memory_order_relaxed);
	kr_mutex_unlock(&lock);
	live->table = NULL;
}

bool
kr_live_is_listed(const struct kr_instance_table *table)
{
	const struct kr_live *live;
	bool found = false;

	kr_mutex_lock(&lock);
	kr_list_for_each (live, &tables, link) {
		if (live->table == table) {
			found = true;
			break;
		}
	}
	kr_mutex_unlock(&lock);
	return found;
}
