/* SPDX-License-Identifier: Apache-2.0 */
/* Tiers, and what is missing for the next one (DESIGN 6). */
#ifndef KR_TOOLS_INFO_TIER_H
#define KR_TOOLS_INFO_TIER_H

#include <jansson.h>
#include <stdbool.h>

/* Whether any buffer can be allocated: KRAFLA_BUFFERS may demand what isn't there. */
bool kr_tier_has_buffers(void);
/* Adds why buffers are no dma-bufs, if they aren't. Returns the array. */
json_t *kr_tier_add_buffers(json_t *missing);
/* Why no card could show buffers on planes, with fences; NULL: one could. To be freed. */
char *kr_tier_why_no_card(void);
/*
 * Sets "tier" and "missing_for_next_tier" of a device or display: none (null) when it isn't able at
 * all, T0 when something is missing, else T1. There what is missing is T2's: a card, and what
 * stands in `take_beyond`; T2 when nothing is.
 */
void kr_tier_set(json_t *object, bool able, json_t *take_missing, json_t *take_beyond);

#endif
