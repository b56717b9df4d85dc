/* SPDX-License-Identifier: Apache-2.0 */
/* Loading vendors, and what they ask of Krafla as they would of glvnd. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "egl/vendor/device.h"
#include "egl/vendor/exports.h"
#include "egl/vendor/thread.h"
#include "support.h"

#define FLAGS (KR_TEST_KEEPS_MEMORY)

static const char *
both(void)
{
	return hand_list(
		hand_manifest("1.json", hand_library(1)), hand_manifest("2.json", hand_library(2)));
}

/* Both, and then as many as are meant to be vendors. */
static void
load(const char *manifests, unsigned count)
{
	hand_choose(manifests);
	assert_int_equal(kr_egl_vendors_load(), count > 0);
	assert_int_equal(kr_egl_vendors_count(), count);
}

static __EGLvendorInfo *
info(unsigned index)
{
	return (__EGLvendorInfo *)(void *)kr_egl_vendor_at(index);
}

/* --- which are loaded --- */

static void
vendors_are_loaded_in_order(void **state)
{
	load(both(), 2);
	assert_string_equal(kr_egl_vendor_at(0)->library, hand_library(1));
	assert_string_equal(kr_egl_vendor_at(1)->library, hand_library(2));
	assert_int_equal(kr_egl_vendor_at(1)->index, 1);
	assert_non_null(kr_egl_vendor_at(0)->egl.Initialize);
	assert_null(kr_egl_vendor_at(0)->egl.CreateSync);
}

/* Its exports are one set: a second __egl_Main would put others in the place of the first. */
static void
a_library_of_two_manifests_is_started_once(void **state)
{
	const char *link = kr_test_path("libEGL_link.so");

	assert_int_equal(symlink(hand_library(1), link), 0);
	load(hand_list(both(),
		     hand_list(hand_manifest("3.json", hand_library(1)),
			     hand_manifest("4.json", link))),
		2);
	assert_int_equal(hand_of(1)->mains, 1);
}

/* What glvnd was told of it loads itself, by whatever name. */
static void
vendors_of_glvnds_own_are_left_to_it(void **state)
{
	const char *link = kr_test_path("libEGL_link.so");

	assert_int_equal(symlink(hand_library(1), link), 0);
	hand_choose(both());
	setenv("__EGL_VENDOR_LIBRARY_FILENAMES", hand_manifest("5.json", link), 1);
	assert_true(kr_egl_vendors_load());
	assert_int_equal(kr_egl_vendors_count(), 1);
	assert_int_equal(hand_of(1)->mains, 0);
	assert_int_equal(hand_of(2)->mains, 1);
}

static void
a_vendor_that_refuses_is_none(void **state)
{
	hand_of(1)->refuses = true;
	load(both(), 1);
	assert_string_equal(kr_egl_vendor_at(0)->library, hand_library(2));
	assert_int_equal(kr_egl_vendor_at(0)->index, 0);
}

static void
a_vendor_without_its_table_is_none(void **state)
{
	hand_of(2)->no_table = true;
	load(both(), 1);
}

/* glvnd demands all of EGL 1.4 that it doesn't do itself, and nothing newer. */
static void
a_vendor_without_a_function_is_none(void **state)
{
	hand_of(1)->lacks = "eglWaitNative";
	hand_of(2)->lacks = "eglBindAPI";
	load(both(), 1);
	assert_string_equal(kr_egl_vendor_at(0)->library, hand_library(2));
	assert_null(kr_egl_vendor_at(0)->egl.BindAPI);
}

static void
what_is_no_vendor_is_passed_over(void **state)
{
	const char *text = kr_test_file("libEGL_text.so", "no library");

	load(hand_list(
		     hand_list(hand_manifest("3.json", "libm.so.6"), hand_manifest("4.json", text)),
		     hand_list(hand_manifest("5.json", "/dev/zero"), both())),
		2);
}

static void
no_vendor_is_none(void **state)
{
	hand_of(1)->refuses = true;
	load(hand_manifest("1.json", hand_library(1)), 0);
}

/* --- displays and devices --- */

