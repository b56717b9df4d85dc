/* SPDX-License-Identifier: Apache-2.0 */
/* What came to the driver in this process (null_control.h). From any thread. */
#ifndef KR_NULL_COUNTS_H
#define KR_NULL_COUNTS_H

#include "null/null_control.h"

/* Read through kr_null_get_counts. */
extern struct kr_null_counts null_counts __attribute__((visibility("hidden")));

#define null_count(member) ((void)__atomic_add_fetch(&null_counts.member, 1, __ATOMIC_RELAXED))

/* Counts what no chain that comes here may have. */
void null_count_chain(const void *chain);
void null_count_object(VkObjectType type);

#endif
