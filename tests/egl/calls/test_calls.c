/* SPDX-License-Identifier: Apache-2.0 */
/* Displays, errors, threads: what glvnd gets when it calls Krafla as a vendor. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "egl/vendor/device.h"
#include "rig.h"

#define FLAGS KR_TEST_KEEPS_MEMORY

/* --- displays --- */

static EGLint
error_of_no_display(EGLint first, EGLint second)
{
	hand_of(1)->display_error = first;
	hand_of(2)->display_error = second;
	assert_null(krafla.getPlatformDisplay(0x1234, NULL, NULL));
	/* glvnd asks the vendor that had none, before it goes on. */
	return EGL(GetError, GETERROR)();
}

static void
no_display_says_why(void **state)
{
	rig_start();
	assert_int_equal(
		error_of_no_display(EGL_BAD_PARAMETER, EGL_BAD_ATTRIBUTE), EGL_BAD_PARAMETER);
	assert_int_equal(error_of_no_display(EGL_SUCCESS, EGL_BAD_ATTRIBUTE), EGL_SUCCESS);
	assert_int_equal(error_of_no_display(EGL_BAD_PARAMETER, EGL_SUCCESS), EGL_SUCCESS);
	assert_int_equal(error_of_no_display(EGL_SUCCESS, EGL_SUCCESS), EGL_SUCCESS);
}

static void
a_handle_of_two_vendors_is_the_firsts(void **state)
{
	EGLDisplay display;

	rig_start();
	display = krafla.getPlatformDisplay(HAND_PLATFORM_SHARED, NULL, NULL);
	assert_ptr_equal(display, (void *)0x4711);
	assert_ptr_equal(kr_egl_display_find(display)->vendor, kr_egl_vendor_at(0));
}

static void
devices_lead_to_their_vendor(void **state)
{
	EGLDeviceEXT devices[8];
	EGLDisplay display;
	EGLint count = 0;

	rig_start();
	assert_true(EGL(QueryDevicesEXT, QUERYDEVICESEXT)(0, NULL, &count));
	assert_int_equal(count, 4);
	assert_true(EGL(QueryDevicesEXT, QUERYDEVICESEXT)(3, devices, &count));
	assert_int_equal(count, 3);
	assert_true(EGL(QueryDevicesEXT, QUERYDEVICESEXT)(8, devices, &count));
	assert_int_equal(count, 4);
	display = krafla.getPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[3], NULL);
	assert_ptr_equal(kr_egl_display_find(display)->vendor, kr_egl_vendor_at(1));
	assert_false(EGL(QueryDevicesEXT, QUERYDEVICESEXT)(0, devices, &count));
	assert_int_equal(rig_error(), EGL_BAD_PARAMETER);
	/* One that can't say keeps nobody else from it. */
	hand_of(1)->fails = "eglQueryDevicesEXT";
	hand_of(1)->error = EGL_BAD_ALLOC;
	assert_true(EGL(QueryDevicesEXT, QUERYDEVICESEXT)(8, devices, &count));
	assert_int_equal(count, 2);
}

/* A vendor has one of three names, and programs know another. */
static void
attributes_have_three_names(void **state)
{
	static const char *const names[] = {
		"eglQueryDisplayAttribKHR", "eglQueryDisplayAttribNV", "eglQueryDisplayAttribEXT"};
	EGLDisplay display;
	EGLDeviceEXT device;

	rig_start();
	display = rig_display(1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		PFNEGLQUERYDISPLAYATTRIBKHRPROC query = rig_function(names[i]);

		device = NULL;
		assert_true(query(display, EGL_DEVICE_EXT, (EGLAttrib *)&device));
		assert_ptr_equal(kr_egl_device_vendor(device), kr_egl_vendor_at(0));
		assert_false(query(display, EGL_DEVICE_EXT, NULL));
		assert_int_equal(rig_error(), EGL_BAD_PARAMETER);
		assert_false(query((EGLDisplay)0x18, EGL_DEVICE_EXT, (EGLAttrib *)&device));
		assert_int_equal(rig_error(), EGL_BAD_DISPLAY);
	}
}

