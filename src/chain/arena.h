/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scratch memory for one call: the first kilobyte lies in the object itself, so that small calls
 * allocate nothing; everything goes at once.
 */
#ifndef KR_CHAIN_ARENA_H
#define KR_CHAIN_ARENA_H

#include <stddef.h>
#include "util/vulkan.h"

#define KR_ARENA_INLINE 1024

struct kr_arena_block;

struct kr_arena {
	const VkAllocationCallbacks *allocator;
	struct kr_arena_block *blocks;
	size_t used; /* of `first` */
	_Alignas(max_align_t) char first[KR_ARENA_INLINE];
};

void kr_arena_init(struct kr_arena *arena, const VkAllocationCallbacks *allocator);
/* Zeroed memory for `count` objects of `size`, or NULL; valid until finish. */
void *kr_arena_alloc(struct kr_arena *arena, size_t count, size_t size);
void kr_arena_finish(struct kr_arena *arena);

#endif
