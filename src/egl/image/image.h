/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EGL_ANDROID_get_native_client_buffer and EGL_ANDROID_image_native_buffer: an AHardwareBuffer
 * as an EGLImage, by the vendor's import of dma-bufs. Where that can't be, it is refused with
 * the reason.
 */
#ifndef KR_EGL_IMAGE_IMAGE_H
#define KR_EGL_IMAGE_IMAGE_H

#include "egl/vendor/thread.h"

/* What this display has beside the vendor's extensions; "": the vendor imports no dma-bufs. */
const char *kr_egl_images_extensions(const struct kr_egl_display *display);

/* eglCreateImage with EGL_NATIVE_BUFFER_ANDROID. The buffer is held for as long as the image. */
EGLImage kr_egl_image_create(
	struct kr_egl_display *display, EGLClientBuffer buffer, const EGLAttrib *attributes);

/* eglDestroyImage, of any image of the display. */
EGLBoolean kr_egl_image_destroy(struct kr_egl_display *display, EGLImage image);

/* At eglTerminate: images of ours go. */
void kr_egl_images_stop(struct kr_egl_display *display);

/* A function of this room's extensions; NULL: not ours. */
void *kr_egl_images_function(const char *name);

#endif
