/* SPDX-License-Identifier: Apache-2.0 */
#include "egl/window/format.h"

#define GL_GLES_PROTOTYPES 0
#include <GLES3/gl3.h>
#include <krafla/hardware_buffer.h>

#include "util/macros.h"

static const struct kr_egl_format formats[] = {
	{8, 8, 8, 8, false, true, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 4, GL_RGBA,
		GL_UNSIGNED_BYTE},
	{8, 8, 8, 0, false, true, AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 4, GL_RGBA,
		GL_UNSIGNED_BYTE},
	{5, 6, 5, 0, false, false, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 2, GL_RGB,
		GL_UNSIGNED_SHORT_5_6_5},
	{10, 10, 10, 2, false, false, AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 4, GL_RGBA,
		GL_UNSIGNED_INT_2_10_10_10_REV},
	{16, 16, 16, 16, true, false, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 8, GL_RGBA,
		GL_HALF_FLOAT},
};

static EGLint
get(struct kr_egl_display *display, EGLConfig config, EGLint attribute)
{
	EGLint value = 0;

	if (!display->vendor->egl.GetConfigAttrib(display->handle, config, attribute, &value))
		return 0;
	return value;
}

/* Only vendors with such configs know the attribute. */
static bool
is_float(struct kr_egl_display *display, EGLConfig config)
{
	return kr_egl_vendor_has(display, "EGL_EXT_pixel_format_float") &&
		get(display, config, EGL_COLOR_COMPONENT_TYPE_EXT) ==
		EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT;
}

/* It is read by OpenGL ES 2, out of a pbuffer. */
static bool
can_be_read(struct kr_egl_display *display, EGLConfig config)
{
	return get(display, config, EGL_SURFACE_TYPE) & EGL_PBUFFER_BIT &&
		get(display, config, EGL_RENDERABLE_TYPE) & EGL_OPENGL_ES2_BIT &&
		get(display, config, EGL_COLOR_BUFFER_TYPE) == EGL_RGB_BUFFER;
}

const struct kr_egl_format *
kr_egl_format_of(struct kr_egl_display *display, EGLConfig config)
{
	const EGLint red = get(display, config, EGL_RED_SIZE);
	const EGLint green = get(display, config, EGL_GREEN_SIZE);
	const EGLint blue = get(display, config, EGL_BLUE_SIZE);
	const EGLint alpha = get(display, config, EGL_ALPHA_SIZE);

	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		const struct kr_egl_format *f = &formats[i];

		if (f->red == red && f->green == green && f->blue == blue && f->alpha == alpha)
			return f->is_float == is_float(display, config) &&
					can_be_read(display, config)
				? f
				: NULL;
	}
	return NULL;
}
