/* SPDX-License-Identifier: Apache-2.0 */
/* When a display shows frames that ask for a time, and what it tells of them. */
#include "rig.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "util/fd.h"

#define WAIT_NS   (10 * KR_NSEC_PER_SEC)
#define PERIOD_NS (KR_NSEC_PER_SEC * 1000 / 60000)
#define TEN_YEARS (INT64_C(10) * 365 * 24 * 3600 * KR_NSEC_PER_SEC)

/* Of a display that ticks n times: what picture n is at. */
static int64_t
at_tick(int64_t tick)
{
	return tick * PERIOD_NS;
}

static struct kr_frame_target
absolute(int64_t time_ns)
{
	return (struct kr_frame_target){.kind = KR_TARGET_ABSOLUTE, .time_ns = time_ns};
}

static struct kr_frame_target
timestamp(int64_t time_ns)
{
	return (struct kr_frame_target){.kind = KR_TARGET_TIMESTAMP, .time_ns = time_ns};
}

static struct kr_frame_target
relative(int64_t time_ns)
{
	return (struct kr_frame_target){.kind = KR_TARGET_RELATIVE, .time_ns = time_ns};
}

static struct kr_frame_target
nearest(struct kr_frame_target target)
{
	target.nearest = true;
	return target;
}

/* The number that the frame gets. */
static uint64_t
show_with(struct kr_queue *queue, const struct kr_frame_target *target, enum kr_present_mode mode,
	int fence, unsigned seed)
{
	struct rig_frame frame = RIG_FRAME;
	uint64_t number;

	frame.presentation.mode = mode;
	frame.presentation.tell_events = true;
	frame.target = *target;
	frame.fence = fence;
	frame.number = &number;
	rig_show(queue, &frame, rig_plain, seed);
	return number;
}

static uint64_t
show_at(struct kr_queue *queue, struct kr_frame_target target, unsigned seed)
{
	return show_with(queue, &target, KR_PRESENT_FIFO, -1, seed);
}

static struct kr_queue *
window_of(struct rig *rig, const char *label, uint32_t buffers)
{
	struct kr_queue *queue = rig_window(rig, label);

	assert_int_equal(kr_queue_set_buffer_count(queue, buffers), 0);
	return queue;
}

/* What is known of a frame, once these events are. */
static struct kr_frame_times
times_of(struct kr_queue *queue, uint64_t number, uint32_t events)
{
	int64_t until = kr_clock_now() + WAIT_NS;
	struct kr_frame_times times;
	bool pending;

	do {
		assert_int_equal(kr_queue_frame_times(queue, number, &times), 0);
		pending = false;
		for (unsigned i = 0; i < KR_EVENT_COUNT; i++)
			pending |= events >> i & 1 && times.time_ns[i] == KR_TIME_PENDING;
		if (pending)
			poll(NULL, 0, 1);
		assert_true(kr_clock_now() < until);
	} while (pending);
	return times;
}

#define BUT_LAST (KR_TIMING_EVENTS & ~KR_ABILITY(KR_EVENT_LAST_COMPOSITION))

static int64_t
shown(struct kr_queue *queue, uint64_t number)
{
	return times_of(queue, number, BUT_LAST).time_ns[KR_EVENT_SHOWN];
}

static int64_t
picture_time(struct rig *rig, unsigned picture)
{
	int64_t time;

	kr_mutex_lock(&rig->lock);
	time = rig->times[picture - 1];
	kr_mutex_unlock(&rig->lock);
	return time;
}

static unsigned
count_pictures(struct rig *rig)
{
	unsigned count;

	kr_mutex_lock(&rig->lock);
	count = rig->frames;
	kr_mutex_unlock(&rig->lock);
	return count;
}

/* --- virtual clock --- */

struct row {
	struct kr_frame_target target;
	int64_t shown_ns; /* KR_TIME_INVALID: it is left out */
};

