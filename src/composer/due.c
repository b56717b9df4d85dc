/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that ask for a time (struct kr_frame_target), and when they have their turn.
 *
 *     made      tick    tick    tick       places where a picture can be made
 *                 \       \       \
 *     shown        blank   blank   blank   of a screen; without one a picture is shown when it is
 *                                 |        made
 *                       asked for ^ here   the tick before that blank has the frame
 *
 * A frame is in the first picture that is shown not before its time; with `nearest` half a period
 * earlier, so that the blank which is nearest has it. While the oldest frame of a window waits for
 * its time those behind it wait, too. TIMESTAMP is as of Android's BufferQueue: more than
 * KR_TARGET_FAR_NS ahead it is no time, and a frame is left out when the next one has such a time,
 * which has come, and isn't KR_TARGET_FAR_NS old.
 *
 * Virtual clock: a picture is shown when it is made. Whether there is a next frame that takes a
 * TIMESTAMP frame's place must be no matter of time: it is waited for, until the window waits for
 * us. A frame whose shown time somebody may wait for (tell_shown) is never left out there, since
 * its program may send nothing before. While all that there is waits for its time, pictures are
 * made in which nothing changes, one a tick; a gap that is longer than KR_DISPLAY_GAP_NS is leapt
 * over.
 *
 * A time at END_OF_TIME or later never comes: sums with it would be none.
 */
#include "composer/display.h"

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/log.h"
#include "window/remote/remote.h"

/* Blanks are not exact: one that is so much of a period too early isn't. */
#define JITTER_PART 256
/* So much of a period after a blank a picture may still be in time for it. */
#define MARGIN_PART 8
/* What was heard of a screen's blanks longer ago says nothing of the next. */
#define STALE_NS KR_NSEC_PER_SEC
/* No clock goes on for that long. */
#define END_OF_TIME (INT64_MAX / 2)

static int64_t
add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* --- screens --- */

/* Where pictures are shown. A period of 0: when they are made. */
struct place {
	int64_t blank_ns; /* one of them */
	int64_t period_ns;
};

/* What is said of blanks that are further apart than is looked back isn't known to be so. */
static struct place
place_of(int64_t blank_ns, int64_t period_ns)
{
	bool known = blank_ns > 0 && period_ns > 0 && period_ns <= STALE_NS;

	return (struct place){blank_ns, known ? period_ns : 0};
}

static struct place
place_of_target(const struct kr_target *target)
{
	return place_of(target->shown_ns, target->period_ns);
}

static struct place
place_of_output(struct kr_display_output *output)
{
	struct kr_display_output_timing timing = {0};

	if (output->impl->timing)
		output->impl->timing(output, &timing);
	return place_of(timing.refresh_ns, timing.period_ns);
}

/* When a picture is shown there that is made at that time. */
static int64_t
shown_there(struct place place, int64_t at)
{
	int64_t since = at - place.blank_ns;

	if (place.period_ns <= 0 || since > STALE_NS || since < 0)
		return at;
	return place.blank_ns + (since + place.period_ns - 1) / place.period_ns * place.period_ns;
}

/* From when on pictures are made that are shown there at that time, or after. */
static int64_t
made_for(struct place place, int64_t shown)
{
	int64_t since = shown - place.blank_ns - place.period_ns / JITTER_PART, blank;

	if (place.period_ns <= 0 || since > STALE_NS || since <= -place.period_ns)
		return shown;
	blank = place.blank_ns + (since + place.period_ns - 1) / place.period_ns * place.period_ns;
	return blank - place.period_ns + place.period_ns / MARGIN_PART;
}

#define MAX_PLACES (KR_TARGET_MAX + KR_DISPLAY_MAX_OUTPUTS + 1)

/* All of them; at least one. */
static unsigned
find_places(const struct kr_display *display, struct place places[MAX_PLACES])
{
	unsigned count = 0;

	for (unsigned i = 0; i < display->target_count; i++) {
		if (display->targets[i].handle && !display->targets[i].lost)
			places[count++] = place_of_target(&display->targets[i]);
	}
	for (unsigned i = 0; i < display->outputs.count; i++) {
		if (!display->outputs.items[i]->lost)
			places[count++] = place_of_output(display->outputs.items[i]);
	}
	if (!count || display->hooks.frame)
		places[count++] = (struct place){0};
	return count;
}

