/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that ask for a time. How long after it they are shown, by what the window hears, against
 * clock_nanosleep to times halfway between theirs, so that what else the machine does meets both:
 * by a display, and by the queue itself, which holds frames back for who can't, here for
 * nobody. And what a frame costs more that asks for a time and for all that becomes of it, in
 * processor time of the window and the display together, on a virtual clock whose pictures nobody
 * wants.
 */
#include "bench/bench.h"

#include <krafla/hardware_buffer.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "composer/composer.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "window/queue/queue.h"
#include "window/queue/sink.h"
#include "window/remote/remote.h"

#define REFRESH   144000
#define PERIOD_NS (KR_NSEC_PER_SEC * 1000 / REFRESH)
#define LIMIT_NS  (10 * KR_NSEC_PER_SEC)
#define STRIDE    2 /* periods from one to the next, and a sleep between them */
#define MAX_ASKED 4000
#define MAX_RUNS  21

struct pacing {
	struct kr_display *display;
	pthread_t thread;
	char root[32];
	char socket[64];
	struct kr_queue *queue;
	struct kr_timing timing;
	double late_us[MAX_ASKED];
	double slept_us[MAX_ASKED];
	unsigned early; /* shown before their time */
};

static void *
display_main(void *data)
{
	struct pacing *pacing = data;

	(void)kr_display_run(pacing->display);
	return NULL;
}

static int
use_window(struct pacing *pacing)
{
	int err = kr_queue_connect(pacing->queue, NATIVE_WINDOW_API_CPU);

	return err ? err : kr_queue_set_buffer_count(pacing->queue, 4);
}

static int
connect_window(struct pacing *pacing)
{
	struct kr_remote_display info;
	struct kr_queue_config config = {0};
	struct kr_sink *sink;
	int err = kr_sink_remote_connect(
		pacing->socket, "bench", kr_clock_now() + LIMIT_NS, &sink, &info);

	if (err)
		return err;
	config.default_width = info.width;
	config.default_height = info.height;
	config.default_format = info.format;
	config.consumer_usage = info.consumer_usage;
	config.max_acquired = info.max_acquired;
	config.refresh_ns = info.refresh_ns;
	config.abilities = info.abilities;
	config.timing = pacing->timing = info.timing;
	err = kr_queue_create(&config, sink, &pacing->queue);
	return err ? err : use_window(pacing);
}

static int
open_display(struct pacing *pacing, enum kr_display_clock clock)
{
	static const struct kr_display_hooks hooks = {0};
	const struct kr_display_config config = {
		.width = 64,
		.height = 64,
		.size_given = true,
		.refresh_mhz = REFRESH,
		.clock = clock,
		.idle_ns = LIMIT_NS,
		.socket_path = pacing->socket,
	};
	int err;

	*pacing = (struct pacing){.root = "/tmp/krafla-bench.XXXXXX"};
	if (!mkdtemp(pacing->root))
		return -1;
	snprintf(pacing->socket, sizeof(pacing->socket), "%s/display", pacing->root);
	err = kr_display_create(&config, &hooks, pacing, &pacing->display);
	if (!err)
		err = pthread_create(&pacing->thread, NULL, display_main, pacing);
	if (err)
		kr_display_destroy(pacing->display);
	if (err)
		pacing->display = NULL;
	return err ? err : connect_window(pacing);
}

/* Nobody is at the far end, who would honour times. */
static int
open_alone(struct pacing *pacing)
{
	const struct kr_queue_config config = {
		.default_width = 64,
		.default_height = 64,
		.default_format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.max_acquired = 1,
		.refresh_ns = PERIOD_NS,
		.timing = {.events = KR_SINK_NULL_EVENTS, .phase_ns = kr_clock_now()},
	};
	struct kr_sink *sink;
	int err;

	*pacing = (struct pacing){.timing = config.timing};
	err = kr_sink_null_create(&sink);
	if (!err)
		err = kr_queue_create(&config, sink, &pacing->queue);
	return err ? err : use_window(pacing);
}

