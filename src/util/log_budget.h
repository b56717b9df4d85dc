/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages that somebody else can cause as often as he likes: a peer that connects and is refused
 * in a circle would fill a disk with them.
 */
#ifndef KR_UTIL_LOG_BUDGET_H
#define KR_UTIL_LOG_BUDGET_H

#include <stdatomic.h>
#include <stdint.h>
#include "util/log.h"

/* Messages a second of one kind. */
#define KR_LOG_BUDGET 16

/* Zeroed at first. Of any thread; two that come at once may tell one more. */
struct kr_log_budget {
	_Atomic int64_t until_ns; /* the end of the second that is counted */
	atomic_uint told;
	atomic_uint left_out;
};

/*
 * kr_log, for as many as the budget has; behind a second in which some were left out
 * it is said how many.
 */
void kr_log_limited(struct kr_log_budget *budget, uint32_t bits, const char *fmt, ...)
	KR_PRINTF(3, 4);

#endif
