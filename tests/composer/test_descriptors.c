/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Producers that use up file descriptors: each has a share of what the process may
 * have, and no more.
 */
#include "by_hand.h"

#include <errno.h>
#include <limits.h>
#include <krafla/hardware_buffer.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "buffer_rig.h"
#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

#define RGBA    AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define LIMIT   1024
#define HOSTILE 17
#define ALL     64 /* slots; connections, too */

static void
limit_to(rlim_t count)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = KR_MIN(limit.rlim_max, count);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* A window can be opened, and shows a frame. */
static void
expect_a_window(struct hand *hand)
{
	uint64_t before = hand_shown(hand);
	struct hand_client client;

	hand_join_with(hand, &client, 16, 16, RGBA, 4);
	assert_true(hand_send_frame(&client));
	hand_tick(hand);
	hand_hear(&client);
	assert_false(client.cut_off);
	assert_true(hand_shown(hand) > before);
	hand_leave(&client);
}

static void
buffers_of_memory_take_none(void **state)
{
	struct hand_client hostile[HOSTILE];
	int before, after;
	struct hand hand;

	limit_to(LIMIT);
	hand_begin(&hand, KR_CLOCK_REAL, 32, 32);
	before = kr_test_count_fds();
	for (int i = 0; i < HOSTILE; i++) {
		hand_join_with(&hand, &hostile[i], 16, 16, RGBA, ALL);
		hand_dispatch(&hand);
		hand_hear(&hostile[i]);
		assert_false(hostile[i].cut_off);
	}
	after = kr_test_count_fds();
	assert_true(after - before <= 3 * HOSTILE); /* both ends, and the buffer */
	expect_a_window(&hand);
	for (int i = 0; i < HOSTILE; i++)
		hand_leave(&hostile[i]);
	hand_end(&hand);
}

/* Frames of which none will ever be ready. Whether it was cut off. */
static bool
send_fences(struct hand *hand, struct hand_client *client, int fence, unsigned count)
{
	for (unsigned i = 0; i < count && !client->cut_off; i++) {
		struct kr_dp_message message = {.type = KR_DP_FRAME, .frame = client->frame};

		message.frame.number = i + 1;
		message.frame.slot = i;
		message.frame.has_fence = true;
		hand_say(client, &message, fence);
		hand_dispatch(hand);
		hand_hear(client);
	}
	return client->cut_off;
}

static void
fences_end_at_a_share(void **state)
{
	struct hand_client hostile[HOSTILE];
	int signaller, fence, cut_off = 0;
	struct hand hand;

	limit_to(LIMIT);
	hand_begin(&hand, KR_CLOCK_REAL, 32, 32);
	assert_int_equal(kr_fence_create(NULL, &signaller, &fence), 0);
	for (int i = 0; i < HOSTILE; i++) {
		hand_join_with(&hand, &hostile[i], 16, 16, RGBA, ALL);
		if (send_fences(&hand, &hostile[i], fence, ALL)) {
			assert_non_null(strstr(hostile[i].why, "file descriptors"));
			cut_off++;
		}
	}
	/* The first has what nobody else wants yet, the last no more than its share. */
	assert_false(hostile[0].cut_off);
	assert_true(hostile[HOSTILE - 1].cut_off);
	assert_true(cut_off > 0);
	expect_a_window(&hand);
	for (int i = 0; i < HOSTILE; i++)
		hand_leave(&hostile[i]);
	kr_fence_signal(signaller, 1);
	kr_fd_close(&fence);
	hand_end(&hand);
}

