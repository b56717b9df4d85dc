/* SPDX-License-Identifier: Apache-2.0 */
/* EGL_ANDROID_presentation_time, EGL_ANDROID_get_frame_timestamps. */
#include "rig.h"

#include <string.h>

#include "sync/fence/fence.h"
#include "util/clock.h"

#define DRAWN     EGL_RENDERING_COMPLETE_TIME_ANDROID
#define REQUESTED EGL_REQUESTED_PRESENT_TIME_ANDROID
#define SHOWN     EGL_DISPLAY_PRESENT_TIME_ANDROID
#define READY     EGL_DEQUEUE_READY_TIME_ANDROID
#define READ      EGL_READS_DONE_TIME_ANDROID
#define LATCHED   EGL_COMPOSITION_LATCH_TIME_ANDROID

static struct {
	PFNEGLPRESENTATIONTIMEANDROIDPROC present_at;
	PFNEGLGETNEXTFRAMEIDANDROIDPROC next;
	PFNEGLGETFRAMETIMESTAMPSANDROIDPROC times;
	PFNEGLGETFRAMETIMESTAMPSUPPORTEDANDROIDPROC has_time;
	PFNEGLGETCOMPOSITORTIMINGANDROIDPROC timing;
	PFNEGLGETCOMPOSITORTIMINGSUPPORTEDANDROIDPROC has_timing;
} call;

static void *
find(const char *name)
{
	void *function = kr_egl_windows_function(name);

	assert_non_null(function);
	return function;
}

static void
timing_open(struct rig *rig, bool enabled)
{
	call.present_at = (PFNEGLPRESENTATIONTIMEANDROIDPROC)find("eglPresentationTimeANDROID");
	call.next = (PFNEGLGETNEXTFRAMEIDANDROIDPROC)find("eglGetNextFrameIdANDROID");
	call.times = (PFNEGLGETFRAMETIMESTAMPSANDROIDPROC)find("eglGetFrameTimestampsANDROID");
	call.has_time = (PFNEGLGETFRAMETIMESTAMPSUPPORTEDANDROIDPROC)find(
		"eglGetFrameTimestampSupportedANDROID");
	call.timing = (PFNEGLGETCOMPOSITORTIMINGANDROIDPROC)find("eglGetCompositorTimingANDROID");
	call.has_timing = (PFNEGLGETCOMPOSITORTIMINGSUPPORTEDANDROIDPROC)find(
		"eglGetCompositorTimingSupportedANDROID");
	assert_null(kr_egl_windows_function("eglSwapBuffers"));
	rig_open(rig, FAKE_RGBA, 1);
	if (enabled)
		assert_true(kr_egl_surface_set(
			rig->display, rig->surface, EGL_TIMESTAMPS_ANDROID, EGL_TRUE));
	assert_int_equal(rig_query(rig, EGL_TIMESTAMPS_ANDROID), enabled);
}

static EGLuint64KHR
next_frame(struct rig *rig)
{
	EGLuint64KHR id = 0;

	assert_true(call.next(rig->display->handle, rig->surface, &id));
	return id;
}

static EGLnsecsANDROID
time_of(struct rig *rig, EGLuint64KHR frame, EGLint name)
{
	EGLnsecsANDROID value = -77;

	assert_true(call.times(rig->display->handle, rig->surface, frame, 1, &name, &value));
	assert_int_equal(fake_error(), EGL_SUCCESS);
	return value;
}

static void
test_frames_are_timed(void **state)
{
	struct krafla_image image;
	EGLuint64KHR frame;
	struct rig rig;
	int64_t before;

	timing_open(&rig, true);
	before = kr_clock_now();
	for (unsigned i = 1; i < 4; i++) {
		frame = next_frame(&rig);
		assert_true(rig_show(&rig, i));
		assert_int_equal(next_frame(&rig), frame + 1);
		assert_int_equal(time_of(&rig, frame, SHOWN), EGL_TIMESTAMP_PENDING_ANDROID);
		rig_take(&rig, &image);
		rig_expect(&rig, &image, i);
		assert_true(time_of(&rig, frame, REQUESTED) >= before);
		assert_true(time_of(&rig, frame, DRAWN) >= time_of(&rig, frame, REQUESTED));
		assert_true(time_of(&rig, frame, SHOWN) >= time_of(&rig, frame, REQUESTED));
		assert_true(time_of(&rig, frame, SHOWN) <= kr_clock_now());
		assert_int_equal(time_of(&rig, frame, LATCHED), time_of(&rig, frame, SHOWN));
		assert_int_equal(time_of(&rig, frame, READY), EGL_TIMESTAMP_PENDING_ANDROID);
		assert_int_equal(time_of(&rig, frame, READ), EGL_TIMESTAMP_PENDING_ANDROID);
		before = kr_clock_now();
		rig_give_back(&rig, &image, -1);
		assert_true(time_of(&rig, frame, READY) >= before);
		assert_true(time_of(&rig, frame, READY) <= kr_clock_now());
		before = kr_clock_now();
	}
	rig_close(&rig);
}

