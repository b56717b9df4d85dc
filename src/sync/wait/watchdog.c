/* SPDX-License-Identifier: Apache-2.0 */
/* When a late fence is named, and the wait that looks up in between to do it. */
#include "sync/wait/watchdog.h"

#include <errno.h>
#include <stdio.h>

#include "sync/fence/fence.h"
#include "sync/fence/status.h"
#include "util/clock.h"

#define RARER 10

void
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

void
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

int
kr_sync_wait_watched(int fd, int64_t deadline_ns, struct kr_fence_watchdog *watchdog,
	const char *what, int32_t *status)
{
	if (!watchdog->since_ns)
		kr_fence_watchdog_start(watchdog, kr_clock_now());
	for (;;) {
		int64_t until = KR_MIN(deadline_ns, watchdog->next_ns);
		int err = kr_sync_wait_until(fd, until, status);

		if (err != -ETIME) {
			kr_fence_watchdog_stop(watchdog);
			return err;
		}
		kr_fence_watchdog_look(watchdog, fd, what, kr_clock_now());
		if (until == deadline_ns)
			return -ETIME;
	}
}

int
kr_fence_wait_watched(
	int fence, int64_t deadline_ns, struct kr_fence_watchdog *watchdog, const char *what)
{
	int32_t status = KR_FENCE_SIGNALLED;
	int err = 0;

	if (fence == -1)
		kr_fence_watchdog_stop(watchdog);
	else
		err = kr_sync_wait_watched(fence, deadline_ns, watchdog, what, &status);
	return !err && status < 0 ? status : err;
}

void
kr_fence_sentence_of(int fence, char out[KR_FENCE_SENTENCE])
{
	struct kr_fence_description description;

	if (fence >= 0 && !kr_fence_describe(fence, &description))
		kr_fence_sentence(&description, out);
	else
		snprintf(out, KR_FENCE_SENTENCE, "without a description");
}
