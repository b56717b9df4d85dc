/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ticks of the real clock. A window queues each frame early, with a fence that signals 2 ms before
 * a tick; the frame has to be in the picture of that tick. How late a picture is, is from the time
 * that it names to the hook that gets it. Beside it: how late a thread is that sleeps until a time.
 *
 * A fence that was signalled later than it should be, because this thread didn't run, says nothing:
 * its frame isn't counted, and another one takes its place.
 */
#include "bench/composer/rows.h"

#include <krafla/hardware_buffer.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "composer/composer.h"
#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/mutex.h"
#include "window/queue/queue.h"
#include "window/remote/remote.h"

#define REFRESH   60000
#define PERIOD_NS (KR_NSEC_PER_SEC * 1000 / REFRESH)
#define WIDTH     1280
#define HEIGHT    720
#define AHEAD_NS  (2 * KR_NSEC_PER_MSEC) /* of a tick: a frame that is ready by then is in it */
#define SPARE_NS  (KR_NSEC_PER_MSEC / 5) /* for signalling */
#define LIMIT_NS  (10 * KR_NSEC_PER_SEC)
#define MAX_TICKS 1000
#define MAX_TRIES 4 /* for each that counts, on a machine with other things to do */

struct clock {
	struct kr_display *display;
	pthread_t thread;
	char socket[64];
	struct kr_queue *queue;
	struct kr_mutex lock;
	struct kr_cond changed;
	uint8_t mark KR_GUARDED_BY(lock);    /* of the last picture */
	int64_t tick_ns KR_GUARDED_BY(lock); /* the time that it named */
	int64_t seen_ns KR_GUARDED_BY(lock);
	unsigned ticks; /* to be counted */
	unsigned counted;
	unsigned tries;
	unsigned missed;
	double late_us[MAX_TICKS];
	double slept_us[MAX_TICKS];
};

static int
handle_picture(void *data, const struct kr_composed_frame *frame)
{
	int64_t now = kr_clock_now();
	struct clock *clock = data;
	uint32_t pixel = 0;

	memcpy(&pixel, frame->pixels, sizeof(pixel));
	kr_mutex_lock(&clock->lock);
	clock->mark = (uint8_t)(pixel >> 8);
	clock->tick_ns = frame->time_ns;
	clock->seen_ns = now;
	kr_cond_broadcast(&clock->changed);
	kr_mutex_unlock(&clock->lock);
	return 0;
}

static int
connect_window(struct clock *clock)
{
	struct kr_remote_display info;
	struct kr_queue_config config = {0};
	struct kr_sink *sink;
	int err = kr_sink_remote_connect(
		clock->socket, "bench", kr_clock_now() + LIMIT_NS, &sink, &info);

	if (err)
		return err;
	config.default_width = info.width;
	config.default_height = info.height;
	config.default_format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	config.consumer_usage = info.consumer_usage;
	config.max_acquired = info.max_acquired;
	config.refresh_ns = info.refresh_ns;
	err = kr_queue_create(&config, sink, &clock->queue);
	if (!err)
		err = kr_queue_connect(clock->queue, NATIVE_WINDOW_API_CPU);
	return err ? err : kr_queue_set_buffer_count(clock->queue, 3);
}

/* Green tells the frame, whatever the order of red and blue; *take_fence as kr_queue_queue. */
static int
queue_frame(struct clock *clock, uint8_t mark, int take_fence)
{
	const struct kr_queue_request request = {
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_clock_now() + LIMIT_NS,
	};
	const struct kr_queue_input input = {
		.scaling_mode = NATIVE_WINDOW_SCALING_MODE_FREEZE,
		.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
	};
	const uint32_t pixel = UINT32_C(0xff000000) | (uint32_t)mark << 8;
	struct kr_buffer *buffer;
	uint32_t slot;
	void *data;
	int fence, err = kr_queue_dequeue(clock->queue, &request, &slot, &buffer, &fence);

	if (err) {
		kr_fd_close(&take_fence);
		return err;
	}
	(void)kr_fence_wait(fence, kr_clock_now() + LIMIT_NS);
	kr_fd_close(&fence);
	if (!kr_buffer_map(buffer, &data))
		memcpy(data, &pixel, sizeof(pixel));
	return kr_queue_queue(clock->queue, slot, &input, take_fence, NULL);
}

static void
sleep_until(int64_t time_ns)
{
	const struct timespec at = {time_ns / KR_NSEC_PER_SEC, time_ns % KR_NSEC_PER_SEC};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		;
}

/* Until a picture shows the frame: the time that it names, and how late it was seen. */
static int
wait_for_picture(struct clock *clock, uint8_t mark, int64_t *tick_ns, int64_t *late_ns)
{
	int64_t deadline = kr_clock_now() + LIMIT_NS;
	bool shown;

	kr_mutex_lock(&clock->lock);
	while (clock->mark != mark && !kr_cond_wait_until(&clock->changed, &clock->lock, deadline))
		;
	shown = clock->mark == mark;
	*tick_ns = clock->tick_ns;
	*late_ns = clock->seen_ns - clock->tick_ns;
	kr_mutex_unlock(&clock->lock);
	return shown ? 0 : -1;
}

