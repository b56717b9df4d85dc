/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of Krafla that are dma-bufs as EGLImages, by the vendor's own import. */
#ifndef KR_EGL_VENDOR_IMPORT_H
#define KR_EGL_VENDOR_IMPORT_H

#include "egl/vendor/display.h"

struct ANativeWindowBuffer;

/* Whether the vendor imports dma-bufs that can be drawn then; of an initialised display. */
bool kr_egl_imports(const struct kr_egl_display *display);
/* Whether it is one of Mesa's drivers without a GPU: a blit is a copy by the CPU there. */
bool kr_egl_draws_by_cpu(const struct kr_egl_display *display);
/*
 * An image over the buffer's memory, which is the vendor's to destroy. EGL_NO_IMAGE: *reason says
 * why, as the end of a sentence, and *error is EGL's. The thread's error isn't touched.
 */
EGLImage kr_egl_import(struct kr_egl_display *display, const struct ANativeWindowBuffer *buffer,
	const char **reason, EGLint *error);
/* Likewise without the thread's error. */
void kr_egl_import_destroy(struct kr_egl_display *display, EGLImage image);

#endif
