/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When frames are wanted, drawn and shown: EGL_ANDROID_presentation_time and
 * EGL_ANDROID_get_frame_timestamps, as far as windows know.
 */
#ifndef KR_EGL_WINDOW_TIMING_H
#define KR_EGL_WINDOW_TIMING_H

#include <krafla/native_window.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "egl/vendor/display.h"

/* As long as Android's. */
#define KR_EGL_TIMING_FRAMES 16

struct kr_egl_frame_times {
	uint64_t number; /* as the window counts; 0: none */
	int64_t requested_ns;
	/* EGL_TIMESTAMP_PENDING_ANDROID; EGL_TIMESTAMP_INVALID_ANDROID: it never was. */
	_Atomic int64_t drawn_ns;
};

struct kr_egl_timing {
	bool enabled;      /* EGL_TIMESTAMPS_ANDROID */
	int64_t wanted_ns; /* of the next frame; 0: as soon as may be */
	EGLint interval;   /* eglSwapInterval's, as the window has it */
	struct kr_egl_frame_times frames[KR_EGL_TIMING_FRAMES]; /* each in its number's place */
};

/* Tells the window how the next frames are shown. 0 or -errno: it tells of none that are shown. */
int kr_egl_timing_tell_window(const struct kr_egl_timing *timing, ANativeWindow *window);
/* Before a frame is queued: its place, NULL if the window doesn't count. */
struct kr_egl_frame_times *kr_egl_timing_begin(struct kr_egl_timing *timing, ANativeWindow *window);
/* After it was queued. */
void kr_egl_timing_end(struct kr_egl_timing *timing, ANativeWindow *window);
/* It wasn't: the next one has its time. */
void kr_egl_timing_cancel(const struct kr_egl_timing *timing, ANativeWindow *window);

/* Whether the value of that name may be known some time. */
bool kr_egl_timing_has(ANativeWindow *window, EGLint name);
/* The value of a name of the compositor's that there is, once they are enabled. 0 or -errno. */
int kr_egl_timing_of_compositor(ANativeWindow *window, EGLint name, int64_t *value);
/* What is known here of a frame, as it is now. False: it is too old, or not yet queued. */
struct kr_egl_times {
	uint64_t number;
	int64_t requested_ns;
	int64_t drawn_ns;
};
bool kr_egl_timing_find(
	const struct kr_egl_timing *timing, uint64_t number, struct kr_egl_times *times);
/* The value of a name that there is; the window may be asked, which takes in what has come. */
int64_t kr_egl_timing_value(const struct kr_egl_times *times, ANativeWindow *window, EGLint name);

#endif
