/* SPDX-License-Identifier: Apache-2.0 */
/* Copying and unlinking parts of pNext chains. */
#include "chain/chain.h"

#include <string.h>

#include "gen/struct_sizes.h"
#include "util/alloc.h"
#include "util/log.h"

const void *
kr_chain_find(const void *head, VkStructureType type)
{
	for (const VkBaseInStructure *node = head; node; node = node->pNext) {
		if (node->sType == type)
			return node;
	}
	return NULL;
}

/* What a loader chains for layers is no driver's business, and no registry knows its size. */
static bool
is_loaders(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
		type == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
}

static size_t
aligned(size_t size)
{
	return (size + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
}

/* The last node to drop, NULL when there is none. */
static const VkBaseInStructure *
last_dropped(const VkBaseInStructure *node, kr_chain_test drop)
{
	const VkBaseInStructure *last = NULL;

	for (; node; node = node->pNext) {
		if (drop(node->sType))
			last = node;
	}
	return last;
}

/* Bytes for copies of the nodes before `last` that stay. */
static VkResult
measure(const VkBaseInStructure *node, const VkBaseInStructure *last, kr_chain_test drop,
	const char *where, size_t *total)
{
	size_t sum = 0;

	for (; node != last; node = node->pNext) {
		size_t size = kr_struct_size(node->sType);

		if (drop(node->sType) || is_loaders(node->sType))
			continue;
		if (!size) {
			kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
				"%s: the structure of type %d is unknown here and stands in the "
				"pNext chain "
				"before one that the driver must not see",
				where, (int)node->sType);
			return VK_ERROR_INITIALIZATION_FAILED;
		}
		sum += aligned(size);
	}
	*total = sum;
	return VK_SUCCESS;
}

VkResult
kr_chain_strip(const void *head, kr_chain_test drop, const char *where,
	const VkAllocationCallbacks *allocator, struct kr_chain *chain)
{
	const VkBaseInStructure *last = last_dropped(head, drop);
	const void **link = &chain->head;
	size_t total = 0;
	VkResult result;
	char *to;

	*chain = (struct kr_chain){.head = head, .allocator = allocator};
	if (!last)
		return VK_SUCCESS;
	result = measure(head, last, drop, where, &total);
	if (result != VK_SUCCESS)
		return result;
	if (total) {
		chain->copies = kr_zalloc(allocator, total, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
		if (!chain->copies)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	to = chain->copies;
	for (const VkBaseInStructure *node = head; node != last; node = node->pNext) {
		size_t size = kr_struct_size(node->sType);

		if (drop(node->sType) || is_loaders(node->sType))
			continue;
		memcpy(to, node, size);
		*link = to;
		link = (const void **)(void *)(to + offsetof(VkBaseInStructure, pNext));
		to += aligned(size);
	}
	*link = last->pNext;
	return VK_SUCCESS;
}

void
kr_chain_finish(struct kr_chain *chain)
{
	kr_free(chain->allocator, chain->copies);
	*chain = (struct kr_chain){0};
}

void
kr_chain_unlink(void *head, kr_chain_test drop, struct kr_unlinked *unlinked)
{
	VkBaseOutStructure *before = head;

	unlinked->count = 0;
	while (before->pNext) {
		VkBaseOutStructure *node = before->pNext;

		if (!drop(node->sType) || unlinked->count == KR_CHAIN_UNLINKED_MAX) {
			before = node;
			continue;
		}
		unlinked->items[unlinked->count].before = before;
		unlinked->items[unlinked->count++].node = node;
		before->pNext = node->pNext;
	}
}

void
kr_chain_relink(const struct kr_unlinked *unlinked)
{
	for (size_t i = unlinked->count; i--;)
		unlinked->items[i].before->pNext = unlinked->items[i].node;
}
