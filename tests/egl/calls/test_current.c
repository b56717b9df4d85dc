/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: switching between vendors, what flushes tell to fences, and whose GL a thread calls. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "rig.h"

#define FLAGS KR_TEST_KEEPS_MEMORY

static EGLDisplay displays[2];
static EGLContext contexts[2];

static void
start(void)
{
	rig_start();
	for (int i = 0; i < 2; i++) {
		displays[i] = rig_display(i + 1);
		contexts[i] = rig_context(displays[i]);
	}
	rooms.log[0] = '\0';
}

static EGLBoolean
enter(int number)
{
	return EGL(MakeCurrent, MAKECURRENT)(
		displays[number - 1], EGL_NO_SURFACE, EGL_NO_SURFACE, contexts[number - 1]);
}

/* --- switching --- */

static void
one_vendor_leaves_before_another_enters(void **state)
{
	start();
	assert_true(enter(1));
	assert_true(enter(2));
	assert_string_equal(hand_of(1)->log, "enter leave ");
	assert_string_equal(hand_of(2)->log, "enter ");
	assert_int_equal(rooms.flushed, 1);
	assert_ptr_equal(rooms.context, contexts[0]);
	assert_ptr_equal(kr_egl_this_thread()->display->handle, displays[1]);
	assert_ptr_equal(EGL(GetCurrentContext, GETCURRENTCONTEXT)(), contexts[1]);
	assert_true(EGL(MakeCurrent, MAKECURRENT)(displays[1], NULL, NULL, NULL));
	assert_null(kr_egl_this_thread()->display);
	assert_int_equal(rooms.flushed, 2);
}

/* What can't be entered leaves all as it was, with the error of what failed. */
static void
a_failure_comes_back(void **state)
{
	start();
	assert_true(enter(1));
	hand_of(2)->fails = "eglMakeCurrent";
	hand_of(2)->error = EGL_BAD_MATCH;
	rooms.meddles = true;
	assert_false(enter(2));
	assert_int_equal(rig_error(), EGL_BAD_MATCH);
	assert_string_equal(hand_of(1)->log, "enter leave enter ");
	assert_ptr_equal(kr_egl_this_thread()->display->handle, displays[0]);
	hand_of(1)->fails = "eglMakeCurrent";
	hand_of(1)->error = EGL_BAD_SURFACE;
	assert_false(enter(1));
	assert_int_equal(rig_error(), EGL_BAD_SURFACE);
	assert_ptr_equal(kr_egl_this_thread()->display->handle, displays[0]);
}

/* Also when coming back calls what leaves errors of its own. */
static void
a_failure_comes_back_to_windows(void **state)
{
	start();
	kr_egl_display_find(displays[0])->android = true;
	assert_true(enter(1));
	hand_of(2)->fails = "eglMakeCurrent";
	hand_of(2)->error = EGL_BAD_MATCH;
	assert_false(enter(2));
	assert_int_equal(rig_error(), EGL_BAD_MATCH);
	assert_ptr_equal(kr_egl_this_thread()->display->handle, displays[0]);
}

/* --- flushes --- */

static void
flushes_are_told(void **state)
{
	rooms.emulated = true;
	start();
	assert_true(enter(1));
	assert_int_equal(rooms.flushed, 0);
	assert_true(EGL(SwapBuffers, SWAPBUFFERS)(displays[0], NULL));
	assert_true(EGL(WaitClient, WAITCLIENT)());
	assert_true(EGL(WaitGL, WAITGL)());
	((void (*)(void))rig_function("glFlush"))();
	((void (*)(void))rig_function("glFinish"))();
	assert_int_equal(rooms.flushed, 5);
	assert_int_equal(hand_of(1)->flushes, 2);
	/* This thread's context draws on none of that display's. */
	assert_true(EGL(SwapBuffers, SWAPBUFFERS)(displays[1], NULL));
	assert_int_equal(rooms.flushed, 5);
	assert_true(enter(1));
	assert_int_equal(rooms.flushed, 6);
}

static void
a_failed_swap_flushes_nothing(void **state)
{
	start();
	assert_true(enter(1));
	hand_of(1)->fails = "eglSwapBuffers";
	hand_of(1)->error = EGL_BAD_SURFACE;
	assert_false(EGL(SwapBuffers, SWAPBUFFERS)(displays[0], NULL));
	assert_int_equal(rig_error(), EGL_BAD_SURFACE);
	assert_int_equal(rooms.flushed, 0);
	hand_of(1)->error = EGL_CONTEXT_LOST;
	assert_false(EGL(SwapBuffers, SWAPBUFFERS)(displays[0], NULL));
	assert_int_equal(rig_error(), EGL_CONTEXT_LOST);
	assert_int_equal(rooms.lost, 1);
	assert_ptr_equal(rooms.context, contexts[0]);
}

/* Fences call the vendor on their own account. */
static void
what_fences_do_leaves_no_error(void **state)
{
	start();
	rooms.meddles = true;
	assert_true(enter(1));
	assert_true(EGL(SwapBuffers, SWAPBUFFERS)(displays[0], NULL));
	assert_int_equal(rig_error(), EGL_SUCCESS);
	assert_true(EGL(WaitGL, WAITGL)());
	assert_int_equal(rig_error(), EGL_SUCCESS);
	assert_true(enter(1));
	assert_int_equal(rig_error(), EGL_SUCCESS);
}

static void
without_a_context_there_is_nothing_to_wait_for(void **state)
{
	start();
	assert_true(EGL(WaitClient, WAITCLIENT)());
	assert_true(EGL(WaitNative, WAITNATIVE)(EGL_CORE_NATIVE_ENGINE));
	((void (*)(void))rig_function("glFlush"))();
	assert_int_equal(rooms.flushed, 0);
}

