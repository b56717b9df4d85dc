/* SPDX-License-Identifier: Apache-2.0 */
/* Adding and removing handles; looking up is inline. */
#include "adapter/handle_map.h"

#include <errno.h>
#include <stdlib.h>

static struct kr_adapter_handle_slot *
find(struct kr_adapter_handle_map *map, const void *handle) KR_REQUIRES(map->lock)
{
	for (struct kr_adapter_handle_chunk *chunk = &map->first; chunk;
		chunk = atomic_load(&chunk->next)) {
		for (uint32_t i = 0; i < atomic_load(&chunk->used); i++) {
			if (atomic_load(&chunk->slots[i].handle) == handle)
				return &chunk->slots[i];
		}
	}
	return NULL;
}

/* A slot that was never used, in the last chunk or in a new one. NULL without memory. */
static struct kr_adapter_handle_slot *
extend(struct kr_adapter_handle_map *map) KR_REQUIRES(map->lock)
{
	struct kr_adapter_handle_chunk *chunk = &map->first, *more;
	uint32_t used;

	while ((more = atomic_load(&chunk->next)))
		chunk = more;
	used = atomic_load(&chunk->used);
	if (used == KR_HANDLE_CHUNK) {
		more = calloc(1, sizeof(*more));
		if (!more)
			return NULL;
		atomic_store(&chunk->next, more);
		chunk = more;
		used = 0;
	}
	atomic_store(&chunk->used, used + 1);
	return &chunk->slots[used];
}

int
kr_adapter_handle_map_put(struct kr_adapter_handle_map *map, const void *handle, void *value)
{
	struct kr_adapter_handle_slot *slot;

	kr_mutex_lock(&map->lock);
	slot = find(map, NULL);
	if (!slot)
		slot = extend(map);
	if (slot) {
		slot->value = value;
		atomic_store_explicit(&slot->handle, handle, memory_order_release);
	}
	kr_mutex_unlock(&map->lock);
	return slot ? 0 : -ENOMEM;
}

void
kr_adapter_handle_map_remove(struct kr_adapter_handle_map *map, const void *handle)
{
	struct kr_adapter_handle_slot *slot;

	if (!handle)
		return;
	kr_mutex_lock(&map->lock);
	slot = find(map, handle);
	if (slot)
		atomic_store_explicit(&slot->handle, NULL, memory_order_release);
	kr_mutex_unlock(&map->lock);
}
