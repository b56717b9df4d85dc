/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is told what of a display's time.
 *
 * That frames are shown: who asked, once the picture that they came with is on every screen that
 * says so; also of frames of which nothing is seen, and of those that will never be shown, when
 * the pictures before them are.
 *
 * That there was a vertical blank: who waits for the next one. Real clock: the places on the grid
 * of ticks, also those at which nothing is shown. Virtual clock: pictures; while none comes, one
 * for each time that an idle window is waited for, so that who draws only after a blank doesn't
 * wait for himself.
 */
#include "composer/display.h"

#include "util/clock.h"

/* --- frames --- */

/* With a virtual clock when that picture was made, one of the last ones; before all of them: 0. */
static int64_t
time_of(const struct kr_display *display, uint64_t picture)
{
	const struct kr_picture_times *times = &display->pictures[picture % KR_DISPLAY_TIMED];

	if (display->config.clock == KR_CLOCK_REAL)
		return kr_clock_now();
	return picture && times->number == picture ? times->composed_ns : 0;
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
kr_display_tell_shown(struct kr_display *display, unsigned on_the_way)
{
	uint64_t done = display->ticks > on_the_way ? display->ticks - on_the_way : 0;
	struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link)
		tell(producer, done);
}

/* --- blanks --- */

static int64_t
next_blank(const struct kr_display *display, int64_t now)
{
	if (display->config.clock == KR_CLOCK_VIRTUAL)
		return now + KR_MAX(display->config.idle_ns, (int64_t)1);
	return kr_grid_at(&display->grid, kr_grid_last(&display->grid, now) + 1);
}

void
kr_producer_watch_vblank(struct kr_producer *producer, bool on, int64_t now)
{
	struct kr_display *display = producer->display;

	if (producer->watches == on)
		return;
	producer->watches = on;
	if (!on) {
		display->watchers--;
		return;
	}
	if (!display->watchers++)
		display->blank_ns = next_blank(display, now);
}

int64_t
kr_display_next_blank(const struct kr_display *display)
{
	return display->watchers ? display->blank_ns : KR_FOREVER;
}

void
kr_display_move_blanks(struct kr_display *display, int64_t now)
{
	if (display->watchers)
		display->blank_ns = next_blank(display, now);
}

static void
tell_all(struct kr_display *display, uint64_t count, int64_t time_ns)
{
	struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link) {
		if (!producer->watches)
			continue;
		kr_producer_watch_vblank(producer, false, 0);
		kr_consumer_vblank(producer->consumer, count, time_ns);
	}
}

void
kr_display_blank_virtual(struct kr_display *display)
{
	if (display->config.clock != KR_CLOCK_VIRTUAL)
		return;
	display->blanks++;
	/* Whoever waits compares it with clocks of his own. */
	if (display->watchers)
		tell_all(display, display->blanks, kr_clock_now());
}

void
kr_display_tell_blank(struct kr_display *display, int64_t now)
{
	uint64_t count;

	if (!display->watchers || now < display->blank_ns)
		return;
	if (display->config.clock == KR_CLOCK_VIRTUAL) {
		kr_display_blank_virtual(display);
		return;
	}
	count = kr_grid_last(&display->grid, now);
	tell_all(display, count, kr_grid_at(&display->grid, count));
}
