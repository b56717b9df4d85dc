/* SPDX-License-Identifier: Apache-2.0 */
#include "egl/window/colour.h"

#include <errno.h>

#include "egl/window/internal.h"
#include "util/log.h"
#include "util/macros.h"

/* EGL_EXT_gl_colorspace_bt2020_hlg, which not every header has. */
#ifndef EGL_GL_COLORSPACE_BT2020_HLG_EXT
#define EGL_GL_COLORSPACE_BT2020_HLG_EXT 0x3540
#endif

const struct kr_egl_colour kr_egl_colour_default = {
	EGL_NONE, EGL_NONE, HAL_DATASPACE_SRGB, HAL_DATASPACE_SRGB};

/*
 * Where GL encodes what it writes, the vendor's pbuffer is one of sRGB: Display P3 has sRGB's
 * transfer function. What the others have is the program's to encode, or nobody's.
 */
static const struct kr_egl_colour colours[] = {
#define SAME(egl, drawn, hal)                                                                      \
	{                                                                                          \
		EGL_GL_COLORSPACE_##egl, drawn, HAL_DATASPACE_##hal, HAL_DATASPACE_##hal           \
	}
	SAME(LINEAR, EGL_GL_COLORSPACE_LINEAR, SRGB),
	SAME(SRGB, EGL_GL_COLORSPACE_SRGB, SRGB),
	SAME(DISPLAY_P3_EXT, EGL_GL_COLORSPACE_SRGB, DISPLAY_P3),
	SAME(DISPLAY_P3_PASSTHROUGH_EXT, EGL_NONE, DISPLAY_P3),
	SAME(DISPLAY_P3_LINEAR_EXT, EGL_NONE, DCI_P3_LINEAR),
	SAME(BT2020_PQ_EXT, EGL_NONE, BT2020_PQ),
	SAME(BT2020_HLG_EXT, EGL_NONE, BT2020_HLG),
	{EGL_GL_COLORSPACE_BT2020_LINEAR_EXT, EGL_NONE, HAL_DATASPACE_BT2020_LINEAR,
		HAL_DATASPACE_BT2020_LINEAR_EXTENDED},
	{EGL_GL_COLORSPACE_SCRGB_EXT, EGL_NONE, HAL_DATASPACE_UNKNOWN, HAL_DATASPACE_SCRGB},
	{EGL_GL_COLORSPACE_SCRGB_LINEAR_EXT, EGL_NONE, HAL_DATASPACE_UNKNOWN,
		HAL_DATASPACE_SCRGB_LINEAR},
#undef SAME
};

const struct kr_egl_colour *
kr_egl_colour_find(EGLint colorspace)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(colours); i++) {
		if (colours[i].colorspace == colorspace)
			return &colours[i];
	}
	return NULL;
}

EGLint
kr_egl_colour_tell_window(const struct kr_egl_colour *colour, const struct kr_egl_format *format,
	ANativeWindow *window)
{
	int32_t dataspace = format->is_float ? colour->of_floats : colour->dataspace;
	int err = -ENOSYS;

	if (dataspace != HAL_DATASPACE_UNKNOWN)
		err = window->perform(window, NATIVE_WINDOW_SET_BUFFERS_DATASPACE, (int)dataspace);
	if (err != -ENOSYS)
		return kr_egl_window_error(err);
	kr_error("EGL: the window, or buffers of this config, don't have EGL_GL_COLORSPACE %#x",
		(unsigned)colour->colorspace);
	return EGL_BAD_MATCH;
}

/* Where each value is in what windows are told; the last two are of the other part. */
#define MASTERING 10
static const EGLint lights[KR_EGL_LIGHTS] = {
	EGL_SMPTE2086_DISPLAY_PRIMARY_RX_EXT,
	EGL_SMPTE2086_DISPLAY_PRIMARY_RY_EXT,
	EGL_SMPTE2086_DISPLAY_PRIMARY_GX_EXT,
	EGL_SMPTE2086_DISPLAY_PRIMARY_GY_EXT,
	EGL_SMPTE2086_DISPLAY_PRIMARY_BX_EXT,
	EGL_SMPTE2086_DISPLAY_PRIMARY_BY_EXT,
	EGL_SMPTE2086_WHITE_POINT_X_EXT,
	EGL_SMPTE2086_WHITE_POINT_Y_EXT,
	EGL_SMPTE2086_MAX_LUMINANCE_EXT,
	EGL_SMPTE2086_MIN_LUMINANCE_EXT,
	EGL_CTA861_3_MAX_CONTENT_LIGHT_LEVEL_EXT,
	EGL_CTA861_3_MAX_FRAME_AVERAGE_LEVEL_EXT,
};

void
kr_egl_light_init(struct kr_egl_light *light)
{
	for (size_t i = 0; i < KR_EGL_LIGHTS; i++)
		light->values[i] = EGL_DONT_CARE;
}

EGLint *
kr_egl_light_at(struct kr_egl_light *light, EGLint attribute)
{
	for (size_t i = 0; i < KR_EGL_LIGHTS; i++) {
		if (lights[i] == attribute)
			return &light->values[i];
	}
	return NULL;
}

/* False: one of them isn't said. */
static bool
scale(const EGLint *values, size_t count, float *to)
{
	for (size_t i = 0; i < count; i++) {
		if (values[i] == EGL_DONT_CARE)
			return false;
		to[i] = (float)values[i] / EGL_METADATA_SCALING_EXT;
	}
	return true;
}

void
kr_egl_light_tell_window(const struct kr_egl_light *light, ANativeWindow *window)
{
	float v[KR_EGL_LIGHTS] = {0};
	bool mastered = scale(light->values, MASTERING, v);
	bool measured = scale(light->values + MASTERING, KR_EGL_LIGHTS - MASTERING, v + MASTERING);
	const struct android_smpte2086_metadata mastering = {
		.displayPrimaryRed = {v[0], v[1]},
		.displayPrimaryGreen = {v[2], v[3]},
		.displayPrimaryBlue = {v[4], v[5]},
		.whitePoint = {v[6], v[7]},
		.maxLuminance = v[8],
		.minLuminance = v[9],
	};
	const struct android_cta861_3_metadata content = {v[MASTERING], v[MASTERING + 1]};

	/* Windows that don't know it show the same picture. */
	if (window->perform(window, NATIVE_WINDOW_SET_BUFFERS_SMPTE2086_METADATA,
		    mastered ? &mastering : NULL) ||
		window->perform(window, NATIVE_WINDOW_SET_BUFFERS_CTA861_3_METADATA,
			measured ? &content : NULL))
		kr_debug("EGL: the window takes no HDR metadata");
}
