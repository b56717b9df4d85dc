/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames a second of a triangle under Xvfb on lavapipe: through Krafla's window system and through
 * the driver's own, each in a child, in turns; and what acquire and present cost beyond the submit,
 * there and on a headless surface.
 */
#include "bench/bench.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of acquire and present, DESIGN 7. */
#define GOAL_US   10
#define GOAL_SIZE 64

struct result {
	double us;
	double overhead_us; /* beyond the submit */
	double own_us;      /* beyond the submits that presenting takes */
	char mode[16];
};

/* What is run, but for the window system. */
struct setup {
	const char *display;
	const char *lavapipe;
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
	snprintf(env, sizeof(env), "VK_DRIVER_FILES=%s", setup->lavapipe);
	if (kr_bench_child(bench, arguments, environment, out, sizeof(out)) ||
		sscanf(out, "%lf %lf %lf %15s", &result->us, &handshake, &offscreen,
			result->mode) != 4)
		return false;
	result->overhead_us = result->us - offscreen;
	result->own_us = result->us - handshake;
	return true;
}

/*
 * DESIGN 7 asks for 10 us beyond submit and fence wait, at 64x64. Presenting itself makes two
 * submits on this driver, which cost what submits cost: the first row says how much of it they are,
 * the second has the goal.
 */
static void
report_overhead(struct kr_bench *bench, const struct setup *setup, double *overhead, double *own)
{
	bool has_goal = setup->width == GOAL_SIZE && setup->height == GOAL_SIZE;
	double submits[KR_BENCH_MAX_REPEAT];
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
		has_goal ? "the goal" : NULL, GOAL_US, has_goal);
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
		setup->width >= 500 ? 1.25 : 0);
	report_overhead(bench, setup, overhead, own);
}

/* Without an X server beside it, which on few processors takes its time from the program's. */
static void
measure_headless(struct kr_bench *bench, const char *lavapipe)
{
	const struct setup setup = {"DISPLAY=", lavapipe, "headless", 64, 64};
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
	report_overhead(bench, &setup, overhead, own);
}

static void
compare_sizes(struct kr_bench *bench, const char *lavapipe)
{
	static const unsigned sizes[][2] = {{64, 64}, {500, 500}, {1280, 720}};
	char display[32];
	pid_t xvfb = kr_bench_start_xvfb(display, sizeof(display));

	if (xvfb < 0) {
		kr_bench_skip(bench, "frames", "Xvfb can't be started");
		return;
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct setup setup = {display, lavapipe, "xcb", sizes[i][0], sizes[i][1]};

		compare_size(bench, &setup);
	}
	kr_bench_stop_xvfb(xvfb);
}

void
kr_bench_frames(struct kr_bench *bench)
{
	glob_t found = {0};

	if (glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found)) {
		kr_bench_skip(bench, "frames", "lavapipe's manifest isn't installed");
		return;
	}
	measure_headless(bench, found.gl_pathv[0]);
	compare_sizes(bench, found.gl_pathv[0]);
	globfree(&found);
}