/* It has been read when its fence says so. */
static void
test_reads_are_done(void **state)
{
	struct krafla_image image;
	EGLuint64KHR frame;
	int producer, fence;
	struct rig rig;
	int64_t before;

	timing_open(&rig, true);
	frame = next_frame(&rig);
	assert_true(rig_show(&rig, 1));
	rig_take(&rig, &image);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	rig_give_back(&rig, &image, fence);
	assert_true(time_of(&rig, frame, READY) > 0);
	assert_int_equal(time_of(&rig, frame, READ), EGL_TIMESTAMP_PENDING_ANDROID);
	before = kr_clock_now();
	kr_fence_signal(producer, 1);
	assert_true(time_of(&rig, frame, READ) >= before);
	assert_true(time_of(&rig, frame, READ) <= kr_clock_now());
	rig_close(&rig);
}

/* The next swap doesn't wait until this one may be shown, nor does its fence. */
static void
test_a_time_keeps_nobody(void **state)
{
	int64_t start = kr_clock_now();
	EGLuint64KHR frame;
	struct rig rig;

	timing_open(&rig, true);
	frame = next_frame(&rig);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(call.present_at(
			rig.display->handle, rig.surface, start + 900 * KR_NSEC_PER_MSEC));
		assert_true(rig_show(&rig, i));
	}
	while (time_of(&rig, frame + 1, DRAWN) == EGL_TIMESTAMP_PENDING_ANDROID)
		assert_true(kr_clock_now() < start + 900 * KR_NSEC_PER_MSEC);
	assert_true(kr_clock_now() < start + 900 * KR_NSEC_PER_MSEC);
	rig_close(&rig);
	assert_true(kr_clock_now() < start + 900 * KR_NSEC_PER_MSEC);
}

static void
test_what_is_not_drawn_is_pending(void **state)
{
	struct krafla_image image;
	EGLuint64KHR frame;
	struct rig rig;

	fake.hold = true;
	timing_open(&rig, true);
	frame = next_frame(&rig);
	assert_true(rig_show(&rig, 1));
	assert_int_equal(time_of(&rig, frame, DRAWN), EGL_TIMESTAMP_PENDING_ANDROID);
	rig_take(&rig, &image);
	fake_let_go();
	rig_expect(&rig, &image, 1);
	assert_true(time_of(&rig, frame, DRAWN) > 0);
	rig_give_back(&rig, &image, -1);
	rig_close(&rig);
}

static void
test_frames_are_forgotten(void **state)
{
	const EGLint name = DRAWN;
	EGLnsecsANDROID value = 5;
	EGLuint64KHR first;
	struct rig rig;

	timing_open(&rig, true);
	first = next_frame(&rig);
	assert_false(call.times(rig.display->handle, rig.surface, first, 1, &name, &value));
	assert_int_equal(fake_error(), EGL_BAD_ACCESS);
	for (unsigned i = 0; i < 17; i++) {
		assert_true(rig_show(&rig, i));
		rig_see(&rig, i);
	}
	assert_false(call.times(rig.display->handle, rig.surface, first, 1, &name, &value));
	assert_int_equal(fake_error(), EGL_BAD_ACCESS);
	assert_int_equal(value, 5);
	assert_true(time_of(&rig, first + 1, DRAWN) > 0);
	rig_close(&rig);
}

static void
test_what_is_known(void **state)
{
	static const EGLint unknown[] = {EGL_FIRST_COMPOSITION_START_TIME_ANDROID,
		EGL_LAST_COMPOSITION_START_TIME_ANDROID,
		EGL_FIRST_COMPOSITION_GPU_FINISHED_TIME_ANDROID, EGL_COMPOSITE_INTERVAL_ANDROID, 7};
	EGLDisplay display;
	EGLnsecsANDROID values[2] = {5, 5};
	EGLuint64KHR frame;
	struct rig rig;

	timing_open(&rig, true);
	display = rig.display->handle;
	frame = next_frame(&rig);
	assert_true(rig_show(&rig, 1));
	rig_see(&rig, 1);
	assert_true(call.has_time(display, rig.surface, DRAWN));
	assert_true(call.has_time(display, rig.surface, REQUESTED));
	assert_true(call.has_time(display, rig.surface, SHOWN));
	assert_true(call.has_time(display, rig.surface, READY));
	assert_true(call.has_time(display, rig.surface, LATCHED));
	assert_true(call.has_time(display, rig.surface, READ));
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		const EGLint names[] = {DRAWN, unknown[i]};

		assert_false(call.has_time(display, rig.surface, unknown[i]));
		assert_int_equal(fake_error(), EGL_SUCCESS);
		assert_false(call.times(display, rig.surface, frame, 2, names, values));
		assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	}
	assert_int_equal(values[0], 5);
	/* The reader has no clock. */
	for (EGLint name = EGL_COMPOSITE_DEADLINE_ANDROID;
		name <= EGL_COMPOSITE_TO_PRESENT_LATENCY_ANDROID; name++) {
		assert_false(call.has_timing(display, rig.surface, name));
		assert_false(call.timing(display, rig.surface, 1, &name, values));
		assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	}
	rig_close(&rig);
}