/* Frames of a window of their own, which are all there before the first has its turn. */
static void
expect_shown(const struct row *rows, unsigned count)
{
	struct rig rig = {.expected_groups = 1};
	struct kr_queue *queue, *other;
	uint64_t numbers[16];

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	/* Time stands still while the other one has nothing. */
	other = rig_window(&rig, "other");
	queue = window_of(&rig, "asks", count + 1);
	for (unsigned i = 0; i < count; i++)
		numbers[i] = show_at(queue, rows[i].target, i);
	rig_wait_stat(&rig, queued, count);
	rig_close(other);
	for (unsigned i = 0; i < count; i++) {
		int64_t got = shown(queue, numbers[i]);

		if (got != rows[i].shown_ns)
			fail_msg("frame %u: shown at %lld, not %lld", i, (long long)got,
				(long long)rows[i].shown_ns);
	}
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static void
a_frame_has_the_first_tick_not_before_its_time(void **state)
{
	const struct row rows[] = {
		{absolute(0), at_tick(0)},
		{absolute(at_tick(3)), at_tick(3)},
		{absolute(at_tick(4) + 1), at_tick(5)},
		{absolute(at_tick(2)), at_tick(6)},
		{absolute(at_tick(90) - 1), at_tick(90)},
	};

	expect_shown(rows, KR_ARRAY_LEN(rows));
}

static void
nearest_may_be_half_a_period_early(void **state)
{
	const struct row rows[] = {
		{nearest(absolute(at_tick(2) + PERIOD_NS / 2)), at_tick(2)},
		{nearest(absolute(at_tick(4) + PERIOD_NS / 2 + 1)), at_tick(5)},
		{nearest(timestamp(at_tick(8) - 1)), at_tick(8)},
		{nearest(relative(3 * PERIOD_NS / 2)), at_tick(9)},
	};

	expect_shown(rows, KR_ARRAY_LEN(rows));
}

static void
relative_times_are_of_the_frame_before(void **state)
{
	const struct row rows[] = {
		{relative(at_tick(7)), at_tick(0)},
		{relative(at_tick(5)), at_tick(5)},
		{relative(1), at_tick(6)},
		{relative(at_tick(2) + 1), at_tick(9)},
		{(struct kr_frame_target){0}, at_tick(10)},
		{relative(at_tick(2)), at_tick(12)},
	};

	expect_shown(rows, KR_ARRAY_LEN(rows));
}

/* Android's BufferQueue. */
static void
timestamps_are_left_out_when_the_next_is_due(void **state)
{
	const struct row rows[] = {
		{timestamp(at_tick(0)), KR_TIME_INVALID},
		{timestamp(0), at_tick(0)},
		{timestamp(at_tick(1) - 2), KR_TIME_INVALID},
		{timestamp(at_tick(1) - 1), KR_TIME_INVALID},
		{timestamp(at_tick(1)), at_tick(1)},
		{(struct kr_frame_target){0}, at_tick(2)},
		{timestamp(at_tick(2)), at_tick(3)},
		{absolute(at_tick(1)), at_tick(4)},
		/* It isn't due itself, but the next one is. */
		{timestamp(at_tick(9)), KR_TIME_INVALID},
		{timestamp(at_tick(5)), at_tick(5)},
		/* Else a next one would be waited for. */
		{absolute(0), at_tick(6)},
	};

	expect_shown(rows, KR_ARRAY_LEN(rows));
}

static void
timestamps_far_ahead_are_none_and_old_ones_displace_nothing(void **state)
{
	const int64_t second = KR_TARGET_FAR_NS;
	const struct row rows[] = {
		{timestamp(second + 1), at_tick(0)},
		{timestamp(at_tick(1) + second + 1), at_tick(1)},
		{absolute(at_tick(70)), at_tick(70)},
		{timestamp(at_tick(71)), at_tick(71)},
		{timestamp(at_tick(71) - second - 1), at_tick(72)},
		/* A second is 60 ticks and a bit. */
		{timestamp(at_tick(73) + second), at_tick(73 + 61)},
		{absolute(0), at_tick(73 + 62)},
	};

	expect_shown(rows, KR_ARRAY_LEN(rows));
}

static void
absolute_times_are_waited_for_however_far(void **state)
{
	const int64_t tick = (TEN_YEARS + PERIOD_NS - 1) / PERIOD_NS;
	const struct row rows[] = {
		{absolute(0), at_tick(0)},
		{absolute(TEN_YEARS), at_tick(tick)},
		{timestamp(at_tick(tick + 2)), at_tick(tick + 2)},
		{absolute(0), at_tick(tick + 3)},
	};

	expect_shown(rows, KR_ARRAY_LEN(rows));
}

/* While nothing changes pictures are made; what nobody would sit out is leapt over. */
static void
time_goes_on_by_pictures_and_leaps(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue;
	struct kr_display_stats stats;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = window_of(&rig, "waits", 5);
	show_at(queue, absolute(0), 1);
	show_at(queue, absolute(at_tick(4)), 2);
	show_at(queue, absolute(at_tick(1000)), 3);
	show_at(queue, absolute(at_tick(1000)), 4);
	rig_close(queue);
	rig_drain(&rig);
	assert_int_equal(count_pictures(&rig), 7);
	for (unsigned i = 1; i <= 5; i++)
		assert_int_equal(picture_time(&rig, i), at_tick(i - 1));
	assert_int_equal(picture_time(&rig, 6), at_tick(1000));
	assert_int_equal(picture_time(&rig, 7), at_tick(1001));
	rig_stop(&rig, &stats);
	assert_int_equal(stats.composed, 7);
	assert_int_equal(stats.shown, 4);
}

/* What is told as shown was shown at its picture's time, also after a leap. */
static void
leaps_count_in_what_is_told_as_shown(void **state)
{
	const int64_t ticks[] = {0, 4, 1000, 1001};
	struct rig rig = {0};
	struct kr_queue *queue;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = window_of(&rig, "told", 5);
	for (unsigned i = 0; i < KR_ARRAY_LEN(ticks); i++) {
		struct rig_frame frame = RIG_FRAME;
		int64_t time_ns;
		uint64_t number;

		frame.presentation.tell_shown = true;
		frame.target = absolute(at_tick(ticks[i]));
		frame.number = &number;
		rig_show(queue, &frame, rig_plain, i);
		assert_int_equal(kr_queue_wait_shown(queue, number, kr_clock_now() + WAIT_NS), 0);
		assert_int_equal(kr_queue_shown_time(queue, number, &time_ns), 0);
		assert_int_equal(time_ns, at_tick(ticks[i]));
	}
	rig_close(queue);
	rig_stop(&rig, NULL);
}

#define WINDOWS 3
#define EACH    6

struct run_of_three {
	unsigned pictures;
	uint64_t hashes[RIG_MAX_FRAMES];
};

struct asker {
	struct kr_queue *queue;
	unsigned window;
};

static void *
ask_main(void *data)
{
	const struct asker *asker = data;

	for (unsigned i = 0; i < EACH; i++) {
		const struct kr_frame_target targets[WINDOWS] = {absolute(at_tick(5 * i + 1)),
			timestamp(at_tick(3 * i) / 2), relative(at_tick(2) + 1)};

		/* However long it takes. */
		if ((i + asker->window) % 3 == 0)
			usleep(2000);
		show_at(asker->queue, targets[asker->window], asker->window * 16 + i);
	}
	rig_close(asker->queue);
	return NULL;
}

static void
run_three(struct run_of_three *run)
{
	struct rig rig = {.laid_out = true};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	struct asker askers[WINDOWS];
	pthread_t threads[WINDOWS];

	config.layout = KR_LAYOUT_GRID;
	rig_start_with(&rig, &config);
	for (unsigned i = 0; i < WINDOWS; i++)
		askers[i] = (struct asker){rig_window(&rig, "one of three"), i};
	for (unsigned i = 0; i < WINDOWS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_main, &askers[i]), 0);
	for (unsigned i = 0; i < WINDOWS; i++)
		pthread_join(threads[i], NULL);
	rig_drain(&rig);
	kr_mutex_lock(&rig.lock);
	run->pictures = rig.frames;
	memcpy(run->hashes, rig.hashes, sizeof(run->hashes));
	kr_mutex_unlock(&rig.lock);
	rig_stop(&rig, NULL);
}