/* --- eglInitialize and eglTerminate --- */

static void
krafla_ends_before_the_vendor(void **state)
{
	EGLDisplay display;

	rig_start();
	display = rig_display(1);
	assert_string_equal(rooms.log, "start ");
	assert_true(EGL(Initialize, INITIALIZE)(display, NULL, NULL));
	assert_string_equal(rooms.log, "start ");
	assert_true(EGL(Terminate, TERMINATE)(display));
	assert_string_equal(rooms.log, "start stop ");
	assert_int_equal(hand_of(1)->terminates, 1);
	assert_true(EGL(Terminate, TERMINATE)(display));
	assert_string_equal(rooms.log, "start stop ");
	assert_int_equal(hand_of(1)->terminates, 2);
	assert_true(EGL(Initialize, INITIALIZE)(display, NULL, NULL));
	assert_string_equal(rooms.log, "start stop start ");
}

static void
references_are_counted_where_the_vendor_does(void **state)
{
	EGLDisplay display;

	rig_start();
	hand_of(1)->counts_references = true;
	display = rig_display(1);
	assert_true(EGL(Initialize, INITIALIZE)(display, NULL, NULL));
	assert_true(EGL(Terminate, TERMINATE)(display));
	assert_string_equal(rooms.log, "start ");
	hand_of(1)->terminates = 0;
	assert_true(EGL(Terminate, TERMINATE)(display));
	assert_string_equal(rooms.log, "start stop ");
}

static void
a_display_begins_whole_or_not(void **state)
{
	EGLDisplay display;

	rig_start();
	display = krafla.getPlatformDisplay(HAND_PLATFORM(1), NULL, NULL);
	hand_of(1)->fails = "eglInitialize";
	hand_of(1)->error = EGL_BAD_ACCESS;
	assert_false(EGL(Initialize, INITIALIZE)(display, NULL, NULL));
	assert_int_equal(rig_error(), EGL_BAD_ACCESS);
	assert_string_equal(rooms.log, "");
	hand_of(1)->fails = NULL;
	rooms.no_start = true;
	assert_false(EGL(Initialize, INITIALIZE)(display, NULL, NULL));
	assert_int_equal(rig_error(), EGL_BAD_ALLOC);
	assert_int_equal(hand_of(1)->terminates, 1);
}