static void
close_display(struct pacing *pacing)
{
	if (pacing->queue) {
		kr_queue_disconnect(pacing->queue, NATIVE_WINDOW_API_CPU);
		kr_queue_unref(pacing->queue);
	}
	if (pacing->display) {
		kr_display_stop(pacing->display);
		pthread_join(pacing->thread, NULL);
		kr_display_destroy(pacing->display);
	}
	if (pacing->root[0])
		rmdir(pacing->root);
}

static int
queue_frame(
	struct pacing *pacing, const struct kr_frame_target *target, bool tell, uint64_t *number)
{
	const struct kr_queue_request request = {
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_clock_now() + LIMIT_NS,
	};
	const struct kr_queue_input input = {
		.scaling_mode = NATIVE_WINDOW_SCALING_MODE_FREEZE,
		.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
		.presentation = {.tell_events = tell},
		.target = *target,
	};
	struct kr_buffer *buffer;
	uint32_t slot;
	int fence, err = kr_queue_dequeue(pacing->queue, &request, &slot, &buffer, &fence);

	if (err)
		return err;
	(void)kr_fence_wait(fence, kr_clock_now() + LIMIT_NS);
	kr_fd_close(&fence);
	return kr_queue_queue(pacing->queue, slot, &input, -1, number);
}

/* --- late --- */

/* When it was shown; negative: it wasn't, or isn't known. */
static int64_t
wait_for_shown(struct pacing *pacing, uint64_t number)
{
	int64_t until = kr_clock_now() + LIMIT_NS;
	struct kr_frame_times times;

	do {
		if (kr_queue_frame_times(pacing->queue, number, &times))
			return -1;
		if (times.time_ns[KR_EVENT_SHOWN] != KR_TIME_PENDING)
			return times.time_ns[KR_EVENT_SHOWN];
		poll(NULL, 0, 1);
	} while (kr_clock_now() < until);
	return -1;
}

/* A refresh of the display's, so many periods from now. */
static int64_t
refresh_from_now(const struct pacing *pacing, int64_t periods)
{
	int64_t since = kr_clock_now() - pacing->timing.phase_ns;

	return pacing->timing.phase_ns + (since / PERIOD_NS + periods) * PERIOD_NS;
}

static double
sleep_until(int64_t at)
{
	const struct timespec time = {at / KR_NSEC_PER_SEC, at % KR_NSEC_PER_SEC};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL))
		;
	return (double)(kr_clock_now() - at) / 1000;
}

/* A frame for the next such time, then a sleep; each leaves the other alone. */
static int
ask_and_sleep(struct pacing *pacing, int64_t at, unsigned i)
{
	const struct kr_frame_target target = {.kind = KR_TARGET_ABSOLUTE, .time_ns = at};
	uint64_t number;
	int64_t shown;

	if (queue_frame(pacing, &target, true, &number))
		return -1;
	pacing->slept_us[i] = sleep_until(at + STRIDE * PERIOD_NS / 2);
	shown = wait_for_shown(pacing, number);
	pacing->late_us[i] = (double)(shown - at) / 1000;
	pacing->early += shown < at;
	return shown < 0 ? -1 : 0;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
percentile(double *values, unsigned count, unsigned percent)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count * percent / 100 - 1];
}

/* "... after the time that they ask for" */
struct late_rows {
	const char *before;
	const char *most;
	const char *median;
};

static void
report_late(
	struct kr_bench *bench, struct pacing *pacing, unsigned count, const struct late_rows *rows)
{
	double late = percentile(pacing->late_us, count, 99);