static void
three_windows_with_times_give_the_same_pictures(void **state)
{
	static struct run_of_three runs[2];

	run_three(&runs[0]);
	for (int i = 0; i < 5; i++) {
		memset(&runs[1], 0, sizeof(runs[1]));
		run_three(&runs[1]);
		assert_int_equal(runs[1].pictures, runs[0].pictures);
		assert_memory_equal(runs[1].hashes, runs[0].hashes, sizeof(runs[0].hashes));
	}
	/* The first window's last frame. */
	assert_int_equal(runs[0].pictures, 5 * (EACH - 1) + 2);
}

static void
events_are_of_the_display_s_time(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue;
	struct kr_frame_times times;
	struct kr_queue_config config;
	uint64_t first, second;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = window_of(&rig, "asks", 4);
	kr_queue_get_config(queue, &config);
	assert_true(config.timing.virtual_clock);
	assert_int_equal(config.timing.targets, KR_TIMING_TARGETS);
	assert_int_equal(config.timing.events, KR_TIMING_EVENTS & ~KR_ABILITY(KR_EVENT_GPU_DONE));
	assert_int_equal(config.timing.phase_ns, 0);
	assert_int_equal(config.timing.latency_ns, 0);
	first = show_at(queue, absolute(at_tick(2)), 1);
	second = show_at(queue, relative(at_tick(4)), 2);
	times = times_of(queue, first, KR_TIMING_EVENTS);
	assert_true(times.complete);
	assert_int_equal(times.time_ns[KR_EVENT_LATCH], at_tick(2));
	assert_int_equal(times.time_ns[KR_EVENT_READY], at_tick(2));
	assert_int_equal(times.time_ns[KR_EVENT_FIRST_COMPOSITION], at_tick(2));
	assert_int_equal(times.time_ns[KR_EVENT_LAST_COMPOSITION], at_tick(5));
	assert_int_equal(times.time_ns[KR_EVENT_GPU_DONE], KR_TIME_INVALID);
	assert_int_equal(times.time_ns[KR_EVENT_SHOWN], at_tick(2));
	/* The last one stays: all but the end of it is known. */
	times = times_of(queue, second, BUT_LAST);
	assert_int_equal(times.time_ns[KR_EVENT_SHOWN], at_tick(6));
	assert_int_equal(times.time_ns[KR_EVENT_LAST_COMPOSITION], KR_TIME_PENDING);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* A producer that waits for a buffer sends no next frame: its frame isn't waited with. */
static void
timestamps_of_two_buffers_wait_for_nobody(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue;
	int64_t begun = kr_clock_now();

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = window_of(&rig, "two buffers", 2);
	for (unsigned i = 0; i < 20; i++)
		show_at(queue, timestamp(at_tick(i)), i);
	/* Else each of them had the time of an idle window. */
	assert_true(kr_clock_now() - begun < WAIT_NS);
	rig_close(queue);
	rig_drain(&rig);
	assert_int_equal(count_pictures(&rig), 20);
	rig_stop(&rig, NULL);
}

static void
a_limit_ends_what_waits(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	struct kr_display_stats stats;
	struct kr_queue *queue;

	config.frame_limit = 3;
	rig_start_with(&rig, &config);
	queue = window_of(&rig, "waits", 4);
	show_at(queue, absolute(0), 1);
	show_at(queue, absolute(at_tick(5)), 2);
	show_at(queue, absolute(at_tick(1)), 3);
	rig_wait_stat(&rig, late, 2);
	rig_close(queue);
	rig_drain(&rig);
	assert_int_equal(count_pictures(&rig), 3);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.shown, 1);
}

