/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with backward-shift deletion: no tombstones, so lookups stay short. */
#include "util/hash.h"

#include <errno.h>

#include "util/alloc.h"

struct kr_hash_slot {
	uint64_t key;
	void *value; /* NULL: free */
};

void
kr_hash_init(struct kr_hash *hash)
{
	kr_hash_init_with(hash, NULL, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
}

void
kr_hash_init_with(
	struct kr_hash *hash, const VkAllocationCallbacks *allocator, VkSystemAllocationScope scope)
{
	*hash = (struct kr_hash){.allocator = allocator, .scope = scope};
}

void
kr_hash_finish(struct kr_hash *hash)
{
	kr_free(hash->allocator, hash->slots);
	kr_hash_init_with(hash, hash->allocator, hash->scope);
}

static size_t
home_of(const struct kr_hash *hash, uint64_t key)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (hash->capacity - 1);
}

/* The slot that holds key, or the free slot where it belongs. */
static size_t
find(const struct kr_hash *hash, uint64_t key)
{
	size_t i = home_of(hash, key);

	while (hash->slots[i].value && hash->slots[i].key != key)
		i = (i + 1) & (hash->capacity - 1);
	return i;
}

static int
grow(struct kr_hash *hash)
{
	struct kr_hash bigger = *hash;

	bigger.capacity = hash->capacity ? hash->capacity * 2 : 16;
	bigger.slots = kr_zalloc_array(
		hash->allocator, bigger.capacity, sizeof(*bigger.slots), hash->scope);
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < hash->capacity; i++) {
		if (hash->slots[i].value)
			bigger.slots[find(&bigger, hash->slots[i].key)] = hash->slots[i];
	}
	kr_free(hash->allocator, hash->slots);
	*hash = bigger;
	return 0;
}

int
kr_hash_put(struct kr_hash *hash, uint64_t key, void *value)
{
	size_t i;

	if ((hash->count + 1) * 4 > hash->capacity * 3) {
		int ret = grow(hash);

		if (ret)
			return ret;
	}
	i = find(hash, key);
	hash->count += !hash->slots[i].value;
	hash->slots[i] = (struct kr_hash_slot){key, value};
	return 0;
}

void *
kr_hash_get(const struct kr_hash *hash, uint64_t key)
{
	return hash->count ? hash->slots[find(hash, key)].value : NULL;
}

void *
kr_hash_take(struct kr_hash *hash, uint64_t key)
{
	size_t hole, next;
	void *value;

	if (!hash->count)
		return NULL;
	hole = find(hash, key);
	value = hash->slots[hole].value;
	if (!value)
		return NULL;
	hash->count--;
	/* Close the gap: a later slot moves in unless its home lies between the gap and itself. */
	for (next = (hole + 1) & (hash->capacity - 1); hash->slots[next].value;
		next = (next + 1) & (hash->capacity - 1)) {
		size_t home = home_of(hash, hash->slots[next].key);
		size_t mask = hash->capacity - 1;

		if (((next - home) & mask) < ((next - hole) & mask))
			continue;
		hash->slots[hole] = hash->slots[next];
		hole = next;
	}
	hash->slots[hole].value = NULL;
	return value;
}
