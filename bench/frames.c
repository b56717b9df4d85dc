/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames a second of a triangle under Xvfb: through Krafla's window system and through
 * the driver's own, each in a child, in turns; and what acquire and present cost beyond the submit,
 * there and on a headless surface.
 */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Of acquire and present beyond their submits, at 64x64. In a window it is DESIGN 7's. Headless on
 * a GPU a fence of user space with all its waits is in it; on lavapipe it is what a frame took when
 * it had no fence and the present waited, and what making a fence and waking a thread take in this
 * run.
 */
#define GOAL_SIZE        64
#define GOAL_XCB_US      10.0
#define GOAL_GPU_US      40.0
#define GOAL_UNFENCED_US 6.4
/* Against the driver's own window system, as it was before frames had fences. */
#define GOAL_500 4.2
#define GOAL_720 5.3

struct result {
	double us;
	double overhead_us; /* beyond the submit */
	double own_us;      /* beyond the submits that presenting takes */
	char mode[16];
	int gpu;
};

/* What is run, but for the window system. */
struct setup {
	const char *display;
	const char *surface;
	unsigned width;
	unsigned height;
};

static bool
measure(struct kr_bench *bench, const struct setup *setup, const char *wsi, struct result *result)
{
	char w[16], h[16], count[16], env[4096], out[256];
	const char *arguments[] = {
		"frames", bench->loaders[KR_BENCH_KRAFLA], w, h, count, setup->surface, NULL};
	const char *environment[] = {setup->display, env, wsi, NULL};
	double handshake, offscreen;

	snprintf(w, sizeof(w), "%u", setup->width);
	snprintf(h, sizeof(h), "%u", setup->height);
	snprintf(count, sizeof(count), "%u", bench->quick ? 200 : 1000);
	kr_bench_drivers(bench, env, sizeof(env));
	if (kr_bench_child(bench, arguments, environment, out, sizeof(out)) ||
		sscanf(out, "%lf %lf %lf %15s %d", &result->us, &handshake, &offscreen,
			result->mode, &result->gpu) != 5)
		return false;
	result->overhead_us = result->us - offscreen;
	result->own_us = result->us - handshake;
	return true;
}

/* 0: none at this size. */
static double
find_goal(struct kr_bench *bench, const struct setup *setup, bool gpu)
{
	double create_us, wake_us;

	if (setup->width != GOAL_SIZE)
		return 0;
	if (!strcmp(setup->surface, "xcb"))
		return GOAL_XCB_US;
	if (gpu)
		return GOAL_GPU_US;
	return kr_bench_fence_costs(bench, &create_us, &wake_us)
		? GOAL_UNFENCED_US + create_us + wake_us
		: GOAL_UNFENCED_US;
}

/*
 * Presenting itself makes two submits on a driver without SYNC_FD, which cost what submits cost:
 * the first row says how much of it they are, the second has the goal.
 */
static void
report_overhead(
	struct kr_bench *bench, const struct setup *setup, double *overhead, double *own, bool gpu)
{
	double submits[KR_BENCH_MAX_REPEAT], goal = find_goal(bench, setup, gpu);
	char name[96];

	for (unsigned run = 0; run < bench->repeat; run++)
		submits[run] = overhead[run] - own[run];

	snprintf(name, sizeof(name), "acquire+present beyond submit, %ux%u %s", setup->width,
		setup->height, setup->surface);
	kr_bench_row(bench, name, "us", kr_bench_median(overhead, bench->repeat), "its two submits",
		kr_bench_median(submits, bench->repeat), 0);
	snprintf(name, sizeof(name), " ... beyond the three submits, %ux%u %s", setup->width,
		setup->height, setup->surface);
	kr_bench_row(bench, name, "us", kr_bench_median(own, bench->repeat),
		goal > 0 ? "the goal" : NULL, goal, goal > 0);
}

static double
goal_of_rate(const struct setup *setup)
{
	if (setup->width == 1280)
		return GOAL_720;
	return setup->width == 500 ? GOAL_500 : 0;
}

static void
compare_size(struct kr_bench *bench, const struct setup *setup)
{
	double ours[100], theirs[100], overhead[100], own[100];
	struct result k, d;
	char name[96];

	snprintf(name, sizeof(name), "triangle %ux%u", setup->width, setup->height);
	for (unsigned run = 0; run < bench->repeat; run++) {
		if (!measure(bench, setup, "KRAFLA_WSI=platform", &k) ||
			!measure(bench, setup, "KRAFLA_WSI=driver", &d)) {
			kr_bench_skip(bench, name, "a child failed; its message stands above");
			return;
		}
		ours[run] = 1e6 / k.us;
		theirs[run] = 1e6 / d.us;
		overhead[run] = k.overhead_us;
		own[run] = k.own_us;
	}
	snprintf(name, sizeof(name), "triangle %ux%u %s (driver %s)", setup->width, setup->height,
		k.mode, d.mode);
	kr_bench_row(bench, name, "frames/s", kr_bench_median(ours, bench->repeat),
		"driver's window system", kr_bench_median(theirs, bench->repeat),
		goal_of_rate(setup));
	report_overhead(bench, setup, overhead, own, k.gpu);
}

/* Without an X server beside it, which on few processors takes its time from the program's. */
static void
measure_headless(struct kr_bench *bench)
{
	const struct setup setup = {"DISPLAY=", "headless", 64, 64};
	double overhead[100], own[100];
	struct result result;

	for (unsigned run = 0; run < bench->repeat; run++) {
		if (!measure(bench, &setup, "KRAFLA_WSI=platform", &result)) {
			kr_bench_skip(bench, "triangle 64x64 headless",
				"a child failed; its message stands above");
			return;
		}
		overhead[run] = result.overhead_us;
		own[run] = result.own_us;
	}
	report_overhead(bench, &setup, overhead, own, result.gpu);
}

static void
compare_sizes(struct kr_bench *bench)
{
	static const unsigned sizes[][2] = {{64, 64}, {500, 500}, {1280, 720}};
	char display[32];
	pid_t xvfb = kr_bench_start_xvfb(display, sizeof(display));

	if (xvfb < 0) {
		kr_bench_skip(bench, "frames", "Xvfb can't be started");
		return;
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct setup setup = {display, "xcb", sizes[i][0], sizes[i][1]};

		compare_size(bench, &setup);
	}
	kr_bench_stop_xvfb(xvfb);
}

void
kr_bench_frames(struct kr_bench *bench)
{
	measure_headless(bench);
	compare_sizes(bench);
}
