/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one copy of a swap: out of a pbuffer, with a context of ours, into a buffer of the window. A
 * thread of the surface's (`krafla-egl`) does it, so that nothing of the program's is touched: its
 * current context, its GL's state, its errors. It has one frame at a time.
 *
 * The functions are called by one thread at a time, but for kr_egl_copier_stop.
 */
#ifndef KR_EGL_WINDOW_COPY_H
#define KR_EGL_WINDOW_COPY_H

#include <krafla/native_window.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "egl/window/damage.h"
#include "egl/window/transfer.h"
#include "util/mutex.h"

/* A frame on its way. Until it is done no context of the program's has the pbuffer current. */
struct kr_egl_copy {
	EGLSurface pbuffer;
	EGLint width;
	EGLint height;
	EGLSync take_drawn; /* a fence sync behind what was drawn; EGL_NO_SYNC: it is done */
	ANativeWindowBuffer *take_buffer; /* with a reference */
	int take_acquire;                 /* the buffer may be written then; -1: now */
	int take_producer;         /* signalled when it is done, or has failed; -1: nobody waits */
	_Atomic int64_t *drawn_ns; /* when it was done, or -1; NULL: nobody asks */
	bool unseen;               /* only what was drawn is waited for */
	struct kr_egl_rows rows;   /* what there is to copy */
	bool *copied;              /* set when the buffer holds the frame */
};

struct kr_egl_copier {
	struct kr_egl_display *display;
	EGLConfig config;
	EGLContext context;
	struct kr_egl_transfer transfer; /* the thread's */
	pthread_t thread;
	bool initialised;
	unsigned generation; /* of the process that has the thread */
	struct kr_mutex lock;
	struct kr_cond changed;
	bool running KR_GUARDED_BY(lock); /* nobody has begun to end the thread */
	bool gone KR_GUARDED_BY(lock);    /* there is no thread */
	bool busy KR_GUARDED_BY(lock);
	EGLint error KR_GUARDED_BY(lock); /* of a frame, until somebody was told */
	struct kr_egl_copy copy KR_GUARDED_BY(lock);
	char renderer[64]; /* once it is started */
};

/* `pbuffer` is one of the config, for trying. EGL_SUCCESS, or the error. */
EGLint kr_egl_copier_start(struct kr_egl_copier *copier, struct kr_egl_display *display,
	EGLConfig config, const struct kr_egl_format *format, EGLSurface pbuffer);
/* Whether it was started before a fork: the parent's alone can copy. Nothing else may be called. */
bool kr_egl_copier_is_parents(const struct kr_egl_copier *copier);
/*
 * Ends the thread and its context, after the frame that it has; any thread, any number of times.
 * Frames that come later fail.
 */
void kr_egl_copier_stop(struct kr_egl_copier *copier);
/* Stopped, or zeroed memory that was never started. */
void kr_egl_copier_finish(struct kr_egl_copier *copier);

/* When it has none. */
void kr_egl_copier_give(struct kr_egl_copier *copier, const struct kr_egl_copy *take_copy);
/* Waits until it has none. EGL_SUCCESS, or the error of one that nobody was told yet. */
EGLint kr_egl_copier_wait(struct kr_egl_copier *copier);

#endif
