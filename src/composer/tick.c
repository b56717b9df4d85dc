/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a display makes a picture (DESIGN 5.6).
 *
 * Real clock: ticks lie on a grid (grid.h). A frame that gets ready asks for the next
 * place on the grid; nothing ticks while nothing is ready.
 *
 * Virtual clock: time stands still until every producer has a frame that is ready; then it advances
 * by one period. So which frames meet in a picture depends on how many each has queued and never on
 * how long that took, and equal programs give equal pictures. Three things end the wait for a
 * producer: it disconnects and has no frame left, its fence runs into the watchdog, or it has
 * queued nothing for idle_ns. A window that its process opened after showing frames in others takes
 * part after these (join.c). Nor does the first tick come before each program that was expected has
 * a frame, has ended, or the time for being idle has passed (groups.c). One that waits for a
 * buffer needs no rule of its own: a queue has a buffer more than the display holds, so a producer
 * that waits has a frame queued here.
 *
 * At a tick each producer's oldest ready frame goes on screen, one a tick, and the one before it
 * goes back; but for one that asks for a time that hasn't come (due.c). A window whose frame waits
 * for its time isn't waited for. Layers lie as in the stack (windows.c). What was asked of their
 * places since the last picture holds from this one on; the real clock makes one for that alone.
 *
 * How long making the picture takes is up to what producers send. Real clock: what is too much for
 * a tick is prepared during several (prepare.c), and while two pictures are on their way to a
 * screen ticks are left out. Virtual clock: time stands still until the picture is where it goes;
 * meanwhile the display answers, but nothing comes on screen.
 */
#include "composer/display.h"

#include "util/clock.h"
#include "util/log.h"

/* The first place on the grid that isn't before `now` and comes after the last tick. */
static int64_t
next_on_grid(const struct kr_display *display, int64_t now)
{
	int64_t at = kr_grid_next(&display->grid, now);

	return at > display->last_ns ? at : display->last_ns + display->grid.period_ns;
}

/* From when on a picture may be made for it; KR_FOREVER: there is nothing of it to show. */
static int64_t
next_of(const struct kr_producer *producer, int64_t now)
{
	if (producer->staging || producer->unready || kr_producer_refreshes(producer))
		return INT64_MIN;
	return producer->head == KR_HEAD_READY ? kr_producer_due_ns(producer, now) : KR_FOREVER;
}

static int64_t
next_real(struct kr_display *display, int64_t now)
{
	bool any = display->preparation.producer ||
		(display->restacked && !kr_display_is_full(display));
	int64_t from = any ? INT64_MIN : KR_FOREVER, next;
	struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link)
		from = KR_MIN(from, next_of(producer, now));
	if (from == KR_FOREVER) {
		display->due_ns = 0;
		return KR_FOREVER;
	}
	/* A place that has passed stays: it tells how late its tick is. */
	if (display->due_ns < from || !display->due_ns) {
		display->due_ns = next_on_grid(display, KR_MAX(now, from));
	} else if (display->due_ns > now) {
		next = next_on_grid(display, KR_MAX(now, from));
		display->due_ns = KR_MIN(display->due_ns, next);
	}
	if (display->due_ns > now && kr_display_may_hurry(display, now))
		return now;
	return display->due_ns;
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
	struct kr_producer *producer;
	int64_t due = display->begun ? now : KR_MAX(now, kr_display_groups_until(display));
	int64_t refresh = KR_FOREVER, at = kr_display_virtual_now(display);
	bool ready = false;

	if (kr_display_on_the_way(display))
		return KR_FOREVER;
	kr_list_for_each (producer, &display->producers, link) {
		if (!producer->joined)
			continue;
		kr_producer_drop_overdue(producer, at, now);
		if (producer->head == KR_HEAD_READY && kr_producer_is_due(producer, at)) {
			ready = true;
			due = KR_MAX(due, kr_producer_next_until(producer));
		} else if (producer->head == KR_HEAD_READY)
			ready |= kr_producer_waits_for_time(producer);
		else if (producer->head == KR_HEAD_NONE && kr_producer_refreshes(producer))
			refresh = KR_MIN(refresh, waits_until(producer));
		else
			due = KR_MAX(due, waits_until(producer));
	}
	if (!ready && refresh == KR_FOREVER)
		return KR_FOREVER;
	return ready ? due : KR_MAX(due, refresh);
}