/* --- frames that are never shown --- */

static void
expect_none(const struct kr_frame_times *times)
{
	assert_true(times->complete);
	assert_int_equal(times->time_ns[KR_EVENT_LATCH], KR_TIME_INVALID);
	assert_int_equal(times->time_ns[KR_EVENT_FIRST_COMPOSITION], KR_TIME_INVALID);
	assert_int_equal(times->time_ns[KR_EVENT_LAST_COMPOSITION], KR_TIME_INVALID);
	assert_int_equal(times->time_ns[KR_EVENT_SHOWN], KR_TIME_INVALID);
}

static void
what_is_never_shown_has_no_times(void **state)
{
	const struct kr_frame_target none = {0};
	const struct kr_fence_label label = {"test", 1, "acquire"};
	struct rig rig = {0};
	struct kr_queue *queue;
	struct kr_frame_times times;
	uint64_t failed, replaced;
	int fence, signal;

	rig_start(&rig, KR_CLOCK_REAL);
	queue = window_of(&rig, "drops", 5);
	assert_int_equal(kr_queue_set_async(queue, true), 0);
	assert_int_equal(kr_fence_create(&label, &signal, &fence), 0);
	failed = show_with(queue, &none, KR_PRESENT_FIFO, fence, 1);
	kr_fence_signal(signal, -EIO);
	times = times_of(queue, failed, KR_TIMING_EVENTS);
	expect_none(&times);
	assert_int_equal(times.time_ns[KR_EVENT_READY], KR_TIME_INVALID);
	/* One that waits for its time is replaced as others are. */
	replaced = show_with(queue, &(struct kr_frame_target){KR_TARGET_ABSOLUTE, false, TEN_YEARS},
		KR_PRESENT_MAILBOX, -1, 2);
	show_with(queue, &none, KR_PRESENT_MAILBOX, -1, 3);
	rig_wait_frames(&rig, 1);
	times = times_of(queue, replaced, KR_TIMING_EVENTS);
	expect_none(&times);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static void
what_is_not_seen_is_not_shown(void **state)
{
	struct rig rig = {0};
	struct kr_queue *below, *above;
	struct kr_frame_times times;
	uint64_t number;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	below = rig_window(&rig, "below");
	above = rig_window(&rig, "above");
	number = show_at(below, absolute(0), 1);
	rig_show_plain(above, 2);
	times = times_of(below, number, BUT_LAST);
	assert_int_equal(times.time_ns[KR_EVENT_LATCH], 0);
	assert_int_equal(times.time_ns[KR_EVENT_FIRST_COMPOSITION], 0);
	assert_int_equal(times.time_ns[KR_EVENT_SHOWN], KR_TIME_INVALID);
	rig_close(below);
	rig_close(above);
	rig_stop(&rig, NULL);
}

/* Virtual clock: what is wanted after the end of all time isn't waited for at the end. */
static void
virtual_time_has_an_end(void **state)
{
	struct rig rig = {0};
	struct kr_display_stats stats;
	struct kr_queue *queue;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = window_of(&rig, "far", 8);
	show_at(queue, relative(1), 1);
	show_at(queue, absolute(INT64_MAX), 2);
	show_at(queue, relative(INT64_MAX), 2);
	show_at(queue, nearest(absolute(INT64_MAX)), 2);
	rig_wait_stat(&rig, queued, 4);
	rig_wait_frames(&rig, 1);
	rig_close(queue);
	rig_wait_gone(&rig, 1);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.shown, 1);
	assert_int_equal(stats.dropped_late, 3);
}

