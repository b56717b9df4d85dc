/* SPDX-License-Identifier: Apache-2.0 */
/* See composing.h. */
#include "tools/run/composing.h"

#include <inttypes.h>

#define MEGABYTE 1e6

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
	print_older(stats, out);
}

json_t *
kr_composing_json(const struct kr_display_stats *stats)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "untouched",
		(json_int_t)stats->untouched, "handed_over", (json_int_t)stats->handed_over,
		"drawn", (json_int_t)stats->drawn, "drawn_bytes", (json_int_t)stats->drawn_bytes,
		"bytes_per_picture", (json_int_t)bytes_a_picture(stats), "held",
		(json_int_t)stats->held, "not_held", (json_int_t)stats->not_held, "older",
		(json_int_t)stats->without_pixels);
}
