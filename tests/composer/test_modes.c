/* SPDX-License-Identifier: Apache-2.0 */
/* Present modes at a display, shared buffers, and who is told what was shown. */
#include "rig.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <string.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

#define WAIT_NS (10 * KR_NSEC_PER_SEC)

/* So slow that what is queued between two ticks is there at the second. */
#define SLOW_MHZ 5000
#define SLOW_NS  (KR_NSEC_PER_SEC / 5)

static struct kr_queue *
slow_window(struct rig *rig)
{
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	struct kr_queue *queue;

	config.refresh_mhz = SLOW_MHZ;
	rig_start_with(rig, &config);
	queue = rig_window(rig, "slow");
	assert_int_equal(kr_queue_set_buffer_count(queue, 6), 0);
	assert_int_equal(kr_queue_set_async(queue, true), 0);
	return queue;
}

static void
show_in(struct kr_queue *queue, enum kr_present_mode mode, unsigned seed, int fence)
{
	struct rig_frame frame = RIG_FRAME;

	frame.presentation.mode = mode;
	frame.fence = fence;
	rig_show(queue, &frame, rig_plain, seed);
}

static int
begin_fence(int *fence)
{
	const struct kr_fence_label label = {"test", 1, "acquire"};
	int signal;

	assert_int_equal(kr_fence_create(&label, &signal, fence), 0);
	return signal;
}

static void
expect_seen(struct rig *rig, unsigned seed)
{
	assert_int_equal(rig_pixel(rig, 1, 1), rig_plain(1, 1, seed));
}

/* How many pictures frames of a mode make that are all ready at a tick. */
static void
fifo_shows_each_and_others_the_last(void **state)
{
	static const struct {
		enum kr_present_mode mode;
		unsigned pictures;
	} rows[] = {
		{KR_PRESENT_FIFO, 4},
		{KR_PRESENT_FIFO_RELAXED, 4},
		{KR_PRESENT_MAILBOX, 2},
		{KR_PRESENT_IMMEDIATE, 2},
		{KR_PRESENT_FIFO_LATEST_READY, 2},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		struct rig rig = {0};
		struct kr_queue *queue = slow_window(&rig);
		struct kr_display_stats stats;

		/* The first begins a period, in which the others come. */
		show_in(queue, rows[i].mode, 1, -1);
		rig_wait_frames(&rig, 1);
		for (unsigned seed = 2; seed <= 4; seed++)
			show_in(queue, rows[i].mode, seed, -1);
		rig_close(queue);
		rig_drain(&rig);
		expect_seen(&rig, 4);
		rig_stop(&rig, &stats);
		assert_int_equal(stats.composed, rows[i].pictures);
		assert_int_equal(stats.shown, rows[i].pictures);
		assert_int_equal(stats.dropped, 4 - rows[i].pictures);
	}
}

/* Of the frames of LATEST_READY one that isn't ready hides none that is, and order stays. */
static void
latest_ready_waits_for_none(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue = slow_window(&rig);
	struct kr_display_stats stats;
	int fence, signal = begin_fence(&fence);

	show_in(queue, KR_PRESENT_FIFO_LATEST_READY, 1, -1);
	rig_wait_frames(&rig, 1);
	show_in(queue, KR_PRESENT_FIFO_LATEST_READY, 2, -1);
	show_in(queue, KR_PRESENT_FIFO_LATEST_READY, 3, -1);
	show_in(queue, KR_PRESENT_FIFO_LATEST_READY, 4, fence);
	show_in(queue, KR_PRESENT_FIFO_LATEST_READY, 5, -1);
	rig_wait_frames(&rig, 2);
	expect_seen(&rig, 3);
	kr_fence_signal(signal, KR_FENCE_SIGNALLED);
	rig_wait_frames(&rig, 3);
	expect_seen(&rig, 5);
	rig_close(queue);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.dropped, 2);
}

/* A frame's own mode says whether it may be left out: modes are switched from frame to frame. */
static void
a_fifo_frame_has_its_tick_before_others(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue = slow_window(&rig);
	struct kr_display_stats stats;

	show_in(queue, KR_PRESENT_FIFO, 1, -1);
	rig_wait_frames(&rig, 1);
	show_in(queue, KR_PRESENT_FIFO, 2, -1);
	show_in(queue, KR_PRESENT_FIFO_LATEST_READY, 3, -1);
	show_in(queue, KR_PRESENT_FIFO, 4, -1);
	rig_wait_frames(&rig, 2);
	expect_seen(&rig, 2);
	rig_wait_frames(&rig, 3);
	expect_seen(&rig, 4);
	rig_close(queue);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.dropped, 1);
}

