/* SPDX-License-Identifier: Apache-2.0 */
/* Configs of EGL_PLATFORM_ANDROID_KHR: what they say, and which are chosen. */
#include "fake.h"

#include <krafla/hardware_buffer.h>

#define WINDOW_BITS (EGL_WINDOW_BIT | EGL_SWAP_BEHAVIOR_PRESERVED_BIT)

static EGLint
get(enum fake_config id, EGLint attribute)
{
	EGLint value = -77;

	assert_true(kr_egl_config_get(fake_display(), fake_config(id), attribute, &value));
	assert_int_equal(fake_error(), EGL_SUCCESS);
	return value;
}

/* The ids that are chosen, in their order, as one number of decimal digits. */
static long
choose(const EGLint *attributes)
{
	EGLConfig configs[FAKE_CONFIGS];
	EGLint count = -1, counted = -1;
	long ids = 0;

	assert_true(
		kr_egl_config_choose(fake_display(), attributes, configs, FAKE_CONFIGS, &count));
	assert_true(kr_egl_config_choose(fake_display(), attributes, NULL, 0, &counted));
	assert_int_equal(fake_error(), EGL_SUCCESS);
	assert_int_equal(count, counted);
	for (EGLint i = 0; i < count; i++)
		ids = ids * 10 + (long)(uintptr_t)configs[i];
	return ids;
}

#define CHOOSE(...) choose((const EGLint[]){__VA_ARGS__, EGL_NONE})

static void
test_windows_configs_say_so(void **state)
{
	static const struct {
		enum fake_config id;
		EGLint hal, is_video;
	} windows[] = {
		{FAKE_RGBA, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, EGL_TRUE},
		{FAKE_RGBX, AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, EGL_TRUE},
		{FAKE_565, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, EGL_FALSE},
		{FAKE_1010102, AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, EGL_FALSE},
		{FAKE_HALF, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, EGL_FALSE},
	};

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		enum fake_config id = windows[i].id;

		assert_int_equal(get(id, EGL_SURFACE_TYPE), WINDOW_BITS | EGL_PBUFFER_BIT);
		assert_int_equal(get(id, EGL_NATIVE_VISUAL_ID), windows[i].hal);
		assert_int_equal(get(id, EGL_RECORDABLE_ANDROID), windows[i].is_video);
		assert_int_equal(get(id, EGL_FRAMEBUFFER_TARGET_ANDROID), windows[i].is_video);
		assert_int_equal(get(id, EGL_MIN_SWAP_INTERVAL), 0);
		assert_int_equal(get(id, EGL_MAX_SWAP_INTERVAL), 1);
	}
}

static void
test_other_configs_are_no_windows(void **state)
{
	static const enum fake_config others[] = {FAKE_1010100, FAKE_NO_PBUFFER, FAKE_NO_ES2};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(get(others[i], EGL_SURFACE_TYPE),
			others[i] == FAKE_NO_PBUFFER ? 0 : EGL_PBUFFER_BIT);
		assert_int_equal(get(others[i], EGL_NATIVE_VISUAL_ID), 0);
		assert_int_equal(get(others[i], EGL_RECORDABLE_ANDROID), EGL_FALSE);
		assert_int_equal(get(others[i], EGL_MAX_SWAP_INTERVAL), 0);
	}
}

static void
test_errors_are_the_vendors(void **state)
{
	EGLint value;

	assert_false(kr_egl_config_get(
		fake_display(), fake_config(FAKE_CONFIGS), EGL_RECORDABLE_ANDROID, &value));
	assert_int_equal(fake_error(), EGL_BAD_CONFIG);
	assert_false(kr_egl_config_get(fake_display(), fake_config(FAKE_RGBA), 0x1234, &value));
	assert_int_equal(fake_error(), EGL_BAD_ATTRIBUTE);
}

