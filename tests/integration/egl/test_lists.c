/* SPDX-License-Identifier: Apache-2.0 */
/* Which vendors of EGL there are, through the real libEGL.so.1: lists, directories, bad ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_vendor.h"
#include "harness.h"
#include "rules.h"

static void
expect_only_mesa(void)
{
	EGLDisplay display = open_display(EGL_PLATFORM_SURFACELESS_MESA);

	expect_vendor(display, "Mesa Project");
	assert_null(eglGetPlatformDisplay(FAKE_PLATFORM(1), NULL, NULL));
}

/* Files that aren't there, libraries that aren't, what is no manifest, and Krafla's own. */
static void
bad_vendors_are_passed_over(void **state)
{
	char list[2048];

	skip_without_egl();
	snprintf(list, sizeof(list), "/nowhere.json:%s:%s:%s:%s",
		write_manifest("10_gone.json", "/nowhere/libEGL_gone.so.0"),
		kr_test_file("20_none.json", "{\"ICD\": 7}"), strchr(egl_env(EGL_KRAFLA), '=') + 1,
		MESA_MANIFEST);
	choose(EGL_KRAFLA, list);
	expect_only_mesa();
}

/* Unset, glvnd's own directories count. */
static void
vendors_are_found_without_a_list(void **state)
{
	skip_without_egl();
	choose(EGL_KRAFLA, NULL);
	expect_only_mesa();
}

static void
directories_are_searched_in_order(void **state)
{
	char dirs[1024];

	skip_without_egl();
	write_manifest("90_two.json", TEST_FAKE_2);
	write_manifest("10_one.json", TEST_FAKE_1);
	choose(EGL_KRAFLA, NULL);
	snprintf(dirs, sizeof(dirs), "/nowhere:%s", kr_test_dir());
	setenv("__EGL_VENDOR_LIBRARY_DIRS", dirs, 1);
	expect_vendor(open_display(FAKE_PLATFORM(1)), "fake 1");
	expect_vendor(open_display(FAKE_PLATFORM(2)), "fake 2");
	assert_null(eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL));
}

/* As glvnd without vendors. */
static void
no_vendor_is_no_display(enum egl_way way)
{
	choose(way, "/nowhere.json");
	assert_null(eglGetDisplay(EGL_DEFAULT_DISPLAY));
	assert_null(eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL));
	assert_false(eglInitialize(EGL_NO_DISPLAY, NULL, NULL));
	assert_int_equal(eglGetError(), EGL_BAD_DISPLAY);
}

BOTH_WAYS(no_vendor_is_no_display)

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(bad_vendors_are_passed_over, RULE_FLAGS),
	KR_TEST_FLAGS(vendors_are_found_without_a_list, RULE_FLAGS),
	KR_TEST_FLAGS(directories_are_searched_in_order, RULE_FLAGS),
	KR_TEST_FLAGS(no_vendor_is_no_display_plain, RULE_FLAGS),
	KR_TEST_FLAGS(no_vendor_is_no_display_krafla, RULE_FLAGS),
};

KR_TEST_MAIN(tests)
