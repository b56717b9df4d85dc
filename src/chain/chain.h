/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pNext chains in which something has to change before the next one sees them.
 *
 * A chain that goes in is const and the application's: what stands in front of the change is
 * copied, by the sizes of the registry, and what stands behind it is shared. A structure of unknown
 * size can't be copied: that is an error, and logged.
 *
 * A chain that comes back is written by the driver anyway, so there a structure is unlinked for the
 * time of the call.
 */
#ifndef KR_CHAIN_CHAIN_H
#define KR_CHAIN_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include "chain/arena.h"
#include "util/macros.h"
#include "util/vulkan.h"

typedef bool (*kr_chain_test)(VkStructureType type);

/* The same with something to know. */
struct kr_chain_filter {
	bool (*drops)(const struct kr_chain_filter *filter, VkStructureType type);
	const void *data;
};

/* The first structure of a type, or NULL. */
const void *kr_chain_find(const void *chain, VkStructureType type);

/*
 * A copy of one structure; *copy is NULL when its size isn't known, which is logged (`where` names
 * the call). VK_ERROR_OUT_OF_HOST_MEMORY.
 */
VkResult kr_chain_copy_one(struct kr_arena *arena, const VkBaseInStructure *structure,
	const char *where, VkBaseInStructure **copy) KR_MUST_CHECK;

/*
 * The chain without the structures that `drop` names. Nothing is copied when there are none.
 * VK_ERROR_OUT_OF_HOST_MEMORY, or VK_ERROR_INITIALIZATION_FAILED for a structure that can't be
 * copied.
 */
VkResult kr_chain_strip(struct kr_arena *arena, const void *chain, kr_chain_test drop,
	const char *where, const void **stripped) KR_MUST_CHECK;
VkResult kr_chain_strip_by(struct kr_arena *arena, const void *chain,
	const struct kr_chain_filter *filter, const char *where, const void **stripped)
	KR_MUST_CHECK;

/*
 * A copy of the chain up to and including the first structure of `type`, which becomes *found; the
 * application's chain goes on behind it. VK_ERROR_UNKNOWN when a structure before it can't be
 * copied; VK_ERROR_OUT_OF_HOST_MEMORY. Without such a structure *copy is the chain and *found NULL.
 */
VkResult kr_chain_copy_until(struct kr_arena *arena, const void *chain, VkStructureType type,
	const char *where, const void **copy, void **found) KR_MUST_CHECK;

#define KR_CHAIN_UNLINKED_MAX 24

struct kr_chain_unlinked {
	struct {
		VkBaseOutStructure *before;
		VkBaseOutStructure *node;
	} items[KR_CHAIN_UNLINKED_MAX];
	size_t count;
};

/* Takes what `drop` names out from behind `head` (which itself stays), until relinked. */
void kr_chain_unlink(void *head, kr_chain_test drop, struct kr_chain_unlinked *unlinked);
void kr_chain_unlink_by(
	void *head, const struct kr_chain_filter *filter, struct kr_chain_unlinked *unlinked);
void kr_chain_relink(const struct kr_chain_unlinked *unlinked);

#endif
