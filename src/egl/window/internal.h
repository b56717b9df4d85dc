/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of this room: what a display has of windows, and a surface with what is behind it. */
#ifndef KR_EGL_WINDOW_INTERNAL_H
#define KR_EGL_WINDOW_INTERNAL_H

#include <krafla/native_window.h>
#include <stdbool.h>
#include <stdint.h>

#include "egl/window/colour.h"
#include "egl/window/copy.h"
#include "egl/window/damage.h"
#include "egl/window/format.h"
#include "egl/window/timing.h"
#include "egl/window/window.h"
#include "util/list.h"
#include "util/macros.h"
#include "util/mutex.h"

struct kr_egl_windows {
	struct kr_egl_display *display;
	struct kr_mutex lock;
	bool started KR_GUARDED_BY(lock);
	struct kr_list surfaces KR_GUARDED_BY(lock); /* kr_egl_surface.link */
	unsigned busy KR_GUARDED_BY(lock);           /* calls that are at the vendor (busy.c) */
	struct kr_cond idle;
};

struct kr_egl_pbuffer {
	EGLSurface handle; /* EGL_NO_SURFACE: there is none */
	EGLint width;
	EGLint height;
	uint64_t frame; /* what it holds; 0: nothing that was shown */
};

/*
 * A window surface. Its address is the EGLSurface that programs have. It lives until it was
 * destroyed (by the program, or with its display) and no thread has it current.
 *
 * Two pbuffers take turns: while a context draws into one, the copier reads the other.
 */
struct kr_egl_surface {
	struct kr_list link;
	struct kr_egl_windows *windows;
	EGLConfig config;
	const struct kr_egl_format *format;
	const struct kr_egl_colour *colour;
	ANativeWindow *window;
	bool connected; /* to the window, of which there is a reference then */
	struct kr_egl_copier copier;
	/* Guarded by windows->lock: */
	unsigned users;                     /* calls that are at it, and `holds` */
	const struct kr_egl_thread *holder; /* the thread that has it current */
	unsigned holds;                     /* as draw and as read each */
	bool destroyed;                     /* its name is none any more */
	bool stopped;                       /* its display was terminated */
	bool orphaned;                      /* and its pbuffers are the vendor's affair since */
	bool was_current;
	/*
	 * Changed by the thread that has it current, with windows->lock, so that others may look
	 * with that.
	 */
	struct kr_egl_pbuffer pbuffers[2];
	unsigned back;   /* which of them is drawn into */
	uint64_t frames; /* that were queued */
	struct kr_egl_damage damage;
	EGLint swap_behavior;
	struct kr_egl_light light;
	struct kr_egl_timing timing;
	EGLint resolve; /* EGL_MULTISAMPLE_RESOLVE; 0: nothing was said */
};

static inline struct kr_egl_pbuffer *
kr_egl_surface_back(struct kr_egl_surface *surface)
{
	return &surface->pbuffers[surface->back];
}

/*
 * While the vendor is asked for something for a window: eglTerminate waits for the leaving. What
 * begins a new one may be refused: the display isn't initialised, the surface's display was
 * terminated.
 */
void kr_egl_windows_enter(struct kr_egl_windows *windows);
bool kr_egl_windows_enter_started(struct kr_egl_windows *windows) KR_MUST_CHECK;
bool kr_egl_surface_enter(struct kr_egl_surface *surface) KR_MUST_CHECK;
void kr_egl_windows_leave(struct kr_egl_windows *windows);
/* Nobody is, or hasn't left for long. */
void kr_egl_windows_wait_idle(struct kr_egl_windows *windows);

/* One that programs may name; NULL: none of ours. */
struct kr_egl_surface *kr_egl_surface_find_locked(struct kr_egl_windows *windows, EGLSurface handle)
	KR_REQUIRES(windows->lock);
/* Adds a user. NULL: none of ours. */
struct kr_egl_surface *kr_egl_surface_use(struct kr_egl_display *display, EGLSurface handle);
/* A user less, of one that may be destroyed. The last one of such a surface ends it. */
void kr_egl_surface_unuse(struct kr_egl_surface *surface);
/* One that nobody uses or names, and that is on no list. After the frame that is under way. */
void kr_egl_surface_end(struct kr_egl_surface *surface);
/* The one that this thread has current by that name, also a destroyed one; NULL: none of ours. */
struct kr_egl_surface *kr_egl_surface_current(struct kr_egl_display *display, EGLSurface handle);

/* A pbuffer of that size in this place; what was there is destroyed. EGL_SUCCESS or the error. */
EGLint kr_egl_surface_make_pbuffer(
	struct kr_egl_surface *surface, unsigned index, EGLint width, EGLint height);

/* Whether a window is there still, as far as it says. */
bool kr_egl_window_is_valid(ANativeWindow *window);
/* The size that buffers of it have. False: it doesn't say. */
bool kr_egl_window_size(ANativeWindow *window, EGLint *width, EGLint *height);
/* Becomes its producer. EGL_SUCCESS or the error. */
EGLint kr_egl_window_connect(ANativeWindow *window, const struct kr_egl_format *format);
/* At least `interval` blanks between frames, as far as the window can; and room for the frames. */
EGLint kr_egl_window_interval(ANativeWindow *window, EGLint interval);
/* What a window's error is to EGL. */
EGLint kr_egl_window_error(int err);

/* What the vendor says of a call of ours that has failed; never EGL_SUCCESS. */
EGLint kr_egl_vendor_error(struct kr_egl_vendor *vendor);
/* Sets the thread's error; whether it is EGL_SUCCESS. */
EGLBoolean kr_egl_answer(EGLint error);
/* Likewise of a call that went to the vendor. */
EGLBoolean kr_egl_answer_of(struct kr_egl_vendor *vendor, EGLBoolean result);

#endif
