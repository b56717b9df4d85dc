/* SPDX-License-Identifier: Apache-2.0 */
/* eglMakeCurrent: a window surface is current in one thread, whatever its pbuffers do. */
#include "rig.h"

#include <pthread.h>

/* What another thread tries, and what it comes to. */
struct attempt {
	struct kr_egl_display *display;
	EGLSurface surface;
	EGLContext context;
	bool leaves; /* without letting go; the vendor lets go of what it has then */
	EGLint error;
};

static void *
try_it(void *data)
{
	struct attempt *attempt = data;

	attempt->error = EGL_SUCCESS;
	if (!fake_current(attempt->display, attempt->surface, attempt->context))
		attempt->error = fake_error();
	else if (attempt->leaves)
		fake_forget();
	else
		assert_true(fake_current(attempt->display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	return NULL;
}

/* EGL_SUCCESS, or the error. */
static EGLint
elsewhere(struct attempt *attempt)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, try_it, attempt), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	return attempt->error;
}

static struct attempt during;

static void
try_during(void)
{
	assert_int_equal(elsewhere(&during), EGL_BAD_ACCESS);
}

/* A swap changes the pbuffer; between the two none is current to the vendor. */
static void
test_not_within_a_swap(void **state)
{
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	during = (struct attempt){rig.display, rig.surface, fake_context(FAKE_RGBA), false, 0};
	for (unsigned picture = 1; picture < 5; picture++) {
		fake.on_current = try_during;
		assert_true(rig_show(&rig, picture));
		assert_null(fake.on_current);
		rig_see(&rig, picture);
	}
	fake_context_destroy(during.context);
	rig_close(&rig);
}

/* Neither the surface nor the context is anybody else's while a copy is waited for. */
static void
test_not_while_it_is_preserved(void **state)
{
	struct rig rig;
	EGLContext contexts[2];

	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(kr_egl_surface_set(
		rig.display, rig.surface, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED));
	contexts[0] = fake_context(FAKE_RGBA);
	contexts[1] = rig.context;
	for (unsigned picture = 1; picture < 5; picture++) {
		during =
			(struct attempt){rig.display, rig.surface, contexts[picture & 1], false, 0};
		fake.on_read = try_during;
		assert_true(rig_show(&rig, picture));
		assert_null(fake.on_read);
		assert_int_equal(fake_painted(), picture);
		rig_see(&rig, picture);
	}
	fake_context_destroy(contexts[0]);
	rig_close(&rig);
}

/* The vendor's own pbuffer, with a context that the other thread has. */
static void
test_the_context_stays_while_it_is_preserved(void **state)
{
	static const EGLint size[] = {EGL_WIDTH, 8, EGL_HEIGHT, 8, EGL_NONE};
	struct kr_egl_vendor *vendor;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	vendor = rig.display->vendor;
	during = (struct attempt){rig.display,
		vendor->egl.CreatePbufferSurface(rig.display->handle, fake_config(FAKE_RGBA), size),
		rig.context, false, 0};
	assert_true(kr_egl_surface_set(
		rig.display, rig.surface, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED));
	fake.on_read = try_during;
	assert_true(rig_show(&rig, 1));
	assert_null(fake.on_read);
	rig_see(&rig, 1);
	assert_true(vendor->egl.DestroySurface(rig.display->handle, during.surface));
	rig_close(&rig);
}

