/* SPDX-License-Identifier: Apache-2.0 */
/* Finding, copying and unlinking parts of pNext chains. */
#include "chain/chain.h"

#include <string.h>

#include "gen/struct_sizes.h"
#include "util/log.h"

const void *
kr_chain_find(const void *chain, VkStructureType type)
{
	for (const VkBaseInStructure *node = chain; node; node = node->pNext) {
		if (node->sType == type)
			return node;
	}
	return NULL;
}

VkResult
kr_chain_copy_one(struct kr_arena *arena, const VkBaseInStructure *structure, const char *where,
	VkBaseInStructure **copy)
{
	size_t size = kr_struct_size(structure->sType);

	*copy = NULL;
	if (!size) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"%s: the structure of type %d in the pNext chain is unknown here and can't be copied",
			where, (int)structure->sType);
		return VK_SUCCESS;
	}
	*copy = kr_arena_alloc(arena, 1, size);
	if (!*copy)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	memcpy(*copy, structure, size);
	return VK_SUCCESS;
}

/* What a loader chains for layers is no driver's business, and no registry knows its size. */
static bool
is_loaders(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
		type == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
}

struct plain_filter {
	struct kr_chain_filter base;
	kr_chain_test drops;
};

static bool
ask_test(const struct kr_chain_filter *filter, VkStructureType type)
{
	return kr_container_of(filter, const struct plain_filter, base)->drops(type);
}

/* The last node to drop, NULL when there is none. */
static const VkBaseInStructure *
last_dropped(const VkBaseInStructure *node, const struct kr_chain_filter *filter)
{
	const VkBaseInStructure *last = NULL;

	for (; node; node = node->pNext) {
		if (filter->drops(filter, node->sType))
			last = node;
	}
	return last;
}

VkResult
kr_chain_strip_by(struct kr_arena *arena, const void *chain, const struct kr_chain_filter *filter,
	const char *where, const void **stripped)
{
	const VkBaseInStructure *last = last_dropped(chain, filter), *node;
	const VkBaseInStructure *first = NULL, **link = &first;
	VkBaseInStructure *copy;

	if (!last) {
		*stripped = chain;
		return VK_SUCCESS;
	}
	for (node = chain; node != last; node = node->pNext) {
		VkResult result;

		if (filter->drops(filter, node->sType) || is_loaders(node->sType))
			continue;
		result = kr_chain_copy_one(arena, node, where, &copy);
		if (result != VK_SUCCESS)
			return result;
		if (!copy)
			return VK_ERROR_INITIALIZATION_FAILED;
		*link = copy;
		link = (const VkBaseInStructure **)&copy->pNext;
	}
	*link = last->pNext;
	*stripped = first;
	return VK_SUCCESS;
}

VkResult
kr_chain_strip(struct kr_arena *arena, const void *chain, kr_chain_test drop, const char *where,
	const void **stripped)
{
	const struct plain_filter filter = {{.drops = ask_test}, drop};

	return kr_chain_strip_by(arena, chain, &filter.base, where, stripped);
}

VkResult
kr_chain_copy_until(struct kr_arena *arena, const void *chain, VkStructureType type,
	const char *where, const void **copied, void **found)
{
	const VkBaseInStructure *end = kr_chain_find(chain, type), *node;
	const VkBaseInStructure *first = chain, **link = &first;
	VkBaseInStructure *copy = NULL;

	for (node = chain; end && node != end->pNext; node = node->pNext) {
		VkResult result = kr_chain_copy_one(arena, node, where, &copy);

		if (result != VK_SUCCESS)
			return result;
		if (!copy)
			return VK_ERROR_UNKNOWN;
		*link = copy;
		link = (const VkBaseInStructure **)&copy->pNext;
	}
	*copied = first;
	*found = copy;
	return VK_SUCCESS;
}

void
kr_chain_unlink_by(
	void *head, const struct kr_chain_filter *filter, struct kr_chain_unlinked *unlinked)
{
	VkBaseOutStructure *before = head;

	unlinked->count = 0;
	while (before->pNext) {
		VkBaseOutStructure *node = before->pNext;

		if (!filter->drops(filter, node->sType) ||
			unlinked->count == KR_CHAIN_UNLINKED_MAX) {
			before = node;
			continue;
		}
		unlinked->items[unlinked->count].before = before;
		unlinked->items[unlinked->count++].node = node;
		before->pNext = node->pNext;
	}
}

void
kr_chain_unlink(void *head, kr_chain_test drop, struct kr_chain_unlinked *unlinked)
{
	const struct plain_filter filter = {{.drops = ask_test}, drop};

	kr_chain_unlink_by(head, &filter.base, unlinked);
}

void
kr_chain_relink(const struct kr_chain_unlinked *unlinked)
{
	for (size_t i = unlinked->count; i--;)
		unlinked->items[i].before->pNext = unlinked->items[i].node;
}
