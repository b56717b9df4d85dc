/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glvnd's rules for vendors, through the real libEGL.so.1, with Mesa and made-up vendors. Where a
 * rule is glvnd's own, a case runs without Krafla, too, and so tells that it asks the right thing.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fake_vendor.h"
#include "harness.h"
#include "rules.h"

/* --- displays, devices, strings --- */

static void
displays_are_their_vendors(enum egl_way way)
{
	EGLDisplay one, two, mesa;

	choose(way, three_vendors());
	one = open_display(FAKE_PLATFORM(1));
	two = open_display(FAKE_PLATFORM(2));
	mesa = open_display(EGL_PLATFORM_SURFACELESS_MESA);
	expect_vendor(one, "fake 1");
	expect_vendor(two, "fake 2");
	expect_vendor(mesa, "Mesa Project");
	assert_true(eglGetPlatformDisplay(FAKE_PLATFORM(1), NULL, NULL) == one);
	assert_null(eglGetPlatformDisplay(0x7fff, NULL, NULL));
	assert_true(eglTerminate(one));
	assert_null(eglQueryString(one, EGL_VENDOR));
	assert_int_equal(eglGetError(), EGL_NOT_INITIALIZED);
	expect_vendor(two, "fake 2");
}

static void
devices_are_of_all_vendors(enum egl_way way)
{
	PFNEGLQUERYDEVICESEXTPROC query;
	PFNEGLQUERYDEVICESTRINGEXTPROC string;
	EGLDeviceEXT devices[8];
	EGLint count, fewer;
	EGLDisplay display;

	choose(way, three_vendors());
	query = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
	string = (PFNEGLQUERYDEVICESTRINGEXTPROC)eglGetProcAddress("eglQueryDeviceStringEXT");
	assert_true(query(8, devices, &count));
	assert_int_equal(count, 3);
	assert_string_equal(string(devices[0], EGL_EXTENSIONS), "EGL_FAKE_device_1");
	assert_string_equal(string(devices[2], EGL_EXTENSIONS), "EGL_FAKE_device_2");
	assert_true(strstr(string(devices[1], EGL_EXTENSIONS), "EGL_MESA_device_software"));
	assert_true(query(2, devices, &fewer));
	assert_int_equal(fewer, 2);
	assert_true(query(8, devices, &count));
	display = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[2], NULL);
	assert_true(eglInitialize(display, NULL, NULL));
	expect_vendor(display, "fake 2");
	display = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[1], NULL);
	assert_true(eglInitialize(display, NULL, NULL));
	expect_vendor(display, "Mesa Project");
}

static void
client_strings_are_of_all_vendors(enum egl_way way)
{
	const char *extensions;

	choose(way, three_vendors());
	extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	assert_non_null(extensions);
	assert_true(strstr(extensions, "EGL_FAKE_platform_1"));
	assert_true(strstr(extensions, "EGL_FAKE_platform_2"));
	assert_true(strstr(extensions, "EGL_MESA_platform_surfaceless"));
}

/* --- extensions and errors --- */

static void
extensions_are_dispatched_by_display(enum egl_way way)
{
	EGLDisplay one, two, mesa;
	fake_answer_fn answer;

	choose(way, three_vendors());
	one = open_display(FAKE_PLATFORM(1));
	two = open_display(FAKE_PLATFORM(2));
	mesa = open_display(EGL_PLATFORM_SURFACELESS_MESA);
	answer = (fake_answer_fn)eglGetProcAddress("eglFakeAnswerEXT");
	assert_non_null(answer);
	assert_int_equal(answer(one), 1);
	assert_int_equal(answer(two), 2);
	assert_int_equal(eglGetError(), EGL_SUCCESS);
	assert_int_equal(answer(mesa), 0);
	assert_int_equal(eglGetError(), EGL_BAD_ACCESS);
	assert_int_equal(answer(EGL_NO_DISPLAY), 0);
	assert_int_equal(eglGetError(), EGL_BAD_DISPLAY);
	assert_null(eglGetProcAddress("eglNobodyHasThisEXT"));
}

