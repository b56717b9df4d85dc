/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flights: fences made of fence syncs of the vendor's that haven't ended. Each is a user-space
 * fence (docs/fences.md), ended by one of a few threads which wait in the vendor.
 *
 * Fence syncs of one context end in their order; so a thread waits for the first flight of a
 * context, and another thread for another context's. Where there are more contexts than threads
 * they take turns. A thread waits in slices: so that it can be told to end, contexts get their
 * turns, and, should the vendor hold a lock in such a wait, its other functions go on. (Mesa 22.3
 * holds none. To look again and again instead of waiting takes processor time from llvmpipe, which
 * draws with it: a tenth of what it does on two processors.)
 */
#ifndef KR_EGL_FENCE_FLIGHT_H
#define KR_EGL_FENCE_FLIGHT_H

#include "egl/fence/sync.h"

/* So many in the process at a time; each has two descriptors until it ends. */
#define KR_EGL_MAX_FLIGHTS 256

/*
 * Gives a made, flushed sync a fence, which flies unless the sync has ended. 0; -EAGAIN: there are
 * KR_EGL_MAX_FLIGHTS, or no thread can be had; -errno: no descriptor, or no memory.
 */
int kr_egl_flight_start_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock)
	KR_MUST_CHECK;
/* After that, without the lock: who waits for work hears of it. */
void kr_egl_flights_wake(void);
/*
 * It flies no more: what is to be signalled with the sync's status, once the lock is given up.
 * -1: it didn't. The flight's reference is the caller's now, if there was one.
 */
int kr_egl_flight_end_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock);
/* The flight of this display that ends the fence with that cookie, with a reference; or NULL. */
struct kr_egl_sync *kr_egl_flight_find_locked(struct kr_egl_fences *fences, uint64_t cookie)
	KR_REQUIRES(kr_egl_fences_lock);
/* In a forked child: the threads and what they waited for are the parent's. */
void kr_egl_flights_forget_locked(void) KR_REQUIRES(kr_egl_fences_lock);

#endif
