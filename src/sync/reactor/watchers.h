/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchers: a function that is called when a descriptor is ready, or a time has come, on the one
 * thread that waits in the background of this copy of the library (docs/threading.md).
 */
#ifndef KR_SYNC_REACTOR_WATCHERS_H
#define KR_SYNC_REACTOR_WATCHERS_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

/* Why a watcher is called. */
enum kr_sync_watcher_reason {
	KR_SYNC_WATCHER_READY,    /* one of its events, a hangup or an error */
	KR_SYNC_WATCHER_DEADLINE, /* its time has come */
	/* the library is unloaded or the process exits: nothing can be added */
	KR_SYNC_WATCHER_STOPPED,
	KR_SYNC_WATCHER_LOST, /* the program has closed descriptors that aren't its own (closefrom):
				 fd may be another's by now, and must be neither used nor closed */
};

struct kr_sync_record;

/*
 * Waits for fd, for a time, or for whichever comes first; at least one of them. The caller sets
 * these and owns the struct; fd stays his too and open until the watcher is called or removed.
 */
struct kr_sync_watcher {
	int fd;          /* -1: none. One description can be watched by one watcher at a time */
	uint32_t events; /* EPOLLIN and so on; 0: only its hangup */
	/* CLOCK_MONOTONIC, reached at once when it has passed; KR_FOREVER: none */
	int64_t deadline_ns;
	/*
	 * Called once, on the reactor's thread with all signals blocked and no lock held. It
	 * mustn't wait: merges and other watchers do as long. It may add and remove watchers, also
	 * this one, and free this one. Never called in a forked child.
	 */
	void (*handle)(struct kr_sync_watcher *watcher, enum kr_sync_watcher_reason reason);

	struct kr_sync_record *record; /* the reactor's */
};

/*
 * Any thread. 0, then `handle` is called once, or the watcher removed once. -errno: it is as if it
 * had never been added (-EINVAL neither fd nor deadline, -EEXIST fd is watched already, -EPERM fd
 * can't be watched, -ESHUTDOWN after KR_SYNC_WATCHER_STOPPED, -EMFILE, -ENFILE, -ENOMEM, -EAGAIN no
 * thread).
 */
int kr_sync_watcher_add(struct kr_sync_watcher *watcher) KR_MUST_CHECK;
/*
 * Any thread, also in `handle` of this or another. True: `handle` will not be called, and the
 * caller has the watcher again. False: `handle` has been called, runs just now, or will within a
 * moment. So the struct must live until then: whoever frees it in `handle` sees to it that nobody
 * removes it any more.
 *
 * In a forked child nothing is watched: true there for all that were watched, and nothing to do.
 */
bool kr_sync_watcher_remove(struct kr_sync_watcher *watcher) KR_MUST_CHECK;

#endif
