/* SPDX-License-Identifier: Apache-2.0 */
/* A mutex that clang's thread-safety analysis knows. Lock order: docs/threading.md. */
#ifndef KR_UTIL_MUTEX_H
#define KR_UTIL_MUTEX_H

#include <pthread.h>
#include "util/macros.h"

struct KR_CAPABILITY kr_mutex {
	pthread_mutex_t m;
};

/* clang-format off */
#define KR_MUTEX_INITIALIZER {PTHREAD_MUTEX_INITIALIZER}
/* clang-format on */

static inline void
kr_mutex_init(struct kr_mutex *lock)
{
	pthread_mutex_init(&lock->m, NULL);
}

static inline void
kr_mutex_finish(struct kr_mutex *lock)
{
	pthread_mutex_destroy(&lock->m);
}

static inline void
kr_mutex_lock(struct kr_mutex *lock) KR_ACQUIRE(*lock) KR_NO_THREAD_SAFETY
{
	pthread_mutex_lock(&lock->m);
}

static inline void
kr_mutex_unlock(struct kr_mutex *lock) KR_RELEASE(*lock) KR_NO_THREAD_SAFETY
{
	pthread_mutex_unlock(&lock->m);
}

/*
 * A condition whose deadlines are CLOCK_MONOTONIC nanoseconds (kr_clock_now). Deadline INT64_MAX
 * waits without limit. Returns 0 when woken (also spuriously), -ETIMEDOUT when the deadline has
 * passed.
 */
struct kr_cond {
	pthread_cond_t c;
};

void kr_cond_init(struct kr_cond *cond);
void kr_cond_finish(struct kr_cond *cond);
void kr_cond_broadcast(struct kr_cond *cond);
/* Wakes one of those that wait, at least. */
void kr_cond_signal(struct kr_cond *cond);
int kr_cond_wait_until(struct kr_cond *cond, struct kr_mutex *lock, long long deadline_ns)
	KR_REQUIRES(*lock);

#endif
