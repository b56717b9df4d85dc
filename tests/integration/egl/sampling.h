/* SPDX-License-Identifier: Apache-2.0 */
/* EGLImages sampled and drawn into by OpenGL ES 3, without a surface. */
#ifndef KR_TESTS_EGL_SAMPLING_H
#define KR_TESTS_EGL_SAMPLING_H

#include <EGL/egl.h>
#include <stdint.h>

/* What fill_image() leaves in memory of R8G8B8A8. */
#define FILL_COLOUR 0xffff00ffu

/* A context of the display, made current. */
void begin_sampling(EGLDisplay display);
/* The image's pixels as a shader has them, first row first. */
void sample_image(EGLImage image, uint32_t width, uint32_t height, uint32_t *pixels);
/* Clears it; it is done on return. */
void fill_image(EGLImage image);

#endif