static int64_t
time_of(struct rig *rig, unsigned picture)
{
	int64_t time;

	kr_mutex_lock(&rig->lock);
	time = rig->times[picture - 1];
	kr_mutex_unlock(&rig->lock);
	return time;
}

/* Whether the second picture lies on the grid of ticks that the first is on. */
static bool
is_on_grid(struct rig *rig, unsigned picture)
{
	return (time_of(rig, picture) - time_of(rig, 1)) % SLOW_NS == 0;
}

/* False: the machine was too busy for the second frame to be late by less than a tick. */
static bool
try_late_frame(enum kr_present_mode mode)
{
	bool relaxed = mode == KR_PRESENT_FIFO_RELAXED, in_time;
	struct rig rig = {0};
	struct kr_queue *queue = slow_window(&rig);
	int64_t queued;

	show_in(queue, mode, 1, -1);
	rig_wait_frames(&rig, 1);
	while (kr_clock_now() < time_of(&rig, 1) + SLOW_NS + SLOW_NS / 8)
		usleep(1000);
	queued = kr_clock_now();
	show_in(queue, mode, 2, -1);
	show_in(queue, mode, 3, -1);
	in_time = kr_clock_now() < time_of(&rig, 1) + SLOW_NS + SLOW_NS / 2;
	rig_wait_frames(&rig, 3);
	in_time &= time_of(&rig, 2) - queued < SLOW_NS / 4 || !relaxed;
	if (in_time) {
		assert_int_equal(is_on_grid(&rig, 2), !relaxed);
		assert_true(is_on_grid(&rig, 3));
	}
	rig_close(queue);
	rig_stop(&rig, NULL);
	return in_time;
}

/* Late: after a tick at which there was nothing. It is shown at once; the next isn't late. */
static void
relaxed_frames_that_are_late_wait_for_no_tick(void **state)
{
	static const enum kr_present_mode modes[] = {KR_PRESENT_FIFO, KR_PRESENT_FIFO_RELAXED};

	for (size_t i = 0; i < KR_ARRAY_LEN(modes); i++) {
		int tries = 0;

		while (!try_late_frame(modes[i]))
			assert_true(++tries < 10);
	}
}

static void
virtual_clocks_show_frames_of_all_modes(void **state)
{
	for (unsigned mode = 0; mode < KR_PRESENT_SHARED_DEMAND; mode++) {
		struct rig rig = {0};
		struct kr_display_stats stats;
		struct kr_queue *queue;

		rig_start(&rig, KR_CLOCK_VIRTUAL);
		queue = rig_window(&rig, "all");
		assert_int_equal(kr_queue_set_async(queue, true), 0);
		for (unsigned i = 0; i < 20; i++)
			show_in(queue, (enum kr_present_mode)mode, i, -1);
		rig_close(queue);
		rig_drain(&rig);
		rig_stop(&rig, &stats);
		assert_int_equal(stats.composed, 20);
		assert_int_equal(stats.dropped, 0);
	}
}

/* --- shared buffers --- */

struct shared {
	struct kr_queue *queue;
	uint32_t slot;
	struct kr_buffer *buffer;
};

static void
begin_shared(struct shared *shared, const struct rig *rig, bool auto_refresh)
{
	const struct kr_queue_request request = {
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_clock_now() + WAIT_NS,
	};
	int fence;

	shared->queue = rig_window(rig, "shared");
	assert_int_equal(kr_queue_set_shared(shared->queue, true), 0);
	assert_int_equal(kr_queue_set_auto_refresh(shared->queue, auto_refresh), 0);
	assert_int_equal(
		kr_queue_dequeue(shared->queue, &request, &shared->slot, &shared->buffer, &fence),
		0);
	assert_int_equal(fence, -1);
}

static void
paint(const struct shared *shared, uint32_t value)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(shared->buffer);
	uint32_t *data;

	assert_int_equal(kr_buffer_map(shared->buffer, (void **)&data), 0);
	for (size_t i = 0; i < (size_t)info->row_bytes / 4 * info->desc.height; i++)
		data[i] = value;
}

