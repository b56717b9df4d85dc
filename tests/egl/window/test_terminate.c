/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eglTerminate beside other threads: what the vendor has been asked for ends first, and it is
 * asked for nothing of a display that is gone.
 */
#include "rig.h"

#include <pthread.h>
#include <time.h>

#include "util/clock.h"

/* Another thread's eglTerminate. */
static struct {
	struct rig rig;
	pthread_t thread;
	atomic_bool ended;
} other;

static void *
terminate(void *data)
{
	fake_terminate(other.rig.display);
	atomic_store(&other.ended, true);
	return NULL;
}

static void
begin_terminate(void)
{
	atomic_store(&other.ended, false);
	assert_int_equal(pthread_create(&other.thread, NULL, terminate, NULL), 0);
}

/* Whether it ends within so long, looking now and then. */
static bool
ends_within(int64_t ns)
{
	int64_t deadline = kr_deadline_in((uint64_t)ns);

	while (!atomic_load(&other.ended) && kr_clock_now() < deadline)
		nanosleep(&(struct timespec){.tv_nsec = KR_NSEC_PER_MSEC}, NULL);
	return atomic_load(&other.ended);
}

/* Within the vendor's eglMakeCurrent. */
static void
terminate_meanwhile(void)
{
	begin_terminate();
	assert_false(ends_within(100 * KR_NSEC_PER_MSEC));
}

static void
open_rig(unsigned max_images)
{
	atomic_store(&fake.late, 0);
	rig_open(&other.rig, FAKE_RGBA, max_images);
}

static void
close_rig(void)
{
	assert_true(ends_within(10 * KR_NSEC_PER_SEC));
	assert_int_equal(pthread_join(other.thread, NULL), 0);
	assert_int_equal(atomic_load(&fake.late), 0);
	rig_close(&other.rig);
	assert_int_equal(atomic_load(&fake.late), 0);
}

static void
test_it_waits_for_a_swap(void **state)
{
	open_rig(2);
	assert_true(rig_show(&other.rig, 1));
	fake.on_current = terminate_meanwhile;
	/* It may still be taken, with a fence that fails then. */
	(void)rig_show(&other.rig, 2);
	assert_null(fake.on_current);
	close_rig();
}

static void
test_it_waits_for_who_makes_current(void **state)
{
	EGLSurface again;

	open_rig(2);
	again = other.rig.surface;
	fake.on_current = terminate_meanwhile;
	assert_true(fake_current(other.rig.display, again, other.rig.context));
	assert_null(fake.on_current);
	close_rig();
}

static EGLint last_error;

static void *
swap_on(void *data)
{
	struct rig *rig = data;

	last_error = EGL_SUCCESS;
	assert_true(fake_current(rig->display, rig->surface, rig->context));
	/* Soon all buffers are with the reader, and a swap waits. */
	for (unsigned picture = 1; picture < 10 && last_error == EGL_SUCCESS; picture++) {
		if (!rig_show(rig, picture))
			last_error = fake_error();
	}
	assert_true(fake_current(rig->display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	return NULL;
}

/* Who waits for a buffer isn't at the vendor, and may wait for long. */
static void
test_it_waits_for_nobody_who_waits_for_a_window(void **state)
{
	struct krafla_image image;
	pthread_t swapper;

	open_rig(1);
	assert_true(fake_current(other.rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_int_equal(pthread_create(&swapper, NULL, swap_on, &other.rig), 0);
	rig_take(&other.rig, &image);
	nanosleep(&(struct timespec){.tv_nsec = 100 * KR_NSEC_PER_MSEC}, NULL);
	begin_terminate();
	assert_true(ends_within(5 * KR_NSEC_PER_SEC));
	rig_give_back(&other.rig, &image, -1);
	assert_int_equal(pthread_join(swapper, NULL), 0);
	assert_int_equal(last_error, EGL_BAD_SURFACE);
	close_rig();
}

/* Before the vendor, to which a handle of ours is any address. */
static void
test_handles_of_it_are_refused(void **state)
{
	EGLSurface surface;
	struct rig *rig = &other.rig;
	EGLint value;

	open_rig(1);
	surface = rig->surface;
	begin_terminate();
	assert_true(ends_within(5 * KR_NSEC_PER_SEC));
	assert_false(kr_egl_surface_query(rig->display, surface, EGL_WIDTH, &value));
	assert_int_equal(fake_error(), EGL_NOT_INITIALIZED);
	assert_false(kr_egl_surface_set(rig->display, surface, EGL_MIPMAP_LEVEL, 0));
	assert_int_equal(fake_error(), EGL_NOT_INITIALIZED);
	assert_false(kr_egl_surface_swap(rig->display, surface, NULL, 0));
	assert_int_equal(fake_error(), EGL_NOT_INITIALIZED);
	assert_false(kr_egl_surface_interval(rig->display, 1));
	assert_int_equal(fake_error(), EGL_NOT_INITIALIZED);
	assert_false(kr_egl_surface_destroy(rig->display, surface));
	assert_int_equal(fake_error(), EGL_NOT_INITIALIZED);
	assert_null(kr_egl_surface_create(rig->display, fake_config(FAKE_RGBA), rig->window, NULL));
	assert_int_equal(fake_error(), EGL_NOT_INITIALIZED);
	close_rig();
}

static const struct kr_test tests[] = {
	KR_TEST(test_it_waits_for_a_swap),
	KR_TEST(test_it_waits_for_who_makes_current),
	KR_TEST(test_it_waits_for_nobody_who_waits_for_a_window),
	KR_TEST(test_handles_of_it_are_refused),
};

FAKE_MAIN(tests)
