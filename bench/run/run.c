/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a frame takes under `krafla run`, as a user types it, against the same program without it:
 * on a headless surface of its own process, drawn without a window system, drawn and read back, and
 * under Xvfb with the driver's own window system. All ways take turns, so that what else the
 * machine does meets all alike.
 */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/run/command.h"

#define PNG_S      2.0
#define TOGETHER   16
#define REASON     160
#define MANY_S     1.0
#define ONE_S      0.5
#define ONE_BY_ONE 1
#define PIPELINED  2

/* Devices for which a goal is set. */
enum where { ON_CPU, ON_GPU, ANYWHERE };

/* What takes turns, and what came of it. */
struct way {
	struct command command;
	double us[KR_BENCH_MAX_REPEAT];
	double rate[KR_BENCH_MAX_REPEAT];
	double processor_us[KR_BENCH_MAX_REPEAT]; /* of the program */
	struct command_result last;
	char failed[REASON];
};

static void
take_turns(struct kr_bench *bench, struct way *ways, unsigned count)
{
	for (unsigned run = 0; run < bench->repeat; run++) {
		for (unsigned i = 0; i < count; i++) {
			struct way *way = &ways[i];

			if (!way->failed[0] &&
				!command_measure(bench, &way->command, &way->last, way->failed)) {
				way->us[run] = way->last.us;
				way->rate[run] = way->last.rate;
				way->processor_us[run] = way->last.processor_us;
			}
		}
	}
}

/* One row: microseconds a frame, or with `together` frames a second of all programs. */
static void
report(struct kr_bench *bench, const char *what, struct way *way, const char *other_name,
	struct way *other, bool together, double goal, enum where where)
{
	bool judged = where == ANYWHERE || way->last.gpu == (where == ON_GPU);
	const char *failed = way->failed[0] ? way->failed : other->failed;
	char name[160];

	snprintf(name, sizeof(name), "krafla run %ux%u, %s%s%s", way->command.width,
		way->command.height, what, failed[0] ? "" : "; ",
		failed[0] ? "" : way->last.device);
	if (failed[0])
		kr_bench_skip(bench, name, failed);
	else if (together)
		kr_bench_row(bench, name, "frames/s", kr_bench_median(way->rate, bench->repeat),
			other_name, kr_bench_median(other->rate, bench->repeat), judged ? goal : 0);
	else
		kr_bench_row(bench, name, "us", kr_bench_median(way->us, bench->repeat), other_name,
			kr_bench_median(other->us, bench->repeat), judged ? goal : 0);
}

static struct command
make(const struct kr_bench *bench, bool krafla, const char *where, const unsigned size[2])
{
	return (struct command){
		.krafla = krafla,
		.where = where,
		.width = size[0],
		.height = size[1],
		.in_flight = PIPELINED,
		.programs = 1,
		.seconds = bench->quick ? ONE_S / 5 : ONE_S,
	};
}

/* Through a pipe to nobody, so that no disk is measured. */
static void
capture_nowhere(struct command *command, const char *format)
{
	command->capture[0] = "--capture";
	command->capture[1] = "-";
	command->capture[2] = "--capture-format";
	command->capture[3] = format;
}

/* --- the rows --- */

static void
compare_size(struct kr_bench *bench, const unsigned size[2], double headless_goal, bool captures)
{
	enum { NOTHING, HEADLESS, OFFSCREEN, CAPTURED, READBACK, WAYS };
	struct way ways[WAYS] = {
		[NOTHING] = {.command = make(bench, true, "headless", size)},
		[HEADLESS] = {.command = make(bench, false, "headless", size)},
		[OFFSCREEN] = {.command = make(bench, false, "offscreen", size)},
		[CAPTURED] = {.command = make(bench, true, "headless", size)},
		[READBACK] = {.command = make(bench, false, "readback", size)},
	};

	capture_nowhere(&ways[CAPTURED].command, "raw");
	if (!captures)
		snprintf(ways[CAPTURED].failed, REASON, "krafla run has no --capture-format");
	take_turns(bench, ways, WAYS);
	report(bench, "nothing captured", &ways[NOTHING], "headless, in process", &ways[HEADLESS],
		false, headless_goal, ON_CPU);
	report(bench, "nothing captured", &ways[NOTHING], "drawn offscreen", &ways[OFFSCREEN],
		false, 1.25, ON_GPU);
	report(bench, "captured, raw", &ways[CAPTURED], "drawn offscreen and read back",
		&ways[READBACK], false, 1.25, ON_GPU);
}

/* A program that waits for each frame before it begins the next. */
static void
compare_one_by_one(struct kr_bench *bench, const unsigned size[2])
{
	enum { NOTHING, HEADLESS, OFFSCREEN, WAYS };
	struct way ways[WAYS] = {
		[NOTHING] = {.command = make(bench, true, "headless", size)},
		[HEADLESS] = {.command = make(bench, false, "headless", size)},
		[OFFSCREEN] = {.command = make(bench, false, "offscreen", size)},
	};

	for (unsigned i = 0; i < WAYS; i++)
		ways[i].command.in_flight = ONE_BY_ONE;
	take_turns(bench, ways, WAYS);
	report(bench, "one frame at a time", &ways[NOTHING], "headless, in process",
		&ways[HEADLESS], false, 0, ON_CPU);
	report(bench, "one frame at a time", &ways[NOTHING], "drawn offscreen", &ways[OFFSCREEN],
		false, 0, ON_GPU);
}

