/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window that holds frames back itself is given their times. Krafla's don't: there the frame's
 * fence signals no earlier than the time, and no far end shows a frame before that. As in Android
 * times of more than a second ahead are none.
 */
#include "egl/window/timing.h"

#include <errno.h>

#include "util/clock.h"
#include "util/macros.h"
#include "window/window.h"

#define FARTHEST_NS KR_NSEC_PER_SEC

int
kr_egl_timing_tell_window(const struct kr_egl_timing *timing, ANativeWindow *window)
{
	const struct kr_presentation presentation = {
		.mode = timing->interval ? KR_PRESENT_FIFO : KR_PRESENT_MAILBOX,
		.tell_shown = timing->enabled,
	};

	return window->perform(window, KR_WINDOW_SET_PRESENTATION, &presentation);
}

/* When the frame is to be shown, if we are to see to it. */
static int64_t
hold_back(const struct kr_egl_timing *timing, ANativeWindow *window, int64_t now)
{
	if (timing->wanted_ns <= 0)
		return 0;
	if (!window->perform(window, NATIVE_WINDOW_SET_BUFFERS_TIMESTAMP, timing->wanted_ns))
		return 0;
	/* Whoever reads the frames may want to know, also of times that are none here. */
	(void)window->perform(window, KR_WINDOW_CARRY_TIME, timing->wanted_ns);
	return timing->wanted_ns > now && timing->wanted_ns - now <= FARTHEST_NS ? timing->wanted_ns
										 : 0;
}

struct kr_egl_frame_times *
kr_egl_timing_begin(struct kr_egl_timing *timing, ANativeWindow *window, int64_t *not_before_ns)
{
	int64_t now = kr_clock_now();
	struct kr_egl_frame_times *frame;
	uint64_t number = 0;

	*not_before_ns = hold_back(timing, window, now);
	if (window->perform(window, NATIVE_WINDOW_GET_NEXT_FRAME_ID, &number) || !number)
		return NULL;
	frame = &timing->frames[number % KR_EGL_TIMING_FRAMES];
	frame->number = number;
	frame->requested_ns = timing->wanted_ns > 0 ? timing->wanted_ns : now;
	atomic_store_explicit(
		&frame->drawn_ns, EGL_TIMESTAMP_PENDING_ANDROID, memory_order_relaxed);
	return frame;
}

void
kr_egl_timing_cancel(const struct kr_egl_timing *timing, ANativeWindow *window)
{
	if (timing->wanted_ns > 0)
		(void)window->perform(window, NATIVE_WINDOW_SET_BUFFERS_TIMESTAMP,
			(int64_t)NATIVE_WINDOW_TIMESTAMP_AUTO);
}

void
kr_egl_timing_end(struct kr_egl_timing *timing, ANativeWindow *window)
{
	kr_egl_timing_cancel(timing, window);
	timing->wanted_ns = 0;
}

bool
kr_egl_timing_has(ANativeWindow *window, EGLint name)
{
	struct kr_abilities abilities;
	int64_t refresh_ns;

	switch (name) {
	case EGL_REQUESTED_PRESENT_TIME_ANDROID:
	case EGL_RENDERING_COMPLETE_TIME_ANDROID:
		return true;
	case EGL_DISPLAY_PRESENT_TIME_ANDROID:
		return !window->perform(window, KR_WINDOW_GET_ABILITIES, &abilities) &&
			abilities.tells_shown;
	/* Windows of others don't know the question. */
	case EGL_DEQUEUE_READY_TIME_ANDROID:
		return !window->perform(window, KR_WINDOW_GET_ABILITIES, &abilities);
	case EGL_COMPOSITE_INTERVAL_ANDROID:
		return !window->perform(
			window, NATIVE_WINDOW_GET_REFRESH_CYCLE_DURATION, &refresh_ns);
	default:
		return false;
	}
}

bool
kr_egl_timing_find(const struct kr_egl_timing *timing, uint64_t number, struct kr_egl_times *times)
{
	const struct kr_egl_frame_times *frame = &timing->frames[number % KR_EGL_TIMING_FRAMES];

	if (!number || frame->number != number)
		return false;
	*times = (struct kr_egl_times){
		.number = number,
		.requested_ns = frame->requested_ns,
		.drawn_ns = atomic_load_explicit(&frame->drawn_ns, memory_order_relaxed),
	};
	return true;
}

static int64_t
ready_time(const struct kr_egl_times *times, ANativeWindow *window)
{
	int64_t time_ns = EGL_TIMESTAMP_INVALID_ANDROID;
	int err = window->perform(window, KR_WINDOW_CAME_BACK_TIME, times->number, &time_ns);

	if (err)
		return err == -EAGAIN ? EGL_TIMESTAMP_PENDING_ANDROID
				      : EGL_TIMESTAMP_INVALID_ANDROID;
	return time_ns;
}

static int64_t
shown_time(const struct kr_egl_times *times, ANativeWindow *window)
{
	int64_t time_ns = EGL_TIMESTAMP_INVALID_ANDROID;
	int err;

	/* What has failed is told as shown, too: nobody waits for it any more. */
	if (times->drawn_ns == EGL_TIMESTAMP_INVALID_ANDROID)
		return times->drawn_ns;
	err = window->perform(window, KR_WINDOW_SHOWN_TIME, times->number, &time_ns);
	if (err)
		return err == -EAGAIN ? EGL_TIMESTAMP_PENDING_ANDROID
				      : EGL_TIMESTAMP_INVALID_ANDROID;
	return time_ns;
}

int64_t
kr_egl_timing_value(const struct kr_egl_times *times, ANativeWindow *window, EGLint name)
{
	switch (name) {
	case EGL_REQUESTED_PRESENT_TIME_ANDROID:
		return times->requested_ns;
	case EGL_RENDERING_COMPLETE_TIME_ANDROID:
		return times->drawn_ns;
	case EGL_DEQUEUE_READY_TIME_ANDROID:
		return ready_time(times, window);
	default:
		return shown_time(times, window);
	}
}
