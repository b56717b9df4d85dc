/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on the monotonic clock. */
#include "util/mutex.h"

#include <errno.h>
#include <stdint.h>
#include <time.h>

void
kr_cond_init(struct kr_cond *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&cond->c, &attr);
	pthread_condattr_destroy(&attr);
}

void
kr_cond_finish(struct kr_cond *cond)
{
	pthread_cond_destroy(&cond->c);
}

void
kr_cond_broadcast(struct kr_cond *cond)
{
	pthread_cond_broadcast(&cond->c);
}

void
kr_cond_signal(struct kr_cond *cond)
{
	pthread_cond_signal(&cond->c);
}

int
kr_cond_wait_until(struct kr_cond *cond, struct kr_mutex *lock, long long deadline_ns)
{
	struct timespec at;

	if (deadline_ns == INT64_MAX)
		return -pthread_cond_wait(&cond->c, &lock->m);
	at.tv_sec = (time_t)(deadline_ns / 1000000000);
	at.tv_nsec = (long)(deadline_ns % 1000000000);
	return -pthread_cond_timedwait(&cond->c, &lock->m, &at);
}
