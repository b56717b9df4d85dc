/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pixels of a window surface mean: EGL_GL_COLORSPACE with the values of
 * EGL_EXT_gl_colorspace_*, and what EGL_EXT_surface_SMPTE2086_metadata and _CTA861_3_metadata say
 * of their light.
 */
#ifndef KR_EGL_WINDOW_COLOUR_H
#define KR_EGL_WINDOW_COLOUR_H

#include <krafla/native_window.h>
#include <stdbool.h>

#include "egl/vendor/display.h"
#include "egl/window/format.h"

struct kr_egl_colour {
	EGLint colorspace; /* EGL_GL_COLORSPACE */
	EGLint drawn;      /* the vendor's, of what is drawn into; EGL_NONE: nothing is said */
	int32_t dataspace; /* HAL_DATASPACE_*; UNKNOWN: there is none */
	int32_t of_floats; /* likewise of formats that go beyond 0 and 1 */
};

/* Before anything is said: as it is in colour.c. */
extern const struct kr_egl_colour kr_egl_colour_default;
/* NULL: not one of them. */
const struct kr_egl_colour *kr_egl_colour_find(EGLint colorspace);
/* The window is told. EGL_BAD_MATCH: format or far end don't have it; EGL_BAD_NATIVE_WINDOW. */
EGLint kr_egl_colour_tell_window(const struct kr_egl_colour *colour,
	const struct kr_egl_format *format, ANativeWindow *window);

#define KR_EGL_LIGHTS 12
/* EGL_DONT_CARE, or a value times EGL_METADATA_SCALING_EXT, in the order of colour.c. */
struct kr_egl_light {
	EGLint values[KR_EGL_LIGHTS];
};
void kr_egl_light_init(struct kr_egl_light *light);
/* The value of an attribute; NULL: it is none of these. */
EGLint *kr_egl_light_at(struct kr_egl_light *light, EGLint attribute);
/* After one of them has changed. What isn't complete isn't said. */
void kr_egl_light_tell_window(const struct kr_egl_light *light, ANativeWindow *window);

#endif
