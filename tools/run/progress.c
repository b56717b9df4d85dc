/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line: see progress.h. */
#include "tools/run/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "composer/composer.h"
#include "util/clock.h"

#define INTERVAL_NS (250 * KR_NSEC_PER_MSEC)
#define CLEAR_LINE  "\r\033[K"

void
kr_progress_init(
	struct kr_progress *progress, struct kr_display *display, uint64_t wanted, int64_t now)
{
	*progress = (struct kr_progress){
		.next_ns = display && isatty(STDERR_FILENO) ? now + INTERVAL_NS : KR_FOREVER,
		.display = display,
		.wanted = wanted,
		.since_ns = now,
	};
}

void
kr_progress_update(struct kr_progress *progress, int64_t now)
{
	struct kr_display_stats stats;
	double rate;

	if (now < progress->next_ns)
		return;
	kr_display_get_stats(progress->display, &stats);
	rate = (double)(stats.composed - progress->frames) * (double)KR_NSEC_PER_SEC /
		(double)(now - progress->since_ns);
	fprintf(stderr, CLEAR_LINE "frame %llu", (unsigned long long)stats.composed);
	if (progress->wanted)
		fprintf(stderr, " of %llu", (unsigned long long)progress->wanted);
	fprintf(stderr, ", %.1f frames/s", rate);
	progress->frames = stats.composed;
	progress->since_ns = now;
	progress->next_ns = now + INTERVAL_NS;
}

void
kr_progress_clear(const struct kr_progress *progress)
{
	if (progress->next_ns != KR_FOREVER)
		fputs(CLEAR_LINE, stderr);
}