	kr_bench_none(bench, rows->before, "frames", pacing->early, count);
	kr_bench_row(bench, rows->most, "us", late, "a thread that sleeps",
		percentile(pacing->slept_us, count, 99), 1.2);
	kr_bench_row(bench, rows->median, "us", percentile(pacing->late_us, count, 50),
		"a thread that sleeps", percentile(pacing->slept_us, count, 50), 0);
}

/* `pacing` was opened, with that result. */
static void
measure_late(struct kr_bench *bench, struct pacing *pacing, int err, const struct late_rows *rows)
{
	unsigned count = bench->quick ? MAX_ASKED / 10 : MAX_ASKED;
	int64_t at = 0;

	for (unsigned i = 0; i < count && !err; i++) {
		/* The last wake-up may have been late, by some periods. */
		at = KR_MAX(at + STRIDE * PERIOD_NS, refresh_from_now(pacing, 1));
		err = ask_and_sleep(pacing, at, i);
	}
	close_display(pacing);
	if (err)
		kr_bench_skip(bench, rows->most, "a display or a window can't be made");
	else
		report_late(bench, pacing, count, rows);
}

static void
measure_late_display(struct kr_bench *bench)
{
	static const struct late_rows rows = {
		"frames before the time that they ask for",
		"frames after the time that they ask for, 99 of 100",
		"frames after the time that they ask for, median",
	};
	static struct pacing pacing;
	int err = open_display(&pacing, KR_CLOCK_REAL);

	measure_late(bench, &pacing, err, &rows);
}

/* The queue's own thread holds the frames back: they are shown when they are handed over. */
static void
measure_late_queue(struct kr_bench *bench)
{
	static const struct late_rows rows = {
		"frames held back by the queue, before their time",
		"frames held back by the queue, after their time, 99 of 100",
		"frames held back by the queue, after their time, median",
	};
	static struct pacing pacing;
	int err = open_alone(&pacing);

	measure_late(bench, &pacing, err, &rows);
}

/* --- cost --- */

/* Of the window and the display, which are both in here. */
static int64_t
processor_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * KR_NSEC_PER_SEC + time.tv_nsec;
}

/* us of a frame. */
static int
run_frames(struct pacing *pacing, bool timed, unsigned count, double *us)
{
	int64_t begun = processor_time();

	for (unsigned i = 0; i < count; i++) {
		const struct kr_frame_target target = {
			.kind = timed ? KR_TARGET_RELATIVE : KR_TARGET_NONE, .time_ns = 1};
		struct kr_frame_times times;
		uint64_t number = 0;
		int err = queue_frame(pacing, &target, timed, &number);

		if (!err && timed && number > 4)
			err = kr_queue_frame_times(pacing->queue, number - 4, &times);
		if (err)
			return err;
	}
	*us = (double)(processor_time() - begun) / 1000 / count;
	return 0;
}

static void
measure_cost(struct kr_bench *bench)
{
	static struct pacing pacing;
	unsigned count = bench->quick ? 400 : 4000;
	double plain[MAX_RUNS], timed[MAX_RUNS], more[MAX_RUNS];
	int err = open_display(&pacing, KR_CLOCK_VIRTUAL);

	for (unsigned i = 0; i < MAX_RUNS && !err; i++) {
		err = run_frames(&pacing, false, count, &plain[i]);
		if (!err)
			err = run_frames(&pacing, true, count, &timed[i]);
		more[i] = timed[i] - plain[i];
	}
	close_display(&pacing);
	if (err) {
		kr_bench_skip(bench, "a frame with timing", "a display or a window can't be made");
		return;
	}
	kr_bench_row(bench, "a frame without timing, processor", "us",
		kr_bench_median(plain, MAX_RUNS), NULL, 0, 0);
	kr_bench_row(bench, "a frame with timing, more processor", "us",
		kr_bench_median(more, MAX_RUNS), "the goal", 3, 1);
}

void
kr_bench_pacing(struct kr_bench *bench)
{
	measure_late_display(bench);
	measure_late_queue(bench);
	measure_cost(bench);
}
