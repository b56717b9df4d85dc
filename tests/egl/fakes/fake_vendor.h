/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vendor of EGL without a driver behind it: one display, contexts that are but numbers, and fence
 * syncs that end when a test says so. With the real records of threads and displays.
 */
#ifndef KR_TESTS_EGL_FAKE_VENDOR_H
#define KR_TESTS_EGL_FAKE_VENDOR_H

#include <stdbool.h>

#include "egl/vendor/thread.h"

/* What it says of itself, all of which a test may set before fake_vendor_start. */
struct fake_vendor {
	const char *extensions;
	bool has_1_5;      /* the functions of EGL 1.5 */
	bool locks_waits;  /* a wait holds the lock that all its functions take */
	bool loses_waits;  /* waits answer EGL_FALSE: the context behind the sync is lost */
	bool ends_at_once; /* syncs have ended when they are made */

	/* What was called, and with what at last. */
	unsigned creates, destroys, waits, server_waits, flushes, signals, dups;
	unsigned alive;     /* syncs */
	unsigned strangers; /* handles that it was given and that can't be its own */
	const void *attributes;
};

#define FAKE_OLD    "EGL_KHR_fence_sync EGL_KHR_wait_sync EGL_KHR_reusable_sync"
#define FAKE_NATIVE FAKE_OLD " EGL_ANDROID_native_fence_sync"

/* Its state; of the next vendor until that is started. Under no lock: for single threads. */
extern struct fake_vendor fake_vendor;
extern struct kr_egl_display fake_display, fake_other_display;

/* `extensions`: NULL is FAKE_OLD. The display is initialised, and its fences are started. */
void fake_vendor_start(const char *extensions);
/* Ends what was started; fails if a sync of the vendor's is left. */
void fake_vendor_stop(void);

/* Makes a context current in this thread, as egl/calls does; 0: none. */
void fake_make_current(int context);
/* glFlush, as egl/calls has it. */
void fake_flush(void);

/* All syncs that there are end; those that were made in that context alone; the newest alone. */
void fake_end_all(void);
void fake_end_context(int context);
void fake_end_newest(void);

/* From now on its waits answer as `loses_waits` says. */
void fake_lose_waits(void);

/* How many threads are in one of its waits. */
unsigned fake_waiting(void);

EGLint fake_error(void);

#endif
