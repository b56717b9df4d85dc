/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of egl/calls share. */
#ifndef KR_EGL_CALLS_INTERNAL_H
#define KR_EGL_CALLS_INTERNAL_H

#include "egl/vendor/exports.h"
#include "egl/vendor/thread.h"

/* A function that applications get, by its name. */
struct kr_egl_call {
	const char *name;
	void *function;
};

#define KR_EGL_CALL(name, function)                                                                \
	{                                                                                          \
		name, (void *)(function)                                                           \
	}

/* Each file's, and how many. */
extern const struct kr_egl_call kr_egl_core_calls[], kr_egl_display_calls[], kr_egl_surface_calls[],
	kr_egl_device_calls[], kr_egl_sync_calls[], kr_egl_image_calls[];
extern const size_t kr_egl_core_call_count, kr_egl_display_call_count, kr_egl_surface_call_count,
	kr_egl_device_call_count, kr_egl_sync_call_count, kr_egl_image_call_count;

/* The display's record, whose vendor tells of errors from now on; NULL and EGL_BAD_DISPLAY. */
struct kr_egl_display *kr_egl_enter(EGLDisplay handle);

/*
 * Behind a call of the vendor's that may have flushed the thread's current context: fences hear of
 * that, and eglGetError says what it said, whatever fences call. `done`: it hasn't failed.
 */
void kr_egl_ended(EGLBoolean done, bool flushed);

/* EGLint attributes (NULL: none) as EGLAttrib, in `room` or in new memory; NULL: none of it. */
#define KR_EGL_ATTRIBUTES 64
struct kr_egl_attributes {
	EGLAttrib room[KR_EGL_ATTRIBUTES];
	EGLAttrib *list; /* NULL: there were none */
};
bool kr_egl_attributes_widen(struct kr_egl_attributes *attributes, const EGLint *list);
void kr_egl_attributes_finish(struct kr_egl_attributes *attributes);

/* GL of the thread's current context, for glvnd's one table of ours. */
void *kr_egl_gl_function(const char *name);
/* A display was initialised: from now on its fences may need flushes to be told. */
void kr_egl_gl_display_begins(const struct kr_egl_display *display);
/* Whether contexts of this vendor can be had: of the first alone where there are no jumps. */
bool kr_egl_gl_serves(const struct kr_egl_vendor *vendor);
/* Before a context becomes current. False: no memory for that thread's GL. */
bool kr_egl_gl_prepare(void) KR_MUST_CHECK;
void kr_egl_gl_current(const struct kr_egl_vendor *vendor); /* NULL: none is current */

/* Client extensions, and a display's; valid for the life of the process. */
const char *kr_egl_client_string(EGLint name);
const char *kr_egl_display_extensions(struct kr_egl_display *display);
bool kr_egl_display_extensions_build(struct kr_egl_display *display);
const char *kr_egl_platform_extensions(void);

/* eglQueryDisplayAttribKHR of a display of ours. */
EGLBoolean kr_egl_display_attribute(
	struct kr_egl_display *display, EGLint attribute, EGLAttrib *value);

/* eglGetPlatformDisplay; the first vendor that has such a display. */
EGLDisplay kr_egl_platform_display(EGLenum platform, void *native, const EGLAttrib *attributes);

#endif
