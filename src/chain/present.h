/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pNext chains that are the application's and therefore const: what has to change is changed in a
 * copy, whose sizes come from the registry.
 */
#ifndef KR_CHAIN_PRESENT_H
#define KR_CHAIN_PRESENT_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "util/vulkan.h"
#include "chain/arena.h"

/*
 * A copy of the chain up to and including the first structure of `type`, which becomes *found; the
 * application's chain goes on behind it. VK_ERROR_UNKNOWN when a structure before it has no known size
 * (logged); VK_ERROR_OUT_OF_HOST_MEMORY. Without such a structure *copy is the chain and *found NULL.
 */
VkResult kr_chain_copy_until(struct kr_arena *arena, const void *chain, VkStructureType type,
	const void **copy, void **found) KR_MUST_CHECK;

/*
 * The part of a VkPresentInfoKHR's chain that speaks of the chosen swapchains: `chosen` gives their
 * `count` places among the present's. Arrays of one element a swapchain are cut to these; structures
 * of unknown size can't be copied and are left out (logged).
 */
VkResult kr_chain_split_present(struct kr_arena *arena, const VkPresentInfoKHR *info,
	const uint32_t *chosen, uint32_t count, const void **chain) KR_MUST_CHECK;

#endif