/* And has it again. */
static uint64_t
queue_shared(struct shared *shared, bool auto_refresh)
{
	const struct kr_queue_input input = {
		.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
		.presentation = {.mode = auto_refresh ? KR_PRESENT_SHARED_CONTINUOUS
						      : KR_PRESENT_SHARED_DEMAND,
			.tell_shown = true},
	};
	const struct kr_queue_request request = {
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_clock_now() + WAIT_NS,
	};
	struct kr_buffer *buffer;
	uint64_t number;
	uint32_t slot;
	int fence;

	assert_int_equal(kr_queue_queue(shared->queue, shared->slot, &input, -1, &number), 0);
	assert_int_equal(kr_queue_dequeue(shared->queue, &request, &slot, &buffer, &fence), 0);
	assert_int_equal(fence, -1);
	assert_int_equal(slot, shared->slot);
	return number;
}

static void
demand_shows_what_the_buffer_has_when_asked(void **state)
{
	for (int clock = KR_CLOCK_REAL; clock <= KR_CLOCK_VIRTUAL; clock++) {
		struct rig rig = {0};
		struct shared shared;
		struct kr_display_stats stats;

		rig_start(&rig, (enum kr_display_clock)clock);
		begin_shared(&shared, &rig, false);
		paint(&shared, 0xff0000ff);
		queue_shared(&shared, false);
		rig_wait_frames(&rig, 1);
		assert_int_equal(rig_pixel(&rig, 3, 3), 0xff0000);
		paint(&shared, 0xff00ff00);
		/* Nobody has asked. */
		usleep(100000);
		assert_int_equal(rig_stats(&rig).composed, 1);
		queue_shared(&shared, false);
		rig_wait_frames(&rig, 2);
		assert_int_equal(rig_pixel(&rig, 3, 3), 0x00ff00);
		rig_close(shared.queue);
		rig_stop(&rig, &stats);
		assert_int_equal(stats.rejected, 0);
		assert_int_equal(stats.shown, 2);
	}
}

static void
wait_for_pixel(struct rig *rig, uint32_t value)
{
	int64_t until = kr_clock_now() + WAIT_NS;

	while (rig_pixel(rig, 3, 3) != value) {
		assert_true(kr_clock_now() < until);
		usleep(1000);
	}
}

static void
continuous_is_read_at_each_tick(void **state)
{
	for (int clock = KR_CLOCK_REAL; clock <= KR_CLOCK_VIRTUAL; clock++) {
		struct rig rig = {0};
		struct kr_display_config config = rig_config((enum kr_display_clock)clock);
		struct rig_frame frame = RIG_FRAME;
		struct shared shared;
		struct kr_display_stats stats;

		config.idle_ns = 20 * KR_NSEC_PER_MSEC;
		rig_start_with(&rig, &config);
		begin_shared(&shared, &rig, true);
		paint(&shared, 0xff0000ff);
		queue_shared(&shared, true);
		wait_for_pixel(&rig, 0xff0000);
		paint(&shared, 0xff00ff00);
		wait_for_pixel(&rig, 0x00ff00);
		paint(&shared, 0xffff0000);
		wait_for_pixel(&rig, 0x0000ff);
		/* The mode ends: another buffer takes its place, and nothing is read any more. */
		assert_int_equal(kr_queue_set_shared(shared.queue, false), 0);
		assert_int_equal(kr_queue_cancel(shared.queue, shared.slot, -1), 0);
		rig_show(shared.queue, &frame, rig_plain, 7);
		wait_for_pixel(&rig, rig_plain(3, 3, 7));
		usleep(50000);
		rig_close(shared.queue);
		rig_stop(&rig, &stats);
		assert_int_equal(stats.rejected, 0);
		/* Its pictures aren't frames. */
		assert_int_equal(stats.shown, 2);
		assert_true(stats.composed >= 4);
	}
}

/* Nobody sees a hidden one, and after the last picture none is made. */
static void
continuous_ends_with_the_pictures(void **state)
{
	static const struct kr_layout_place hidden = {.set = KR_PLACE_VISIBLE};
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	struct shared shared;
	struct kr_display_stats stats;
	uint64_t pictures;

	config.frame_limit = 40;
	rig_start_with(&rig, &config);
	begin_shared(&shared, &rig, true);
	queue_shared(&shared, true);
	rig_wait_frames(&rig, 3);
	assert_int_equal(kr_display_set_group(rig.display, 0, &hidden), 0);
	/* The picture without it, and one that was being made. */
	usleep(100000);
	pictures = rig_stats(&rig).composed;
	usleep(100000);
	assert_int_equal(rig_stats(&rig).composed, pictures);
	rig_corner(rig.display);
	rig_wait_frames(&rig, 40);
	usleep(100000);
	rig_close(shared.queue);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.composed, 40);
}

