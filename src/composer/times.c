/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of frames when, for who may ask (kr_presentation.tell_events).
 *
 *   latch              it left the queue
 *   ready              its fence's own time, where that can be known; else when it was seen
 *   first composition  its first picture was begun
 *   last composition   the last one with it was
 *   GPU done           a GPU had drawn the first; INVALID where the CPU did, or nobody
 *   shown              the first was on a screen. Of several screens the first; screens say when
 *                      (page flips, Present, presentation-time), and what keeps pictures or has
 *                      nobody who looks has them when they are handed over. INVALID: nothing of the
 *                      frame was seen, or a screen hasn't said for KR_TIMES_LIMIT_NS
 *
 * With a virtual clock all of them are times of pictures.
 *
 * What is known of a frame goes with its release, where that comes soon: it waits for that for a
 * period at most; with a virtual clock, which stands still while a program waits for that, for
 * KR_TIMES_PATIENCE_NS.
 * Of a frame that was never shown it is told when it goes back.
 */
#include "composer/display.h"

#include <errno.h>

#include "util/clock.h"

/* So long a screen may be silent about a picture. */
#define KR_TIMES_LIMIT_NS    KR_NSEC_PER_SEC
#define KR_TIMES_PATIENCE_NS KR_NSEC_PER_MSEC

#define LAST     (1u << KR_EVENT_LAST_COMPOSITION)
#define BUT_LAST (KR_TIMING_EVENTS & ~LAST)

static bool
is_virtual(const struct kr_display *display)
{
	return display->config.clock == KR_CLOCK_VIRTUAL;
}

/* --- pictures --- */

static struct kr_picture_times *
times_of(struct kr_display *display, uint64_t picture)
{
	struct kr_picture_times *times = &display->pictures[picture % KR_DISPLAY_TIMED];

	return picture && times->number == picture ? times : NULL;
}

void
kr_display_time_composed(struct kr_display *display, uint64_t picture, int64_t time_ns)
{
	display->pictures[picture % KR_DISPLAY_TIMED] = (struct kr_picture_times){
		.number = picture,
		.composed_ns = is_virtual(display) ? time_ns : kr_clock_now(),
		.gpu_ns = KR_TIME_INVALID,
	};
}

void
kr_display_time_drawn(struct kr_display *display, uint64_t picture, int64_t gpu_ns)
{
	struct kr_picture_times *times = times_of(display, picture);

	if (times)
		times->gpu_ns = is_virtual(display) ? times->composed_ns : gpu_ns;
}

void
kr_display_time_screen(struct kr_display *display, uint64_t picture, int64_t shown_ns)
{
	struct kr_picture_times *times = times_of(display, picture);

	if (times && (!times->screen_ns || shown_ns < times->screen_ns))
		times->screen_ns = shown_ns;
}

void
kr_display_time_handed(struct kr_display *display, uint64_t picture, int64_t handed_ns)
{
	struct kr_picture_times *times = times_of(display, picture);

	if (times && !times->handed_ns)
		times->handed_ns = handed_ns;
}

/* --- frames --- */

static struct kr_producer_timed *
last_timed(struct kr_producer *producer)
{
	return producer->timed_count ? &producer->timed[producer->timed_count - 1] : NULL;
}

static void
tell(struct kr_producer *producer, struct kr_producer_timed *timed)
{
	if (timed->events.known)
		kr_consumer_tell_events(producer->consumer, &timed->events);
	timed->events.known = 0;
}

static void
remove_at(struct kr_producer *producer, unsigned at)
{
	producer->display->timed--;
	producer->timed_count--;
	for (unsigned i = at; i < producer->timed_count; i++)
		producer->timed[i] = producer->timed[i + 1];
}

static void
set(struct kr_producer_timed *timed, enum kr_frame_event event, int64_t time_ns)
{
	timed->events.known |= 1u << event;
	timed->events.time_ns[event] = time_ns;
}

/* What comes with its first picture will not be known any more. */
static void
give_up(struct kr_producer_timed *timed)
{
	if (timed->shown)
		return;
	timed->shown = true;
	set(timed, KR_EVENT_GPU_DONE, KR_TIME_INVALID);
	set(timed, KR_EVENT_SHOWN, KR_TIME_INVALID);
	if (!(timed->events.known & 1u << KR_EVENT_FIRST_COMPOSITION))
		set(timed, KR_EVENT_FIRST_COMPOSITION, KR_TIME_INVALID);
}

void
kr_producer_time_frame(
	struct kr_producer *producer, const struct kr_frame *frame, int64_t ready_ns, int64_t now)
{
	struct kr_display *display = producer->display;
	int64_t at = kr_display_virtual_now(display);
	struct kr_producer_timed *timed;

	if (!frame->presentation.tell_events)
		return;
	if (producer->timed_count == KR_PRODUCER_TIMED) {
		give_up(&producer->timed[0]);
		tell(producer, &producer->timed[0]);
		remove_at(producer, 0);
	}
	timed = &producer->timed[producer->timed_count++];
	*timed = (struct kr_producer_timed){
		.events = {.number = frame->number}, .picture = display->ticks + 1};
	set(timed, KR_EVENT_LATCH, is_virtual(display) ? at : now);
	set(timed, KR_EVENT_READY, is_virtual(display) ? at : ready_ns);
	timed->tell_ns = timed->limit_ns = now + KR_TIMES_LIMIT_NS;
	display->timed++;
}

