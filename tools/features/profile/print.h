/* SPDX-License-Identifier: Apache-2.0 */
/* What a judge has found out, as text on standard output. */
#ifndef KR_TOOLS_FEATURES_PROFILE_PRINT_H
#define KR_TOOLS_FEATURES_PROFILE_PRINT_H

#include <jansson.h>

#include "tools/features/profile/judge.h"

/* Those whose names are asked for, then those that they need. A block's lines stand there once. */
void kr_flags_print_profiles(const struct kr_flags_judge *judge, const json_t *asked);

#endif