/* Asked for without end it is looked at once a tick. */
static void
a_shared_buffer_costs_a_look_a_tick(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	struct shared shared;
	struct kr_display_stats stats;
	int64_t began = kr_clock_now();

	config.refresh_mhz = SLOW_MHZ;
	rig_start_with(&rig, &config);
	begin_shared(&shared, &rig, false);
	paint(&shared, 0xff0000ff);
	for (unsigned i = 0; i < 1000000 && rig_stats(&rig).composed < 3; i++)
		queue_shared(&shared, false);
	rig_close(shared.queue);
	rig_stop(&rig, &stats);
	assert_true(stats.composed >= 3);
	assert_true((int64_t)stats.composed <= (kr_clock_now() - began) / SLOW_NS + 1);
	assert_true(stats.queued > 100);
	assert_int_equal(stats.rejected, 0);
}

/* --- shown --- */

static void
ask(struct kr_queue *queue, enum kr_present_mode mode, unsigned seed, int fence, uint64_t *number)
{
	struct rig_frame frame = RIG_FRAME;

	frame.presentation.mode = mode;
	frame.presentation.tell_shown = true;
	frame.fence = fence;
	frame.number = number;
	rig_show(queue, &frame, rig_plain, seed);
}

static int
wait_shown(struct kr_queue *queue, uint64_t number, int64_t ns)
{
	return kr_queue_wait_shown(queue, number, kr_clock_now() + ns);
}

static void
frames_are_told_when_they_are_shown(void **state)
{
	for (int clock = KR_CLOCK_REAL; clock <= KR_CLOCK_VIRTUAL; clock++) {
		struct rig rig = {0};
		struct kr_queue *queue;
		uint64_t number;
		int fence, signal;

		rig_start(&rig, (enum kr_display_clock)clock);
		queue = rig_window(&rig, "asks");
		for (unsigned i = 0; i < 5; i++) {
			ask(queue, KR_PRESENT_FIFO, i, -1, &number);
			assert_int_equal(wait_shown(queue, number, WAIT_NS), 0);
			assert_true(rig_stats(&rig).shown >= i + 1);
			assert_int_equal(kr_queue_last_shown(queue), number);
		}
		/* Not before it is ready. */
		signal = begin_fence(&fence);
		ask(queue, KR_PRESENT_FIFO, 9, fence, &number);
		assert_int_equal(wait_shown(queue, number, 60 * KR_NSEC_PER_MSEC), -ETIMEDOUT);
		kr_fence_signal(signal, KR_FENCE_SIGNALLED);
		assert_int_equal(wait_shown(queue, number, WAIT_NS), 0);
		rig_close(queue);
		rig_stop(&rig, NULL);
	}
}