/* The program got glFlush when no display had fences of ours; one that has comes later. */
static void
unseen_flushes_come_at_once(void **state)
{
	rig_start();
	displays[0] = rig_display(1);
	contexts[0] = rig_context(displays[0]);
	rig_function("glFlush");
	rooms.emulated = true;
	displays[1] = rig_display(2);
	contexts[1] = rig_context(displays[1]);
	assert_true(enter(2));
	assert_non_null(
		EGL(CreateSync, CREATESYNC)(displays[1], EGL_SYNC_NATIVE_FENCE_ANDROID, NULL));
	assert_int_equal(hand_of(2)->flushes, 1);
	assert_int_equal(rooms.flushed, 1);
	assert_non_null(EGL(CreateSync, CREATESYNC)(displays[1], EGL_SYNC_FENCE, NULL));
	assert_int_equal(rooms.flushed, 1);
}

/* --- GL --- */

typedef int (*number_fn)(void);

struct visit {
	int number, second;
	unsigned wrong;
};

static void *
call_gl(void *data)
{
	struct visit *visit = data;
	number_fn number = (number_fn)krafla.getProcAddress("glHandNumber");
	number_fn second = (number_fn)krafla.getProcAddress("glHandSecond");
	PFNEGLMAKECURRENTPROC make = (PFNEGLMAKECURRENTPROC)krafla.getProcAddress("eglMakeCurrent");

	visit->wrong += number() != 0;
	for (int i = 0; i < 1000; i++) {
		visit->wrong +=
			!make(displays[visit->number - 1], NULL, NULL, contexts[visit->number - 1]);
		visit->wrong += number() != visit->number || second() != visit->second;
		visit->wrong += !make(displays[visit->number - 1], NULL, NULL, NULL);
		visit->wrong += number() != 0;
	}
	return NULL;
}

/* What a vendor hasn't answers 0, as does all without a context. */
static void
gl_is_of_the_threads_vendor(void **state)
{
	struct visit visits[2] = {{1, 0, 0}, {2, 2, 0}};
	pthread_t threads[2];

	start();
	assert_ptr_equal(krafla.getProcAddress("glHandNumber"), rig_function("glHandNumber"));
	assert_ptr_not_equal(krafla.getProcAddress("glHandSecond"), rig_function("glHandNumber"));
	assert_null(krafla.getProcAddress("glNobodyHasThis"));
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, call_gl, &visits[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(visits[0].wrong + visits[1].wrong, 0);
}

/* --- coming again --- */

static void
glvnd_may_come_again(void **state)
{
	start();
	rig_start();
	assert_int_equal(hand_of(1)->mains, 1);
	assert_int_equal(kr_egl_vendors_count(), 2);
	assert_true(enter(2));
}

/* Displays of vendors that glvnd has beside Krafla are theirs, by glvnd's number of a function. */
static void
others_displays_are_theirs(void **state)
{
	static const char name[] = "eglSwapBuffersWithDamageKHR";
	PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC swap;

	start();
	swap = (PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC)krafla.getDispatchAddress(name);
	assert_false(swap(RIG_OTHERS_DISPLAY, NULL, NULL, RIG_OTHERS_INDEX));
	assert_int_equal(rig_error(), EGL_BAD_DISPLAY);
	krafla.setDispatchIndex(name, RIG_OTHERS_INDEX);
	assert_true(swap(RIG_OTHERS_DISPLAY, NULL, NULL, RIG_OTHERS_INDEX));
	/* The numbers of a glvnd that comes later are others. */
	rig_start();
	assert_false(swap(RIG_OTHERS_DISPLAY, NULL, NULL, RIG_OTHERS_INDEX));
	assert_int_equal(rig_error(), EGL_BAD_DISPLAY);
}

static void
patching_is_not_offered(void **state)
{
	rig_start();
	assert_null(krafla.isPatchSupported);
	assert_null(krafla.initiatePatch);
	assert_null(krafla.releasePatch);
	assert_null(krafla.patchThreadAttach);
}

static void
another_abi_is_refused(void **state)
{
	__EGLapiImports imports = {0};

	hand_choose(hand_manifest("1.json", hand_library(1)));
	assert_false(__egl_Main(1 << 16, NULL, NULL, &imports));
	/* glvnd has loaded all vendors: they would be started twice. */
	unsetenv("__EGL_VENDOR_LIBRARY_FILENAMES");
	assert_false(__egl_Main(EGL_VENDOR_ABI_VERSION, NULL, NULL, &imports));
	assert_null(imports.getProcAddress);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(one_vendor_leaves_before_another_enters, FLAGS),
	KR_TEST_FLAGS(a_failure_comes_back, FLAGS),
	KR_TEST_FLAGS(a_failure_comes_back_to_windows, FLAGS),
	KR_TEST_FLAGS(flushes_are_told, FLAGS),
	KR_TEST_FLAGS(a_failed_swap_flushes_nothing, FLAGS),
	KR_TEST_FLAGS(what_fences_do_leaves_no_error, FLAGS),
	KR_TEST_FLAGS(without_a_context_there_is_nothing_to_wait_for, FLAGS),
	KR_TEST_FLAGS(unseen_flushes_come_at_once, FLAGS),
	KR_TEST_FLAGS(gl_is_of_the_threads_vendor, FLAGS),
	KR_TEST_FLAGS(glvnd_may_come_again, FLAGS),
	KR_TEST_FLAGS(others_displays_are_theirs, FLAGS),
	KR_TEST_FLAGS(patching_is_not_offered, FLAGS),
	KR_TEST_FLAGS(another_abi_is_refused, FLAGS),
};

KR_TEST_MAIN(tests)
