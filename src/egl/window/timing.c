/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows are given the times of their frames, which Krafla's honour, and are asked what became of
 * them. When a frame was drawn is known here alone: the copy's own fence says it to nobody else.
 */
#include "egl/window/timing.h"

#include <errno.h>

#include "util/clock.h"
#include "util/macros.h"
#include "window/window.h"

int
kr_egl_timing_tell_window(const struct kr_egl_timing *timing, ANativeWindow *window)
{
	const struct kr_presentation presentation = {
		.mode = timing->interval ? KR_PRESENT_FIFO : KR_PRESENT_MAILBOX,
		.tell_shown = timing->enabled,
	};

	/* Whoever can't is asked for no such time. */
	(void)window->perform(window, NATIVE_WINDOW_ENABLE_FRAME_TIMESTAMPS, (int)timing->enabled);
	return window->perform(window, KR_WINDOW_SET_PRESENTATION, &presentation);
}

struct kr_egl_frame_times *
kr_egl_timing_begin(struct kr_egl_timing *timing, ANativeWindow *window)
{
	int64_t now = kr_clock_now();
	struct kr_egl_frame_times *frame;
	uint64_t number = 0;

	/* A window of others that refuses it shows the frame as soon as it can. */
	if (timing->wanted_ns > 0)
		(void)window->perform(
			window, NATIVE_WINDOW_SET_BUFFERS_TIMESTAMP, timing->wanted_ns);
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

/* What tells it, of a far end. */
static int
event_of(EGLint name)
{
	switch (name) {
	case EGL_COMPOSITION_LATCH_TIME_ANDROID:
		return KR_EVENT_LATCH;
	case EGL_FIRST_COMPOSITION_START_TIME_ANDROID:
		return KR_EVENT_FIRST_COMPOSITION;
	case EGL_LAST_COMPOSITION_START_TIME_ANDROID:
		return KR_EVENT_LAST_COMPOSITION;
	case EGL_FIRST_COMPOSITION_GPU_FINISHED_TIME_ANDROID:
		return KR_EVENT_GPU_DONE;
	case EGL_DISPLAY_PRESENT_TIME_ANDROID:
		return KR_EVENT_SHOWN;
	default:
		return -1;
	}
}

bool
kr_egl_timing_has(ANativeWindow *window, EGLint name)
{
	struct kr_window_timing known = {0};
	/* Windows of others don't know the question. */
	bool ours = !window->perform(window, KR_WINDOW_GET_TIMING, &known);
	const struct kr_timing *timing = &known.timing;

	switch (name) {
	case EGL_REQUESTED_PRESENT_TIME_ANDROID:
	case EGL_RENDERING_COMPLETE_TIME_ANDROID:
		return true;
	case EGL_DEQUEUE_READY_TIME_ANDROID:
	case EGL_READS_DONE_TIME_ANDROID:
		return ours;
	case EGL_COMPOSITE_INTERVAL_ANDROID:
		return !window->perform(
			window, NATIVE_WINDOW_GET_REFRESH_CYCLE_DURATION, &known.refresh_ns);
	/* Of a virtual clock nobody knows what time it is. */
	case EGL_COMPOSITE_DEADLINE_ANDROID:
		return known.refresh_ns && timing->phase_ns && !timing->virtual_clock;
	case EGL_COMPOSITE_TO_PRESENT_LATENCY_ANDROID:
		return known.refresh_ns && (timing->phase_ns || timing->latency_ns);
	default:
		return event_of(name) >= 0 && timing->events >> event_of(name) & 1;
	}
}

int
kr_egl_timing_of_compositor(ANativeWindow *window, EGLint name, int64_t *value)
{
	int64_t deadline, interval, latency;
	int err;

	if (name == EGL_COMPOSITE_INTERVAL_ANDROID)
		return window->perform(window, NATIVE_WINDOW_GET_REFRESH_CYCLE_DURATION, value);
	err = window->perform(
		window, NATIVE_WINDOW_GET_COMPOSITOR_TIMING, &deadline, &interval, &latency);
	if (!err)
		*value = name == EGL_COMPOSITE_DEADLINE_ANDROID ? deadline : latency;
	return err;
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

int64_t
kr_egl_timing_value(const struct kr_egl_times *times, ANativeWindow *window, EGLint name)
{
	struct kr_frame_times known;

	if (name == EGL_REQUESTED_PRESENT_TIME_ANDROID)
		return times->requested_ns;
	if (name == EGL_RENDERING_COMPLETE_TIME_ANDROID)
		return times->drawn_ns;
	if (window->perform(window, KR_WINDOW_FRAME_TIMES, times->number, &known))
		return EGL_TIMESTAMP_INVALID_ANDROID;
	if (name == EGL_DEQUEUE_READY_TIME_ANDROID)
		return known.dequeue_ready_ns;
	if (name == EGL_READS_DONE_TIME_ANDROID)
		return known.released_ns;
	/* What has failed may be told as shown, too: nobody waits for it any more. */
	if (name == EGL_DISPLAY_PRESENT_TIME_ANDROID &&
		times->drawn_ns == EGL_TIMESTAMP_INVALID_ANDROID)
		return times->drawn_ns;
	return known.time_ns[event_of(name)];
}

_Static_assert(EGL_TIMESTAMP_PENDING_ANDROID == KR_TIME_PENDING, "pending");
_Static_assert(EGL_TIMESTAMP_INVALID_ANDROID == KR_TIME_INVALID, "invalid");
