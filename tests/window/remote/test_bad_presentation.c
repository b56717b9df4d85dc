/* SPDX-License-Identifier: Apache-2.0 */
/* Producers that break what versions 3 and 5 of the display protocol say of frames. */
#include "remote/liar.h"

#include <errno.h>

#include "sync/fence/fence.h"
#include "util/fd.h"
#include "window/remote/descriptors.h"

static struct kr_remote_display able;

static void
start_3(struct liar *liar)
{
	static const struct kr_dp_message hello = {
		.type = KR_DP_HELLO3, .hello3 = {.hello2 = {.hello = {.version = 3}}}};

	able = help_display;
	able.abilities = (struct kr_abilities){
		.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT) & ~KR_ABILITY(KR_PRESENT_MAILBOX),
		.transforms = KR_ABILITY(0) | KR_ABILITY(NATIVE_WINDOW_TRANSFORM_ROT_90),
		.scalings = KR_ABILITY(KR_SCALING_STRETCH),
		.gravities = KR_ABILITY(KR_GRAVITY_MIN),
		.tells_shown = true,
	};
	liar_start_with(liar, &able);
	liar_send(liar, &hello, -1);
	liar_announce(liar, 0);
	liar_announce(liar, 1);
}

static struct kr_dp_message
frame3_message(uint32_t slot, uint64_t number, enum kr_present_mode mode)
{
	return (struct kr_dp_message){.type = KR_DP_FRAME3,
		.frame3 = {
			.frame2 = {.frame = {.slot = slot,
					   .number = number,
					   .droppable = kr_present_mode_drops(mode),
					   .format = 1}},
			.mode = (uint8_t)mode,
		}};
}

static void
expect_bad_frame3(const struct kr_dp_message *message, const char *why)
{
	struct liar liar;

	start_3(&liar);
	liar_send(&liar, message, -1);
	liar_expect_cut_off(&liar, why);
}

/* */
static void
presentations_are_checked(void **state)
{
	struct kr_dp_message message = frame3_message(0, 1, KR_PRESENT_MODE_COUNT);

	expect_bad_frame3(&message, "wasn't offered");
	message.frame3.mode = 255;
	expect_bad_frame3(&message, "wasn't offered");
	message = frame3_message(0, 1, KR_PRESENT_MAILBOX);
	expect_bad_frame3(&message, "wasn't offered");
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	message.frame3.alpha = KR_ALPHA_STRAIGHT;
	expect_bad_frame3(&message, "wasn't offered");
	message.frame3.alpha = 200;
	expect_bad_frame3(&message, "wasn't offered");
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	message.frame3.scaling = KR_SCALING_ASPECT;
	expect_bad_frame3(&message, "wasn't offered");
	message.frame3.scaling = KR_SCALING_STRETCH;
	message.frame3.gravity_y = KR_GRAVITY_CENTRED;
	expect_bad_frame3(&message, "wasn't offered");
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	message.frame3.frame2.frame.transform = NATIVE_WINDOW_TRANSFORM_ROT_180;
	expect_bad_frame3(&message, "wasn't offered");
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	message.frame3.frame2.frame.droppable = true;
	expect_bad_frame3(&message, "droppable");
	message = frame3_message(0, 1, KR_PRESENT_IMMEDIATE);
	message.frame3.frame2.frame.droppable = false;
	expect_bad_frame3(&message, "droppable");
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	message.frame3.window_width = 1;
	expect_bad_frame3(&message, "no size");
	message.frame3.window_height = KR_WINDOW_MAX_EXTENT + 1;
	expect_bad_frame3(&message, "no size");
}

static void
expect_bad_frame4(const struct kr_dp_frame4 *frame, const char *why)
{
	static const struct kr_dp_message hello = {
		.type = KR_DP_HELLO5, .hello5.hello4.hello3.hello2.hello = {.version = 5}};
	const struct kr_dp_message message = {.type = KR_DP_FRAME4, .frame4 = *frame};
	struct liar liar;

	able = help_display;
	able.abilities.modes = 1;
	able.abilities.colours = KR_ABILITY(KR_COLOUR_SRGB) | KR_ABILITY(KR_COLOUR_BT2020_PQ);
	liar_start_with(&liar, &able);
	liar_send(&liar, &hello, -1);
	liar_announce(&liar, 0);
	liar_send(&liar, &message, -1);
	if (why) {
		liar_expect_cut_off(&liar, why);
		return;
	}
	assert_int_equal(help_pump_all(liar.consumer), 0);
	liar_finish(&liar);
}

