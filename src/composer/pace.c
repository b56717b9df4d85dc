/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rate of a display that has several: the best one, by rate.c's rule, for the wishes (wish.c)
 * of those windows of which something is seen.
 *
 * Real clock: the grid of ticks goes on from its last place. It has a rate for one of its refreshes
 * at least, whatever producers say. Virtual clock: what is chosen when a picture is made says when
 * the next one is. So a wish that ends with its window holds for the picture that is made without
 * it.
 *
 * Producers hear of another rate before anything of that picture comes back to them.
 */
#include "composer/display.h"

#include "util/clock.h"
#include "util/log_budget.h"

static struct kr_log_budget changes;

static bool
is_real(const struct kr_display *display)
{
	return display->config.clock == KR_CLOCK_REAL;
}

static unsigned
choose(struct kr_display *display)
{
	struct kr_frame_rate wishes[KR_DISPLAY_MAX_PRODUCERS];
	const struct kr_producer *producer;
	unsigned count = 0;

	if (!display->wishers)
		return 0;
	kr_display_find_seen(display);
	kr_list_for_each (producer, &display->producers, link) {
		if (producer->wish.rate > 0 && producer->seen)
			wishes[count++] = producer->wish;
	}
	return kr_rate_choose(display->rates_mhz, display->rate_count, wishes, count);
}

static void
tell_refresh(struct kr_display *display)
{
	const struct kr_queue_settings settings = {
		.set = KR_SETTING_REFRESH,
		.refresh_ns = display->grid.period_ns,
		.phase_ns = kr_display_phase_ns(display, kr_display_latency_ns(display)),
	};
	struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link)
		kr_consumer_set_settings(producer->consumer, &settings);
}

static void
change(struct kr_display *display, unsigned rate, int64_t now)
{
	uint32_t mhz = display->rates_mhz[rate];
	bool real = is_real(display);

	kr_log_limited(&changes, KR_LOG_INFO,
		"display: %.5g Hz from now on; %u windows wish for a rate",
		mhz / (double)KR_MHZ_PER_HZ, display->wishers);
	display->rate = rate;
	kr_grid_change(&display->grid, real ? kr_grid_last(&display->grid, now) : display->ticks,
		kr_display_period_of(mhz));
	if (real)
		kr_display_move_blanks(display, now);
	if (display->due_ns > now)
		display->due_ns = 0;
	if (display->screen.open)
		kr_display_screen_set_period(&display->screen, display->grid.period_ns);
	tell_refresh(display);
	kr_mutex_lock(&display->lock);
	display->stats.rate = rate;
	display->stats.rate_changes++;
	kr_mutex_unlock(&display->lock);
}

void
kr_display_choose_rate(struct kr_display *display, int64_t now)
{
	unsigned rate;

	display->rate_stale = false;
	if (display->rate_count == 1 || (!display->wishers && !display->rate))
		return;
	if (is_real(display) && now < kr_grid_at(&display->grid, display->grid.from + 1)) {
		display->rate_stale = true;
		return;
	}
	rate = choose(display);
	if (rate != display->rate)
		change(display, rate, now);
}

void
kr_display_follow_wishes(struct kr_display *display, int64_t now)
{
	if (display->rate_stale && is_real(display))
		kr_display_choose_rate(display, now);
}

int64_t
kr_display_next_rate(const struct kr_display *display)
{
	return display->rate_stale && is_real(display)
		? kr_grid_at(&display->grid, display->grid.from + 1)
		: KR_FOREVER;
}