static void
lists_of_extensions_stay(void **state)
{
	const char *list, *again;
	EGLDisplay display;

	rig_start();
	display = rig_display(1);
	list = EGL(QueryString, QUERYSTRING)(display, EGL_EXTENSIONS);
	assert_string_equal(list, "EGL_HAND_new EGL_HAND_all EGL_ROOM_fences");
	assert_true(EGL(Terminate, TERMINATE)(display));
	assert_true(EGL(Initialize, INITIALIZE)(display, NULL, NULL));
	again = EGL(QueryString, QUERYSTRING)(display, EGL_EXTENSIONS);
	assert_ptr_equal(again, list);
	assert_string_equal(EGL(QueryString, QUERYSTRING)(display, EGL_VENDOR), "hand 1");
	list = EGL(QueryString, QUERYSTRING)(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	assert_string_equal(list, "EGL_EXT_device_base EGL_HAND_1 EGL_HAND_2");
}

/* --- APIs, threads --- */

static void
apis_are_those_of_some_vendor(void **state)
{
	rig_start();
	assert_true(krafla.getSupportsAPI(EGL_OPENGL_API));
	assert_true(krafla.getSupportsAPI(EGL_OPENGL_ES_API));
	assert_false(krafla.getSupportsAPI(EGL_OPENVG_API));
	assert_true(EGL(BindAPI, BINDAPI)(EGL_OPENGL_API));
	assert_int_equal(hand_of(1)->api, 0);
	assert_int_equal(hand_of(2)->api, EGL_OPENGL_API);
	assert_int_equal(EGL(QueryAPI, QUERYAPI)(), EGL_OPENGL_API);
	assert_false(EGL(BindAPI, BINDAPI)(EGL_OPENVG_API));
	assert_int_equal(EGL(QueryAPI, QUERYAPI)(), EGL_OPENGL_API);
}

/* The vendor of the current context may say no; then nothing has changed. */
static void
a_thread_may_be_kept(void **state)
{
	struct hand *first, *second;
	EGLDisplay display;

	rig_start();
	first = hand_of(1);
	second = hand_of(2);
	display = rig_display(2);
	assert_true(EGL(MakeCurrent, MAKECURRENT)(display, NULL, NULL, rig_context(display)));
	second->fails = "eglReleaseThread";
	second->error = EGL_BAD_ALLOC;
	assert_false(EGL(ReleaseThread, RELEASETHREAD)());
	assert_int_equal(rig_error(), EGL_BAD_ALLOC);
	assert_int_equal(first->releases, 0);
	assert_non_null(kr_egl_this_thread()->display);
	assert_int_equal(rooms.flushed, 0);
	second->fails = NULL;
	first->fails = "eglReleaseThread";
	first->error = EGL_BAD_ALLOC;
	assert_true(EGL(ReleaseThread, RELEASETHREAD)());
	assert_int_equal(second->releases, 1);
	assert_null(kr_egl_this_thread()->display);
	assert_int_equal(rooms.flushed, 1);
}

static void
labels_of_threads_are_all_vendors(void **state)
{
	char text[] = "it";
	EGLDisplay display;

	rig_start();
	display = rig_display(2);
	assert_int_equal(
		EGL(LabelObjectKHR, LABELOBJECTKHR)(NULL, EGL_OBJECT_THREAD_KHR, NULL, text),
		EGL_SUCCESS);
	assert_int_equal(hand_of(1)->labels + hand_of(2)->labels, 2);
	EGL(LabelObjectKHR, LABELOBJECTKHR)(display, EGL_OBJECT_DISPLAY_KHR, display, text);
	assert_int_equal(hand_of(1)->labels, 1);
	assert_int_equal(hand_of(2)->labels, 2);
	assert_int_equal(EGL(LabelObjectKHR, LABELOBJECTKHR)(
				 (EGLDisplay)0x18, EGL_OBJECT_DISPLAY_KHR, NULL, text),
		EGL_BAD_DISPLAY);
}

/* What a vendor of EGL 1.4 hasn't says what glvnd says of it. */
static void
what_a_vendor_lacks_is_bad_display(void **state)
{
	EGLDisplay display;

	rig_start();
	display = rig_display(1);
	assert_null(EGL(CreateImage, CREATEIMAGE)(display, NULL, EGL_GL_TEXTURE_2D, NULL, NULL));
	assert_int_equal(rig_error(), EGL_BAD_DISPLAY);
	assert_null(EGL(CreatePlatformWindowSurface, CREATEPLATFORMWINDOWSURFACE)(
		display, NULL, NULL, NULL));
	assert_int_equal(rig_error(), EGL_BAD_DISPLAY);
	assert_null(EGL(CreatePlatformPixmapSurface, CREATEPLATFORMPIXMAPSURFACE)(
		display, NULL, NULL, NULL));
	assert_int_equal(rig_error(), EGL_BAD_DISPLAY);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(no_display_says_why, FLAGS),
	KR_TEST_FLAGS(a_handle_of_two_vendors_is_the_firsts, FLAGS),
	KR_TEST_FLAGS(devices_lead_to_their_vendor, FLAGS),
	KR_TEST_FLAGS(attributes_have_three_names, FLAGS),
	KR_TEST_FLAGS(krafla_ends_before_the_vendor, FLAGS),
	KR_TEST_FLAGS(references_are_counted_where_the_vendor_does, FLAGS),
	KR_TEST_FLAGS(a_display_begins_whole_or_not, FLAGS),
	KR_TEST_FLAGS(lists_of_extensions_stay, FLAGS),
	KR_TEST_FLAGS(apis_are_those_of_some_vendor, FLAGS),
	KR_TEST_FLAGS(a_thread_may_be_kept, FLAGS),
	KR_TEST_FLAGS(labels_of_threads_are_all_vendors, FLAGS),
	KR_TEST_FLAGS(what_a_vendor_lacks_is_bad_display, FLAGS),
};

KR_TEST_MAIN(tests)
