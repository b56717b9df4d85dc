/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ten windows that always have a frame ready, on a display at 60 Hz whose pictures somebody looks
 * at. A window that shows no new frame at a tick has missed it; so have all of them at a tick that
 * doesn't come.
 */
#include "bench/compose/compose.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/bench.h"
#include "composer/composer.h"
#include "util/clock.h"
#include "util/fd.h"
#include "sync/wait/wait.h"
#include "window/queue/queue.h"
#include "window/remote/remote.h"

#define WINDOWS    10
#define REFRESH    60000
#define WARM_UP    20
#define CONNECT_NS (10 * KR_NSEC_PER_SEC)

struct windows {
	struct kr_display *display;
	char socket[64];
	unsigned ticks; /* that are counted */
	uint64_t pictures;
	uint64_t late; /* ticks without a picture */
	int64_t last_ns;
	uint64_t shown; /* frames, also hidden ones, when the counting began */
	uint64_t missed;
	atomic_bool over;
};

struct window {
	struct windows *all;
	uint32_t width;
	uint32_t height;
	int32_t scaling_mode;
	pthread_t thread;
	struct kr_queue *queue;
};

static int
look_at(void *data, const struct kr_composed_frame *frame)
{
	struct windows *all = data;
	struct kr_display_stats stats;
	int64_t period = KR_NSEC_PER_SEC * 1000 / REFRESH;

	kr_display_get_stats(all->display, &stats);
	all->pictures++;
	if (all->pictures == WARM_UP)
		all->shown = stats.shown + stats.hidden;
	else if (all->pictures > WARM_UP)
		all->late += (uint64_t)((frame->time_ns - all->last_ns + period / 2) / period) - 1;
	all->last_ns = frame->time_ns;
	if (all->pictures < WARM_UP + all->ticks)
		return 0;
	all->missed = (uint64_t)all->ticks * WINDOWS - (stats.shown + stats.hidden - all->shown);
	kr_display_stop(all->display);
	return 0;
}

static int
connect_window(struct window *window)
{
	struct kr_remote_display info;
	struct kr_queue_config config = {0};
	struct kr_sink *sink;
	int err = kr_sink_remote_connect(
		window->all->socket, "bench", kr_clock_now() + CONNECT_NS, &sink, &info);

	if (err)
		return err;
	config.default_width = info.width;
	config.default_height = info.height;
	config.default_format = info.format;
	config.consumer_usage = info.consumer_usage;
	config.max_acquired = info.max_acquired;
	config.refresh_ns = info.refresh_ns;
	err = kr_queue_create(&config, sink, &window->queue);
	if (err)
		return err;
	err = kr_queue_connect(window->queue, NATIVE_WINDOW_API_CPU);
	return err ? err : kr_queue_set_buffer_count(window->queue, 3);
}

static int
show_frame(const struct window *window)
{
	const struct kr_queue_request request = {.width = window->width,
		.height = window->height,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_clock_now() + KR_NSEC_PER_SEC};
	const struct kr_queue_input input = {
		.scaling_mode = window->scaling_mode,
		.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
	};
	struct kr_buffer *buffer;
	uint32_t slot;
	int fence, err = kr_queue_dequeue(window->queue, &request, &slot, &buffer, &fence);

	if (err < 0)
		return err;
	(void)kr_fence_wait(fence, kr_clock_now() + CONNECT_NS);
	kr_fd_close(&fence);
	return kr_queue_queue(window->queue, slot, &input, -1, NULL);
}

/* Until the counting is over; the display stops with the first window that can't go on. */
static void *
window_main(void *data)
{
	struct window *window = data;
	int err;

	do
		err = show_frame(window);
	while ((err >= 0 || err == -ETIMEDOUT) && !atomic_load(&window->all->over));
	if (!atomic_load(&window->all->over)) {
		fprintf(stderr, "krafla-bench: a window ends with error %d\n", -err);
		kr_display_stop(window->all->display);
	}
	return NULL;
}

static void *
display_main(void *data)
{
	struct windows *all = data;

	(void)kr_display_run(all->display);
	return NULL;
}

static int
begin(struct windows *all, pthread_t *thread)
{
	static const struct kr_display_hooks hooks = {.frame_pixels = true, .frame = look_at};
	struct kr_display_config config = {
		.width = 1280,
		.height = 720,
		.refresh_mhz = REFRESH,
		.clock = KR_CLOCK_REAL,
		.socket_path = all->socket,
	};

	if (kr_display_create(&config, &hooks, all, &all->display))
		return -1;
	return pthread_create(thread, NULL, display_main, all);
}

static void
measure(struct kr_bench *bench, const char *name, struct window windows[WINDOWS])
{
	struct windows all = {.ticks = bench->quick ? 60 : 600};
	char root[] = "/tmp/krafla-bench.XXXXXX";
	pthread_t display;
	unsigned open = 0;

	if (!mkdtemp(root)) {
		kr_bench_skip(bench, name, "no temporary directory can be made");
		return;
	}
	snprintf(all.socket, sizeof(all.socket), "%s/display", root);
	if (begin(&all, &display)) {
		rmdir(root);
		kr_bench_skip(bench, name, "a display can't be made");
		return;
	}
	for (; open < WINDOWS; open++) {
		windows[open].all = &all;
		if (connect_window(&windows[open]) ||
			pthread_create(&windows[open].thread, NULL, window_main, &windows[open]))
			break;
	}
	if (open < WINDOWS)
		kr_display_stop(all.display);
	pthread_join(display, NULL);
	atomic_store(&all.over, true);
	for (unsigned i = 0; i < open; i++) {
		pthread_join(windows[i].thread, NULL);
		kr_queue_disconnect(windows[i].queue, NATIVE_WINDOW_API_CPU);
		kr_queue_unref(windows[i].queue);
	}
	kr_display_destroy(all.display);
	rmdir(root);
	if (open < WINDOWS) {
		kr_bench_skip(bench, name, "a window can't be opened");
		return;
	}
	kr_bench_none(bench, name, "ticks", (double)(all.late + all.missed), all.ticks);
}

void
kr_bench_compose_windows(struct kr_bench *bench)
{
	struct window beside[WINDOWS] = {0}, scaled[WINDOWS] = {0}, corner[WINDOWS] = {0};

	for (unsigned i = 0; i < WINDOWS; i++) {
		/* The first lies at the bottom: of each a strip is seen beside the next. */
		beside[i].width = 128 * (WINDOWS - i);
		beside[i].height = 512;
		corner[i].width = corner[i].height = 256;
		scaled[i].width = scaled[i].height = 256;
		scaled[i].scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	}
	measure(bench, "ticks missed, ten windows side by side", beside);
	measure(bench, "ticks missed, ten windows of 256x256", corner);
	measure(bench, "ticks missed, ten windows scaled", scaled);
}
