/* SPDX-License-Identifier: Apache-2.0 */
/* From which picture on a window takes part in the virtual clock (composer/join.c). */
#include "by_hand.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <string.h>
#include <unistd.h>

#include "sync/fence/fence.h"

/* ---- a program with two windows whose fences are late ---- */

#define RUNS   20
#define BEFORE 10 /* frames of the first window before the second one is opened */
#define AFTER  20 /* of both, from then on */

/* Signals what comes through a pipe, each after some time, so that it is different on every run. */
struct late {
	pthread_t thread;
	int pipe[2];
	unsigned seed;
};

static void *
signal_late(void *data)
{
	struct late *late = data;
	int signaller;

	while (read(late->pipe[0], &signaller, sizeof(signaller)) == sizeof(signaller)) {
		late->seed = late->seed * 1664525 + 1013904223;
		usleep((late->seed >> 16) % 1500);
		kr_fence_signal(signaller, 1);
	}
	return NULL;
}

static void
start_late(struct late *late, unsigned seed)
{
	late->seed = seed;
	assert_int_equal(pipe(late->pipe), 0);
	assert_int_equal(pthread_create(&late->thread, NULL, signal_late, late), 0);
}

static void
stop_late(struct late *late)
{
	close(late->pipe[1]);
	pthread_join(late->thread, NULL);
	close(late->pipe[0]);
}

static void
show_late(struct kr_queue *queue, struct late *late, uint32_t width, unsigned seed)
{
	struct rig_frame frame = {.width = width, .height = width};
	int signaller;

	assert_int_equal(kr_fence_create(NULL, &signaller, &frame.fence), 0);
	rig_show(queue, &frame, rig_gradient, seed);
	assert_int_equal(write(late->pipe[1], &signaller, sizeof(signaller)), sizeof(signaller));
}

static void
run_program(struct rig *rig, unsigned seed)
{
	struct kr_queue *first, *second;
	struct late late[2];

	start_late(&late[0], seed);
	start_late(&late[1], ~seed);
	rig_start(rig, KR_CLOCK_VIRTUAL);
	first = rig_window(rig, "first");
	for (unsigned i = 0; i < BEFORE; i++)
		show_late(first, &late[0], 48, i);
	second = rig_window(rig, "second");
	for (unsigned i = 0; i < AFTER; i++) {
		show_late(first, &late[0], 48, BEFORE + i);
		show_late(second, &late[1], 24, 100 + i);
	}
	/* The last frames are on their way when it ends. */
	rig_close(first);
	rig_close(second);
	stop_late(&late[0]);
	stop_late(&late[1]);
	rig_drain(rig);
}

/* The same pictures on every run, however late the fences are. */
static void
a_second_window_comes_into_the_same_picture_on_every_run(void **state)
{
	static struct rig first, other;

	run_program(&first, 1);
	assert_int_equal(first.frames, BEFORE + AFTER);
	for (unsigned i = 0; i < first.frames; i++)
		assert_int_equal(first.layers[i], i < BEFORE ? 1 : 2);
	for (unsigned run = 1; run < RUNS; run++) {
		memset(&other, 0, sizeof(other));
		run_program(&other, 1 + run * 7919);
		assert_int_equal(other.frames, first.frames);
		assert_memory_equal(
			other.hashes, first.hashes, first.frames * sizeof(first.hashes[0]));
		rig_stop(&other, NULL);
	}
	rig_stop(&first, NULL);
}

/* ---- step by step ---- */

static void
send_frames(struct hand_client *client, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		assert_true(hand_send_frame(client));
}

static bool
is_due(struct hand *hand)
{
	hand_dispatch(hand);
	return kr_display_next_tick(hand->display, hand->now) <= hand->now;
}

static void
expect_shown(struct hand *hand, uint64_t shown, uint32_t layers)
{
	hand_tick(hand);
	assert_int_equal(hand_shown(hand), shown);
	assert_int_equal(hand->layers, layers);
}

static void
it_takes_part_after_the_frames_before_it(void **state)
{
	struct hand_client a, b;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, 16, 16);
	hand_join_second(&hand, &a, 0);
	send_frames(&a, 3);
	/* Its frame is here before the display has looked at the other's. */
	hand_join_second(&hand, &b, 3);
	send_frames(&b, 2);
	for (unsigned i = 1; i <= 3; i++)
		expect_shown(&hand, i, 1);
	/* From now on both wait for each other. */
	assert_false(is_due(&hand));
	send_frames(&a, 1);
	expect_shown(&hand, 5, 2);
	assert_false(is_due(&hand));
	send_frames(&a, 1);
	expect_shown(&hand, 7, 2);
	hand_leave(&a);
	hand_leave(&b);
	hand_end(&hand);
}

/* It takes part, and has no frame yet: the others wait for it. */
static void
it_is_waited_for_once_it_takes_part(void **state)
{
	struct hand_client a, b;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, 16, 16);
	hand_join_second(&hand, &a, 0);
	send_frames(&a, 2);
	hand_join_second(&hand, &b, 1);
	expect_shown(&hand, 1, 1);
	assert_false(is_due(&hand));
	send_frames(&b, 1);
	expect_shown(&hand, 3, 2);
	hand_leave(&a);
	hand_leave(&b);
	hand_end(&hand);
}

