/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native fence syncs of ours, whom they belong to, and the vendor's fence syncs behind them. Two
 * kinds, by what signals them (EGL_SYNC_CONDITION):
 *
 *   given   a fence that somebody else has made; `fence` is its descriptor
 *   made    the commands before it in a context's stream: `vendor`, a fence sync of the vendor's
 *
 * A made one becomes a fence on the day that somebody wants its descriptor (flight.h), which can be
 * once its context was flushed:
 *
 *   pending --flushed--> flushed --eglDupNativeFenceFDANDROID--> flying --ended--> landed
 *      '----- the context is lost, the display terminated: ended with an error ------^
 *
 * Everything is under kr_egl_fences_lock, but for what is said of it; vendors are called without.
 */
#ifndef KR_EGL_FENCE_SYNC_H
#define KR_EGL_FENCE_SYNC_H

#include <stdatomic.h>
#include <stdint.h>

#include "egl/fence/fence.h"
#include "egl/fence/handles.h"
#include "sync/wait/watchdog.h"
#include "util/list.h"

/* A display that is initialised. It lives on, stopped, as long as syncs of it are used. */
struct kr_egl_fences {
	struct kr_egl_display *display; /* as all to `number`: never changes */
	PFNEGLCREATESYNCKHRPROC CreateSync;
	PFNEGLDESTROYSYNCKHRPROC DestroySync;
	PFNEGLCLIENTWAITSYNCKHRPROC ClientWaitSync;
	PFNEGLWAITSYNCKHRPROC WaitSync; /* NULL: the vendor has no server waits */
	bool emulated;                  /* the vendor has no native fences */
	const char *extensions;         /* static */
	unsigned number;                /* of the display, for people */
	struct kr_list link;            /* of all */
	struct kr_list makers;          /* kr_egl_maker.link */
	struct kr_list syncs;           /* kr_egl_sync.link: all */
	unsigned refs;                  /* the display's own, and one a sync */
	unsigned users;                 /* threads that are in the vendor with a sync */
	struct kr_cond quiet;           /* `users` has become 0 */
	bool stopped;                   /* nobody goes into the vendor any more */
	bool closed;                    /* and nobody is there: not even to destroy syncs */
	uint64_t made;                  /* fences, for people */
};

/* A context that has made syncs. */
struct kr_egl_maker {
	struct kr_egl_fences *fences;
	EGLContext context;
	unsigned number; /* for people */
	bool gone;       /* the handle may be another's by now */
	bool lost;
	bool served;   /* flight.c: a thread waits for its first flight */
	unsigned refs; /* one a sync; one until it is gone */
	struct kr_list link;
	struct kr_list pending; /* kr_egl_sync.queue: not flushed */
	struct kr_list flights; /* kr_egl_sync.queue: in the order of their making */
	struct kr_list turn;    /* flight.c: who is next */
};

struct kr_egl_sync {
	struct kr_egl_fences *fences;
	EGLSync handle; /* EGL_NO_SYNC: destroyed */
	unsigned refs;  /* of the handle, of who waits, of its flight */
	struct kr_list link;
	struct kr_egl_maker *maker; /* NULL: given */
	EGLSync vendor;             /* EGL_NO_SYNC: given, or there is none any more */
	bool flushed;
	int32_t status;                    /* made: 0 active, 1 signalled, or -errno */
	int fence;                         /* given; or what was made of it; -1: none */
	int producer;                      /* of its flight; -1: it isn't flying */
	uint64_t cookie;                   /* the fence's */
	struct kr_list queue;              /* pending or flights of its maker */
	struct kr_fence_watchdog watchdog; /* its flight's */
};

/* Syncs that wait for a flush, in the process: glFlush asks this first. */
extern atomic_uint kr_egl_pending;

/* All displays with fences: kr_egl_fences.link */
extern struct kr_list kr_egl_all_fences KR_GUARDED_BY(kr_egl_fences_lock);

/* A sync with one reference and without a handle; NULL: no memory. `maker` NULL: given. */
struct kr_egl_sync *kr_egl_sync_new_locked(struct kr_egl_fences *fences, struct kr_egl_maker *maker)
	KR_REQUIRES(kr_egl_fences_lock) KR_MUST_CHECK;
/* Of a valid handle of that display, with a reference; NULL: the error is set. */
struct kr_egl_sync *kr_egl_sync_get_locked(struct kr_egl_display *display, EGLSync handle)
	KR_REQUIRES(kr_egl_fences_lock) KR_MUST_CHECK;
/* May give up the lock for moments, to call the vendor. */
void kr_egl_sync_unref_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock);
/* The handle is no longer valid; its reference goes, too. */
void kr_egl_sync_drop_handle_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock);
/* A made one was flushed: it may fly. */
void kr_egl_sync_flushed_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock);
/* A made one has ended, unless it had before. What signalled was flushed. */
void kr_egl_sync_ended_locked(struct kr_egl_sync *sync, int32_t status)
	KR_REQUIRES(kr_egl_fences_lock);

void kr_egl_fences_unref_locked(struct kr_egl_fences *fences) KR_REQUIRES(kr_egl_fences_lock);
void kr_egl_maker_unref_locked(struct kr_egl_maker *maker) KR_REQUIRES(kr_egl_fences_lock);

/*
 * Around calls of the vendor, which are made without the lock. False: the display was terminated.
 */
bool kr_egl_vendor_enter_locked(struct kr_egl_fences *fences) KR_REQUIRES(kr_egl_fences_lock)
	KR_MUST_CHECK;
void kr_egl_vendor_leave_locked(struct kr_egl_fences *fences) KR_REQUIRES(kr_egl_fences_lock);

/*
 * Waits in the vendor for a made sync that hasn't ended, with the lock given up, and notes what
 * came of it. What the vendor says: EGL_FALSE also when the display was terminated.
 */
EGLint kr_egl_sync_ask_locked(struct kr_egl_sync *sync, EGLint flags, EGLTime timeout_ns)
	KR_REQUIRES(kr_egl_fences_lock);

/* Whether it has signalled, one way or the other; may give up the lock, to ask the vendor. */
bool kr_egl_sync_is_done_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock);

#endif
