/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets go of large buffers on a thread of its own. Who drops the last reference of shared memory
 * waits until the kernel has freed all of its pages, a second or more for a buffer of gigabytes; a
 * display has others to serve.
 *
 * Thread-safety: one thread calls; the cleaner's own does the rest.
 */
#ifndef KR_COMPOSER_CLEANER_H
#define KR_COMPOSER_CLEANER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/mutex.h"

struct kr_buffer;

/* Below that it is done on the spot. */
#define KR_CLEANER_LEAST (UINT64_C(8) << 20)
/* So many wait; of more each is done on the spot. */
#define KR_CLEANER_ROOM 1024

struct kr_cleaner {
	pthread_t thread;
	bool running; /* from the first large buffer on */
	struct kr_mutex lock;
	struct kr_cond changed;
	struct kr_buffer *waiting[KR_CLEANER_ROOM] KR_GUARDED_BY(lock); /* a ring */
	unsigned first KR_GUARDED_BY(lock);
	unsigned count KR_GUARDED_BY(lock);
	bool ending KR_GUARDED_BY(lock);
	uint64_t taken; /* buffers that were left to it, in all */
};

void kr_cleaner_init(struct kr_cleaner *cleaner);
/* Waits until all is done. */
void kr_cleaner_finish(struct kr_cleaner *cleaner);
/* Drops a reference; what it was the last one of is freed soon. */
void kr_cleaner_drop(struct kr_cleaner *cleaner, struct kr_buffer *take_buffer);

#endif
