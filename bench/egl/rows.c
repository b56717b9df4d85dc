/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of calls, fences and swaps. */
#include "bench/egl/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CALL_GOAL_NS 50

/* What `egl-calls` prints. */
static const char *const call_names[EGL_CALLS] = {"eglQuerySurface", "eglGetConfigAttrib",
	"eglQueryString", "eglGetError", "eglGetSyncAttribKHR (an extension's)",
	"eglMakeCurrent, away or back", "glGetError", "glFlush"};

/*
 * What Krafla adds to each; the least of all runs, since what is asked for is less than their
 * noise. A call of GL gets nothing on its way but for glFlush and glFinish.
 */
void
egl_rows_calls(struct kr_bench *bench)
{
	const char *const words[] = {"egl-calls", bench->quick ? "2000" : "20000", NULL};
	double numbers[EGL_WAYS][KR_BENCH_NUMBERS];
	char name[96];

	egl_measure(bench, &(struct egl_asked){.words = words, .pick = egl_least}, numbers);
	for (unsigned i = 0; i < EGL_CALLS; i++) {
		double plain = numbers[EGL_PLAIN][i], krafla = numbers[EGL_KRAFLA][i];

		snprintf(name, sizeof(name), "call %s", call_names[i]);
		if (isnan(plain) || isnan(krafla)) {
			kr_bench_skip(bench, name,
				isnan(plain) ? "no EGL here" : "it fails with Krafla in between");
			continue;
		}
		kr_bench_row(bench, name, "ns", krafla, "without Krafla", plain, 0);
		snprintf(name, sizeof(name), " ... more by Krafla, %s", call_names[i]);
		kr_bench_row(bench, name, "ns", krafla - plain, "the goal", CALL_GOAL_NS, 1);
	}
}

#define TURNS (bench->quick ? "50" : "300")

/* The same vendor's fence sync where no native fence is ever made. */
static void
sync_row(struct kr_bench *bench, const char *side, const char *us, const char *what)
{
	const char *const words[] = {"egl-fences", TURNS, side, us, "syncs", NULL};
	double numbers[EGL_WAYS][KR_BENCH_NUMBERS];
	char name[128];

	egl_measure(bench, &(struct egl_asked){.words = words, .pick = kr_bench_median}, numbers);
	snprintf(name, sizeof(name), "EGL fence sync of %s, through Krafla", what);
	if (!isnan(numbers[EGL_KRAFLA][0]))
		kr_bench_row(bench, name, "us", numbers[EGL_KRAFLA][0], "without Krafla",
			numbers[EGL_PLAIN][0], 0);
}

/* Draws that take about as many microseconds, on a square of such a side. */
static void
fence_rows(struct kr_bench *bench, const char *side, const char *us, const char *what)
{
	const char *const words[] = {"egl-fences", TURNS, side, us, NULL};
	double numbers[EGL_WAYS][KR_BENCH_NUMBERS], *krafla = numbers[EGL_KRAFLA];
	char name[128];

	egl_measure(bench,
		&(struct egl_asked){.words = words, .alone = true, .pick = kr_bench_median},
		numbers);
	snprintf(name, sizeof(name), "native fence of %s, drawn to polled", what);
	if (isnan(krafla[0]) || krafla[1] <= 0) {
		kr_bench_skip(bench, name,
			isnan(krafla[0]) ? "no EGL here" : "the display has no native fences");
		return;
	}
	kr_bench_row(bench, name, "us", krafla[1], "an EGL fence sync", krafla[0], 0);
	snprintf(name, sizeof(name), " ... beyond the EGL fence sync, %s", what);
	kr_bench_row(bench, name, "us", krafla[3], "one thread's wake", krafla[2], 1);
	sync_row(bench, side, us, what);
}

void
egl_rows_fences(struct kr_bench *bench)
{
	fence_rows(bench, "16", "1", "a small draw");
	fence_rows(bench, "256", "1000", "a draw of 1 ms");
	fence_rows(bench, "256", "10000", "a draw of 10 ms");
}

/* --- windows --- */

static void
swap_rows(struct kr_bench *bench, const char *width, const char *height, const char *display)
{
	const char *modes[] = {"offscreen", "android", "x11"};
	double numbers[3][EGL_WAYS][KR_BENCH_NUMBERS], offscreen, android, x11;
	char name[96];

	for (unsigned i = 0; i < 3; i++) {
		const char *const words[] = {
			"egl-swaps", modes[i], width, height, bench->quick ? "30" : "200", NULL};

		egl_measure(bench,
			&(struct egl_asked){.words = words,
				.more = display,
				.alone = !strcmp(modes[i], "android"),
				.pick = kr_bench_median},
			numbers[i]);
	}
	offscreen = numbers[0][EGL_PLAIN][0];
	android = numbers[1][EGL_KRAFLA][0];
	x11 = numbers[2][EGL_PLAIN][0];
	snprintf(name, sizeof(name), "frame in an Android window, %sx%s", width, height);
	if (isnan(android) || isnan(offscreen)) {
		kr_bench_skip(bench, name,
			isnan(offscreen) ? "no EGL here" : "no display has Android windows");
	} else {
		kr_bench_row(
			bench, name, "us", android, "drawn offscreen and read back", offscreen, 0);
		if (!isnan(x11))
			kr_bench_row(bench, name, "us", android, "in a window of X", x11, 0);
	}
	snprintf(name, sizeof(name), "frame in a window of X, %sx%s", width, height);
	if (isnan(x11) || isnan(numbers[2][EGL_KRAFLA][0]))
		kr_bench_skip(bench, name, "no X server, or no EGL for it");
	else
		kr_bench_row(
			bench, name, "us", numbers[2][EGL_KRAFLA][0], "without Krafla", x11, 0);
}

void
egl_rows_swaps(struct kr_bench *bench)
{
	char display[32] = "DISPLAY=";
	pid_t xvfb = kr_bench_start_xvfb(display, sizeof(display));

	/* Without one there is no window of X, and its rows say so. */
	swap_rows(bench, "1280", "720", display);
	swap_rows(bench, "1920", "1080", display);
	if (xvfb > 0)
		kr_bench_stop_xvfb(xvfb);
}