/* One frame that is ready right before a tick; *tick_ns is the last picture's, on the same grid. */
static int
try_tick(struct clock *clock, uint8_t mark, int64_t *tick_ns)
{
	const struct kr_fence_label label = {"bench", 1, "frame"};
	int64_t aim, late, signalled, ready_ns = AHEAD_NS + SPARE_NS;
	int producer, fence;

	if (kr_fence_create(&label, &producer, &fence))
		return -1;
	if (queue_frame(clock, mark, fence)) {
		close(producer);
		return -1;
	}
	aim = *tick_ns + PERIOD_NS;
	while (aim < kr_clock_now() + ready_ns)
		aim += PERIOD_NS;
	sleep_until(aim - ready_ns);
	kr_fence_signal(producer, 1);
	signalled = kr_clock_now();
	if (wait_for_picture(clock, mark, tick_ns, &late))
		return -1;
	if (signalled > aim - AHEAD_NS)
		return 0;
	clock->missed += *tick_ns > aim + PERIOD_NS / 2;
	clock->late_us[clock->counted++] = (double)late / 1000;
	return 0;
}

static int
run_window(struct clock *clock)
{
	int64_t tick_ns, late_ns;

	if (queue_frame(clock, 1, -1) || wait_for_picture(clock, 1, &tick_ns, &late_ns))
		return -1;
	for (; clock->counted < clock->ticks && clock->tries < MAX_TRIES * clock->ticks;
		clock->tries++) {
		if (try_tick(clock, (uint8_t)(2 + clock->tries), &tick_ns))
			return -1;
	}
	return clock->counted < clock->ticks ? -1 : 0;
}

static void *
display_main(void *data)
{
	struct clock *clock = data;

	(void)kr_display_run(clock->display);
	return NULL;
}

static int
run_display(struct clock *clock)
{
	static const struct kr_display_hooks hooks = {
		.frame_pixels = true, .frame = handle_picture};
	const struct kr_display_config config = {
		.width = WIDTH,
		.height = HEIGHT,
		.refresh_mhz = REFRESH,
		.clock = KR_CLOCK_REAL,
		.socket_path = clock->socket,
	};
	int err = kr_display_create(&config, &hooks, clock, &clock->display);

	if (err)
		return err;
	err = pthread_create(&clock->thread, NULL, display_main, clock);
	if (!err) {
		err = connect_window(clock);
		err = err ? err : run_window(clock);
		kr_display_stop(clock->display);
		pthread_join(clock->thread, NULL);
	}
	if (clock->queue) {
		kr_queue_disconnect(clock->queue, NATIVE_WINDOW_API_CPU);
		kr_queue_unref(clock->queue);
	}
	kr_display_destroy(clock->display);
	return err;
}

static void
measure_sleep(struct clock *clock)
{
	for (unsigned i = 0; i < clock->ticks; i++) {
		int64_t at = kr_clock_now() + PERIOD_NS;

		sleep_until(at);
		clock->slept_us[i] = (double)(kr_clock_now() - at) / 1000;
	}
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of a hundred the last but one. */
static double
percentile_99(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count * 99 / 100 - 1];
}

static void
report(struct kr_bench *bench, struct clock *clock)
{
	double late = percentile_99(clock->late_us, clock->counted);
	double slept = percentile_99(clock->slept_us, clock->ticks);

	kr_bench_none(bench, "frames ready 2 ms before a tick, not in it", "frames", clock->missed,
		clock->counted);
	kr_bench_row(bench, "lateness of ticks, 99 of 100", "us", late, "the goal", 1000, 1);
	kr_bench_row(bench, "lateness of ticks, 99 of 100", "us", late, "a thread that sleeps",
		slept, 0);
	kr_bench_row(bench, "lateness of ticks, median", "us", clock->late_us[clock->counted / 2],
		NULL, 0, 0);
}

void
kr_bench_composer_clock(struct kr_bench *bench)
{
	static struct clock clock;
	char root[] = "/tmp/krafla-bench.XXXXXX";
	int err;

	clock = (struct clock){.ticks = bench->quick ? MAX_TICKS / 10 : MAX_TICKS};
	if (!mkdtemp(root)) {
		kr_bench_skip(bench, "lateness of ticks", "no temporary directory can be made");
		return;
	}
	snprintf(clock.socket, sizeof(clock.socket), "%s/display", root);
	kr_mutex_init(&clock.lock);
	kr_cond_init(&clock.changed);
	measure_sleep(&clock);
	err = run_display(&clock);
	rmdir(root);
	if (err)
		kr_bench_skip(bench, "lateness of ticks",
			clock.tries ? "too few fences could be signalled in time"
				    : "a display or a window can't be made");
	else
		report(bench, &clock);
	kr_cond_finish(&clock.changed);
	kr_mutex_finish(&clock.lock);
}
