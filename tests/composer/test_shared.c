/* SPDX-License-Identifier: Apache-2.0 */
/* Shared buffers: a slot that is on screen and in the queue at the same time. */
#include "by_hand.h"

#include <errno.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

static int
failed_fence(void)
{
	const struct kr_fence_label label = {"test", 1, "failed"};
	int signal, fence;

	assert_int_equal(kr_fence_create(&label, &signal, &fence), 0);
	kr_fence_signal(signal, -EIO);
	return fence;
}

static void
take_away(struct hand_client *client, uint32_t slot)
{
	const struct kr_dp_message gone = {
		.type = KR_DP_BUFFER_GONE, .buffer_gone = {.slot = slot}};

	(void)hand_say(client, &gone, -1);
}

/*
 * A frame that is never shown is one frame of the slot less; the buffer is on screen, and the
 * producer can't take it away.
 */
static void
a_frame_that_fails_leaves_the_one_on_screen(void **state)
{
	struct hand hand;
	struct hand_client client;
	int fence = failed_fence();

	hand_begin(&hand, KR_CLOCK_REAL, 64, 48);
	hand_join_third(&hand, &client);
	hand_send_third(&client, 0, KR_PRESENT_SHARED_CONTINUOUS, -1);
	hand_tick(&hand);
	hand_send_third(&client, 0, KR_PRESENT_SHARED_CONTINUOUS, fence);
	hand_dispatch(&hand);
	hand_hear(&client);
	assert_int_equal(client.released, 0);
	hand_tick(&hand);
	/* The next frame of another slot takes its place, which gives it back. */
	hand_send_third(&client, 1, KR_PRESENT_FIFO, -1);
	hand_tick(&hand);
	hand_dispatch(&hand);
	hand_hear(&client);
	assert_false(client.cut_off);
	assert_int_equal(client.released, 2);
	kr_fd_close(&fence);
	hand_leave(&client);
	hand_end(&hand);
}

/* */
static void
a_buffer_on_screen_cant_be_taken_away(void **state)
{
	struct hand hand;
	struct hand_client client;
	int fence = failed_fence();

	hand_begin(&hand, KR_CLOCK_REAL, 64, 48);
	hand_join_third(&hand, &client);
	hand_send_third(&client, 0, KR_PRESENT_SHARED_CONTINUOUS, -1);
	hand_tick(&hand);
	hand_send_third(&client, 0, KR_PRESENT_SHARED_CONTINUOUS, fence);
	hand_dispatch(&hand);
	take_away(&client, 0);
	hand_dispatch(&hand);
	hand_hear(&client);
	assert_true(client.cut_off);
	kr_fd_close(&fence);
	hand_leave(&client);
	hand_end(&hand);
}

static const struct kr_test tests[] = {
	KR_TEST(a_frame_that_fails_leaves_the_one_on_screen),
	KR_TEST(a_buffer_on_screen_cant_be_taken_away),
};
KR_TEST_MAIN(tests)