bool
kr_display_is_on_screens(const struct kr_display *display)
{
	bool any = false;

	for (unsigned i = 0; i < display->target_count; i++)
		any |= !display->targets[i].queue;
	for (unsigned i = 0; i < display->outputs.count; i++)
		any |= display->outputs.items[i]->impl->timing != NULL;
	return any && display->config.clock == KR_CLOCK_REAL;
}

int64_t
kr_display_latency_ns(const struct kr_display *display)
{
	return kr_display_is_on_screens(display) ? kr_display_period_of(display->rates_mhz[0]) : 0;
}

int64_t
kr_display_shown_at(const struct kr_display *display, int64_t at)
{
	struct place places[MAX_PLACES];
	int64_t first = KR_FOREVER;
	unsigned count;

	if (display->config.clock == KR_CLOCK_VIRTUAL)
		return at;
	count = find_places(display, places);
	for (unsigned i = 0; i < count; i++)
		first = KR_MIN(first, shown_there(places[i], at));
	return first;
}

static int64_t
made_at(const struct kr_display *display, int64_t shown)
{
	struct place places[MAX_PLACES];
	int64_t last = INT64_MIN;
	unsigned count;

	if (display->config.clock == KR_CLOCK_VIRTUAL)
		return shown;
	count = find_places(display, places);
	for (unsigned i = 0; i < count; i++)
		last = KR_MAX(last, made_for(places[i], shown));
	return last;
}

/* --- heads --- */

int64_t
kr_display_virtual_now(const struct kr_display *display)
{
	return kr_grid_at(&display->grid, display->ticks + 1);
}

/* The time that the head asks for, of pictures that are shown; INT64_MIN: none. */
static int64_t
asked_time(const struct kr_producer *producer, int64_t expected)
{
	const struct kr_frame_target *target = &producer->head_target;
	int64_t time = target->time_ns;

	if (target->kind == KR_TARGET_NONE ||
		(target->kind == KR_TARGET_RELATIVE && !producer->has_base) ||
		(target->kind == KR_TARGET_TIMESTAMP && time > add(expected, KR_TARGET_FAR_NS)))
		return INT64_MIN;
	if (target->kind == KR_TARGET_RELATIVE)
		time = add(producer->base_ns, time);
	return target->nearest ? time - producer->display->grid.period_ns / 2 : time;
}

int64_t
kr_producer_due_ns(const struct kr_producer *producer, int64_t at)
{
	const struct kr_display *display = producer->display;
	int64_t asked;

	if (producer->head_target.kind == KR_TARGET_NONE)
		return INT64_MIN;
	asked = asked_time(producer, kr_display_shown_at(display, at));
	if (asked == INT64_MIN || asked >= END_OF_TIME)
		return asked == INT64_MIN ? asked : KR_FOREVER;
	return made_at(display, asked);
}

bool
kr_producer_is_due(const struct kr_producer *producer, int64_t at)
{
	return kr_producer_due_ns(producer, at) <= at;
}

void
kr_producer_note_base(struct kr_producer *producer, int64_t at)
{
	producer->has_base = true;
	producer->base_ns = kr_display_shown_at(producer->display, at);
}

/* --- frames whose time has passed --- */

static bool
next_takes_its_place(const struct kr_producer *producer, int64_t expected)
{
	bool real = producer->display->config.clock == KR_CLOCK_REAL;
	struct kr_frame next;
	int64_t time;

	if (producer->head != KR_HEAD_READY || producer->head_target.kind != KR_TARGET_TIMESTAMP ||
		(!real && producer->head_tells_shown) ||
		kr_consumer_peek_at(producer->consumer, 1, &next) < 0 ||
		next.target.kind != KR_TARGET_TIMESTAMP)
		return false;
	time = next.target.time_ns;
	if (time > expected || time < expected - KR_TARGET_FAR_NS)
		return false;
	return !real || next.fence_done ||
		kr_fence_status(next.acquire_fence) == KR_FENCE_SIGNALLED;
}

