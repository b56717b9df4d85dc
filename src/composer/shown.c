/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is told that his frames are shown: those that asked, once the picture that they came with is
 * on every screen that says so; also frames of which nothing is seen, and those that will never be
 * shown, when the pictures before them are.
 */
#include "composer/display.h"

#include "util/clock.h"

/* How many pictures are where they go. */
static uint64_t
count_done(struct kr_display *display)
{
	unsigned coming = kr_display_on_the_way(display);

	return display->ticks > coming ? display->ticks - coming : 0;
}

static int64_t
time_of(const struct kr_display *display, uint64_t picture)
{
	if (display->config.clock == KR_CLOCK_REAL)
		return kr_clock_now();
	return picture ? (int64_t)(picture - 1) * display->period_ns : 0;
}

static void
tell(struct kr_producer *producer, uint64_t done)
{
	unsigned told = 0;

	while (told < producer->ask_count && producer->asks[told].picture <= done)
		told++;
	if (!told)
		return;
	kr_consumer_shown(producer->consumer, producer->asks[told - 1].number,
		time_of(producer->display, producer->asks[told - 1].picture));
	producer->display->asks -= told;
	producer->ask_count -= told;
	for (unsigned i = 0; i < producer->ask_count; i++)
		producer->asks[i] = producer->asks[told + i];
}

void
kr_display_tell_shown(struct kr_display *display)
{
	struct kr_producer *producer;
	uint64_t done;

	if (!display->asks)
		return;
	done = count_done(display);
	kr_list_for_each (producer, &display->producers, link)
		tell(producer, done);
}
