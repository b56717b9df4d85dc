/* SPDX-License-Identifier: Apache-2.0 */
/* Window surfaces: making them, their lives, what they say. */
#include "rig.h"

#include <pthread.h>

#include "util/clock.h"

static EGLSurface
create(struct rig *rig, enum fake_config config, ANativeWindow *window, const EGLAttrib *attributes)
{
	return kr_egl_surface_create(rig->display, fake_config(config), window, attributes);
}

static void
expect_error(EGLSurface surface, EGLint error)
{
	assert_null(surface);
	assert_int_equal(fake_error(), error);
}

static void
test_what_cannot_be_a_surface(void **state)
{
	const EGLAttrib unknown[] = {EGL_WIDTH, 1, EGL_NONE};
	const EGLAttrib no_buffer[] = {EGL_RENDER_BUFFER, 17, EGL_NONE};
	ANativeWindow *window;
	int nothing[64] = {0};
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	window = rig.window;
	assert_true(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	/* It has a surface. */
	expect_error(create(&rig, FAKE_RGBA, window, NULL), EGL_BAD_ALLOC);
	assert_true(kr_egl_surface_destroy(rig.display, rig.surface));
	expect_error(create(&rig, FAKE_CONFIGS, window, NULL), EGL_BAD_CONFIG);
	expect_error(create(&rig, FAKE_1010100, window, NULL), EGL_BAD_MATCH);
	expect_error(create(&rig, FAKE_RGBA, NULL, NULL), EGL_BAD_NATIVE_WINDOW);
	expect_error(create(&rig, FAKE_RGBA, (ANativeWindow *)(void *)nothing, NULL),
		EGL_BAD_NATIVE_WINDOW);
	expect_error(create(&rig, FAKE_RGBA, window, unknown), EGL_BAD_ATTRIBUTE);
	expect_error(create(&rig, FAKE_RGBA, window, no_buffer), EGL_BAD_ATTRIBUTE);
	/* Somebody else draws into it. */
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU), 0);
	expect_error(create(&rig, FAKE_RGBA, window, NULL), EGL_BAD_ALLOC);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_CPU), 0);
	fake.fail_pbuffer = 1;
	expect_error(create(&rig, FAKE_RGBA, window, NULL), EGL_BAD_ALLOC);
	/* None of it has left anything in the way. */
	rig.surface = create(&rig, FAKE_RGBA, window, NULL);
	assert_non_null(rig.surface);
	rig_close(&rig);
}

