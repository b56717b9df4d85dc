/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pNext chains that have to lose a structure before the ICD sees them.
 *
 * A chain that goes in is const and the application's: what stands in front of a dropped structure
 * is copied, by the sizes of the registry, and what stands behind the last one is shared. A structure
 * of unknown size in front of a dropped one can't be copied: that is an error, and logged.
 *
 * A chain that comes back is written by the ICD anyway, so there the structure is unlinked for the
 * time of the call.
 */
#ifndef KR_CHAIN_CHAIN_H
#define KR_CHAIN_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_chain {
	const void *head; /* what to chain instead */
	void *copies;     /* one block, or NULL */
	const VkAllocationCallbacks *allocator;
};

typedef bool (*kr_chain_test)(VkStructureType type);

/* The first structure of a type, or NULL. */
const void *kr_chain_find(const void *head, VkStructureType type);

/*
 * The chain without the structures that `drop` names. Nothing is allocated when there are none.
 * VK_ERROR_OUT_OF_HOST_MEMORY, or VK_ERROR_INITIALIZATION_FAILED for a structure that can't be copied
 * (`where` names the call in the message). Finish it, also when nothing was copied.
 */
VkResult kr_chain_strip(const void *head, kr_chain_test drop, const char *where,
	const VkAllocationCallbacks *allocator, struct kr_chain *chain) KR_MUST_CHECK;
void kr_chain_finish(struct kr_chain *chain);

#define KR_CHAIN_UNLINKED_MAX 24

struct kr_unlinked {
	struct {
		VkBaseOutStructure *before;
		VkBaseOutStructure *node;
	} items[KR_CHAIN_UNLINKED_MAX];
	size_t count;
};

/* Takes what `drop` names out from behind `head` (which itself stays), until relinked. */
void kr_chain_unlink(void *head, kr_chain_test drop, struct kr_unlinked *unlinked);
void kr_chain_relink(const struct kr_unlinked *unlinked);

#endif