void
kr_producer_time_unseen(struct kr_producer *producer)
{
	struct kr_producer_timed *timed = last_timed(producer);

	if (timed && !timed->over)
		timed->unseen = true;
}

void
kr_producer_time_end(struct kr_producer *producer)
{
	struct kr_producer_timed *timed = last_timed(producer);
	const struct kr_picture_times *times =
		times_of(producer->display, producer->display->ticks);

	/* All before the last were replaced, and are over. */
	if (!timed || timed->over)
		return;
	timed->over = true;
	set(timed, KR_EVENT_LAST_COMPOSITION,
		times && times->number >= timed->picture ? times->composed_ns : KR_TIME_INVALID);
}

void
kr_producer_time_dropped(
	struct kr_producer *producer, const struct kr_frame *frame, int64_t ready_ns)
{
	struct kr_frame_events events = {.number = frame->number, .known = KR_TIMING_EVENTS};
	bool ready = ready_ns != KR_TIME_INVALID;

	if (!frame->presentation.tell_events)
		return;
	for (unsigned i = 0; i < KR_EVENT_COUNT; i++)
		events.time_ns[i] = KR_TIME_INVALID;
	if (ready)
		events.time_ns[KR_EVENT_READY] = is_virtual(producer->display)
			? kr_display_virtual_now(producer->display)
			: ready_ns;
	kr_consumer_tell_events(producer->consumer, &events);
}

bool
kr_producer_take_times(
	struct kr_producer *producer, uint64_t number, struct kr_frame_events *events)
{
	for (unsigned i = 0; i < producer->timed_count; i++) {
		const struct kr_producer_timed *timed = &producer->timed[i];

		if (timed->events.number != number || !timed->shown || !timed->over)
			continue;
		*events = timed->events;
		remove_at(producer, i);
		return true;
	}
	return false;
}

/* --- telling --- */

/* -EAGAIN: a screen hasn't said yet. */
static int
find_shown(struct kr_display *display, const struct kr_picture_times *times, int64_t *shown_ns)
{
	int64_t of_outputs = 0;
	int err;

	if (is_virtual(display)) {
		*shown_ns = times->composed_ns;
		return 0;
	}
	err = kr_display_outputs_shown_time(&display->outputs, times->number, &of_outputs);
	if (err == -EAGAIN && !times->screen_ns)
		return err;
	*shown_ns = times->screen_ns;
	if (!err && (!*shown_ns || of_outputs < *shown_ns))
		*shown_ns = of_outputs;
	if (!*shown_ns && err == -EOPNOTSUPP)
		*shown_ns = times->handed_ns;
	if (!*shown_ns)
		*shown_ns = KR_TIME_INVALID;
	return 0;
}

/* The first picture of it isn't on its way any more: what comes with that. */
static void
look_at_picture(struct kr_display *display, struct kr_producer_timed *timed, int64_t now)
{
	const struct kr_picture_times *times = times_of(display, timed->picture);
	int64_t shown_ns = KR_TIME_INVALID;

	if (timed->shown)
		return;
	if (!times) {
		give_up(timed);
		return;
	}
	if (!timed->unseen && find_shown(display, times, &shown_ns) == -EAGAIN &&
		now < timed->limit_ns)
		return;
	timed->shown = true;
	set(timed, KR_EVENT_FIRST_COMPOSITION, times->composed_ns);
	set(timed, KR_EVENT_GPU_DONE, times->gpu_ns);
	set(timed, KR_EVENT_SHOWN, shown_ns);
	timed->tell_ns =
		now + (is_virtual(display) ? KR_TIMES_PATIENCE_NS : display->grid.period_ns);
}

static void
tell_producer(struct kr_producer *producer, uint64_t done, int64_t now)
{
	unsigned i = 0;

	while (i < producer->timed_count) {
		struct kr_producer_timed *timed = &producer->timed[i];

		if (timed->picture <= done)
			look_at_picture(producer->display, timed, now);
		if ((timed->shown && timed->over) || timed->tell_ns <= now) {
			timed->tell_ns = KR_FOREVER;
			tell(producer, timed);
		}
		if (timed->shown && timed->over)
			remove_at(producer, i);
		else
			i++;
	}
}

void
kr_display_tell_times(struct kr_display *display, int64_t now)
{
	struct kr_producer *producer;
	uint64_t on_the_way, done;

	if (!display->timed)
		return;
	on_the_way = kr_display_on_the_way(display);
	done = display->ticks > on_the_way ? display->ticks - on_the_way : 0;
	kr_list_for_each (producer, &display->producers, link) {
		if (producer->timed_count)
			tell_producer(producer, done, now);
	}
}

int64_t
kr_display_next_times(const struct kr_display *display)
{
	const struct kr_producer *producer;
	int64_t next = KR_FOREVER;

	if (!display->timed)
		return next;
	kr_list_for_each (producer, &display->producers, link) {
		for (unsigned i = 0; i < producer->timed_count; i++)
			next = KR_MIN(next, producer->timed[i].tell_ns);
	}
	return next;
}
