/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a display makes a picture (DESIGN 5.6).
 *
 * Real clock: ticks lie on a grid, epoch + n * period. A frame that gets ready asks for the next
 * place on the grid; nothing ticks while nothing is ready.
 *
 * Virtual clock: time stands still until every producer has a frame that is ready; then it advances
 * by one period. So which frames meet in a picture depends on how many each has queued and never on
 * how long that took, and equal programs give equal pictures. Three things end the wait for a
 * producer: it disconnects and has no frame left, its fence runs into the watchdog, or it has
 * queued nothing for idle_ns. A window that its process opened after showing frames in others takes
 * part after these (join.c). Nor does the first tick come before each program that was expected has
 * a frame, has ended, or the time for being idle has passed (windows.c). One that waits for a
 * buffer needs no rule of its own: a queue has a buffer more than the display holds, so a producer
 * that waits has a frame queued here.
 *
 * At a tick each producer's oldest ready frame goes on screen, one a tick, and the one before it
 * goes back. Layers lie as in the stack (windows.c). What was asked of their places since the last
 * picture holds from this one on; the real clock makes one for that alone.
 *
 * How long making the picture takes is up to what producers send. Real clock: what is too
 * much for a tick is prepared during several (stage.c). Virtual clock: time stands still
 * until the picture is done; it is drawn in pieces, between which the display answers, but
 * nothing goes on or off the screen.
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
	bool ready = display->restacked && !kr_display_is_full(display);

	kr_list_for_each (producer, &display->producers, link)
		ready |= producer->head == KR_HEAD_READY || producer->staging;
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
	if (producer->stuck)
		return 0;
	/* Also of one that has gone: whether its last frame is ready is a matter of time. */
	if (producer->head == KR_HEAD_PENDING)
		return producer->head_since_ns + KR_DISPLAY_WATCHDOG_NS;
	return producer->gone ? 0 : producer->idle_since_ns + producer->display->config.idle_ns;
}

