/* SPDX-License-Identifier: Apache-2.0 */
/* Copies structures, and cuts those with one element a swapchain. */
#include "chain/present.h"

#include <string.h>

#include "chain/chain.h"

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
LOOKS_ALIKE(VkPresentId2KHR, swapchainCount, pPresentIds);
LOOKS_ALIKE(VkPresentTimesInfoGOOGLE, swapchainCount, pTimes);
LOOKS_ALIKE(VkPresentTimingsInfoEXT, swapchainCount, pTimingInfos);
LOOKS_ALIKE(VkSwapchainPresentFenceInfoEXT, swapchainCount, pFences);
LOOKS_ALIKE(VkSwapchainPresentModeInfoEXT, swapchainCount, pPresentModes);

/* The size of an element, 0 for structures that are not of this kind. */
static size_t
element_size(VkStructureType type)
{
	switch ((uint32_t)type) {
	case VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR:
		return sizeof(uint32_t);
	case VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR:
		return sizeof(VkPresentRegionKHR);
	case VK_STRUCTURE_TYPE_PRESENT_ID_KHR:
	case VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR:
		return sizeof(uint64_t);
	case VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE:
		return sizeof(VkPresentTimeGOOGLE);
	case VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT:
		return sizeof(VkPresentTimingInfoEXT);
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

	for (s = info->pNext; s; s = s->pNext) {
		VkResult result = kr_chain_copy_one(arena, s, "vkQueuePresentKHR", &c);

		if (result != VK_SUCCESS)
			return result;
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