/* Frames of windows that are closed count: those that are left keep the count. */
static void
closed_windows_count(void **state)
{
	struct hand_client a, b, c;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, 16, 16);
	hand_join_second(&hand, &a, 0);
	hand_join_second(&hand, &b, 0);
	send_frames(&a, 2);
	send_frames(&b, 3);
	expect_shown(&hand, 2, 2);
	expect_shown(&hand, 4, 2);
	hand_leave(&b); /* its third frame is still to be shown */
	send_frames(&a, 1);
	hand_join_second(&hand, &c, 6);
	send_frames(&c, 1);
	expect_shown(&hand, 6, 2);
	assert_false(is_due(&hand));
	send_frames(&a, 1);
	hand_tick(&hand);
	assert_int_equal(hand_shown(&hand), 8);
	hand_leave(&a);
	hand_leave(&c);
	hand_end(&hand);
}

/* With nobody left to keep the count, the next window's hello does. */
static void
windows_that_are_all_closed_count(void **state)
{
	struct hand_client a, b;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, 16, 16);
	hand_join_second(&hand, &a, 0);
	for (unsigned i = 0; i < 100; i++) {
		send_frames(&a, 1);
		hand_tick(&hand);
	}
	hand_leave(&a);
	hand_dispatch(&hand);
	assert_true(kr_list_empty(&hand.display->producers));
	hand_join_second(&hand, &a, 100);
	hand_join_second(&hand, &b, 100);
	send_frames(&a, 1);
	send_frames(&b, 1);
	hand_tick(&hand);
	assert_int_equal(hand.layers, 2);
	hand_leave(&a);
	hand_leave(&b);
	hand_end(&hand);
}

/* more than its process can have queued is taken for as much as it can. */
static void
a_count_that_cant_be_is_cut(void **state)
{
	struct hand_client a, b;
	struct hand hand;
	unsigned shown = 0;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, 16, 16);
	hand_join_second(&hand, &a, 0);
	send_frames(&a, 1);
	hand_tick(&hand);
	hand_join_second(&hand, &b, UINT64_MAX);
	send_frames(&b, 1);
	hand_dispatch(&hand);
	/* The other one isn't held up by it. */
	for (; hand.layers < 2 && shown < 1000; shown++) {
		send_frames(&a, 1);
		hand_tick(&hand);
	}
	assert_int_equal(shown, KR_QUEUE_SLOTS + 1);
	hand_leave(&a);
	hand_leave(&b);
	hand_end(&hand);
}

/* What it waits for doesn't come: then the end of the others, or their idleness, does. */
static void
it_waits_for_nobody_who_is_gone_or_idle(void **state)
{
	struct hand_client a, b, c;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, 16, 16);
	hand_join_second(&hand, &a, 0);
	send_frames(&a, 1);
	hand_tick(&hand);
	hand_join_second(&hand, &b, 20);
	send_frames(&b, 1);
	assert_false(is_due(&hand));
	hand.now += hand.display->config.idle_ns;
	assert_true(is_due(&hand));
	expect_shown(&hand, 2, 2);
	hand_join_second(&hand, &c, 40);
	send_frames(&c, 1);
	assert_false(is_due(&hand));
	hand_leave(&a);
	hand_leave(&b);
	expect_shown(&hand, 3, 1);
	hand_leave(&c);
	hand_end(&hand);
}

/* Each waits for those before it, and none of them ever has a frame. */
static void
a_row_of_idle_windows_is_waited_for_once(void **state)
{
	struct hand_client a, row[4];
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, 16, 16);
	hand_join_second(&hand, &a, 0);
	send_frames(&a, 1);
	hand_tick(&hand);
	for (size_t i = 0; i < KR_ARRAY_LEN(row); i++)
		hand_join_second(&hand, &row[i], UINT64_MAX);
	send_frames(&a, 1);
	expect_shown(&hand, 2, 1);
	/* It is idle for so long that they take part, all at once, and then goes on. */
	hand.now += 2 * hand.display->config.idle_ns;
	assert_false(is_due(&hand));
	send_frames(&a, 1);
	assert_true(is_due(&hand));
	for (size_t i = 0; i < KR_ARRAY_LEN(row); i++)
		hand_leave(&row[i]);
	hand_leave(&a);
	hand_end(&hand);
}

/* With a real clock nothing waits for anybody. */
static void
a_real_clock_waits_for_no_count(void **state)
{
	struct hand_client a, b;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_REAL, 16, 16);
	hand_join_second(&hand, &a, 0);
	hand_join_second(&hand, &b, 1000);
	send_frames(&b, 1);
	expect_shown(&hand, 1, 1);
	hand_leave(&a);
	hand_leave(&b);
	hand_end(&hand);
}

static const struct kr_test tests[] = {
	KR_TEST(a_second_window_comes_into_the_same_picture_on_every_run),
	KR_TEST(it_takes_part_after_the_frames_before_it),
	KR_TEST(it_is_waited_for_once_it_takes_part),
	KR_TEST(closed_windows_count),
	KR_TEST(windows_that_are_all_closed_count),
	KR_TEST(a_count_that_cant_be_is_cut),
	KR_TEST(it_waits_for_nobody_who_is_gone_or_idle),
	KR_TEST(a_row_of_idle_windows_is_waited_for_once),
	KR_TEST(a_real_clock_waits_for_no_count),
};

KR_TEST_MAIN(tests)