/* What the encoder takes of a processor for one of the program's pictures; -1: it failed. */
static double
measure_encoder(struct kr_bench *bench, const unsigned size[2])
{
	double us[KR_BENCH_MAX_REPEAT];
	char drivers[4096], width[16], height[16], out[64];
	const char *environment[] = {drivers, NULL};
	const char *arguments[] = {"encode", bench->loaders[KR_BENCH_KRAFLA], width, height,
		bench->quick ? "4" : "20", NULL};

	kr_bench_drivers(bench, drivers, sizeof(drivers));
	snprintf(width, sizeof(width), "%u", size[0]);
	snprintf(height, sizeof(height), "%u", size[1]);
	for (unsigned run = 0; run < bench->repeat; run++) {
		if (kr_bench_child(bench, arguments, environment, out, sizeof(out)))
			return -1;
		us[run] = atof(out);
	}
	return kr_bench_median(us, bench->repeat);
}

/* All processors at work on what has to be done: the encoder's part and the program's. */
static void
compare_png(struct kr_bench *bench, const unsigned size[2], bool captures)
{
	enum { CAPTURED, HEADLESS, WAYS };
	struct way ways[WAYS] = {
		[CAPTURED] = {.command = make(bench, true, "headless", size)},
		[HEADLESS] = {.command = make(bench, false, "headless", size)},
	};
	double encoder = measure_encoder(bench, size);
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	ways[CAPTURED].command.seconds = bench->quick ? PNG_S / 5 : PNG_S;
	capture_nowhere(&ways[CAPTURED].command, "png");
	if (!captures)
		snprintf(ways[CAPTURED].failed, REASON, "krafla run has no --capture-format");
	if (encoder < 0)
		snprintf(ways[HEADLESS].failed, REASON, "the encoder failed");
	take_turns(bench, ways, WAYS);
	for (unsigned run = 0; run < bench->repeat; run++)
		ways[HEADLESS].us[run] =
			(ways[HEADLESS].processor_us[run] + encoder) / (double)processors;
	report(bench, "captured, PNG", &ways[CAPTURED], "(encoder + program) / processors",
		&ways[HEADLESS], false, 1.2, ANYWHERE);
}

static void
compare_xvfb(struct kr_bench *bench, const unsigned size[2])
{
	enum { NOTHING, XVFB, WAYS };
	struct way ways[WAYS] = {
		[NOTHING] = {.command = make(bench, true, "headless", size)},
		[XVFB] = {.command = make(bench, false, "xcb", size)},
	};
	char display[32];
	pid_t xvfb = kr_bench_start_xvfb(display, sizeof(display));

	if (xvfb < 0) {
		kr_bench_skip(bench, "krafla run, against Xvfb", "Xvfb can't be started");
		return;
	}
	ways[XVFB].command.display = display;
	take_turns(bench, ways, WAYS);
	report(bench, "nothing captured", &ways[NOTHING], "Xvfb, driver's window system",
		&ways[XVFB], true, 4, ON_CPU);
	kr_bench_stop_xvfb(xvfb);
}

static void
compare_together(struct kr_bench *bench, const unsigned size[2])
{
	enum { NOTHING, OFFSCREEN, WAYS };
	struct way ways[WAYS] = {
		[NOTHING] = {.command = make(bench, true, "headless", size)},
		[OFFSCREEN] = {.command = make(bench, false, "offscreen", size)},
	};
	char what[48];

	for (unsigned i = 0; i < WAYS; i++) {
		ways[i].command.programs = TOGETHER;
		ways[i].command.seconds = bench->quick ? MANY_S / 5 : MANY_S;
	}
	take_turns(bench, ways, WAYS);
	snprintf(what, sizeof(what), "%d at once", TOGETHER);
	report(bench, what, &ways[NOTHING], "as many drawn offscreen", &ways[OFFSCREEN], true, 0.8,
		ON_GPU);
}

void
kr_bench_run(struct kr_bench *bench)
{
	static const struct {
		unsigned size[2];
		double headless_goal; /* on lavapipe */
	} sizes[] = {{{1280, 720}, 1.10}, {{1920, 1080}, 1.05}, {{3840, 2160}, 0}};
	bool captures = command_has_option(bench, "--capture-format");

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		compare_size(bench, sizes[i].size, sizes[i].headless_goal, captures);
	compare_one_by_one(bench, sizes[0].size);
	compare_png(bench, sizes[1].size, captures);
	compare_xvfb(bench, sizes[0].size);
	compare_together(bench, sizes[0].size);
}