/* --- real clock --- */

static void
nothing_is_shown_before_its_time(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue;
	struct kr_queue_config config;
	int64_t asked[5], before = 0, start;
	uint64_t numbers[5];

	rig_start(&rig, KR_CLOCK_REAL);
	queue = window_of(&rig, "waits", 7);
	kr_queue_get_config(queue, &config);
	assert_false(config.timing.virtual_clock);
	start = kr_clock_now() + 2 * PERIOD_NS;
	asked[0] = start + PERIOD_NS / 3;
	asked[1] = asked[0] - 10 * PERIOD_NS; /* waits behind the first all the same */
	asked[2] = start + 5 * PERIOD_NS;
	asked[3] = start + 9 * PERIOD_NS;
	/* One of the places where it ticks. */
	asked[4] = config.timing.phase_ns +
		((start - config.timing.phase_ns) / PERIOD_NS + 14) * PERIOD_NS;
	for (unsigned i = 0; i < 5; i++)
		numbers[i] = show_at(queue, absolute(asked[i]), i);
	for (unsigned i = 0; i < 5; i++) {
		struct kr_frame_times times = times_of(queue, numbers[i], BUT_LAST);
		const int64_t *at = times.time_ns;

		assert_int_equal(times.requested_ns, asked[i]);
		assert_true(at[KR_EVENT_SHOWN] >= asked[i]);
		assert_true(at[KR_EVENT_SHOWN] > before);
		assert_true(at[KR_EVENT_READY] <= at[KR_EVENT_LATCH]);
		assert_true(at[KR_EVENT_LATCH] <= at[KR_EVENT_FIRST_COMPOSITION]);
		assert_true(at[KR_EVENT_FIRST_COMPOSITION] <= at[KR_EVENT_SHOWN]);
		before = at[KR_EVENT_SHOWN];
		/* The tick that had it is no earlier than it had to be. */
		assert_true(picture_time(&rig, i + 1) >= asked[i]);
	}
	assert_int_equal(picture_time(&rig, 5) % PERIOD_NS, asked[4] % PERIOD_NS);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* Slow ticks: what is queued between two of them is there at the second. */
#define SLOW_MHZ 5000
#define SLOW_NS  (KR_NSEC_PER_SEC / 5)

static void
real_clocks_leave_out_timestamps_too(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	struct kr_display_stats stats;
	struct kr_queue *queue;
	struct kr_frame_times times;
	uint64_t dropped, kept;
	int64_t tick;

	config.refresh_mhz = SLOW_MHZ;
	rig_start_with(&rig, &config);
	queue = window_of(&rig, "late", 6);
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	tick = picture_time(&rig, 1) + 2 * SLOW_NS;
	dropped = show_at(queue, timestamp(tick - 2), 2);
	kept = show_at(queue, timestamp(tick - 1), 3);
	show_at(queue, timestamp(tick + 1), 4);
	rig_wait_frames(&rig, 3);
	times = times_of(queue, dropped, KR_TIMING_EVENTS);
	expect_none(&times);
	assert_true(times.time_ns[KR_EVENT_READY] > 0);
	assert_true(shown(queue, kept) >= tick);
	assert_int_equal(picture_time(&rig, 2), tick);
	assert_int_equal(picture_time(&rig, 3), tick + SLOW_NS);
	rig_close(queue);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.dropped_late, 1);
}

