/* SPDX-License-Identifier: Apache-2.0 */
/* When a late fence is named. */
#include "sync/wait/watchdog.h"

#include "util/clock.h"

#define RARER 10

KR_PRIVATE void
kr_fence_watchdog_start(struct kr_fence_watchdog *watchdog, int64_t now_ns)
{
	watchdog->since_ns = now_ns;
	watchdog->next_ns = now_ns + KR_FENCE_BUDGET_NS;
}

void
kr_fence_watchdog_stop(struct kr_fence_watchdog *watchdog)
{
	watchdog->since_ns = 0;
}

KR_PRIVATE void
kr_fence_watchdog_look(
	struct kr_fence_watchdog *watchdog, int fence, const char *what, int64_t now_ns)
{
	int64_t waited = now_ns - watchdog->since_ns;

	if (now_ns < watchdog->next_ns)
		return;
	kr_fence_log_late(fence, what, waited);
	watchdog->next_ns = waited < INT64_MAX / RARER - watchdog->since_ns
		? watchdog->since_ns + waited * RARER
		: KR_FOREVER;
}