static void
test_choosing(void **state)
{
	/* Nothing said means windows. */
	assert_int_equal(choose(NULL), 12345);
	assert_int_equal(CHOOSE(EGL_RED_SIZE, 8), 1245);
	assert_int_equal(CHOOSE(EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RED_SIZE, 10), 45);
	assert_int_equal(CHOOSE(EGL_SURFACE_TYPE, EGL_PBUFFER_BIT), 1234568);
	assert_int_equal(CHOOSE(EGL_SURFACE_TYPE, EGL_DONT_CARE), 12345678);
	assert_int_equal(CHOOSE(EGL_SURFACE_TYPE, 0), 12345678);
	assert_int_equal(CHOOSE(EGL_SURFACE_TYPE, EGL_WINDOW_BIT | EGL_PBUFFER_BIT), 12345);
	assert_int_equal(CHOOSE(EGL_SURFACE_TYPE, EGL_WINDOW_BIT | EGL_PIXMAP_BIT), 0);
	assert_int_equal(CHOOSE(EGL_SURFACE_TYPE, WINDOW_BITS), 12345);
	assert_int_equal(
		CHOOSE(EGL_SURFACE_TYPE, EGL_PBUFFER_BIT | EGL_SWAP_BEHAVIOR_PRESERVED_BIT), 12345);
}

static void
test_choosing_by_the_extensions(void **state)
{
	assert_int_equal(CHOOSE(EGL_RECORDABLE_ANDROID, EGL_TRUE), 12);
	assert_int_equal(CHOOSE(EGL_RECORDABLE_ANDROID, EGL_FALSE), 345);
	assert_int_equal(CHOOSE(EGL_RECORDABLE_ANDROID, EGL_DONT_CARE), 12345);
	assert_int_equal(CHOOSE(EGL_FRAMEBUFFER_TARGET_ANDROID, EGL_TRUE, EGL_RED_SIZE, 8), 12);
	assert_int_equal(
		CHOOSE(EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_RECORDABLE_ANDROID, EGL_FALSE), 345678);
	assert_int_equal(CHOOSE(EGL_MAX_SWAP_INTERVAL, 1, EGL_MIN_SWAP_INTERVAL, 0), 12345);
	assert_int_equal(CHOOSE(EGL_MAX_SWAP_INTERVAL, 2), 0);
	/* One that is named is taken, whatever else is said. */
	assert_int_equal(CHOOSE(EGL_CONFIG_ID, 6, EGL_RECORDABLE_ANDROID, EGL_TRUE), 6);
}

static void
test_choosing_with_little_room(void **state)
{
	EGLConfig configs[3] = {NULL, NULL, NULL};
	const EGLint bad[] = {EGL_RECORDABLE_ANDROID, 7, EGL_NONE};
	EGLint count;

	assert_true(kr_egl_config_choose(fake_display(), NULL, configs, 2, &count));
	assert_int_equal(count, 2);
	assert_ptr_equal(configs[1], fake_config(FAKE_RGBX));
	assert_null(configs[2]);
	assert_false(kr_egl_config_choose(fake_display(), NULL, configs, 2, NULL));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	assert_false(kr_egl_config_choose(fake_display(), bad, configs, 2, &count));
	assert_int_equal(fake_error(), EGL_BAD_ATTRIBUTE);
}

static void
test_the_platform_has_one_display(void **state)
{
	const EGLAttrib empty[] = {EGL_NONE}, some[] = {EGL_WIDTH, 1, EGL_NONE};
	int native;

	assert_ptr_equal(kr_egl_android_display(NULL, empty), fake_display()->handle);
	assert_ptr_equal(kr_egl_android_display(&native, NULL), EGL_NO_DISPLAY);
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	assert_ptr_equal(kr_egl_android_display(NULL, some), EGL_NO_DISPLAY);
	assert_int_equal(fake_error(), EGL_BAD_ATTRIBUTE);
}

static const struct kr_test tests[] = {
	KR_TEST(test_windows_configs_say_so),
	KR_TEST(test_other_configs_are_no_windows),
	KR_TEST(test_errors_are_the_vendors),
	KR_TEST(test_choosing),
	KR_TEST(test_choosing_by_the_extensions),
	KR_TEST(test_choosing_with_little_room),
	KR_TEST(test_the_platform_has_one_display),
};
FAKE_MAIN(tests)