/* The last call's, whichever vendor it went to, of this thread. */
static void
errors_are_of_the_last_call(enum egl_way way)
{
	EGLDisplay one, broken, mesa;
	EGLint value;

	choose(way, three_vendors());
	one = open_display(FAKE_PLATFORM(1));
	mesa = open_display(EGL_PLATFORM_SURFACELESS_MESA);
	broken = eglGetPlatformDisplay(FAKE_BROKEN(2), NULL, NULL);
	assert_false(eglInitialize(broken, NULL, NULL));
	assert_int_equal(eglGetError(), FAKE_ERROR(2));
	assert_int_equal(eglGetError(), EGL_SUCCESS);
	assert_false(eglInitialize(broken, NULL, NULL));
	assert_false(eglQuerySurface(mesa, EGL_NO_SURFACE, EGL_WIDTH, &value));
	assert_int_equal(eglGetError(), EGL_BAD_SURFACE);
	assert_false(eglQuerySurface(mesa, EGL_NO_SURFACE, EGL_WIDTH, &value));
	assert_false(eglQuerySurface(one, EGL_NO_SURFACE, EGL_WIDTH, &value));
	assert_int_equal(eglGetError(), EGL_BAD_ACCESS);
	/* What succeeds ends an older error, of the same vendor's and of another's. */
	assert_false(eglQuerySurface(mesa, EGL_NO_SURFACE, EGL_WIDTH, &value));
	assert_non_null(eglQueryString(mesa, EGL_VENDOR));
	assert_int_equal(eglGetError(), EGL_SUCCESS);
	assert_false(eglQuerySurface(mesa, EGL_NO_SURFACE, EGL_WIDTH, &value));
	assert_non_null(eglQueryString(one, EGL_VENDOR));
	assert_int_equal(eglGetError(), EGL_SUCCESS);
	assert_false(eglBindAPI(EGL_NONE));
	assert_int_equal(eglGetError(), EGL_BAD_PARAMETER);
}

/* --- contexts --- */

typedef const unsigned char *(*get_string_fn)(unsigned name);
#define GL_VENDOR 0x1f00

struct current {
	EGLDisplay display;
	EGLContext context;
	EGLSurface surface;
};

static void
make_context(struct current *c, EGLenum platform)
{
	const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
		EGL_OPENGL_ES2_BIT, EGL_NONE};
	const EGLint es2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
	const EGLint size[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
	EGLConfig config;
	EGLint count;

	c->display = open_display(platform);
	assert_true(eglChooseConfig(c->display, wanted, &config, 1, &count));
	assert_int_equal(count, 1);
	c->context = eglCreateContext(c->display, config, EGL_NO_CONTEXT, es2);
	c->surface = eglCreatePbufferSurface(c->display, config, size);
	assert_non_null(c->context);
	assert_non_null(c->surface);
}

/* No assertion, since other threads have no case that they could end. */
static bool
becomes_current(const struct current *c, const char *gl_vendor)
{
	get_string_fn get_string = (get_string_fn)eglGetProcAddress("glGetString");

	return eglMakeCurrent(c->display, c->surface, c->surface, c->context) &&
		eglGetError() == EGL_SUCCESS && eglGetCurrentContext() == c->context &&
		eglGetCurrentDisplay() == c->display &&
		eglGetCurrentSurface(EGL_DRAW) == c->surface &&
		!strcmp((const char *)get_string(GL_VENDOR), gl_vendor);
}

struct turns {
	const struct current *contexts[2];
	const char *names[2];
	unsigned wrong;
};

static void *
take_turns(void *data)
{
	struct turns *turns = data;

	for (unsigned i = 0; i < 200; i++)
		turns->wrong += !becomes_current(turns->contexts[i % 2], turns->names[i % 2]);
	eglMakeCurrent(turns->contexts[1]->display, NULL, NULL, NULL);
	turns->wrong += eglGetCurrentContext() != NULL;
	eglReleaseThread();
	return NULL;
}