static void
test_errors(void **state)
{
	const EGLint name = DRAWN;
	EGLnsecsANDROID value;
	EGLuint64KHR frame;
	EGLDisplay display;
	struct rig rig;

	timing_open(&rig, false);
	display = rig.display->handle;
	frame = next_frame(&rig);
	assert_true(rig_show(&rig, 1));
	rig_see(&rig, 1);
	assert_false(call.times(display, rig.surface, frame, 1, &name, &value));
	assert_int_equal(fake_error(), EGL_BAD_SURFACE);
	assert_false(call.times(display, rig.surface, frame, -1, &name, &value));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	assert_false(call.times(display, rig.surface, frame, 1, NULL, &value));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	assert_false(call.times(display, display, frame, 1, &name, &value));
	assert_int_equal(fake_error(), EGL_BAD_SURFACE);
	assert_false(call.present_at(&rig, rig.surface, 1));
	assert_int_equal(fake_error(), EGL_BAD_DISPLAY);
	assert_false(call.next(display, rig.surface, NULL));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	assert_false(kr_egl_surface_set(rig.display, rig.surface, EGL_TIMESTAMPS_ANDROID, 2));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	rig_close(&rig);
}

/* Nobody shows the frame before its time; the one behind it has none. */
static void
test_a_time_is_kept(void **state)
{
	struct krafla_image image;
	EGLuint64KHR frame;
	struct rig rig;
	int64_t at;

	timing_open(&rig, true);
	frame = next_frame(&rig);
	at = kr_clock_now() + 150 * KR_NSEC_PER_MSEC;
	assert_true(call.present_at(rig.display->handle, rig.surface, at));
	assert_true(rig_show(&rig, 1));
	rig_take(&rig, &image);
	rig_expect(&rig, &image, 1);
	assert_true(kr_clock_now() >= at);
	assert_int_equal(image.timestamp_ns, at);
	rig_give_back(&rig, &image, -1);
	assert_int_equal(time_of(&rig, frame, REQUESTED), at);
	assert_true(rig_show(&rig, 2));
	assert_int_not_equal(time_of(&rig, frame + 1, REQUESTED), at);
	rig_take(&rig, &image);
	assert_true(image.timestamp_ns != at && image.timestamp_ns <= kr_clock_now());
	rig_expect(&rig, &image, 2);
	rig_give_back(&rig, &image, -1);
	/* Further away than a second: none, but for who reads it. */
	at = kr_clock_now() + 60 * KR_NSEC_PER_SEC;
	assert_true(call.present_at(rig.display->handle, rig.surface, at));
	assert_true(rig_show(&rig, 3));
	rig_take(&rig, &image);
	assert_int_equal(image.timestamp_ns, at);
	rig_expect(&rig, &image, 3);
	rig_give_back(&rig, &image, -1);
	rig_close(&rig);
}

/* A time that is taken back after its frame has come to nothing isn't the next one's. */
static void
test_a_time_is_taken_back(void **state)
{
	struct krafla_image image;
	struct rig rig;
	int64_t at;

	timing_open(&rig, true);
	at = kr_clock_now() - KR_NSEC_PER_SEC;
	assert_true(call.present_at(rig.display->handle, rig.surface, at));
	fake.fail_current = 1;
	assert_false(rig_show(&rig, 1));
	assert_true(call.present_at(rig.display->handle, rig.surface, 0));
	assert_true(rig_show(&rig, 2));
	rig_take(&rig, &image);
	assert_true(image.timestamp_ns > at);
	rig_expect(&rig, &image, 2);
	rig_give_back(&rig, &image, -1);
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(test_frames_are_timed),
	KR_TEST(test_reads_are_done),
	KR_TEST(test_a_time_keeps_nobody),
	KR_TEST(test_what_is_not_drawn_is_pending),
	KR_TEST(test_frames_are_forgotten),
	KR_TEST(test_what_is_known),
	KR_TEST(test_errors),
	KR_TEST(test_a_time_is_kept),
	KR_TEST(test_a_time_is_taken_back),
};
FAKE_MAIN(tests)