/* LATEST_READY goes on to no frame whose time hasn't come. */
static void
latest_ready_stops_at_one_that_waits(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	struct kr_queue *queue;
	struct kr_frame_target target = {0};
	int64_t tick;

	config.refresh_mhz = SLOW_MHZ;
	rig_start_with(&rig, &config);
	queue = window_of(&rig, "latest", 6);
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	tick = picture_time(&rig, 1) + SLOW_NS;
	show_with(queue, &target, KR_PRESENT_FIFO_LATEST_READY, -1, 2);
	target = absolute(tick);
	show_with(queue, &target, KR_PRESENT_FIFO_LATEST_READY, -1, 3);
	target = absolute(tick + SLOW_NS + 1);
	show_with(queue, &target, KR_PRESENT_FIFO_LATEST_READY, -1, 4);
	rig_wait_frames(&rig, 2);
	assert_int_equal(rig_pixel(&rig, 1, 1), rig_plain(1, 1, 3));
	rig_wait_frames(&rig, 3);
	assert_int_equal(picture_time(&rig, 3), tick + 2 * SLOW_NS);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* The end doesn't wait for what is wanted long after it; what comes soon is shown. */
static void
draining_waits_for_what_comes_soon(void **state)
{
	struct rig rig = {0};
	struct kr_display_stats stats;
	struct kr_queue *queue;
	int64_t soon;

	rig_start(&rig, KR_CLOCK_REAL);
	queue = window_of(&rig, "waits", 4);
	soon = kr_clock_now() + 6 * PERIOD_NS;
	show_at(queue, absolute(soon), 1);
	show_at(queue, absolute(soon + TEN_YEARS), 2);
	rig_wait_stat(&rig, queued, 2);
	rig_drain(&rig);
	assert_int_equal(count_pictures(&rig), 1);
	assert_true(picture_time(&rig, 1) >= soon);
	rig_close(queue);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.shown, 1);
	assert_int_equal(stats.dropped_late, 1);
}

/* A window whose frame waits isn't idle, and who is killed isn't waited for. */
static void
who_is_killed_while_it_waits_is_forgotten(void **state)
{
	struct rig rig = {0};
	struct kr_display_stats stats;
	int status;
	pid_t child;

	rig_start(&rig, KR_CLOCK_REAL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct kr_queue *queue = rig_window_at(rig.socket, "killed");

		show_at(queue, absolute(TEN_YEARS * 20), 1);
		pause();
		_exit(0);
	}
	rig_wait_stat(&rig, queued, 1);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	rig_wait_gone(&rig, 1);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.shown, 0);
	assert_int_equal(stats.dropped_late, 1);
}