int64_t
kr_display_next_tick(struct kr_display *display, int64_t now)
{
	kr_display_join(display, now);
	if (kr_display_is_full(display))
		return KR_FOREVER;
	return display->config.clock == KR_CLOCK_VIRTUAL ? next_virtual(display, now)
							 : next_real(display, now);
}

static bool
is_idle(const struct kr_producer *producer)
{
	return producer->joined && !producer->gone && !producer->stuck &&
		producer->head == KR_HEAD_NONE && !kr_producer_refreshes(producer);
}

/* Real clock: whether the head waits until it was prepared. It is told once. */
static bool
has_to_be_prepared(struct kr_producer *producer, pixman_region32_t *covered)
{
	struct kr_frame frame;

	if (kr_consumer_peek(producer->consumer, &frame) < 0 ||
		kr_preparation_spares(producer, &frame, covered))
		return false;
	if (!producer->warned)
		kr_warn("display: frames of %s (pid %d) take more work than a tick has for them: they are shown some ticks later",
			kr_consumer_label(producer->consumer), kr_consumer_pid(producer->consumer));
	producer->warned = true;
	return true;
}

/* Whether its head is to be shown now; between two ticks those alone that are late. */
static bool
is_due(struct kr_producer *producer, int64_t now, bool hurry)
{
	const struct kr_display *display = producer->display;
	bool real = display->config.clock == KR_CLOCK_REAL;
	int64_t at = real ? display->picture_ns : kr_display_virtual_now(display);

	if (hurry)
		return kr_producer_is_late(producer, now);
	if (!producer->joined || producer->staging)
		return false;
	if (real) {
		kr_producer_drop_overdue(producer, at, now);
		kr_producer_skip_to_latest(producer, at, now);
	}
	return producer->head == KR_HEAD_READY && kr_producer_is_due(producer, at);
}

/*
 * Whether anything new is on screen. *idle: whether somebody was not waited for. From the top down:
 * what a frame costs is a question of what is seen of it.
 */
static bool
latch_all(struct kr_display *display, int64_t now, bool hurry, bool *idle)
{
	bool real = display->config.clock == KR_CLOCK_REAL, changed = false;
	struct kr_producer *producer;
	pixman_region32_t covered;

	pixman_region32_init(&covered);
	kr_list_for_each_back (producer, &display->stack, in_stack) {
		bool ready = is_due(producer, now, hurry);

		*idle |= is_idle(producer);
		producer->costly = ready && real && has_to_be_prepared(producer, &covered);
		if (ready && !producer->costly)
			changed |= kr_producer_latch(producer, now);
		else if (!ready && !hurry)
			changed |= kr_producer_refresh(producer, now);
		kr_producer_add_cover(producer, &covered);
	}
	pixman_region32_fini(&covered);
	return changed;
}

static int64_t
tick_time(struct kr_display *display)
{
	return display->config.clock == KR_CLOCK_VIRTUAL
		? kr_grid_at(&display->grid, display->ticks)
		: display->picture_ns;
}

/* The picture is as large as the window of the first frame: the lowest one's that is ready. */
static int
open_picture(struct kr_display *display)
{
	bool turned = display->config.transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	uint32_t width = display->config.width, height = display->config.height, w, h;
	const struct kr_producer *producer;
	struct kr_frame frame;

	if (display->width)
		return 0;
	kr_list_for_each (producer, &display->stack, in_stack) {
		struct kr_layout_shape shape;

		if (display->config.size_given || !producer->joined ||
			producer->head != KR_HEAD_READY || !producer->visible ||
			kr_consumer_peek(producer->consumer, &frame) < 0)
			continue;
		shape = kr_display_shape(display, &frame);
		if (kr_layout_window_size(&shape, &w, &h)) {
			width = turned ? h : w;
			height = turned ? w : h;
		}
		break;
	}
	display->width = KR_MIN(width, (uint32_t)KR_DISPLAY_MAX_SIZE);
	display->height = KR_MIN(height, (uint32_t)KR_DISPLAY_MAX_SIZE);
	kr_mutex_lock(&display->lock);
	display->stats.width = display->width;
	display->stats.height = display->height;
	kr_mutex_unlock(&display->lock);
	return kr_display_open_targets(display);
}

