/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles of syncs of ours. They are addresses of memory that is reserved for nothing else, so that
 * no handle of a vendor is ever equal to one, and none is given twice before 16 million others: a
 * stale handle is told from a valid one, and never reaches a vendor.
 */
#ifndef KR_EGL_FENCE_HANDLES_H
#define KR_EGL_FENCE_HANDLES_H

#include <EGL/egl.h>
#include <stdbool.h>
#include "util/macros.h"
#include "util/mutex.h"

struct kr_egl_sync;

/* So many syncs of ours are there at most in a process. */
#define KR_EGL_MAX_SYNCS 4096

/* Of everything in this room; docs/threading.md. No vendor is called with it held. */
extern struct kr_mutex kr_egl_fences_lock;

/* Whether a handle is, or was, one of ours. Takes no lock. */
bool kr_egl_handle_is_ours(EGLSync handle);
/* EGL_NO_SYNC: there are KR_EGL_MAX_SYNCS, or there is no memory. */
EGLSync kr_egl_handle_add_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock)
	KR_MUST_CHECK;
void kr_egl_handle_remove_locked(EGLSync handle) KR_REQUIRES(kr_egl_fences_lock);
/* NULL: stale, or not ours. */
struct kr_egl_sync *kr_egl_handle_find_locked(EGLSync handle) KR_REQUIRES(kr_egl_fences_lock);

#endif