static void
a_handle_is_of_one_vendor(void **state)
{
	struct kr_egl_display *display;

	load(both(), 2);
	display = kr_egl_display_add((EGLDisplay)0x10, kr_egl_vendor_at(0));
	assert_non_null(display);
	assert_ptr_equal(kr_egl_display_add((EGLDisplay)0x10, kr_egl_vendor_at(0)), display);
	assert_null(kr_egl_display_add((EGLDisplay)0x10, kr_egl_vendor_at(1)));
	assert_ptr_equal(kr_egl_display_find((EGLDisplay)0x10), display);
	assert_null(kr_egl_display_find((EGLDisplay)0x18));
	assert_null(kr_egl_display_find(EGL_NO_DISPLAY));
	assert_ptr_equal(kr_egl_exports.getVendorFromDisplay((EGLDisplay)0x10), info(0));
	assert_null(kr_egl_exports.getVendorFromDisplay((EGLDisplay)0x18));
}

#define HANDLES 2000

static void *
add_displays(void *data)
{
	uintptr_t wrong = 0;

	for (uintptr_t i = 1; i <= HANDLES; i++) {
		EGLDisplay handle = (EGLDisplay)(i * 8);
		struct kr_egl_vendor *vendor = kr_egl_vendor_at(i % 2);
		struct kr_egl_display *display = kr_egl_display_add(handle, vendor);

		wrong += !display || display != kr_egl_display_find(handle) ||
			display->vendor != vendor || display->handle != handle;
		wrong += !kr_egl_device_add((EGLDeviceEXT)handle, vendor) ||
			kr_egl_device_vendor((EGLDeviceEXT)handle) != vendor;
	}
	return (void *)wrong;
}

static void
threads_add_and_find_the_same(void **state)
{
	pthread_t threads[4];

	load(both(), 2);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_displays, NULL), 0);
	for (int i = 0; i < 4; i++) {
		void *wrong;

		pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
}

static void
devices_are_who_says_so(void **state)
{
	load(both(), 2);
	assert_true(kr_egl_exports.setVendorForDevice((EGLDeviceEXT)0x20, info(1)));
	assert_ptr_equal(kr_egl_exports.getVendorFromDevice((EGLDeviceEXT)0x20), info(1));
	assert_null(kr_egl_exports.getVendorFromDevice((EGLDeviceEXT)0x28));
	assert_null(kr_egl_exports.getVendorFromDevice(EGL_NO_DEVICE_EXT));
}

/* --- functions --- */

static void
new_functions_have_a_number_with_all_vendors(void **state)
{
	hand_new_fn dispatch, of_first, of_second;

	load(both(), 2);
	dispatch = (hand_new_fn)kr_egl_dispatch_address("eglHandNewEXT");
	assert_non_null(dispatch);
	assert_ptr_equal(kr_egl_dispatch_address("eglHandNewEXT"), dispatch);
	assert_int_equal(hand_of(1)->new_index, hand_of(2)->new_index);
	of_first = (hand_new_fn)kr_egl_exports.fetchDispatchEntry(info(0), hand_of(1)->new_index);
	of_second = (hand_new_fn)kr_egl_exports.fetchDispatchEntry(info(1), hand_of(1)->new_index);
	assert_int_equal(of_first(NULL), 1);
	assert_int_equal(of_second(NULL), 2);
	kr_egl_display_add((EGLDisplay)0x10, kr_egl_vendor_at(1));
	assert_int_equal(dispatch((EGLDisplay)0x10), 2);
	assert_int_equal(dispatch((EGLDisplay)0x18), 0);
	assert_int_equal(kr_egl_error_take(), EGL_BAD_DISPLAY);
}

static void
what_a_vendor_lacks_is_nothing(void **state)
{
	load(both(), 2);
	assert_null(kr_egl_dispatch_address("eglNobodyHasThisEXT"));
	assert_null(kr_egl_dispatch_address(""));
	hand_of(1)->lacks = "eglHandNewEXT";
	assert_non_null(kr_egl_dispatch_address("eglHandNewEXT"));
	assert_null(kr_egl_exports.fetchDispatchEntry(info(0), hand_of(1)->new_index));
	assert_non_null(kr_egl_exports.fetchDispatchEntry(info(1), hand_of(1)->new_index));
	assert_null(kr_egl_exports.fetchDispatchEntry(info(0), -1));
	assert_null(kr_egl_exports.fetchDispatchEntry(info(0), 1 << 30));
	assert_null(kr_egl_exports.fetchDispatchEntry(NULL, hand_of(1)->new_index));
}

