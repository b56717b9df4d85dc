/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The service's event loop: descriptors and one timer each for whoever wants one. One thread; every
 * function is called on it. A callback may remove any watch, its own included.
 */
#ifndef KR_SERVICE_LOOP_LOOP_H
#define KR_SERVICE_LOOP_LOOP_H

#include <stdint.h>
#include "util/macros.h"

struct kr_loop;
struct kr_watch;

/* `events`: EPOLLIN and so on; 0: the time has come. */
typedef void (*kr_watch_fn)(void *data, uint32_t events);

/* 0 or -errno. */
int kr_loop_create(struct kr_loop **loop) KR_MUST_CHECK;
/* All watches must have been removed. NULL is no loop. */
void kr_loop_destroy(struct kr_loop *loop);

/*
 * Calls fn(data) for events of `fd` (borrowed; level-triggered), and when the watch's time has
 * come. fd may be -1 for a timer alone. 0 or -errno.
 */
int kr_watch_add(struct kr_loop *loop, int fd, uint32_t events, kr_watch_fn fn, void *data,
	struct kr_watch **watch) KR_MUST_CHECK;
int kr_watch_events(struct kr_watch *watch, uint32_t events) KR_MUST_CHECK;
/*
 * Calls fn once, with no events, at this monotonic time; KR_FOREVER (util/clock.h) takes it back.
 */
void kr_watch_deadline(struct kr_watch *watch, int64_t deadline_ns);
/*
 * It has no fd from here on, and is a timer alone. An event that was fetched already may still be
 * told.
 */
void kr_watch_forget_fd(struct kr_watch *watch);
/* NULL is no watch. Before the fd is closed. */
void kr_watch_remove(struct kr_watch *watch);

/* Waits at most until `deadline_ns` and handles what there is, once. 0 or -errno. */
int kr_loop_step(struct kr_loop *loop, int64_t deadline_ns) KR_MUST_CHECK;

#endif
