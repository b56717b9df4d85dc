/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a fence. Any thread. */
#ifndef KR_SYNC_WAIT_WAIT_H
#define KR_SYNC_WAIT_WAIT_H

#include <stdint.h>
#include "sync/wait/watchdog.h"
#include "util/macros.h"

/*
 * Waits until the fence is done or `deadline_ns` (kr_clock_now's clock; KR_FOREVER) has passed. 0
 * signalled (and for -1), -ETIME, the fence's own negative status when it failed, -EINVAL no fence.
 * A fence that is waited for longer than KR_FENCE_BUDGET_NS is named in the log (watchdog.h): no
 * lock is held around this. Whoever knows what the wait is for says so: kr_fence_wait_watched.
 */
int kr_fence_wait(int fence, int64_t deadline_ns);

/*
 * The same with a watchdog of the caller's, which is started unless it runs. It runs on only when
 * the answer is -ETIME.
 */
int kr_fence_wait_watched(int fence, int64_t deadline_ns, struct kr_fence_watchdog *watchdog,
	const char *what) KR_MUST_CHECK;
/* The same where -1 is no fence: 0 with *status when it is done, -ETIME, -EINVAL. */
int kr_sync_wait_watched(int fd, int64_t deadline_ns, struct kr_fence_watchdog *watchdog,
	const char *what, int32_t *status) KR_MUST_CHECK;

#endif
