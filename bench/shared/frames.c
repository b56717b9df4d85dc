/* SPDX-License-Identifier: Apache-2.0 */
/* What a frame takes from a process that draws it to one that copies it: see shared.h. */
#include "bench/shared/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/shared/shared.h"

#define FRAMES 600
#define GOAL   1.1

enum { GPU = SHARED_WAYS, WRONG, NUMBERS };

static int
run_once(struct kr_bench *bench, const char *const *arguments, double numbers[NUMBERS])
{
	char drivers[4096], out[512], *at = out, *end;
	const char *environment[] = {drivers, NULL};

	kr_bench_drivers(bench, drivers, sizeof(drivers));
	if (kr_bench_child(bench, arguments, environment, out, sizeof(out)))
		return 1;
	for (unsigned i = 0; i < NUMBERS; i++, at = end) {
		numbers[i] = strtod(at, &end);
		if (end == at)
			return 1;
	}
	return 0;
}

/* The medians of the ways, which take turns at being first, and the sum of what was wrong. */
static int
run(struct kr_bench *bench, const char *const *arguments, char *first, double numbers[NUMBERS])
{
	double runs[NUMBERS][KR_BENCH_MAX_REPEAT], one[NUMBERS], wrong = 0;

	for (unsigned i = 0; i < bench->repeat; i++) {
		*first = (char)('0' + i % 2);
		if (run_once(bench, arguments, one))
			return 1;
		for (unsigned n = 0; n < NUMBERS; n++)
			runs[n][i] = one[n];
		wrong += one[WRONG];
	}
	for (unsigned n = 0; n < NUMBERS; n++)
		numbers[n] = kr_bench_median(runs[n], bench->repeat);
	numbers[WRONG] = wrong;
	return 0;
}

static void
report(struct kr_bench *bench, uint32_t width, uint32_t height, unsigned sources)
{
	const unsigned frames = FRAMES / (bench->quick ? 10 : 1) / sources;
	char width_text[16], height_text[16], frames_text[16], sources_text[16], first[] = "0",
										 what[64], name[96];
	const char *const arguments[] = {"shared", bench->loaders[KR_BENCH_KRAFLA],
		bench->loaders[KR_BENCH_OTHER] ? bench->loaders[KR_BENCH_OTHER] : "", width_text,
		height_text, frames_text, sources_text, first, NULL};
	double numbers[NUMBERS];

	snprintf(width_text, sizeof(width_text), "%u", width);
	snprintf(height_text, sizeof(height_text), "%u", height);
	snprintf(frames_text, sizeof(frames_text), "%u", frames);
	snprintf(sources_text, sizeof(sources_text), "%u", sources);
	snprintf(what, sizeof(what), "shared %ux%u, %u source%s", width, height, sources,
		sources > 1 ? "s" : "");
	if (run(bench, arguments, first, numbers)) {
		kr_bench_skip(bench, what, "the device can't share memory, or the pair failed");
		return;
	}
	snprintf(name, sizeof(name), "%s, a frame%s", what, numbers[GPU] > 0 ? "" : ", no GPU");
	kr_bench_row(
		bench, name, "us", numbers[SHARED_KRAFLA], "bare pair", numbers[SHARED_BARE], GOAL);
	snprintf(name, sizeof(name), "%s, waiting by processors", what);
	if (numbers[SHARED_GPU] > 0)
		kr_bench_row(bench, name, "us", numbers[SHARED_KRAFLA], "pair waiting on the GPU",
			numbers[SHARED_GPU], 0);
	else
		kr_bench_skip(bench, name, "the driver shares no semaphores");
	snprintf(name, sizeof(name), "%s, wrong pictures", what);
	kr_bench_none(bench, name, "frames", numbers[WRONG], frames * bench->repeat * SHARED_WAYS);
}

void
kr_bench_shared_frames(struct kr_bench *bench)
{
	report(bench, 1280, 720, 1);
	report(bench, 1920, 1080, 1);
	report(bench, 3840, 2160, 1);
	report(bench, 1920, 1080, 16);
}
