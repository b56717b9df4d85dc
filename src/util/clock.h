/* SPDX-License-Identifier: Apache-2.0 */
/* Time: nanoseconds of CLOCK_MONOTONIC, and absolute deadlines made of them. */
#ifndef KR_UTIL_CLOCK_H
#define KR_UTIL_CLOCK_H

#include <stdint.h>

#define KR_NSEC_PER_SEC  INT64_C(1000000000)
#define KR_NSEC_PER_MSEC INT64_C(1000000)
/* A deadline that never comes. */
#define KR_FOREVER INT64_MAX

int64_t kr_clock_now(void);
/* now + timeout, saturating at KR_FOREVER; UINT64_MAX (Vulkan's "no limit") gives KR_FOREVER. */
int64_t kr_deadline_in(uint64_t timeout_ns);
/* What poll() takes for a deadline: milliseconds rounded up, -1 for KR_FOREVER, 0 once passed. */
int kr_deadline_poll_ms(int64_t deadline_ns);

#endif
