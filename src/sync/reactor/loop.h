/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reactor's thread and epoll set, as those see them who have something to watch, its clients:
 * unfinished merges (merge/pending.c) and watchers (watchers.c).
 */
#ifndef KR_SYNC_REACTOR_LOOP_H
#define KR_SYNC_REACTOR_LOOP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "util/mutex.h"

/* Everything of the reactor's, whichever of its files it is in. */
extern struct kr_mutex kr_sync_reactor_lock;

/*
 * What an event of the epoll set belongs to: first member of it, and the set's data.ptr. Called on
 * the thread with the lock held. An event may be stale: it may come from before something was taken
 * out of the set, so only the thread may free what was ever in it, and between two batches.
 */
struct kr_sync_source {
	void (*handle_locked)(struct kr_sync_source *source, int epoll);
};

/* One who has something to watch. All are called with the lock held, on the thread or as said. */
struct kr_sync_loop_client {
	/* Whether there is something to wait for. Any thread. */
	bool (*busy_locked)(void);
	/* After a batch; if nobody is busy the set is closed already. May give up the lock. */
	void (*finish_locked)(void);
	/* The program has closed our descriptors: nothing of them may be used. finish follows. */
	void (*abandon_locked)(void);
	/* The library is unloaded or the process exits: ends all, so a batch comes. Any thread. */
	void (*stop_locked)(int epoll);
	/* In a forked child, without the thread, the set being the parent's. Any thread. */
	void (*forget_locked)(void);
};

struct kr_sync_loop_visit {
	pthread_t old; /* a thread that has ended */
	bool join;
	bool idle;
};

/* Stand around what adds something to the set. The second tells the thread, without the lock. */
void kr_sync_loop_enter(struct kr_sync_loop_visit *visit) KR_ACQUIRE(kr_sync_reactor_lock);
void kr_sync_loop_leave(struct kr_sync_loop_visit *visit) KR_RELEASE(kr_sync_reactor_lock);

/*
 * The client is one of the loop's, the set and the thread are there from now on: 0 with the set, or
 * -errno. Between enter and leave.
 */
int kr_sync_loop_open_locked(const struct kr_sync_loop_client *client, int *epoll)
	KR_REQUIRES(kr_sync_reactor_lock) KR_MUST_CHECK;
/* The set, or -1. */
int kr_sync_loop_epoll_locked(void) KR_REQUIRES(kr_sync_reactor_lock);
/* Whether the thread may have events in hand that were made before now. */
bool kr_sync_loop_in_batch_locked(void) KR_REQUIRES(kr_sync_reactor_lock);
/* After something was taken out of the set by another thread, which then may be empty. */
void kr_sync_loop_settle_locked(void) KR_REQUIRES(kr_sync_reactor_lock);

#endif
