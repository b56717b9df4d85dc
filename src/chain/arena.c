/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch memory for one call. */
#include "chain/arena.h"

#include <stdint.h>
#include <string.h>

#include "util/alloc.h"

struct kr_arena_block {
	struct kr_arena_block *next;
	_Alignas(max_align_t) char data[];
};

void
kr_arena_init(struct kr_arena *arena, const VkAllocationCallbacks *allocator)
{
	arena->allocator = allocator;
	arena->blocks = NULL;
	arena->used = 0;
}

void *
kr_arena_alloc(struct kr_arena *arena, size_t count, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	struct kr_arena_block *block;
	void *memory;

	if (size && count > (SIZE_MAX - sizeof(*block) - align) / size)
		return NULL;
	size = (count * size + align - 1) / align * align;
	if (size <= sizeof(arena->first) - arena->used) {
		memory = arena->first + arena->used;
		arena->used += size;
		return memset(memory, 0, size);
	}
	block = kr_zalloc(
		arena->allocator, sizeof(*block) + size, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!block)
		return NULL;
	block->next = arena->blocks;
	arena->blocks = block;
	return block->data;
}

void
kr_arena_finish(struct kr_arena *arena)
{
	struct kr_arena_block *block = arena->blocks, *next;

	for (; block; block = next) {
		next = block->next;
		kr_free(arena->allocator, block);
	}
	arena->blocks = NULL;
}
