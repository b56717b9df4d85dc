/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of EGL 1.5 with lists of attributes, which a vendor of 1.4 has as extensions alone:
 * these take EGLint where the newer take EGLAttrib. Where it has neither it is EGL_BAD_DISPLAY, as
 * with glvnd. They set the thread's error; thread-safe.
 */
#ifndef KR_EGL_VENDOR_OLDER_H
#define KR_EGL_VENDOR_OLDER_H

#include "egl/vendor/display.h"

/* EGLAttrib attributes (NULL: none) as EGLint, in `room` or in new memory. */
#define KR_EGL_NARROW 64
struct kr_egl_narrow {
	EGLint room[KR_EGL_NARROW];
	EGLint *list; /* NULL: there were none */
};

/*
 * EGL_SUCCESS, EGL_BAD_ALLOC, or `wrong`: a name or a value that no EGLint holds. Values of 32 bits
 * pass whatever their sign is, as halves of DRM's modifiers have none. Finish it if it succeeds.
 */
EGLint kr_egl_narrow_init(struct kr_egl_narrow *narrow, const EGLAttrib *attributes, EGLint wrong);
void kr_egl_narrow_finish(struct kr_egl_narrow *narrow);

EGLImage kr_egl_vendors_image_create(struct kr_egl_display *display, EGLContext context,
	EGLenum target, EGLClientBuffer buffer, const EGLAttrib *attributes);
EGLBoolean kr_egl_vendors_image_destroy(struct kr_egl_display *display, EGLImage image);
EGLSurface kr_egl_vendors_window_create(struct kr_egl_display *display, EGLConfig config,
	void *window, const EGLAttrib *attributes);
EGLSurface kr_egl_vendors_pixmap_create(struct kr_egl_display *display, EGLConfig config,
	void *pixmap, const EGLAttrib *attributes);
EGLSync kr_egl_vendors_sync_create(
	struct kr_egl_display *display, EGLenum type, const EGLAttrib *attributes);
EGLBoolean kr_egl_vendors_sync_get(
	struct kr_egl_display *display, EGLSync sync, EGLint attribute, EGLAttrib *value);

#endif
