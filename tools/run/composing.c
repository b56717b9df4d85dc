/* SPDX-License-Identifier: Apache-2.0 */
/* See composing.h. */
#include "tools/run/composing.h"

#include <inttypes.h>

#include "tools/command/json_values.h"

#define MEGABYTE  1e6
#define NS_PER_MS 1e6

static const char *const modes[KR_PRESENT_MODE_COUNT] = {
	[KR_PRESENT_FIFO] = "fifo",
	[KR_PRESENT_MAILBOX] = "mailbox",
	[KR_PRESENT_IMMEDIATE] = "immediate",
	[KR_PRESENT_FIFO_RELAXED] = "fifo_relaxed",
	[KR_PRESENT_FIFO_LATEST_READY] = "fifo_latest_ready",
	[KR_PRESENT_SHARED_DEMAND] = "shared_demand",
	[KR_PRESENT_SHARED_CONTINUOUS] = "shared_continuous",
};

/* Of FIFO alone there is nothing to tell. */
static void
print_modes(const struct kr_display_stats *stats, FILE *out)
{
	const char *between = "  modes      ";
	uint64_t others = 0;

	for (unsigned i = KR_PRESENT_FIFO + 1; i < KR_PRESENT_MODE_COUNT; i++)
		others += stats->modes[i];
	if (!others)
		return;
	for (unsigned i = 0; i < KR_PRESENT_MODE_COUNT; i++) {
		if (!stats->modes[i])
			continue;
		fprintf(out, "%s%" PRIu64 " frames %s", between, stats->modes[i], modes[i]);
		between = ", ";
	}
	if (stats->hurried)
		fprintf(out, "; %" PRIu64 " pictures between two ticks", stats->hurried);
	if (stats->reread)
		fprintf(out, "; shared buffers read anew %" PRIu64 " times", stats->reread);
	fputc('\n', out);
}

json_t *
kr_composing_modes_json(const struct kr_display_stats *stats)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < KR_PRESENT_MODE_COUNT; i++)
		json_object_set_new(object, modes[i], json_integer((json_int_t)stats->modes[i]));
	json_object_set_new(object, "reread", json_integer((json_int_t)stats->reread));
	json_object_set_new(object, "hurried", json_integer((json_int_t)stats->hurried));
	return object;
}

/* Of the pictures, those that nobody wanted to see included. */
static uint64_t
bytes_a_picture(const struct kr_display_stats *stats)
{
	return stats->composed ? stats->drawn_bytes / stats->composed : 0;
}

static void
print_older(const struct kr_display_stats *stats, FILE *out)
{
	if (stats->without_pixels)
		fprintf(out,
			"             %" PRIu64
			" showed an older frame in a part: the newer one had no pixels\n",
			stats->without_pixels);
}

static int64_t
mean_lateness(const struct kr_display_stats *stats)
{
	return stats->real_ticks ? stats->lateness_sum / (int64_t)stats->real_ticks : 0;
}

/* Of the real clock. */
static void
print_ticks(const struct kr_display_stats *stats, FILE *out)
{
	if (!stats->real_ticks)
		return;
	fprintf(out, "  ticks      late by mean %.2f, max %.2f ms",
		(double)mean_lateness(stats) / NS_PER_MS, (double)stats->lateness_max / NS_PER_MS);
	if (stats->missed_ticks)
		fprintf(out, "; %" PRIu64 " left out, as two pictures were still on their way",
			stats->missed_ticks);
	if (stats->present_stuck)
		fprintf(out, "; %" PRIu64 " pictures were not shown within 5 s",
			stats->present_stuck);
	fputc('\n', out);
}

static void
print_gpu(const struct kr_display_stats *stats, FILE *out)
{
	if (stats->drawn_by_gpu)
		fprintf(out,
			"             %" PRIu64 " drawn by the GPU, %s; %" PRIu64
			" frames came in its memory, %" PRIu64 " of them in that alone\n",
			stats->drawn_by_gpu, stats->gpu, stats->gpu_frames,
			stats->gpu_frames_alone);
	if (stats->gpu_lost)
		fprintf(out, "             the GPU was lost (%s): the CPU has drawn since\n",
			stats->gpu_why);
	if (stats->cut_off)
		fprintf(out,
			"             %" PRIu64
			" windows were cut off, whose buffers cost the process that draws its life\n",
			stats->cut_off);
}

static json_t *
json_gpu(const struct kr_display_stats *stats)
{
	return json_pack("{s:I, s:I, s:I, s:o, s:b, s:o, s:I}", "drawn",
		(json_int_t)stats->drawn_by_gpu, "frames", (json_int_t)stats->gpu_frames,
		"frames_alone", (json_int_t)stats->gpu_frames_alone, "device",
		stats->gpu[0] ? kr_tool_json_text(stats->gpu) : json_null(), "lost",
		stats->gpu_lost, "why",
		stats->gpu_why[0] ? kr_tool_json_text(stats->gpu_why) : json_null(), "cut_off",
		(json_int_t)stats->cut_off);
}

void
kr_composing_print(const struct kr_display_stats *stats, FILE *out)
{
	const struct {
		uint64_t count;
		const char *what;
	} ways[] = {
		{stats->untouched, "made of nothing, as nobody looked"},
		{stats->handed_over, "a window's buffer as it is"},
		{stats->drawn, "drawn"},
	};
	const char *between = "";

	if (!stats->composed)
		return;
	fputs("  pictures   ", out);
	for (size_t i = 0; i < KR_ARRAY_LEN(ways); i++) {
		if (!ways[i].count)
			continue;
		fprintf(out, "%s%" PRIu64 " %s", between, ways[i].count, ways[i].what);
		between = ", ";
	}
	if (stats->drawn_bytes)
		fprintf(out, "; %.2f MB copied a picture",
			(double)bytes_a_picture(stats) / MEGABYTE);
	else
		fputs("; nothing copied", out);
	if (stats->held || stats->not_held)
		fprintf(out, "; kept %" PRIu64 " times, copied instead %" PRIu64, stats->held,
			stats->not_held);
	fputc('\n', out);
	print_gpu(stats, out);
	print_older(stats, out);
	if (stats->client_layers)
		fprintf(out,
			"             %" PRIu64
			" layers were handed back by the device and drawn for it\n",
			stats->client_layers);
	print_modes(stats, out);
	print_ticks(stats, out);
}

json_t *
kr_composing_json(const struct kr_display_stats *stats)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
		"untouched", (json_int_t)stats->untouched, "handed_over",
		(json_int_t)stats->handed_over, "drawn", (json_int_t)stats->drawn, "drawn_bytes",
		(json_int_t)stats->drawn_bytes, "bytes_per_picture",
		(json_int_t)bytes_a_picture(stats), "held", (json_int_t)stats->held, "not_held",
		(json_int_t)stats->not_held, "older", (json_int_t)stats->without_pixels,
		"client_layers", (json_int_t)stats->client_layers, "client_bytes",
		(json_int_t)stats->client_bytes, "on_planes", (json_int_t)stats->plane_frames,
		"gpu", json_gpu(stats));
}

json_t *
kr_composing_ticks_json(const struct kr_display_stats *stats)
{
	if (!stats->real_ticks)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "count", (json_int_t)stats->real_ticks,
		"missed", (json_int_t)stats->missed_ticks, "late", (json_int_t)stats->late_ticks,
		"lateness_mean_ns", (json_int_t)mean_lateness(stats), "lateness_max_ns",
		(json_int_t)stats->lateness_max, "not_shown", (json_int_t)stats->present_stuck);
}