/* */
static void
times_and_colours_are_checked(void **state)
{
	const struct kr_dp_frame4 good = {
		.frame3.frame2.frame = {.slot = 0, .number = 1, .format = 1}};
	struct kr_dp_frame4 bad = good;

	expect_bad_frame4(&good, NULL);
	bad.target_kind = KR_TARGET_COUNT;
	expect_bad_frame4(&bad, "a time that there isn't");
	bad.target_kind = 255;
	expect_bad_frame4(&bad, "a time that there isn't");
	bad.target_kind = KR_TARGET_TIMESTAMP;
	bad.target_ns = -1;
	expect_bad_frame4(&bad, "a time that there isn't");
	bad.target_ns = INT64_MIN;
	expect_bad_frame4(&bad, "a time that there isn't");
	bad = good;
	bad.frame3.frame2.frame.dataspace = 163971072; /* BT.2020 PQ */
	expect_bad_frame4(&bad, NULL);
	bad.frame3.frame2.frame.dataspace = 143261696; /* Display P3, which wasn't offered */
	expect_bad_frame4(&bad, "colours that weren't offered");
	bad.frame3.frame2.frame.dataspace = 12345;
	expect_bad_frame4(&bad, "colours that weren't offered");
	bad.frame3.frame2.frame.dataspace = -1;
	expect_bad_frame4(&bad, "colours that weren't offered");
}

/* It asks what became of its frames, and never reads it: it is cut off, and nobody waits for it. */
static void
who_doesnt_read_what_it_asked_for_is_cut_off(void **state)
{
	static const struct kr_dp_message hello = {
		.type = KR_DP_HELLO5, .hello5.hello4.hello3.hello2.hello = {.version = 5}};
	const struct kr_dp_message message = {.type = KR_DP_FRAME4,
		.frame4 = {.frame3.frame2.frame = {.number = 1, .format = 1}, .tell_events = true}};
	struct kr_frame_events events;
	struct kr_frame frame;
	struct liar liar;

	able = help_display;
	able.timing.events = KR_TIMING_EVENTS;
	liar_start_with(&liar, &able);
	liar_send(&liar, &hello, -1);
	liar_announce(&liar, 0);
	liar_send(&liar, &message, -1);
	assert_int_equal(help_pump_all(liar.consumer), 0);
	assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
	assert_true(frame.presentation.tell_events);
	kr_frame_end_events(1, &events);
	for (unsigned i = 0; i < 100000; i++)
		kr_consumer_tell_events(liar.consumer, &events);
	assert_int_equal(kr_consumer_dispatch(liar.consumer), -EPIPE);
	liar_finish(&liar);
}

/* */
static void
answers_to_nothing_and_twice_asked_are_refused(void **state)
{
	static const struct kr_dp_message configured = {.type = KR_DP_CONFIGURED},
					  watch = {.type = KR_DP_WATCH_VBLANK};
	struct liar liar;

	start_3(&liar);
	liar_send(&liar, &configured, -1);
	liar_expect_cut_off(&liar, "wasn't told");
	start_3(&liar);
	assert_int_equal(help_pump_all(liar.consumer), 0);
	kr_consumer_configure(liar.consumer, 7, 7, 0);
	liar_send(&liar, &configured, -1);
	liar_send(&liar, &configured, -1);
	liar_expect_cut_off(&liar, "wasn't told");
	/* This display has no such counter. */
	start_3(&liar);
	liar_send(&liar, &watch, -1);
	liar_expect_cut_off(&liar, "nobody counts");
	able = help_display;
	able.abilities.modes = 1;
	able.abilities.counters = KR_ABILITY_VBLANK;
	liar_start_with(&liar, &able);
	liar_send(&liar,
		&(struct kr_dp_message){
			.type = KR_DP_HELLO3, .hello3 = {.hello2 = {.hello = {.version = 3}}}},
		-1);
	liar_send(&liar, &watch, -1);
	liar_send(&liar, &watch, -1);
	liar_expect_cut_off(&liar, "twice");
}

