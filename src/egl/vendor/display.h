/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Displays that applications have, each of one vendor: the handle is the vendor's own, so that all
 * its functions may be called with it. A record stays for the life of the process, as EGL's
 * displays do.
 */
#ifndef KR_EGL_VENDOR_DISPLAY_H
#define KR_EGL_VENDOR_DISPLAY_H

#include "egl/vendor/vendor.h"
#include "util/mutex.h"

struct kr_egl_fences;
struct kr_egl_string;
struct kr_egl_windows;

struct kr_egl_display {
	EGLDisplay handle;
	struct kr_egl_vendor *vendor;
	bool android; /* of EGL_PLATFORM_ANDROID_KHR: its windows are ours (egl/window) */
	struct kr_egl_fences *fences;   /* egl/fence's; NULL while it isn't initialised */
	struct kr_egl_windows *windows; /* egl/window's; NULL if it isn't android */
	/* egl/calls': held while the display is initialised or terminated, also by the vendor. */
	struct kr_mutex lock;
	unsigned references; /* calls of eglTerminate until it is; more than 1 where they count */
	/* What eglQueryString says; lists that were once given stay valid. */
	_Atomic(struct kr_egl_string *) extensions;
};

/* The record of a display; NULL: none of ours has answered with that handle. Takes no lock. */
struct kr_egl_display *kr_egl_display_find(EGLDisplay handle);

/*
 * The record of a vendor's display, made when there is none; NULL: no memory, or another vendor has
 * answered with that handle. Thread-safe.
 */
struct kr_egl_display *kr_egl_display_add(EGLDisplay handle, struct kr_egl_vendor *vendor);

/* Whether a list of extensions, separated by spaces, has this one as a whole word. */
bool kr_egl_names_extension(const char *list, const char *extension);

/* Whether the vendor itself says that it has this extension of an initialised display. */
bool kr_egl_vendor_has(const struct kr_egl_display *display, const char *extension);

#endif