static int64_t
next_virtual(struct kr_display *display, int64_t now)
{
	const struct kr_producer *producer;
	int64_t due = display->begun ? now : KR_MAX(now, kr_display_groups_until(display));
	bool ready = false;

	kr_list_for_each (producer, &display->producers, link) {
		if (!producer->joined)
			continue;
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
	kr_display_join(display, now);
	return display->config.clock == KR_CLOCK_VIRTUAL ? next_virtual(display, now)
							 : next_real(display, now);
}

static bool
is_idle(const struct kr_producer *producer)
{
	return producer->joined && !producer->gone && !producer->stuck &&
		producer->head == KR_HEAD_NONE;
}

/* Real clock: whether the head waits until it was prepared. It is told once. */
static bool
has_to_be_prepared(struct kr_producer *producer, pixman_region32_t *covered)
{
	struct kr_frame frame;

	if (!kr_display_wants(producer->display).every ||
		kr_consumer_peek(producer->consumer, &frame) < 0 ||
		kr_stage_spares(producer, &frame, covered))
		return false;
	if (!producer->warned)
		kr_warn("display: frames of %s (pid %d) take more work than a tick has for them: they are shown some ticks later",
			kr_consumer_label(producer->consumer), kr_consumer_pid(producer->consumer));
	producer->warned = true;
	return true;
}

/*
 * Whether anything new is on screen. *idle: whether somebody was not waited for. From the top down:
 * what a frame costs is a question of what is seen of it.
 */
static bool
latch_all(struct kr_display *display, int64_t now, bool *idle)
{
	bool real = display->config.clock == KR_CLOCK_REAL, changed = false;
	struct kr_producer *producer;
	pixman_region32_t covered;

	pixman_region32_init(&covered);
	kr_list_for_each_back (producer, &display->stack, in_stack) {
		bool ready =
			producer->joined && producer->head == KR_HEAD_READY && !producer->staging;

		*idle |= is_idle(producer);
		producer->costly = ready && real && has_to_be_prepared(producer, &covered);
		if (ready && !producer->costly)
			changed |= kr_producer_latch(producer, now);
		kr_picture_add_layer(&covered, producer);
	}
	pixman_region32_fini(&covered);
	return changed;
}

static int64_t
tick_time(struct kr_display *display)
{
	return display->config.clock == KR_CLOCK_VIRTUAL
		? (int64_t)(display->ticks - 1) * display->period_ns
		: display->last_ns;
}

/* Whether there is one producer at most. */
static bool
is_alone(const struct kr_display *display)
{
	const struct kr_list *producers = &display->producers;

	return producers->next == producers->prev;
}

/* The picture is as large as the window of the first frame: the lowest one's that is ready. */
static int
open_picture(struct kr_display *display)
{
	uint32_t width = display->config.width, height = display->config.height;
	const struct kr_producer *producer;
	struct kr_frame frame;

	if (kr_picture_is_open(&display->picture))
		return 0;
	kr_list_for_each (producer, &display->stack, in_stack) {
		struct kr_layout_shape shape;

		if (!producer->joined || producer->head != KR_HEAD_READY || !producer->visible ||
			kr_consumer_peek(producer->consumer, &frame) < 0)
			continue;
		shape = kr_producer_shape(&frame);
		if (!kr_layout_shape_is_scaled(&shape))
			kr_layout_shape_size(&shape, &width, &height);
		break;
	}
	return kr_picture_open(&display->picture, KR_MIN(width, (uint32_t)KR_CANVAS_MAX),
		KR_MIN(height, (uint32_t)KR_CANVAS_MAX));
}

/* What has come on screen, or lies elsewhere. Whether there is anything. */
static bool
change_screen(struct kr_display *display, int64_t now, bool *idle)
{
	bool real = display->config.clock == KR_CLOCK_REAL;
	bool changed = latch_all(display, now, idle);

	if (real)
		changed |= kr_stage_run(display) || display->restacked;
	if (display->rearrange)
		kr_picture_arrange(display);
	display->rearrange = display->restacked = false;
	kr_picture_count_seen(display, now);
	return changed;
}

/* Whether there is a picture to make. */
static bool
begin_picture(struct kr_display *display, int64_t now)
{
	bool virtual_clock = display->config.clock == KR_CLOCK_VIRTUAL, idle = false, changed;
	struct kr_pictures wanted;

	display->last_ns = display->due_ns ? display->due_ns : now;
	display->due_ns = 0;
	display->picture.spent = 0;
	display->picture.work = display->picture.least * (is_alone(display) ? KR_PICTURE_ALONE : 1);
	kr_display_join(display, now);
	if (virtual_clock)
		kr_display_begin_groups(display);
	changed = change_screen(display, now, &idle);
	if (!changed)
		return false;
	display->ticks++;
	display->frame = (struct kr_composed_frame){
		.number = display->ticks,
		.width = display->picture.canvas.width,
		.height = display->picture.canvas.height,
		.time_ns = tick_time(display),
		.changed = true,
	};
	kr_mutex_lock(&display->lock);
	display->stats.idle_skips += idle && virtual_clock;
	kr_mutex_unlock(&display->lock);
	wanted = kr_display_wants(display);
	kr_picture_begin(display, kr_pictures_have(&wanted, display->ticks));
	return true;
}

static void
count_picture(struct kr_display *display)
{
	const struct kr_picture *picture = &display->picture;
	struct kr_display_stats *stats = &display->stats;

	kr_mutex_lock(&display->lock);
	stats->composed++;
	stats->untouched += picture->plan.way == KR_PLAN_NOTHING;
	stats->handed_over += picture->plan.way == KR_PLAN_HAND_OVER;
	stats->drawn += picture->plan.way == KR_PLAN_DRAW;
	stats->drawn_bytes += picture->drawn;
	stats->without_pixels += picture->plan.older;
	kr_mutex_unlock(&display->lock);
}

/* To whom it is for. 0, or what one of them answered. */
static int
show(struct kr_display *display)
{
	int err = kr_display_outputs_show(&display->outputs, &display->frame);

	if (err < 0 || !display->hooks.frame)
		return err;
	if (!display->hooks.frame_pixels)
		display->frame.pixels = NULL;
	return display->hooks.frame(display->data, &display->frame);
}

int
kr_display_tick(struct kr_display *display, int64_t now)
{
	bool done;
	int err;

	if (!display->drawing) {
		err = open_picture(display);
		if (err < 0)
			return err;
		if (!begin_picture(display, now))
			return 0;
	}
	done = kr_picture_draw(display);
	display->drawing = !done && display->config.clock == KR_CLOCK_VIRTUAL;
	if (display->drawing)
		return 0;
	display->frame.layers = kr_picture_layers(display);
	count_picture(display);
	err = show(display);
	kr_picture_end(display);
	return err;
}
