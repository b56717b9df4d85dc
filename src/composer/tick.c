/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a display makes a picture (DESIGN 5.6).
 *
 * Real clock: ticks lie on a grid, epoch + n * period. A frame that gets ready asks for the next place
 * on the grid; nothing ticks while nothing is ready.
 *
 * Virtual clock: time stands still until every producer has a frame that is ready; then it advances by
 * one period. So which frames meet in a picture depends on how many each has queued and never on how
 * long that took, and equal programs give equal pictures. Three things end the wait for a producer: it
 * disconnects, its fence runs into the watchdog, or it has queued nothing for idle_ns. One that waits
 * for a buffer needs no rule of its own: a queue has a buffer more than the display holds, so a
 * producer that waits has a frame queued here.
 *
 * At a tick each producer's oldest ready frame goes on screen, one a tick, and the one before it goes
 * back. Layers lie in order of connection, the first at the bottom.
 */
#include "composer/display.h"

#include "util/clock.h"
#include "util/log.h"

/* The first place on the grid that isn't before `now` and comes after the last tick. */
static int64_t
next_on_grid(const struct kr_display *display, int64_t now)
{
	int64_t period = display->period_ns;
	int64_t at = display->epoch_ns + (now - display->epoch_ns + period - 1) / period * period;

	return at > display->last_ns ? at : display->last_ns + period;
}

static int64_t
next_real(struct kr_display *display, int64_t now)
{
	struct kr_producer *producer;
	bool ready = false;

	kr_list_for_each (producer, &display->producers, link)
		ready |= producer->head == KR_HEAD_READY;
	if (!ready)
		display->due_ns = 0;
	else if (!display->due_ns)
		display->due_ns = next_on_grid(display, now);
	return ready ? display->due_ns : KR_FOREVER;
}

/* Until when the virtual clock waits for this producer; a time that has passed: it doesn't. */
static int64_t
waits_until(const struct kr_producer *producer)
{
	if (!producer->greeted || producer->gone || producer->stuck)
		return 0;
	if (producer->head == KR_HEAD_PENDING)
		return producer->head_since_ns + KR_DISPLAY_WATCHDOG_NS;
	return producer->idle_since_ns + producer->display->config.idle_ns;
}

static int64_t
next_virtual(const struct kr_display *display, int64_t now)
{
	const struct kr_producer *producer;
	int64_t due = now;
	bool ready = false;

	kr_list_for_each (producer, &display->producers, link) {
		if (producer->head == KR_HEAD_READY)
			ready = true;
		else
			due = KR_MAX(due, waits_until(producer));
	}
	return ready ? due : KR_FOREVER;
}

int64_t
kr_display_next_tick(struct kr_display *display, int64_t now)
{
	return display->config.clock == KR_CLOCK_VIRTUAL ? next_virtual(display, now)
							 : next_real(display, now);
}

static bool
is_idle(const struct kr_producer *producer)
{
	return producer->greeted && !producer->gone && !producer->stuck &&
		producer->head == KR_HEAD_NONE;
}

/* Whether anything new is on screen. *idle: whether somebody was not waited for. */
static bool
latch_all(struct kr_display *display, int64_t now, bool *idle)
{
	struct kr_producer *producer;
	bool changed = false;

	kr_list_for_each (producer, &display->producers, link) {
		*idle |= is_idle(producer);
		if (producer->head == KR_HEAD_READY)
			changed |= kr_producer_latch(producer, now);
	}
	return changed;
}

/* What can't be drawn is told once a producer, and its layer stays out. */
static void
refuse_frame(struct kr_producer *producer, int err)
{
	if (!producer->refused)
		kr_error("display: frames of %s (pid %d) can't be drawn (error %d)",
			kr_consumer_label(producer->consumer), kr_consumer_pid(producer->consumer),
			-err);
	producer->refused = true;
}

static uint32_t
compose(struct kr_display *display)
{
	struct kr_producer *producer;
	uint32_t layers = 0;

	kr_list_for_each (producer, &display->producers, link) {
		struct kr_placement placement;
		int err;

		if (!producer->on_screen)
			continue;
		err = kr_canvas_place(&display->canvas, &producer->current, &placement);
		if (!layers && (err < 0 || !kr_canvas_covers(&display->canvas, &placement)))
			kr_canvas_clear(&display->canvas);
		if (err == 0)
			err = kr_canvas_draw(&display->canvas, &producer->current, &placement);
		if (err < 0)
			refuse_frame(producer, err);
		else
			layers++;
	}
	return layers;
}

static int64_t
tick_time(struct kr_display *display, int64_t now)
{
	if (display->config.clock == KR_CLOCK_VIRTUAL)
		return (int64_t)(display->ticks - 1) * display->period_ns;
	display->last_ns = display->due_ns ? display->due_ns : now;
	display->due_ns = 0;
	return display->last_ns;
}

int
kr_display_tick(struct kr_display *display, int64_t now)
{
	struct kr_composed_frame frame = {
		.width = display->config.width,
		.height = display->config.height,
		.row_bytes = display->canvas.row_bytes,
		.pixels = display->canvas.pixels,
		.changed = true,
	};
	bool idle = false;

	if (!latch_all(display, now, &idle))
		return 0;
	display->ticks++;
	frame.number = display->ticks;
	frame.time_ns = tick_time(display, now);
	frame.layers = compose(display);
	kr_mutex_lock(&display->lock);
	display->stats.composed++;
	display->stats.idle_skips += idle && display->config.clock == KR_CLOCK_VIRTUAL;
	kr_mutex_unlock(&display->lock);
	return display->hooks.frame ? display->hooks.frame(display->data, &frame) : 0;
}
