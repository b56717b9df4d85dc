/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small hash map from 64-bit keys (handles, pointers, ids; 0 is a key like any other) to
 * pointers, open addressing. Not thread-safe: its owner's lock protects it.
 */
#ifndef KR_UTIL_HASH_H
#define KR_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_hash_slot;

struct kr_hash {
	struct kr_hash_slot *slots;
	size_t capacity; /* 0 or a power of two */
	size_t count;
	const VkAllocationCallbacks *allocator;
	VkSystemAllocationScope scope;
};

void kr_hash_init(struct kr_hash *hash);
/* With memory of an application's, which must stay valid as long as the map. */
void kr_hash_init_with(struct kr_hash *hash, const VkAllocationCallbacks *allocator,
	VkSystemAllocationScope scope);
void kr_hash_finish(struct kr_hash *hash);
/* Adds or replaces; value must not be NULL. 0 or -ENOMEM. */
int kr_hash_put(struct kr_hash *hash, uint64_t key, void *value) KR_MUST_CHECK;
/* The value or NULL. */
void *kr_hash_get(const struct kr_hash *hash, uint64_t key);
/* Removes and returns the value, NULL when there was none. */
void *kr_hash_take(struct kr_hash *hash, uint64_t key);

#endif