static void
test_a_window_that_is_gone(void **state)
{
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(rig_show(&rig, 1));
	krafla_reader_close(rig.reader);
	rig.reader = NULL;
	for (int i = 0; i < 3; i++) {
		assert_false(rig_show(&rig, 2));
		assert_int_equal(fake_error(), EGL_BAD_NATIVE_WINDOW);
	}
	/* It can be let go of, and not be had again. */
	assert_true(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_false(fake_current(rig.display, rig.surface, rig.context));
	assert_int_equal(fake_error(), EGL_BAD_NATIVE_WINDOW);
	assert_true(kr_egl_surface_destroy(rig.display, rig.surface));
	expect_error(create(&rig, FAKE_RGBA, rig.window, NULL), EGL_BAD_NATIVE_WINDOW);
	rig_close(&rig);
}

/* It is nobody's name any more, and drawn into all the same. */
static void
test_destroyed_while_current(void **state)
{
	EGLint value;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(kr_egl_surface_destroy(rig.display, rig.surface));
	assert_int_equal(fake_error(), EGL_SUCCESS);
	fake_paint(1);
	assert_false(kr_egl_surface_destroy(rig.display, rig.surface));
	assert_int_equal(fake_error(), EGL_BAD_SURFACE);
	assert_false(kr_egl_surface_query(rig.display, rig.surface, EGL_WIDTH, &value));
	assert_int_equal(fake_error(), EGL_BAD_SURFACE);
	assert_false(kr_egl_surface_swap(rig.display, rig.surface, NULL, 0));
	assert_int_equal(fake_error(), EGL_BAD_SURFACE);
	/* Until then the window is its own. */
	expect_error(create(&rig, FAKE_RGBA, rig.window, NULL), EGL_BAD_ALLOC);
	assert_true(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	rig.surface = create(&rig, FAKE_RGBA, rig.window, NULL);
	assert_non_null(rig.surface);
	rig_close(&rig);
}

static void
test_a_display_that_is_terminated(void **state)
{
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(rig_show(&rig, 1));
	fake_terminate(rig.display);
	/* The frame that was under way is done, and nothing of ours is left but what is current. */
	assert_int_equal(fake.surfaces, 1);
	assert_int_equal(fake.contexts, 1);
	assert_false(rig_show(&rig, 2));
	assert_int_equal(fake_error(), EGL_NOT_INITIALIZED);
	expect_error(create(&rig, FAKE_RGBA, rig.window, NULL), EGL_NOT_INITIALIZED);
	assert_true(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_int_equal(fake.surfaces, 0);
	expect_error(create(&rig, FAKE_RGBA, rig.window, NULL), EGL_NOT_INITIALIZED);
	assert_int_equal(fake.surfaces, 0);
	/* What was swapped before is shown. */
	rig_see(&rig, 1);
	rig_close(&rig);
}

struct elsewhere {
	struct rig *rig;
	EGLContext context;
};

static void *
elsewhere_main(void *data)
{
	struct elsewhere *elsewhere = data;
	struct rig *rig = elsewhere->rig;

	assert_false(kr_egl_surface_swap(rig->display, rig->surface, NULL, 0));
	assert_int_equal(fake_error(), EGL_BAD_SURFACE);
	assert_false(fake_current(rig->display, rig->surface, elsewhere->context));
	assert_int_equal(fake_error(), EGL_BAD_ACCESS);
	assert_int_equal(rig_query(rig, EGL_WIDTH), 40);
	return NULL;
}

static void
test_a_surface_is_current_in_one_thread(void **state)
{
	struct elsewhere elsewhere;
	pthread_t thread;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	elsewhere = (struct elsewhere){&rig, fake_context(FAKE_RGBA)};
	for (unsigned frame = 1; frame < 4; frame++) {
		assert_true(rig_show(&rig, frame));
		assert_int_equal(pthread_create(&thread, NULL, elsewhere_main, &elsewhere), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		rig_see(&rig, frame);
	}
	fake_context_destroy(elsewhere.context);
	rig_close(&rig);
}

static void
test_what_it_says(void **state)
{
	EGLint value = 7;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_int_equal(rig_query(&rig, EGL_WIDTH), 40);
	assert_int_equal(rig_query(&rig, EGL_HEIGHT), 30);
	assert_int_equal(rig_query(&rig, EGL_RENDER_BUFFER), EGL_BACK_BUFFER);
	assert_int_equal(rig_query(&rig, EGL_SWAP_BEHAVIOR), EGL_BUFFER_DESTROYED);
	assert_int_equal(rig_query(&rig, EGL_HORIZONTAL_RESOLUTION), EGL_UNKNOWN);
	assert_int_equal(rig_query(&rig, EGL_CONFIG_ID), 42);
	assert_true(kr_egl_surface_query(rig.display, rig.surface, EGL_MIPMAP_LEVEL, &value));
	assert_int_equal(value, 7);
	assert_false(kr_egl_surface_query(rig.display, rig.surface, 0x1234, &value));
	assert_int_equal(fake_error(), EGL_BAD_ATTRIBUTE);
	assert_false(kr_egl_surface_set(
		rig.display, rig.surface, EGL_FRONT_BUFFER_AUTO_REFRESH_ANDROID, EGL_TRUE));
	assert_int_equal(fake_error(), EGL_BAD_ATTRIBUTE);
	assert_false(kr_egl_surface_set(rig.display, rig.surface, EGL_SWAP_BEHAVIOR, 3));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	assert_true(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_false(kr_egl_surface_query(rig.display, rig.surface, EGL_BUFFER_AGE_EXT, &value));
	assert_int_equal(fake_error(), EGL_BAD_SURFACE);
	rig_close(&rig);
}

/* The window may change before anything is drawn. */
static void
test_the_first_size(void **state)
{
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_true(kr_egl_surface_destroy(rig.display, rig.surface));
	rig.surface = create(&rig, FAKE_RGBA, rig.window, NULL);
	assert_int_equal(ANativeWindow_setBuffersGeometry(
				 rig.window, 22, 11, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM),
		0);
	assert_true(fake_current(rig.display, rig.surface, rig.context));
	assert_int_equal(rig_query(&rig, EGL_WIDTH), 22);
	assert_true(rig_show(&rig, 1));
	rig_see(&rig, 1);
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(test_what_cannot_be_a_surface),
	KR_TEST(test_a_window_that_is_gone),
	KR_TEST(test_destroyed_while_current),
	KR_TEST(test_a_display_that_is_terminated),
	KR_TEST(test_a_surface_is_current_in_one_thread),
	KR_TEST(test_what_it_says),
	KR_TEST(test_the_first_size),
};
FAKE_MAIN(tests)
