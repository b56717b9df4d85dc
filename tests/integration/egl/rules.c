/* SPDX-License-Identifier: Apache-2.0 */
/* See rules.h. */
#include "rules.h"

#include <stdio.h>
#include <stdlib.h>

#include "fake_vendor.h"
#include "harness.h"

const char *
write_manifest(const char *name, const char *library)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\"}}\n",
		library);
	return kr_test_file(name, text);
}

void
choose(enum egl_way way, const char *manifests)
{
	unsetenv("__EGL_VENDOR_LIBRARY_DIRS");
	unsetenv("KRAFLA_EGL_VENDORS");
	unsetenv("DISPLAY");
	unsetenv("WAYLAND_DISPLAY");
	unsetenv("__EGL_VENDOR_LIBRARY_FILENAMES");
	if (way == EGL_KRAFLA)
		putenv((char *)egl_env(EGL_KRAFLA));
	if (manifests)
		setenv(way == EGL_KRAFLA ? "KRAFLA_EGL_VENDORS" : "__EGL_VENDOR_LIBRARY_FILENAMES",
			manifests, 1);
}

const char *
three_vendors(void)
{
	static char list[1024];

	skip_without_egl();
	snprintf(list, sizeof(list), "%s:%s:%s", write_manifest("10_one.json", TEST_FAKE_1),
		MESA_MANIFEST, write_manifest("90_two.json", TEST_FAKE_2));
	return list;
}

EGLDisplay
open_display(EGLenum platform)
{
	EGLDisplay display = eglGetPlatformDisplay(platform, NULL, NULL);

	assert_non_null(display);
	assert_true(eglInitialize(display, NULL, NULL));
	assert_int_equal(eglGetError(), EGL_SUCCESS);
	return display;
}

void
expect_vendor(EGLDisplay display, const char *name)
{
	assert_string_equal(eglQueryString(display, EGL_VENDOR), name);
}
