/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scratch memory for one call: the first kilobyte lies in the object itself, so that small calls
 * allocate nothing; everything goes at once.
 */
#ifndef KR_WSI_ARENA_H
#define KR_WSI_ARENA_H

#include <stddef.h>
#include "util/vulkan.h"

#define KR_WSI_ARENA_INLINE 1024

struct kr_wsi_arena_block;

struct kr_wsi_arena {
	const VkAllocationCallbacks *allocator;
	struct kr_wsi_arena_block *blocks;
	size_t used; /* of `first` */
	_Alignas(max_align_t) char first[KR_WSI_ARENA_INLINE];
};

void kr_wsi_arena_init(struct kr_wsi_arena *arena, const VkAllocationCallbacks *allocator);
/* Zeroed memory for `count` objects of `size`, or NULL; valid until finish. */
void *kr_wsi_arena_alloc(struct kr_wsi_arena *arena, size_t count, size_t size);
void kr_wsi_arena_finish(struct kr_wsi_arena *arena);

#endif
