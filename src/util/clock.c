/* SPDX-License-Identifier: Apache-2.0 */
/* Monotonic time and deadlines. */
#include "util/clock.h"

#include <limits.h>
#include <time.h>

int64_t
kr_clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * KR_NSEC_PER_SEC + ts.tv_nsec;
}

int64_t
kr_deadline_in(uint64_t timeout_ns)
{
	int64_t now = kr_clock_now();

	if (timeout_ns >= (uint64_t)(KR_FOREVER - now))
		return KR_FOREVER;
	return now + (int64_t)timeout_ns;
}

int
kr_deadline_poll_ms(int64_t deadline_ns)
{
	int64_t left;

	if (deadline_ns == KR_FOREVER)
		return -1;
	left = deadline_ns - kr_clock_now();
	if (left <= 0)
		return 0;
	left = (left + KR_NSEC_PER_MSEC - 1) / KR_NSEC_PER_MSEC;
	return left > INT_MAX ? INT_MAX : (int)left;
}