/* Device buffers can't do without their descriptors. */
static void
sixty_four_windows_of_four_buffers_fit(void **state)
{
	struct hand_client clients[ALL - 1], hostile;
	int signaller, fence;
	struct hand hand;

	rig_begin_with("dma-heap");
	limit_to(LIMIT);
	hand_begin(&hand, KR_CLOCK_REAL, 32, 32);
	assert_int_equal(kr_fence_create(NULL, &signaller, &fence), 0);
	hand_join_with(&hand, &hostile, 16, 16, RGBA, ALL);
	send_fences(&hand, &hostile, fence, ALL);
	for (int i = 0; i < ALL - 1; i++) {
		hand_join_with(&hand, &clients[i], 16, 16, RGBA, 4);
		assert_false(send_fences(&hand, &clients[i], fence, 4));
	}
	kr_fence_signal(signaller, 1);
	for (int i = 0; i < 4; i++)
		hand_tick(&hand);
	assert_true(hand_shown(&hand) >= 4 * (ALL - 1));
	hand_leave(&hostile);
	for (int i = 0; i < ALL - 1; i++)
		hand_leave(&clients[i]);
	kr_fd_close(&fence);
	hand_end(&hand);
	rig_end();
}

/*
 * Frames that are replaced at once, whose fences come back and are never read: the kernel holds
 * them, so they count, also when the connection has ended, until the other end is closed.
 */
static void
what_is_never_read_stays_counted(void **state)
{
	struct hand_client hostile;
	struct kr_descriptors *all;
	int signaller, fence;
	struct hand hand;

	limit_to(LIMIT);
	hand_begin(&hand, KR_CLOCK_REAL, 32, 32);
	all = &hand.display->descriptors;
	assert_int_equal(kr_fence_create(NULL, &signaller, &fence), 0);
	hand_join_with(&hand, &hostile, 16, 16, RGBA, 2);
	for (unsigned i = 1; i < 200 && !kr_list_empty(&hand.display->producers); i++) {
		struct kr_dp_message message = {.type = KR_DP_FRAME, .frame = hostile.frame};

		message.frame.number = i;
		message.frame.slot = i % 2;
		message.frame.droppable = message.frame.has_fence = true;
		hand_say(&hostile, &message, fence);
		/* A fence that never signals is given up after 5 s: only then its producer is. */
		hand.now += KR_NSEC_PER_MSEC;
		hand_dispatch(&hand);
		assert_true(all->taken <= 64);
	}
	hand.now += 6 * KR_NSEC_PER_SEC;
	hand_dispatch(&hand);
	assert_true(kr_list_empty(&hand.display->producers));
	assert_int_equal(all->open, 1);
	assert_true(all->taken > 40);
	expect_a_window(&hand);
	hand_hear(&hostile);
	assert_true(hostile.cut_off);
	assert_non_null(strstr(hostile.why, "doesn't read"));
	hand_leave(&hostile);
	hand_dispatch(&hand);
	/* They are looked at when somebody wants what they have. */
	for (unsigned i = 0; i < ALL; i++) {
		hand_join_with(&hand, &hostile, 16, 16, RGBA, 1);
		hand_leave(&hostile);
	}
	hand_dispatch(&hand);
	assert_int_equal(all->open, 0);
	assert_int_equal(all->taken, 0);
	kr_fence_signal(signaller, 1);
	kr_fd_close(&fence);
	hand_end(&hand);
}

/*
 * As many connections as have their share; small limits allow fewer, large ones no more than all.
 */
static void
limits_are_shared_out(void **state)
{
	static const struct {
		unsigned limit, connections, common;
	} rows[] = {{0, 1, 0}, {20, 1, 5}, {64, 4, 8}, {256, 19, 2}, {1024, 64, 320},
		{4096, 64, 3392}, {UINT_MAX, 64, 15680}};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		struct kr_descriptors all;

		kr_descriptors_init(&all, rows[i].limit, ALL);
		assert_int_equal(all.connections, rows[i].connections);
		assert_int_equal(all.common, rows[i].common);
		kr_descriptors_finish(&all);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(buffers_of_memory_take_none),
	KR_TEST(fences_end_at_a_share),
	KR_TEST(sixty_four_windows_of_four_buffers_fit),
	KR_TEST(what_is_never_read_stays_counted),
	KR_TEST(limits_are_shared_out),
};
KR_TEST_MAIN(tests)