/* Nobody waits for ever for what can't be seen, failed or was left out. */
static void
what_is_not_seen_is_told_as_well(void **state)
{
	static const struct kr_layout_place places[] = {
		{.set = KR_PLACE_VISIBLE, .visible = false},
		{.set = KR_PLACE_ALPHA, .alpha = 0},
		{.set = KR_PLACE_POSITION, .x = 5000, .y = 5000},
	};
	struct rig rig = {0};
	struct kr_queue *queue;
	uint64_t number, dropped;
	int fence, signal;

	rig_start(&rig, KR_CLOCK_REAL);
	queue = rig_window(&rig, "unseen");
	for (size_t i = 0; i < KR_ARRAY_LEN(places); i++) {
		assert_int_equal(kr_display_set_group(rig.display, 0, &places[i]), 0);
		ask(queue, KR_PRESENT_FIFO, 1, -1, &number);
		assert_int_equal(wait_shown(queue, number, WAIT_NS), 0);
	}
	signal = begin_fence(&fence);
	ask(queue, KR_PRESENT_FIFO, 2, fence, &number);
	kr_fence_signal(signal, -EIO);
	assert_int_equal(wait_shown(queue, number, WAIT_NS), 0);
	rig_close(queue);
	rig_stop(&rig, NULL);

	rig = (struct rig){0};
	queue = slow_window(&rig);
	ask(queue, KR_PRESENT_MAILBOX, 1, -1, &number);
	assert_int_equal(wait_shown(queue, number, WAIT_NS), 0);
	ask(queue, KR_PRESENT_MAILBOX, 2, -1, &dropped);
	show_in(queue, KR_PRESENT_MAILBOX, 3, -1);
	assert_int_equal(wait_shown(queue, dropped, WAIT_NS), 0);
	ask(queue, KR_PRESENT_FIFO_LATEST_READY, 4, -1, &dropped);
	show_in(queue, KR_PRESENT_FIFO_LATEST_READY, 5, -1);
	assert_int_equal(wait_shown(queue, dropped, WAIT_NS), 0);
	expect_seen(&rig, 5);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static void
who_waits_is_told_that_the_display_is_gone(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue;
	uint64_t number;
	int fence, signal = begin_fence(&fence);

	rig_start(&rig, KR_CLOCK_REAL);
	queue = rig_window(&rig, "left");
	ask(queue, KR_PRESENT_FIFO, 1, fence, &number);
	rig_stop(&rig, NULL);
	assert_int_equal(wait_shown(queue, number, WAIT_NS), -ENODEV);
	kr_fence_signal(signal, KR_FENCE_SIGNALLED);
	rig_close(queue);
}

/* --- blanks, and screens that turn --- */

static void
blanks_are_counted(void **state)
{
	for (int clock = KR_CLOCK_REAL; clock <= KR_CLOCK_VIRTUAL; clock++) {
		struct rig rig = {0};
		struct kr_display_config config = rig_config((enum kr_display_clock)clock);
		struct kr_queue *queue;
		uint64_t count = 0, before = 0;
		int64_t time = 0, earlier = 0;

		config.idle_ns = 20 * KR_NSEC_PER_MSEC;
		rig_start_with(&rig, &config);
		queue = rig_window(&rig, "blank");
		for (unsigned i = 0; i < 5; i++) {
			before = count;
			earlier = time;
			assert_int_equal(kr_queue_wait_vblank(
						 queue, &count, &time, kr_clock_now() + WAIT_NS),
				0);
			assert_true(i == 0 || (count > before && time > earlier));
			assert_true(i == 0 || clock == KR_CLOCK_VIRTUAL ||
				(time - earlier) ==
					(int64_t)(count - before) *
						(KR_NSEC_PER_SEC * 1000 / config.refresh_mhz));
		}
		rig_close(queue);
		rig_stop(&rig, NULL);
	}
}

static void
producers_hear_how_the_screen_is_turned(void **state)
{
	struct rig rig = {0};
	struct kr_queue *queue;
	struct kr_queue_config heard;
	int64_t until = kr_clock_now() + WAIT_NS;

	rig_start(&rig, KR_CLOCK_REAL);
	queue = rig_window(&rig, "turned");
	kr_queue_get_config(queue, &heard);
	assert_int_equal(heard.transform_hint, 0);
	assert_int_equal(kr_display_set_transform(rig.display, NATIVE_WINDOW_TRANSFORM_ROT_90), 0);
	do {
		assert_true(kr_clock_now() < until);
		usleep(1000);
		(void)kr_queue_last_shown(queue);
		kr_queue_get_config(queue, &heard);
	} while (heard.transform_hint != NATIVE_WINDOW_TRANSFORM_ROT_90);
	assert_int_equal(heard.default_width, RIG_HEIGHT);
	assert_int_equal(heard.default_height, RIG_WIDTH);
	rig_close(queue);
	/* Who comes later hears it at once. */
	queue = rig_window(&rig, "later");
	kr_queue_get_config(queue, &heard);
	assert_int_equal(heard.transform_hint, NATIVE_WINDOW_TRANSFORM_ROT_90);
	assert_int_equal(heard.abilities.modes, KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT));
	assert_true(heard.abilities.tells_shown);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(fifo_shows_each_and_others_the_last),
	KR_TEST(latest_ready_waits_for_none),
	KR_TEST(a_fifo_frame_has_its_tick_before_others),
	KR_TEST(relaxed_frames_that_are_late_wait_for_no_tick),
	KR_TEST(virtual_clocks_show_frames_of_all_modes),
	KR_TEST(demand_shows_what_the_buffer_has_when_asked),
	KR_TEST(continuous_is_read_at_each_tick),
	KR_TEST(continuous_ends_with_the_pictures),
	KR_TEST(a_shared_buffer_costs_a_look_a_tick),
	KR_TEST(frames_are_told_when_they_are_shown),
	KR_TEST(what_is_not_seen_is_told_as_well),
	KR_TEST(who_waits_is_told_that_the_display_is_gone),
	KR_TEST(blanks_are_counted),
	KR_TEST(producers_hear_how_the_screen_is_turned),
};
KR_TEST_MAIN(tests)
