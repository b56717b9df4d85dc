/* SPDX-License-Identifier: Apache-2.0 */
/* Copying and cutting pNext chains. */
#include "chain/present.h"

#include <string.h>

#include "chain/chain.h"
#include "gen/struct_sizes.h"
#include "util/log.h"

/* NULL without memory, or when the size isn't known (which is logged, *known says so). */
static VkBaseInStructure *
copy_struct(struct kr_arena *arena, const VkBaseInStructure *s, bool *known)
{
	size_t size = kr_struct_size(s->sType);
	VkBaseInStructure *copy;

	*known = size > 0;
	if (!*known) {
		kr_error("window system: structure %d in a chain has no known size", s->sType);
		return NULL;
	}
	copy = kr_arena_alloc(arena, 1, size);
	if (copy)
		memcpy(copy, s, size);
	return copy;
}

VkResult
kr_chain_copy_until(struct kr_arena *arena, const void *chain, VkStructureType type,
	const void **copy, void **found)
{
	const VkBaseInStructure *s, *first = chain, **tail = &first;
	VkBaseInStructure *c = NULL;
	bool known;

	if (!kr_chain_find(chain, type)) {
		*copy = chain;
		*found = NULL;
		return VK_SUCCESS;
	}
	for (s = chain; !c || c->sType != type; s = s->pNext) {
		c = copy_struct(arena, s, &known);
		if (!c)
			return known ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN;
		*tail = c;
		tail = (const VkBaseInStructure **)&c->pNext;
	}
	*copy = first;
	*found = c;
	return VK_SUCCESS;
}

/*
 * All structures with one element a swapchain look alike: a count, then a pointer to the elements,
 * which may be NULL.
 */
struct per_swapchain {
	VkBaseInStructure base;
	uint32_t count;
	const void *elements;
};

#define LOOKS_ALIKE(type, count_member, member)                                                    \
	_Static_assert(offsetof(type, count_member) == offsetof(struct per_swapchain, count) &&    \
			offsetof(type, member) == offsetof(struct per_swapchain, elements),        \
		#type)
LOOKS_ALIKE(VkDeviceGroupPresentInfoKHR, swapchainCount, pDeviceMasks);
LOOKS_ALIKE(VkPresentRegionsKHR, swapchainCount, pRegions);
LOOKS_ALIKE(VkPresentIdKHR, swapchainCount, pPresentIds);
LOOKS_ALIKE(VkPresentTimesInfoGOOGLE, swapchainCount, pTimes);
LOOKS_ALIKE(VkSwapchainPresentFenceInfoEXT, swapchainCount, pFences);
LOOKS_ALIKE(VkSwapchainPresentModeInfoEXT, swapchainCount, pPresentModes);

/* The size of an element, 0 for structures that are not of this kind. */
static size_t
element_size(VkStructureType type)
{
	switch (type) {
	case VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR:
		return sizeof(uint32_t);
	case VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR:
		return sizeof(VkPresentRegionKHR);
	case VK_STRUCTURE_TYPE_PRESENT_ID_KHR:
		return sizeof(uint64_t);
	case VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE:
		return sizeof(VkPresentTimeGOOGLE);
	case VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT:
		return sizeof(VkFence);
	case VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT:
		return sizeof(VkPresentModeKHR);
	default:
		return 0;
	}
}

static bool
cut_elements(
	struct kr_arena *arena, struct per_swapchain *s, const uint32_t *chosen, uint32_t count)
{
	size_t size = element_size(s->base.sType);
	uint32_t had = s->count;
	char *elements;

	/* Zero stands for "as if it weren't chained". */
	if (!had)
		return true;
	s->count = count;
	if (!s->elements)
		return true;
	elements = kr_arena_alloc(arena, count, size);
	if (!elements)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (chosen[i] < had)
			memcpy(elements + size * i, (const char *)s->elements + size * chosen[i],
				size);
	}
	s->elements = elements;
	return true;
}

VkResult
kr_chain_split_present(struct kr_arena *arena, const VkPresentInfoKHR *info, const uint32_t *chosen,
	uint32_t count, const void **chain)
{
	const VkBaseInStructure *s, *first = NULL, **tail = &first;
	VkBaseInStructure *c;
	bool known;

	for (s = info->pNext; s; s = s->pNext) {
		c = copy_struct(arena, s, &known);
		if (!c && known)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		if (!c)
			continue;
		if (element_size(c->sType) &&
			!cut_elements(arena, (struct per_swapchain *)c, chosen, count))
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		c->pNext = NULL;
		*tail = c;
		tail = (const VkBaseInStructure **)&c->pNext;
	}
	*chain = first;
	return VK_SUCCESS;
}
