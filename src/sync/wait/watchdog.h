/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names a fence that keeps somebody waiting (DESIGN rule 7): when the wait has taken
 * KR_FENCE_BUDGET_NS, and then each time it has become ten times as long, so that a log says what
 * hangs and isn't flooded.
 *
 * The object lives with whoever waits, across calls when he comes back with short timeouts; one
 * thread at a time. Messages may reach callbacks of the application: no lock is held meanwhile.
 */
#ifndef KR_SYNC_WAIT_WATCHDOG_H
#define KR_SYNC_WAIT_WATCHDOG_H

#include <stdint.h>
#include "sync/wait/describe.h"
#include "util/macros.h"

struct kr_fence_watchdog {
	int64_t since_ns; /* when the wait began; 0: nobody waits */
	int64_t next_ns;  /* when the fence is named next */
};

/* The wait begins. Times are those of kr_clock_now. */
void kr_fence_watchdog_start(struct kr_fence_watchdog *watchdog, int64_t now_ns);
/* It is over, one way or the other. */
void kr_fence_watchdog_stop(struct kr_fence_watchdog *watchdog);
/* Names the fence if it is time to (kr_fence_log_late, with its `what`). */
void kr_fence_watchdog_look(
	struct kr_fence_watchdog *watchdog, int fence, const char *what, int64_t now_ns);

#endif
