/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See rate.h. A window's frames stay for `times` refreshes each, its rate being that part of the
 * display's. Where that is no whole number some stay for one more than others:
 *
 *     24 frames a second at 60 Hz    |a  a  a |b  b |c  c  c |d  d |      times = 2.5
 *     48                             |a |b |- c |d |- ...                  0.8: some are never seen
 *
 * Judder is how far these times are from what they should be, as a part of that: of the frames
 * `part` stay for a refresh more than the others, so the mean of it is 2 part (1 - part) / times.
 */
#include "composer/rate.h"

#include <math.h>
#include <stdbool.h>
#include <krafla/native_window.h>

#define MHZ_PER_HZ 1000.0
/*
 * As near is as good: 24 and 24000/1001 are that far apart, of the larger one. Both are rounded: a
 * wish is a float, a rate has three decimals.
 */
#define NEAR (0.001 + 0.00001)

/* How good a rate is for all wishes, in the order in which it counts. */
struct fit {
	unsigned met;   /* more is better; less of all that follows */
	double judder;  /* of windows for which it is no multiple */
	double repeats; /* refreshes for each frame, of FIXED_SOURCE for which it is one */
	double off;     /* how exact a multiple, of these */
};

static double
judder(double times)
{
	double part = times - floor(times);

	return 2 * part * (1 - part) / times;
}

static void
add(struct fit *fit, double rate, const struct kr_frame_rate *wish)
{
	bool fixed = wish->compatibility == NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE;
	double times = rate / (double)wish->rate, whole = fmax(round(times), 1);
	double off = fabs(times - whole) / fmax(times, whole);
	bool multiple = off <= NEAR;

	fit->met += multiple || (!fixed && times >= 1);
	if (!multiple)
		fit->judder += judder(times);
	if (fixed && multiple) {
		fit->repeats += whole;
		fit->off += off;
	}
}

/* Above 0: a is better; 0: neither is. */
static int
compare(const struct fit *a, const struct fit *b)
{
	if (a->met != b->met)
		return a->met > b->met ? 1 : -1;
	if (a->judder != b->judder)
		return a->judder < b->judder ? 1 : -1;
	if (a->repeats != b->repeats)
		return a->repeats < b->repeats ? 1 : -1;
	return (a->off < b->off) - (a->off > b->off);
}

unsigned
kr_rate_choose(const uint32_t *rates_mhz, unsigned rate_count, const struct kr_frame_rate *wishes,
	unsigned wish_count)
{
	struct fit best_fit = {0};
	unsigned best = 0;

	for (unsigned i = 0; i < rate_count; i++) {
		struct fit fit = {0};
		int better;

		for (unsigned w = 0; w < wish_count; w++)
			add(&fit, rates_mhz[i] / MHZ_PER_HZ, &wishes[w]);
		better = i ? compare(&fit, &best_fit) : 1;
		if (better < 0 || (!better && (!best || rates_mhz[i] < rates_mhz[best])))
			continue;
		best = i;
		best_fit = fit;
	}
	return best;
}