/* A program may try any names: what nobody has takes no number from what somebody has. */
static void
names_of_nothing_take_no_number(void **state)
{
	char name[32];

	load(both(), 2);
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "eglNobody%dEXT", i);
		assert_null(kr_egl_dispatch_address(name));
	}
	assert_non_null(kr_egl_dispatch_address("eglHandNewEXT"));
	assert_int_equal(hand_of(1)->new_index, 0);
}

/* --- errors --- */

static void *
take_error(void *data)
{
	return (void *)(uintptr_t)(kr_egl_error_take() != EGL_SUCCESS);
}

/* What was said last counts, of this thread alone. */
static void
errors_are_the_last_that_was_said(void **state)
{
	struct hand *hand;
	pthread_t other;
	void *wrong;

	load(both(), 2);
	hand = hand_of(2);
	kr_egl_exports.setEGLError(EGL_BAD_ATTRIBUTE);
	pthread_create(&other, NULL, take_error, NULL);
	pthread_join(other, &wrong);
	assert_null(wrong);
	assert_int_equal(kr_egl_error_take(), EGL_BAD_ATTRIBUTE);
	assert_int_equal(kr_egl_error_take(), EGL_SUCCESS);
	hand->fails = "eglTerminate";
	hand->error = EGL_BAD_ALLOC;
	kr_egl_vendor_at(1)->egl.Terminate((EGLDisplay)0x10);
	kr_egl_exports.setEGLError(EGL_BAD_MATCH);
	assert_true(kr_egl_exports.setLastVendor(info(1)));
	assert_int_equal(kr_egl_error_take(), EGL_BAD_ALLOC);
	kr_egl_vendor_at(1)->egl.Terminate((EGLDisplay)0x10);
	assert_true(kr_egl_exports.setLastVendor(info(1)));
	kr_egl_exports.setEGLError(EGL_BAD_MATCH);
	assert_int_equal(kr_egl_error_take(), EGL_BAD_MATCH);
	assert_int_equal(kr_egl_error_take(), EGL_SUCCESS);
}

static void
extensions_are_whole_words(void **state)
{
	assert_true(kr_egl_names_extension("EGL_A EGL_B EGL_C", "EGL_B"));
	assert_true(kr_egl_names_extension("EGL_A", "EGL_A"));
	assert_true(kr_egl_names_extension("EGL_AB EGL_A ", "EGL_A"));
	assert_false(kr_egl_names_extension("EGL_AB XEGL_A", "EGL_A"));
	assert_false(kr_egl_names_extension("EGL_A", ""));
	assert_false(kr_egl_names_extension("", "EGL_A"));
	assert_false(kr_egl_names_extension(NULL, "EGL_A"));
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(vendors_are_loaded_in_order, FLAGS),
	KR_TEST_FLAGS(a_library_of_two_manifests_is_started_once, FLAGS),
	KR_TEST_FLAGS(vendors_of_glvnds_own_are_left_to_it, FLAGS),
	KR_TEST_FLAGS(a_vendor_that_refuses_is_none, FLAGS),
	KR_TEST_FLAGS(a_vendor_without_its_table_is_none, FLAGS),
	KR_TEST_FLAGS(a_vendor_without_a_function_is_none, FLAGS),
	KR_TEST_FLAGS(what_is_no_vendor_is_passed_over, FLAGS),
	KR_TEST_FLAGS(no_vendor_is_none, FLAGS),
	KR_TEST_FLAGS(a_handle_is_of_one_vendor, FLAGS),
	KR_TEST_FLAGS(threads_add_and_find_the_same, FLAGS),
	KR_TEST_FLAGS(devices_are_who_says_so, FLAGS),
	KR_TEST_FLAGS(new_functions_have_a_number_with_all_vendors, FLAGS),
	KR_TEST_FLAGS(what_a_vendor_lacks_is_nothing, FLAGS),
	KR_TEST_FLAGS(names_of_nothing_take_no_number, FLAGS),
	KR_TEST_FLAGS(errors_are_the_last_that_was_said, FLAGS),
	KR_TEST_FLAGS(extensions_are_whole_words, FLAGS),
};

KR_TEST_MAIN(tests)