void
kr_producer_drop_overdue(struct kr_producer *producer, int64_t at, int64_t now)
{
	int64_t expected = at;

	if (producer->head_target.kind == KR_TARGET_TIMESTAMP)
		expected = kr_display_shown_at(producer->display, at);
	while (next_takes_its_place(producer, expected)) {
		kr_display_count(producer->display, dropped_late);
		kr_producer_count(producer, dropped);
		kr_producer_discard(producer);
		kr_producer_update(producer, now);
	}
}

/* Whether it can send no other frame before it gets a buffer back. */
static bool
is_starved(const struct kr_producer *producer)
{
	unsigned here = producer->on_screen + producer->has_replaced;
	struct kr_frame frame;

	if (!producer->starves)
		return false;
	for (uint32_t i = 0; kr_consumer_peek_at(producer->consumer, i, &frame) >= 0; i++)
		here++;
	return here >= kr_consumer_remote_buffers(producer->consumer);
}

int64_t
kr_producer_next_until(const struct kr_producer *producer)
{
	struct kr_frame next;

	if (producer->head_target.kind != KR_TARGET_TIMESTAMP || producer->head_tells_shown ||
		producer->gone || producer->watches ||
		kr_consumer_peek_at(producer->consumer, 1, &next) >= 0 || is_starved(producer))
		return 0;
	return KR_MAX(producer->idle_since_ns, producer->head_since_ns) +
		producer->display->config.idle_ns;
}

/* --- waiting for nothing else --- */

bool
kr_producer_waits_for_time(const struct kr_producer *producer)
{
	int64_t now = kr_display_virtual_now(producer->display);
	int64_t due = kr_producer_due_ns(producer, now);

	return producer->joined && producer->head == KR_HEAD_READY && due > now &&
		due != KR_FOREVER;
}

static int64_t
next_due(const struct kr_display *display, int64_t now)
{
	const struct kr_producer *producer;
	int64_t first = KR_FOREVER;

	kr_list_for_each (producer, &display->producers, link) {
		if (producer->joined && producer->head == KR_HEAD_READY)
			first = KR_MIN(first, kr_producer_due_ns(producer, now));
	}
	return first;
}

void
kr_display_leap(struct kr_display *display)
{
	int64_t now = kr_display_virtual_now(display), first = next_due(display, now), ticks;
	struct kr_grid *grid = &display->grid;

	if (first <= now || first == KR_FOREVER || first - now <= KR_DISPLAY_GAP_NS)
		return;
	ticks = (first - now + grid->period_ns - 1) / grid->period_ns;
	if (!display->leapt)
		kr_info("display: the next frame is wanted %lld s later: no pictures are made until then",
			(long long)((first - now) / KR_NSEC_PER_SEC));
	display->leapt = true;
	grid->from_ns = add(grid->from_ns, ticks * grid->period_ns);
}

bool
kr_display_waits_for_time(const struct kr_display *display)
{
	const struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link) {
		if (kr_producer_waits_for_time(producer))
			return true;
	}
	return false;
}

void
kr_producer_give_up_far(struct kr_producer *producer, int64_t now)
{
	bool real = producer->display->config.clock == KR_CLOCK_REAL;
	int64_t at = real ? now : kr_display_virtual_now(producer->display), last;

	/* However many frames are for soon after the one before. */
	if (!producer->ends_ns)
		producer->ends_ns = now + KR_TARGET_FAR_NS;
	last = real ? producer->ends_ns : END_OF_TIME;
	while (producer->head == KR_HEAD_READY && producer->head_target.kind != KR_TARGET_NONE &&
		kr_producer_due_ns(producer, at) > last) {
		kr_display_count(producer->display, dropped_late);
		kr_producer_count(producer, dropped);
		kr_producer_discard(producer);
		kr_producer_update(producer, now);
	}
}
