/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vendor of EGL that does as its hand says: a shared library with __egl_Main, whose `hand` a test
 * finds by dlsym in the same library that Krafla loads.
 */
#ifndef KR_TESTS_EGL_VENDOR_HAND_H
#define KR_TESTS_EGL_VENDOR_HAND_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdbool.h>

/* eglGetPlatformDisplay of this one gives the vendor's first display; others are refused. */
#define HAND_PLATFORM(number) (0x7700 + (number))
#define HAND_PLATFORM_SHARED  0x77ff /* the same handle from each of them */

struct hand {
	/* What a case says, before the vendor is loaded or later. */
	bool refuses;      /* __egl_Main answers EGL_FALSE */
	bool no_table;     /* imports without setDispatchIndex */
	const char *lacks; /* a function that getProcAddress hasn't */
	bool counts_references;
	bool has_native_fences;
	EGLint display_error; /* of displays that it hasn't */
	bool older;           /* has what functions of EGL 1.5 were before */
	bool events;          /* and EGL_KHR_cl_event2 */
	const char *fails;    /* a function of EGL that answers EGL_FALSE, with `error` */
	EGLint error;
	void (*in_initialize)(void); /* called by eglInitialize; NULL: nothing is */

	/* What was done. */
	int mains, initializes, terminates, releases, flushes, labels;
	int new_index;      /* of eglHandNewEXT */
	const char *called; /* of the older functions, the last */
	bool had_list;
	EGLint list[256]; /* that it was called with, and how long it is without its end */
	int list_len;
	EGLContext current;
	EGLenum api;
	char log[256]; /* names of calls that matter in their order, shared with the test's rooms */
};

typedef EGLint (*hand_new_fn)(EGLDisplay display);

#endif