/* GL goes to the vendor whose context the thread has, also while other threads have others'. */
static void
gl_is_of_the_current_context(enum egl_way way)
{
	struct current one, two, mesa[2];
	struct turns turns[2];
	pthread_t threads[2];

	choose(way, three_vendors());
	make_context(&one, FAKE_PLATFORM(1));
	make_context(&two, FAKE_PLATFORM(2));
	make_context(&mesa[0], EGL_PLATFORM_SURFACELESS_MESA);
	make_context(&mesa[1], EGL_PLATFORM_SURFACELESS_MESA);
	turns[0] = (struct turns){{&one, &mesa[0]}, {"fake 1", "Mesa/X.org"}, 0};
	turns[1] = (struct turns){{&mesa[1], &two}, {"Mesa/X.org", "fake 2"}, 0};
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take_turns, &turns[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	take_turns(&turns[0]);
	assert_int_equal(turns[0].wrong + turns[1].wrong, 0);
}

#define ANY 9000
typedef int (*any_fn)(void);
static any_fn any[ANY];

static unsigned
wrong_answers(int number)
{
	unsigned wrong = 0;

	for (int i = 0; i < ANY; i++)
		wrong += any[i] && any[i]() != number;
	return wrong;
}

/* Drivers that have a function for any name: what glvnd gives is the current vendor's, each. */
static void
made_up_names_take_no_room_from_real_ones(enum egl_way way)
{
	struct current one, two;
	unsigned given = 0;
	char name[32];

	choose(way, three_vendors());
	make_context(&one, FAKE_PLATFORM(1));
	make_context(&two, FAKE_PLATFORM(2));
	assert_true(becomes_current(&two, "fake 2"));
	assert_true(becomes_current(&one, "fake 1"));
	for (int i = 0; i < ANY; i++) {
		snprintf(name, sizeof(name), "glAny%d", i);
		any[i] = (any_fn)eglGetProcAddress(name);
		given += any[i] != NULL;
	}
	/* glvnd has an end of its own. */
	assert_true(given > 1000);
	assert_int_equal(wrong_answers(1), 0);
	assert_true(becomes_current(&two, "fake 2"));
	assert_int_equal(wrong_answers(2), 0);
}

/* Who is alone may patch glvnd's entry points, but not behind Krafla. */
static EGLint
patches_of_one_vendor(enum egl_way way)
{
	struct current one;
	fake_answer_fn count;

	skip_without_egl();
	choose(way, write_manifest("10_one.json", TEST_FAKE_1));
	make_context(&one, FAKE_PLATFORM(1));
	assert_true(becomes_current(&one, "fake 1"));
	count = (fake_answer_fn)eglGetProcAddress("eglFakePatchesEXT");
	return count(one.display);
}

static void
patching_is_refused(void **state)
{
	assert_int_equal(patches_of_one_vendor(EGL_KRAFLA), 0);
}

static void
patching_is_asked_for_without(void **state)
{
	assert_true(patches_of_one_vendor(EGL_PLAIN) > 0);
}

BOTH_WAYS(displays_are_their_vendors)
BOTH_WAYS(devices_are_of_all_vendors)
BOTH_WAYS(client_strings_are_of_all_vendors)
BOTH_WAYS(extensions_are_dispatched_by_display)
BOTH_WAYS(errors_are_of_the_last_call)
BOTH_WAYS(gl_is_of_the_current_context)
BOTH_WAYS(made_up_names_take_no_room_from_real_ones)

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(displays_are_their_vendors_plain, RULE_FLAGS),
	KR_TEST_FLAGS(displays_are_their_vendors_krafla, RULE_FLAGS),
	KR_TEST_FLAGS(devices_are_of_all_vendors_plain, RULE_FLAGS),
	KR_TEST_FLAGS(devices_are_of_all_vendors_krafla, RULE_FLAGS),
	KR_TEST_FLAGS(client_strings_are_of_all_vendors_plain, RULE_FLAGS),
	KR_TEST_FLAGS(client_strings_are_of_all_vendors_krafla, RULE_FLAGS),
	KR_TEST_FLAGS(extensions_are_dispatched_by_display_plain, RULE_FLAGS),
	KR_TEST_FLAGS(extensions_are_dispatched_by_display_krafla, RULE_FLAGS),
	KR_TEST_FLAGS(errors_are_of_the_last_call_plain, RULE_FLAGS),
	KR_TEST_FLAGS(errors_are_of_the_last_call_krafla, RULE_FLAGS),
	KR_TEST_FLAGS(gl_is_of_the_current_context_plain, RULE_FLAGS),
	KR_TEST_FLAGS(gl_is_of_the_current_context_krafla, RULE_FLAGS),
	KR_TEST_FLAGS(made_up_names_take_no_room_from_real_ones_plain, RULE_FLAGS),
	KR_TEST_FLAGS(made_up_names_take_no_room_from_real_ones_krafla, RULE_FLAGS),
	KR_TEST_FLAGS(patching_is_refused, RULE_FLAGS),
	KR_TEST_FLAGS(patching_is_asked_for_without, RULE_FLAGS),
};

KR_TEST_MAIN(tests)