/* Times at the end of all time: nothing wakes up for them, on any clock. */
static void
nobody_wakes_for_the_end_of_time(void **state)
{
	const struct kr_frame_target far[] = {absolute(INT64_MAX), absolute(INT64_MAX - 1),
		nearest(absolute(INT64_MAX)), absolute(INT64_MAX - PERIOD_NS / 2)};
	struct rig rig = {0};
	struct kr_display_stats stats;
	struct kr_queue *queues[KR_ARRAY_LEN(far)], *other;

	rig_start(&rig, KR_CLOCK_REAL);
	for (unsigned i = 0; i < KR_ARRAY_LEN(far); i++) {
		queues[i] = window_of(&rig, "far", 4);
		show_at(queues[i], far[i], i);
	}
	rig_wait_stat(&rig, queued, KR_ARRAY_LEN(far));
	poll(NULL, 0, 200);
	assert_int_equal(rig_stats(&rig).real_ticks, 0);
	/* Others are shown. */
	other = rig_window(&rig, "other");
	rig_show_plain(other, 1);
	rig_wait_frames(&rig, 1);
	rig_close(other);
	for (unsigned i = 0; i < KR_ARRAY_LEN(far); i++)
		rig_close(queues[i]);
	rig_wait_gone(&rig, KR_ARRAY_LEN(far) + 1);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.composed, 1);
	assert_int_equal(stats.dropped_late, KR_ARRAY_LEN(far));
}
/* Who has gone is waited for a second in all, however many frames there are. */
static void
what_comes_after_a_second_goes_back_whatever_came_before(void **state)
{
	struct rig rig = {0};
	struct kr_display_stats stats;
	struct kr_queue *queue;
	int64_t start;

	rig_start(&rig, KR_CLOCK_REAL);
	queue = window_of(&rig, "chain", 8);
	show_at(queue, relative(1), 1);
	for (unsigned i = 2; i <= 6; i++)
		show_at(queue, relative(KR_NSEC_PER_SEC * 3 / 4), i);
	rig_wait_frames(&rig, 1);
	start = kr_clock_now();
	rig_close(queue);
	rig_wait_gone(&rig, 1);
	assert_true(kr_clock_now() - start < 2 * KR_NSEC_PER_SEC);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.shown, 2);
	assert_int_equal(stats.dropped_late, 4);
}

static const struct kr_test tests[] = {
	KR_TEST(a_frame_has_the_first_tick_not_before_its_time),
	KR_TEST(nearest_may_be_half_a_period_early),
	KR_TEST(relative_times_are_of_the_frame_before),
	KR_TEST(timestamps_are_left_out_when_the_next_is_due),
	KR_TEST(timestamps_far_ahead_are_none_and_old_ones_displace_nothing),
	KR_TEST(absolute_times_are_waited_for_however_far),
	KR_TEST(time_goes_on_by_pictures_and_leaps),
	KR_TEST(leaps_count_in_what_is_told_as_shown),
	KR_TEST(three_windows_with_times_give_the_same_pictures),
	KR_TEST(events_are_of_the_display_s_time),
	KR_TEST(timestamps_of_two_buffers_wait_for_nobody),
	KR_TEST(a_limit_ends_what_waits),
	KR_TEST(what_is_never_shown_has_no_times),
	KR_TEST(what_is_not_seen_is_not_shown),
	KR_TEST(nothing_is_shown_before_its_time),
	KR_TEST(real_clocks_leave_out_timestamps_too),
	KR_TEST(latest_ready_stops_at_one_that_waits),
	KR_TEST(draining_waits_for_what_comes_soon),
	KR_TEST(who_is_killed_while_it_waits_is_forgotten),
	KR_TEST(nobody_wakes_for_the_end_of_time),
	KR_TEST(what_comes_after_a_second_goes_back_whatever_came_before),
	KR_TEST(virtual_time_has_an_end),
};
KR_TEST_MAIN(tests)
