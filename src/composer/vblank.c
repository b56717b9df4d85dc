/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vertical blanks of a display, for who waits for the next one. Real clock: the places on the
 * grid of ticks, also those at which nothing is shown. Virtual clock: its pictures; while none
 * comes, one for each time that an idle window is waited for, so that who draws only after a blank
 * doesn't wait for himself.
 */
#include "composer/display.h"

#include "util/clock.h"

static int64_t
next_blank(const struct kr_display *display, int64_t now)
{
	if (display->config.clock == KR_CLOCK_VIRTUAL)
		return now + KR_MAX(display->config.idle_ns, (int64_t)1);
	return display->epoch_ns +
		((now - display->epoch_ns) / display->period_ns + 1) * display->period_ns;
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
	if (display->watchers)
		tell_all(display, display->blanks,
			(int64_t)(display->blanks - 1) * display->period_ns);
}

void
kr_display_tell_blank(struct kr_display *display, int64_t now)
{
	int64_t count;

	if (!display->watchers || now < display->blank_ns)
		return;
	if (display->config.clock == KR_CLOCK_VIRTUAL) {
		kr_display_blank_virtual(display);
		return;
	}
	count = (now - display->epoch_ns) / display->period_ns;
	tell_all(display, (uint64_t)count, display->epoch_ns + count * display->period_ns);
}
