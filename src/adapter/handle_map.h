/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a dispatchable handle of the ICD to what the adapter knows of it. Looked up in front of
 * every hooked call, so a lookup takes no lock and costs a few compares: there are few instances,
 * devices and queues in a process.
 *
 * A slot is published by storing its handle last and withdrawn by clearing it. Vulkan forbids using
 * an object while it is destroyed, so whoever finds a handle may use the value; others compare and
 * pass by. Slots are reused, never freed.
 */
#ifndef KR_ADAPTER_HANDLE_MAP_H
#define KR_ADAPTER_HANDLE_MAP_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"
#include "util/mutex.h"

#define KR_HANDLE_CHUNK 64

struct kr_adapter_handle_slot {
	_Atomic(const void *) handle; /* NULL: free. Store (put) pairs with load (get) */
	void *value;
};

struct kr_adapter_handle_chunk {
	struct kr_adapter_handle_slot slots[KR_HANDLE_CHUNK];
	_Atomic(uint32_t) used; /* slots from here on were never used */
	_Atomic(struct kr_adapter_handle_chunk *) next;
};

struct kr_adapter_handle_map {
	struct kr_mutex lock; /* of put and take */
	struct kr_adapter_handle_chunk first;
};

#define KR_HANDLE_MAP_INITIALIZER                                                                  \
	{                                                                                          \
		.lock = KR_MUTEX_INITIALIZER                                                       \
	}

/* 0 or -ENOMEM. The handle must not be in the map. */
int kr_adapter_handle_map_put(struct kr_adapter_handle_map *map, const void *handle, void *value)
	KR_MUST_CHECK;
/* Does nothing for a handle that isn't there. */
void kr_adapter_handle_map_remove(struct kr_adapter_handle_map *map, const void *handle);

/* The value, or NULL. Any thread. */
static inline void *
kr_adapter_handle_map_get(const struct kr_adapter_handle_map *map, const void *handle)
{
	const struct kr_adapter_handle_chunk *chunk = &map->first;

	if (!handle)
		return NULL;
	do {
		uint32_t used = atomic_load_explicit(&chunk->used, memory_order_acquire);

		for (uint32_t i = 0; i < used; i++) {
			const struct kr_adapter_handle_slot *slot = &chunk->slots[i];

			if (atomic_load_explicit(&slot->handle, memory_order_acquire) == handle)
				return slot->value;
		}
		chunk = atomic_load_explicit(&chunk->next, memory_order_acquire);
	} while (chunk);
	return NULL;
}

#endif
