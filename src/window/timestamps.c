/* SPDX-License-Identifier: Apache-2.0 */
/* perform() of what is asked about frames' times: Android's rules over what the queue knows. */
#include <errno.h>

#include "util/clock.h"
#include "window/state.h"

static int
enable(struct kr_window *window, bool on)
{
	kr_mutex_lock(&window->lock);
	window->state.tells_times = on;
	kr_mutex_unlock(&window->lock);
	return 0;
}

static bool
is_enabled(struct kr_window *window)
{
	bool on;

	kr_mutex_lock(&window->lock);
	on = window->state.tells_times;
	kr_mutex_unlock(&window->lock);
	return on;
}

static void
put(int64_t *at, int64_t value)
{
	if (at)
		*at = value;
}

/* The next time that a frame can be latched for. Of a virtual clock nobody here knows the time. */
static int64_t
next_deadline(const struct kr_timing *timing, int64_t interval)
{
	int64_t now = kr_clock_now();
	int64_t phase;

	if (timing->virtual_clock || !timing->phase_ns)
		return KR_TIME_INVALID;
	phase = (timing->phase_ns - timing->latency_ns) % interval;
	return now - (now - phase) % interval + interval;
}

static int
compositor_timing(struct kr_window *window, va_list args)
{
	int64_t *deadline = va_arg(args, int64_t *);
	int64_t *interval = va_arg(args, int64_t *);
	int64_t *latency = va_arg(args, int64_t *);
	struct kr_queue_config config;

	if (!is_enabled(window))
		return -ENOSYS;
	/* It may have said something else by now. */
	(void)kr_queue_alive(window->queue);
	kr_queue_get_config(window->queue, &config);
	if (!config.refresh_ns)
		return -ENOSYS;
	put(deadline, next_deadline(&config.timing, config.refresh_ns));
	put(interval, config.refresh_ns);
	put(latency,
		config.timing.phase_ns || config.timing.latency_ns ? config.timing.latency_ns
								   : KR_TIME_INVALID);
	return 0;
}

/* A composition that ended no later than what it was made of is none of a GPU's. */
static int64_t
gpu_done(const struct kr_frame_times *times)
{
	int64_t done = times->time_ns[KR_EVENT_GPU_DONE];
	int64_t before =
		KR_MAX(times->time_ns[KR_EVENT_READY], times->time_ns[KR_EVENT_FIRST_COMPOSITION]);

	return done >= 0 && done <= before ? 0 : done;
}

/* What a later frame has to come for. */
static int64_t
of_passed(int64_t time_ns, bool is_last)
{
	return is_last ? KR_TIME_PENDING : time_ns;
}

/* Android's nine, in its order. */
enum {
	REQUESTED,
	ACQUIRE,
	LATCH,
	FIRST_REFRESH,
	LAST_REFRESH,
	GPU_DONE,
	PRESENT,
	DEQUEUE_READY,
	RELEASE,
	COUNT,
};

static int
frame_timestamps(struct kr_window *window, va_list args)
{
	uint64_t number = va_arg(args, uint64_t);
	struct kr_queue_config config;
	struct kr_frame_times times;
	int64_t *out[COUNT];
	bool is_last;
	int err;

	for (unsigned i = 0; i < COUNT; i++)
		out[i] = va_arg(args, int64_t *);
	if (!is_enabled(window))
		return -ENOSYS;
	kr_queue_get_config(window->queue, &config);
	if (out[PRESENT] && !(config.timing.events & 1 << KR_EVENT_SHOWN))
		return -EINVAL;
	err = kr_queue_frame_times(window->queue, number, &times);
	if (err)
		return err;
	is_last = number + 1 == kr_queue_next_frame(window->queue);
	put(out[REQUESTED], times.requested_ns >= 0 ? times.requested_ns : times.queued_ns);
	put(out[ACQUIRE], times.time_ns[KR_EVENT_READY]);
	put(out[LATCH], times.time_ns[KR_EVENT_LATCH]);
	put(out[FIRST_REFRESH], times.time_ns[KR_EVENT_FIRST_COMPOSITION]);
	put(out[LAST_REFRESH], of_passed(times.time_ns[KR_EVENT_LAST_COMPOSITION], is_last));
	put(out[GPU_DONE], gpu_done(&times));
	put(out[PRESENT], times.time_ns[KR_EVENT_SHOWN]);
	put(out[DEQUEUE_READY], of_passed(times.dequeue_ready_ns, is_last));
	put(out[RELEASE], of_passed(times.released_ns, is_last));
	return 0;
}

int
kr_window_perform_times(struct kr_window *window, int operation, va_list args)
{
	switch (operation) {
	case NATIVE_WINDOW_ENABLE_FRAME_TIMESTAMPS:
		return enable(window, va_arg(args, int) != 0);
	case NATIVE_WINDOW_GET_COMPOSITOR_TIMING:
		return compositor_timing(window, args);
	default: /* NATIVE_WINDOW_GET_FRAME_TIMESTAMPS */
		return frame_timestamps(window, args);
	}
}