/* A shared slot is queued again as long as it is the newest, and never a slot of its neighbours. */
static void
shared_slots_are_checked(void **state)
{
	struct kr_dp_message shared = frame3_message(0, 1, KR_PRESENT_SHARED_DEMAND),
			     other = frame3_message(1, 2, KR_PRESENT_FIFO), gone, message;
	struct kr_frame frame;
	struct liar liar;

	start_3(&liar);
	liar_send(&liar, &shared, -1);
	message = frame3_message(0, 2, KR_PRESENT_FIFO);
	liar_send(&liar, &message, -1);
	liar_expect_cut_off(&liar, "wasn't released");
	start_3(&liar);
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	liar_send(&liar, &message, -1);
	message = frame3_message(0, 2, KR_PRESENT_SHARED_DEMAND);
	liar_send(&liar, &message, -1);
	liar_expect_cut_off(&liar, "wasn't released");
	/* Queued, held, queued again: but not behind another. */
	start_3(&liar);
	liar_send(&liar, &shared, -1);
	liar_send(&liar, &other, -1);
	message = frame3_message(0, 3, KR_PRESENT_SHARED_DEMAND);
	liar_send(&liar, &message, -1);
	liar_expect_cut_off(&liar, "wasn't released");
	start_3(&liar);
	liar_send(&liar, &shared, -1);
	assert_int_equal(help_pump_all(liar.consumer), 0);
	assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
	liar_send(&liar, &other, -1);
	liar_send(&liar, &message, -1);
	liar_expect_cut_off(&liar, "wasn't released");
	/* Its buffer stays as long as it is held, whatever was queued of it. */
	start_3(&liar);
	for (uint64_t i = 1; i <= 500; i++) {
		message = frame3_message(0, i, KR_PRESENT_SHARED_CONTINUOUS);
		liar_send(&liar, &message, -1);
		assert_int_equal(help_pump_all(liar.consumer), 0);
		if (i % 3 == 0)
			assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
	}
	assert_int_equal(frame.number, 498);
	gone = (struct kr_dp_message){.type = KR_DP_BUFFER_GONE};
	liar_send(&liar, &gone, -1);
	liar_expect_cut_off(&liar, "takes away");
}

/* Fences of a shared slot: one that is queued and one that may be held, never more. */
static void
fences_of_a_shared_slot_are_few(void **state)
{
	struct kr_descriptors all;
	struct kr_frame frame;
	struct liar liar;
	int before;

	/* What a connection has of its own, and nothing beyond. */
	kr_descriptors_init(&all, KR_DESCRIPTORS_EACH, 1);
	assert_int_equal(all.common, 0);
	start_3(&liar);
	assert_int_equal(kr_consumer_remote_count(liar.consumer, &all), 0);
	assert_int_equal(help_pump_all(liar.consumer), 0);
	before = kr_test_count_fds();
	for (uint64_t i = 1; i <= 100; i++) {
		struct kr_dp_message message = frame3_message(0, i, KR_PRESENT_SHARED_DEMAND);
		int fence;

		message.frame3.frame2.frame.has_fence = true;
		assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
		liar_send(&liar, &message, fence);
		kr_fd_close(&fence);
		assert_int_equal(help_pump_all(liar.consumer), 0);
		assert_true(kr_test_count_fds() <= before + 1);
		if (i % 2) {
			assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
			kr_fd_close(&frame.acquire_fence);
		}
	}
	assert_int_equal(kr_consumer_release(liar.consumer, &frame, -1), 0);
	liar_finish(&liar);
	kr_descriptors_finish(&all);
}

static const struct kr_test tests[] = {
	KR_TEST(presentations_are_checked),
	KR_TEST(times_and_colours_are_checked),
	KR_TEST(who_doesnt_read_what_it_asked_for_is_cut_off),
	KR_TEST(answers_to_nothing_and_twice_asked_are_refused),
	KR_TEST(shared_slots_are_checked),
	KR_TEST(fences_of_a_shared_slot_are_few),
};

KR_TEST_MAIN(tests)
