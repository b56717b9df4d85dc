/* SPDX-License-Identifier: Apache-2.0 */
/* One block of capabilities against one device. */
#ifndef KR_TOOLS_FEATURES_PROFILE_BLOCK_H
#define KR_TOOLS_FEATURES_PROFILE_BLOCK_H

#include <jansson.h>

#include "tools/features/profile/ask.h"

/*
 * A new object: "holds", and "lines" as kr_flags_add_line makes them. What stands in a block and
 * isn't known here doesn't hold.
 */
json_t *kr_flags_judge_block(const struct kr_flags_view *view, const json_t *block);

#endif