static void
test_it_can_be_handed_on(void **state)
{
	struct attempt other;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	other = (struct attempt){rig.display, rig.surface, fake_context(FAKE_RGBA), false, 0};
	for (unsigned picture = 1; picture < 5; picture++) {
		assert_int_equal(elsewhere(&other), EGL_BAD_ACCESS);
		assert_true(rig_show(&rig, picture));
		rig_see(&rig, picture);
		/* Once more, or with another context: it is had once all the same. */
		assert_true(fake_current(rig.display, rig.surface, rig.context));
		assert_true(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
		assert_int_equal(elsewhere(&other), EGL_SUCCESS);
		assert_true(fake_current(rig.display, rig.surface, rig.context));
	}
	fake_context_destroy(other.context);
	rig_close(&rig);
}

/* What the vendor refuses has changed nothing. */
static void
test_a_refusal_changes_nothing(void **state)
{
	struct krafla_reader_config config = {
		.size = sizeof(config), .width = 8, .height = 8, .max_images = 1};
	struct krafla_reader *reader;
	struct attempt had, free_one;
	ANativeWindow *window;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_int_equal(krafla_reader_open(&config, &reader), 0);
	assert_int_equal(krafla_reader_get_window(reader, &window), 0);
	had = (struct attempt){rig.display, rig.surface, fake_context(FAKE_RGBA), false, 0};
	free_one = had;
	free_one.surface = kr_egl_surface_create(rig.display, fake_config(FAKE_RGBA), window, NULL);
	fake.fail_current = 1;
	assert_false(fake_current(rig.display, free_one.surface, rig.context));
	assert_int_equal(fake_error(), EGL_BAD_ACCESS);
	assert_int_equal(elsewhere(&free_one), EGL_SUCCESS);
	assert_int_equal(elsewhere(&had), EGL_BAD_ACCESS);
	assert_true(rig_show(&rig, 1));
	rig_see(&rig, 1);
	assert_true(kr_egl_surface_destroy(rig.display, free_one.surface));
	fake_context_destroy(had.context);
	rig_close(&rig);
	ANativeWindow_release(window);
	krafla_reader_close(reader);
}

/* Of eglReleaseThread, where the vendor can't make nothing current. */
static void
test_a_thread_is_released(void **state)
{
	struct attempt other;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	other = (struct attempt){rig.display, rig.surface, fake_context(FAKE_RGBA), false, 0};
	fake.fail_current = 1;
	assert_false(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	kr_egl_surfaces_let_go();
	kr_egl_surfaces_let_go();
	fake_forget();
	assert_int_equal(elsewhere(&other), EGL_SUCCESS);
	fake_context_destroy(other.context);
	rig_close(&rig);
}

/* It neither keeps the surface, nor does a later thread in its place have it. */
static void
test_a_thread_ends_with_it(void **state)
{
	struct attempt other;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	other = (struct attempt){rig.display, rig.surface, fake_context(FAKE_RGBA), true, 0};
	for (unsigned picture = 1; picture < 4; picture++) {
		assert_int_equal(elsewhere(&other), EGL_SUCCESS);
		assert_true(fake_current(rig.display, rig.surface, rig.context));
		assert_int_equal(elsewhere(&other), EGL_BAD_ACCESS);
		assert_true(rig_show(&rig, picture));
		rig_see(&rig, picture);
		assert_true(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	}
	fake_context_destroy(other.context);
	rig_close(&rig);
}

static void *
destroy_it(void *data)
{
	struct attempt *attempt = data;

	assert_true(fake_current(attempt->display, attempt->surface, attempt->context));
	assert_true(kr_egl_surface_destroy(attempt->display, attempt->surface));
	fake_forget();
	return NULL;
}

/* The window is free then. */
static void
test_a_thread_ends_with_one_that_was_destroyed(void **state)
{
	struct attempt other;
	pthread_t thread;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(fake_current(rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	other = (struct attempt){rig.display, rig.surface, rig.context, true, 0};
	assert_int_equal(pthread_create(&thread, NULL, destroy_it, &other), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	rig.surface = kr_egl_surface_create(rig.display, fake_config(FAKE_RGBA), rig.window, NULL);
	assert_int_equal(fake_error(), EGL_SUCCESS);
	assert_true(fake_current(rig.display, rig.surface, rig.context));
	assert_true(rig_show(&rig, 1));
	rig_see(&rig, 1);
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(test_not_within_a_swap),
	KR_TEST(test_not_while_it_is_preserved),
	KR_TEST(test_the_context_stays_while_it_is_preserved),
	KR_TEST(test_it_can_be_handed_on),
	KR_TEST(test_a_refusal_changes_nothing),
	KR_TEST(test_a_thread_is_released),
	KR_TEST(test_a_thread_ends_with_it),
	KR_TEST(test_a_thread_ends_with_one_that_was_destroyed),
};
FAKE_MAIN(tests)
