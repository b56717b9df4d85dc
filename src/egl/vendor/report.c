/* SPDX-License-Identifier: Apache-2.0 */
#include "egl/vendor/report.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/clock.h"
#include "util/log.h"
#include "util/report.h"

#define PAUSE_NS (5 * KR_NSEC_PER_MSEC)

static atomic_uint_least64_t counts[KR_EGL_COUNTS];
static _Atomic int64_t next_ns;

void
kr_egl_count(enum kr_egl_counter what, uint64_t more)
{
	atomic_fetch_add_explicit(&counts[what], more, memory_order_relaxed);
}

uint64_t
kr_egl_counted(enum kr_egl_counter what)
{
	return atomic_load_explicit(&counts[what], memory_order_relaxed);
}

static void
report(void)
{
	char text[KR_EGL_COUNTS * 22];
	size_t used = 0;

	for (int what = 0; what < KR_EGL_COUNTS; what++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRIu64,
			what ? " " : "", kr_egl_counted((enum kr_egl_counter)what));
	kr_report(KR_REPORT_EGL, text);
}

static void
register_exit(void)
{
	if (atexit(report))
		kr_debug("EGL: exit() won't tell krafla run the last counts");
}

void
kr_egl_count_report(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int64_t next = atomic_load_explicit(&next_ns, memory_order_relaxed);
	int64_t now = kr_clock_now();

	pthread_once(&once, register_exit);
	if (now >= next && atomic_compare_exchange_strong(&next_ns, &next, now + PAUSE_NS))
		report();
}
