/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to be preloaded into programs that turn with gettimeofday: each call finds 20 ms more,
 * for 100 calls. From then on their clock stands still and all their frames are the same, which is
 * told when some of these have been drawn.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

#define CALLS   100
#define STEP_MS 20
#define DRAWN   20 /* calls more, after which the last picture has surely been drawn */

static atomic_uint calls;

__attribute__((visibility("default"))) int gettimeofday(
	struct timeval *restrict now, void *restrict zone);

int
gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	unsigned call = atomic_fetch_add(&calls, 1), ms;

	(void)zone;
	if (call == CALLS + DRAWN)
		fputs("stands still\n", stderr);
	if (call > CALLS)
		call = CALLS;
	ms = call * STEP_MS;
	now->tv_sec = 1000 + ms / 1000;
	now->tv_usec = ms % 1000 * 1000;
	return 0;
}
