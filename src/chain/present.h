/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A present that is split among drivers and window system: what is chained to it, for a part of it.
 */
#ifndef KR_CHAIN_PRESENT_H
#define KR_CHAIN_PRESENT_H

#include <stdint.h>
#include "chain/arena.h"
#include "util/macros.h"
#include "util/vulkan.h"

/*
 * The part of a VkPresentInfoKHR's chain that speaks of the chosen swapchains: `chosen` gives their
 * `count` places among the present's. Arrays of one element a swapchain are cut to these;
 * structures of unknown size can't be copied and are left out (logged).
 */
VkResult kr_chain_split_present(struct kr_arena *arena, const VkPresentInfoKHR *info,
	const uint32_t *chosen, uint32_t count, const void **chain) KR_MUST_CHECK;

#endif