/* What has come on screen, or lies elsewhere. Whether there is anything. */
static bool
change_screen(struct kr_display *display, int64_t now, bool hurry, bool *idle)
{
	bool real = display->config.clock == KR_CLOCK_REAL;
	bool changed = latch_all(display, now, hurry, idle);

	if (display->rearrange)
		kr_display_arrange(display);
	if (real)
		changed |= kr_preparation_run(display) || display->restacked;
	display->rearrange = display->restacked = false;
	return changed;
}

/* When the picture is that is made. A hurried one leaves the grid of ticks alone. */
static void
find_time(struct kr_display *display, int64_t now, bool hurry)
{
	if (!hurry) {
		display->last_ns = display->due_ns ? display->due_ns : now;
		display->due_ns = 0;
	}
	display->picture_ns = hurry ? now : display->last_ns;
}

/* Whether there is a picture to make, and what is said of it. */
static bool
begin_picture(struct kr_display *display, int64_t now, bool hurry, struct kr_composed_frame *frame)
{
	bool virtual_clock = display->config.clock == KR_CLOCK_VIRTUAL, idle = false, changed, made;
	uint32_t layers;

	find_time(display, now, hurry);
	kr_preparation_begin_tick(display);
	kr_display_join(display, now);
	if (virtual_clock) {
		kr_display_begin_groups(display);
		kr_display_leap(display);
	}
	changed = change_screen(display, now, hurry, &idle);
	kr_display_take_wishes(display);
	made = changed || (virtual_clock && kr_display_waits_for_time(display));
	layers = kr_display_count_seen(display, now);
	if (!made)
		return false;
	display->ticks++;
	kr_display_choose_rate(display, now);
	kr_display_blank_virtual(display);
	*frame = (struct kr_composed_frame){
		.number = display->ticks,
		.width = display->width,
		.height = display->height,
		.time_ns = tick_time(display),
		.layers = layers,
		.changed = changed,
	};
	kr_mutex_lock(&display->lock);
	display->stats.idle_skips += idle && virtual_clock;
	kr_mutex_unlock(&display->lock);
	return true;
}

static void
count_lateness(struct kr_display *display, int64_t now)
{
	struct kr_display_stats *stats = &display->stats;
	int64_t late = now - display->due_ns;

	kr_mutex_lock(&display->lock);
	stats->lateness_max = KR_MAX(stats->lateness_max, late);
	stats->lateness_sum += late;
	stats->late_ticks += late > KR_NSEC_PER_MSEC;
	stats->real_ticks++;
	kr_mutex_unlock(&display->lock);
}

/* Real clock: so many pictures are on their way that this tick can have none. */
static bool
is_missed(struct kr_display *display, bool hurry)
{
	if (kr_display_on_the_way(display) < KR_TARGET_PENDING)
		return false;
	if (hurry)
		return true;
	if (display->due_ns)
		display->last_ns = display->due_ns;
	display->due_ns = 0;
	kr_display_count(display, missed_ticks);
	return true;
}

/* One more; UINT64_MAX: one less. */
static void
count_picture(struct kr_display *display, uint64_t more)
{
	kr_mutex_lock(&display->lock);
	display->stats.composed += more;
	display->stats.rate_pictures[display->rate] += more;
	kr_mutex_unlock(&display->lock);
}

int
kr_display_tick(struct kr_display *display, int64_t now)
{
	bool real = display->config.clock == KR_CLOCK_REAL, made;
	bool due = display->due_ns && display->due_ns <= now;
	bool hurry = real && !due && kr_display_may_hurry(display, now);
	struct kr_composed_frame frame;
	int err;

	if (hurry)
		display->hurried_ns = now;
	if (real && due)
		count_lateness(display, now);
	if (real && is_missed(display, hurry))
		return 0;
	err = open_picture(display);
	if (err < 0 || !begin_picture(display, now, hurry, &frame))
		return err;
	count_picture(display, 1);
	if (hurry)
		kr_display_count(display, hurried);
	kr_display_time_composed(display, frame.number, frame.time_ns);
	err = kr_display_present(display, &frame, &made);
	if (err < 0 || made)
		return err;
	/* Its number is the next one's, and what is on screen is in that. */
	display->ticks--;
	display->restacked = true;
	count_picture(display, UINT64_MAX);
	return 0;
}
