/* SPDX-License-Identifier: Apache-2.0 */
/* What pixels of window surfaces mean, and what is said of their light. */
#include "rig.h"

#include <errno.h>

#include "util/macros.h"

#define BT2020_HLG 0x3540

static EGLSurface
create(struct rig *rig, enum fake_config config, EGLint colorspace)
{
	const EGLAttrib attributes[] = {EGL_GL_COLORSPACE, colorspace, EGL_NONE};

	return kr_egl_surface_create(rig->display, fake_config(config), rig->window, attributes);
}

static void
open_colourful(struct rig *rig, enum fake_config config, EGLint colorspace)
{
	rig_open(rig, config, 1);
	assert_true(fake_current(rig->display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_true(kr_egl_surface_destroy(rig->display, rig->surface));
	rig->surface = create(rig, config, colorspace);
	assert_non_null(rig->surface);
	assert_true(fake_current(rig->display, rig->surface, rig->context));
}

static void
colour_spaces_reach_the_far_end(void **state)
{
	static const struct {
		enum fake_config config;
		EGLint colorspace, drawn;
		int32_t dataspace;
	} rows[] = {
		{FAKE_RGBA, EGL_GL_COLORSPACE_LINEAR, EGL_GL_COLORSPACE_LINEAR, HAL_DATASPACE_SRGB},
		{FAKE_RGBA, EGL_GL_COLORSPACE_SRGB, EGL_GL_COLORSPACE_SRGB, HAL_DATASPACE_SRGB},
		{FAKE_RGBA, EGL_GL_COLORSPACE_DISPLAY_P3_EXT, EGL_GL_COLORSPACE_SRGB,
			HAL_DATASPACE_DISPLAY_P3},
		{FAKE_RGBA, EGL_GL_COLORSPACE_DISPLAY_P3_PASSTHROUGH_EXT, EGL_NONE,
			HAL_DATASPACE_DISPLAY_P3},
		{FAKE_HALF, EGL_GL_COLORSPACE_DISPLAY_P3_LINEAR_EXT, EGL_NONE,
			HAL_DATASPACE_DCI_P3_LINEAR},
		{FAKE_1010102, EGL_GL_COLORSPACE_BT2020_PQ_EXT, EGL_NONE, HAL_DATASPACE_BT2020_PQ},
		{FAKE_1010102, BT2020_HLG, EGL_NONE, HAL_DATASPACE_BT2020_HLG},
		{FAKE_1010102, EGL_GL_COLORSPACE_BT2020_LINEAR_EXT, EGL_NONE,
			HAL_DATASPACE_BT2020_LINEAR},
		{FAKE_HALF, EGL_GL_COLORSPACE_BT2020_LINEAR_EXT, EGL_NONE,
			HAL_DATASPACE_BT2020_LINEAR_EXTENDED},
		{FAKE_HALF, EGL_GL_COLORSPACE_SCRGB_EXT, EGL_NONE, HAL_DATASPACE_SCRGB},
		{FAKE_HALF, EGL_GL_COLORSPACE_SCRGB_LINEAR_EXT, EGL_NONE,
			HAL_DATASPACE_SCRGB_LINEAR},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		struct krafla_image image;
		struct rig rig;

		open_colourful(&rig, rows[i].config, rows[i].colorspace);
		assert_int_equal(fake.colorspace, rows[i].drawn);
		assert_int_equal(rig_query(&rig, EGL_GL_COLORSPACE), rows[i].colorspace);
		assert_true(rig_show(&rig, 1));
		assert_int_equal(fake.colorspace, rows[i].drawn);
		rig_take(&rig, &image);
		assert_int_equal(image.dataspace, rows[i].dataspace);
		rig_give_back(&rig, &image, -1);
		rig_close(&rig);
	}
}

static int no_perform_of; /* an operation that the window refuses */
static int (*perform)(ANativeWindow *window, int operation, ...);

static int
refusing_perform(ANativeWindow *window, int operation, ...)
{
	va_list args;
	int64_t first;

	va_start(args, operation);
	first = va_arg(args, int64_t);
	va_end(args);
	return operation == no_perform_of ? -ENOSYS : perform(window, operation, first);
}

static void
what_a_window_or_config_has_not_is_refused(void **state)
{
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_true(kr_egl_surface_destroy(rig.display, rig.surface));
	assert_null(create(&rig, FAKE_RGBA, EGL_GL_COLORSPACE_DEFAULT_EXT));
	assert_int_equal(fake_error(), EGL_BAD_ATTRIBUTE);
	/* Nothing is beyond 1 there. */
	assert_null(create(&rig, FAKE_RGBA, EGL_GL_COLORSPACE_SCRGB_EXT));
	assert_int_equal(fake_error(), EGL_BAD_MATCH);
	assert_null(create(&rig, FAKE_1010102, EGL_GL_COLORSPACE_SCRGB_LINEAR_EXT));
	assert_int_equal(fake_error(), EGL_BAD_MATCH);
	perform = rig.window->perform;
	no_perform_of = NATIVE_WINDOW_SET_BUFFERS_DATASPACE;
	rig.window->perform = refusing_perform;
	assert_null(create(&rig, FAKE_1010102, EGL_GL_COLORSPACE_BT2020_PQ_EXT));
	assert_int_equal(fake_error(), EGL_BAD_MATCH);
	rig.window->perform = perform;
	/* None of it is in the way. */
	rig.surface = create(&rig, FAKE_RGBA, EGL_GL_COLORSPACE_SRGB);
	assert_non_null(rig.surface);
	rig_close(&rig);
}

static void
expect_hdr(struct rig *rig, unsigned picture, struct krafla_hdr_metadata *hdr)
{
	struct krafla_image image;

	assert_true(rig_show(rig, picture));
	rig_take(rig, &image);
	assert_int_equal(krafla_reader_get_hdr(rig->reader, &image, hdr), 0);
	rig_give_back(rig, &image, -1);
}

static void
set(struct rig *rig, EGLint attribute, EGLint value)
{
	assert_true(kr_egl_surface_set(rig->display, rig->surface, attribute, value));
}

static void
light_is_said_when_it_is_complete(void **state)
{
	struct krafla_hdr_metadata hdr;
	struct rig rig;

	open_colourful(&rig, FAKE_1010102, EGL_GL_COLORSPACE_BT2020_PQ_EXT);
	for (EGLint i = 0; i < 10; i++) {
		const EGLint attribute = EGL_SMPTE2086_DISPLAY_PRIMARY_RX_EXT + i;

		assert_int_equal(rig_query(&rig, attribute), EGL_DONT_CARE);
		expect_hdr(&rig, 1, &hdr);
		assert_int_equal(hdr.has, 0);
		set(&rig, attribute, (i + 1) * 25000);
		assert_int_equal(rig_query(&rig, attribute), (i + 1) * 25000);
	}
	expect_hdr(&rig, 2, &hdr);
	assert_int_equal(hdr.has, 1);
	assert_true(hdr.red[0] == 0.5f && hdr.green[1] == 2 && hdr.blue[0] == 2.5f);
	assert_true(hdr.white[1] == 4 && hdr.max_luminance == 4.5f && hdr.min_luminance == 5);
	set(&rig, EGL_CTA861_3_MAX_CONTENT_LIGHT_LEVEL_EXT, 1000 * EGL_METADATA_SCALING_EXT);
	set(&rig, EGL_CTA861_3_MAX_FRAME_AVERAGE_LEVEL_EXT, 400 * EGL_METADATA_SCALING_EXT);
	for (unsigned i = 0; i < 3; i++) {
		expect_hdr(&rig, i, &hdr);
		assert_int_equal(hdr.has, 3);
		assert_true(hdr.max_cll == 1000 && hdr.max_fall == 400);
	}
	assert_false(kr_egl_surface_set(
		rig.display, rig.surface, EGL_CTA861_3_MAX_CONTENT_LIGHT_LEVEL_EXT, -2));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	set(&rig, EGL_SMPTE2086_WHITE_POINT_X_EXT, EGL_DONT_CARE);
	expect_hdr(&rig, 4, &hdr);
	assert_int_equal(hdr.has, 2);
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(colour_spaces_reach_the_far_end, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(what_a_window_or_config_has_not_is_refused, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(light_is_said_when_it_is_complete, KR_TEST_KEEPS_MEMORY),
};

FAKE_MAIN(tests)
