/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows that don't do what they should: the swap answers an error, every buffer and fence goes
 * back, and the next swap is as good as the window then is.
 */
#include "odd.h"
#include "rig.h"

#include <errno.h>

#include "egl/vendor/report.h"
#include "sync/fence/fence.h"
#include "util/clock.h"

#define RGBA AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM

struct odd_rig {
	struct rig rig;
	struct odd_window odd;
};

static void
odd_open(struct odd_rig *o)
{
	struct rig *rig = &o->rig;

	rig_open(rig, FAKE_RGBA, 1);
	assert_true(fake_current(rig->display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_true(kr_egl_surface_destroy(rig->display, rig->surface));
	odd_window_init(&o->odd, rig->window);
	rig->surface =
		kr_egl_surface_create(rig->display, fake_config(FAKE_RGBA), &o->odd.base, NULL);
	assert_non_null(rig->surface);
	assert_int_equal(o->odd.refs, 1);
	assert_true(fake_current(rig->display, rig->surface, rig->context));
	assert_true(rig_show(rig, 1));
	rig_see(rig, 1);
}

static void
odd_close(struct odd_rig *o)
{
	rig_close(&o->rig);
	assert_int_equal(o->odd.refs, 0);
	assert_int_equal(o->odd.dequeued, o->odd.queued + o->odd.cancelled);
}

static void
expect_failure(struct odd_rig *o, EGLint error)
{
	EGLint width = rig_query(&o->rig, EGL_WIDTH);

	assert_false(rig_show(&o->rig, 7));
	assert_int_equal(fake_error(), error);
	assert_int_equal(fake_painted(), 7);
	assert_int_equal(rig_query(&o->rig, EGL_WIDTH), width);
}

static void
expect_success(struct odd_rig *o, unsigned picture)
{
	assert_true(rig_show(&o->rig, picture));
	rig_see(&o->rig, picture);
}

static void
test_no_buffer(void **state)
{
	static const struct {
		int err;
		EGLint error;
	} answers[] = {{-ETIMEDOUT, EGL_BAD_ALLOC}, {-ENOMEM, EGL_BAD_ALLOC},
		{-EMFILE, EGL_BAD_ALLOC}, {-EOPNOTSUPP, EGL_BAD_MATCH},
		{-ENODEV, EGL_BAD_NATIVE_WINDOW}, {-EINVAL, EGL_BAD_NATIVE_WINDOW}};
	struct odd_rig o;

	odd_open(&o);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		o.odd.dequeue_err = answers[i].err;
		fake.told_flushes = 0;
		expect_failure(&o, answers[i].error);
		assert_int_equal(fake.told_flushes, 1);
		o.odd.dequeue_err = 0;
		expect_success(&o, (unsigned)i + 2);
	}
	odd_close(&o);
}

/* The far end keeps all there are. The program has said how long it waits for one. */
static void
test_buffers_that_never_come_back(void **state)
{
	struct krafla_image image;
	struct rig rig;
	int64_t before;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_int_equal(ANativeWindow_setDequeueTimeout(rig.window, 100 * KR_NSEC_PER_MSEC), 0);
	assert_true(rig_show(&rig, 1));
	rig_take(&rig, &image);
	assert_true(rig_show(&rig, 2));
	assert_true(rig_show(&rig, 3));
	before = kr_clock_now();
	assert_false(rig_show(&rig, 4));
	assert_int_equal(fake_error(), EGL_BAD_ALLOC);
	assert_true(kr_clock_now() - before < 5 * KR_NSEC_PER_SEC);
	rig_expect(&rig, &image, 1);
	rig_give_back(&rig, &image, -1);
	assert_true(rig_show(&rig, 5));
	rig_see(&rig, 2);
	rig_see(&rig, 3);
	rig_see(&rig, 5);
	rig_close(&rig);
}

static void
test_buffers_of_other_kinds(void **state)
{
	struct odd_rig o;

	odd_open(&o);
	o.odd.width = 10;
	o.odd.height = 10;
	expect_failure(&o, EGL_BAD_NATIVE_WINDOW);
	o.odd.width = 0;
	expect_success(&o, 2);
	assert_int_equal(o.odd.cancelled, 1);
	o.odd.format = AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM;
	expect_failure(&o, EGL_BAD_NATIVE_WINDOW);
	o.odd.format = 0;
	expect_success(&o, 3);
	o.odd.foreign = true;
	expect_failure(&o, EGL_BAD_NATIVE_WINDOW);
	assert_int_equal(o.odd.cancelled, 3);
	odd_close(&o);
}

/* The frame is lost, and no more than that. */
static void
test_a_frame_that_is_not_taken(void **state)
{
	struct odd_rig o;

	odd_open(&o);
	o.odd.queue_err = -EINVAL;
	for (unsigned i = 0; i < 5; i++) {
		assert_false(rig_show(&o.rig, 2));
		assert_int_equal(fake_error(), EGL_BAD_NATIVE_WINDOW);
		o.odd.cancelled++;
	}
	o.odd.queue_err = 0;
	expect_success(&o, 3);
	odd_close(&o);
}

static void
test_a_vendor_that_fails(void **state)
{
	struct odd_rig o;

	odd_open(&o);
	fake.fail_current = 1;
	expect_failure(&o, EGL_BAD_ACCESS);
	expect_success(&o, 2);
	assert_int_equal(ANativeWindow_setBuffersGeometry(o.rig.window, 20, 20, (int32_t)RGBA), 0);
	fake.fail_pbuffer = 1;
	expect_failure(&o, EGL_BAD_ALLOC);
	expect_success(&o, 3);
	assert_int_equal(rig_query(&o.rig, EGL_WIDTH), 20);
	odd_close(&o);
}

/* A window in whose way something is when it is made. */
static void
test_windows_that_refuse(void **state)
{
	static const int operations[] = {NATIVE_WINDOW_SET_USAGE64,
		NATIVE_WINDOW_SET_BUFFERS_FORMAT, NATIVE_WINDOW_SET_BUFFERS_DATASPACE,
		NATIVE_WINDOW_SET_BUFFER_COUNT};
	struct odd_rig o;

	odd_open(&o);
	assert_true(fake_current(o.rig.display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_true(kr_egl_surface_destroy(o.rig.display, o.rig.surface));
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		o.odd.refused = operations[i];
		assert_null(kr_egl_surface_create(
			o.rig.display, fake_config(FAKE_RGBA), &o.odd.base, NULL));
		assert_int_equal(fake_error(), EGL_BAD_NATIVE_WINDOW);
		assert_int_equal(o.odd.refs, 0);
	}
	o.odd.refused = 0;
	o.odd.mute = true;
	assert_null(
		kr_egl_surface_create(o.rig.display, fake_config(FAKE_RGBA), &o.odd.base, NULL));
	assert_int_equal(fake_error(), EGL_BAD_NATIVE_WINDOW);
	o.odd.mute = false;
	o.rig.surface =
		kr_egl_surface_create(o.rig.display, fake_config(FAKE_RGBA), &o.odd.base, NULL);
	assert_non_null(o.rig.surface);
	odd_close(&o);
}

/* What nobody sees isn't copied; it has a fence all the same. */
static void
test_frames_that_nobody_wants(void **state)
{
	uint64_t before[KR_EGL_COUNTS];
	struct odd_rig o;

	odd_open(&o);
	assert_string_equal(o.odd.device, "fake renderer");
	for (int what = 0; what < KR_EGL_COUNTS; what++)
		before[what] = kr_egl_counted((enum kr_egl_counter)what);
	o.odd.unseen = true;
	for (unsigned i = 0; i < 4; i++) {
		struct krafla_image image;

		assert_true(rig_show(&o.rig, 2));
		rig_take(&o.rig, &image);
		assert_true(image.acquire_fence >= 0);
		rig_give_back(&o.rig, &image, -1);
	}
	assert_int_equal(o.odd.without_pixels, 4);
	o.odd.unseen = false;
	expect_success(&o, 3);
	assert_int_equal(kr_egl_counted(KR_EGL_FRAMES) - before[KR_EGL_FRAMES], 5);
	assert_int_equal(kr_egl_counted(KR_EGL_COPIES) - before[KR_EGL_COPIES], 1);
	assert_int_equal(
		kr_egl_counted(KR_EGL_COPIED_BYTES) - before[KR_EGL_COPIED_BYTES], 40 * 30 * 4);
	odd_close(&o);
}

/* Without descriptors for a fence the swap waits for its pixels. */
static void
test_no_descriptors(void **state)
{
	struct krafla_image image;
	struct odd_rig o;

	odd_open(&o);
	kr_test_limit_fds(0);
	assert_true(rig_show(&o.rig, 2));
	kr_test_end_fd_limit();
	rig_take(&o.rig, &image);
	assert_int_equal(image.acquire_fence, -1);
	rig_expect(&o.rig, &image, 2);
	rig_give_back(&o.rig, &image, -1);
	expect_success(&o, 3);
	odd_close(&o);
}

/* The driver doesn't get to its end: the frame fails, and the next swap says so. */
static void
test_drawing_that_never_ends(void **state)
{
	struct krafla_image image;
	struct odd_rig o;

	odd_open(&o);
	fake.hold = true;
	assert_true(rig_show(&o.rig, 2));
	rig_take(&o.rig, &image);
	assert_false(rig_show(&o.rig, 3));
	assert_int_equal(fake_error(), EGL_CONTEXT_LOST);
	assert_int_equal(kr_fence_status(image.acquire_fence), -EIO);
	rig_give_back(&o.rig, &image, -1);
	fake_let_go();
	expect_success(&o, 4);
	odd_close(&o);
}

static const struct kr_test tests[] = {
	KR_TEST(test_no_buffer),
	KR_TEST(test_buffers_that_never_come_back),
	KR_TEST(test_buffers_of_other_kinds),
	KR_TEST(test_a_frame_that_is_not_taken),
	KR_TEST(test_a_vendor_that_fails),
	KR_TEST(test_windows_that_refuse),
	KR_TEST(test_frames_that_nobody_wants),
	KR_TEST(test_no_descriptors),
	KR_TEST(test_drawing_that_never_ends),
};
FAKE_MAIN(tests)
