/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that are pictures, and somebody who looks at them for long. */
#include "by_hand.h"

#include <krafla/hardware_buffer.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "hwc/hold.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/fd.h"

#define RGBA   AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define WIDTH  32
#define HEIGHT 16
#define HOLDS  40

/* Keeps what it may, until it is told to let go. */
struct keeper {
	struct kr_display_output base; /* first */
	struct kr_picture_hold *holds[HOLDS];
	const uint32_t *pixels[HOLDS];
	unsigned held;
	unsigned copied;
};

static int
keep(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	struct keeper *keeper = (struct keeper *)output;

	if (!kr_picture_hold_take(frame->hold)) {
		keeper->copied++;
		return 0;
	}
	assert_true(keeper->held < HOLDS);
	keeper->pixels[keeper->held] = frame->pixels;
	keeper->holds[keeper->held++] = frame->hold;
	return 0;
}

static const struct kr_display_output_impl keeper_impl = {.name = "keeper", .show = keep};

static void
let_go(struct keeper *keeper)
{
	for (unsigned i = 0; i < keeper->held; i++)
		kr_picture_hold_drop(keeper->holds[i]);
	keeper->held = 0;
}

static void
begin(struct hand *hand, struct keeper *keeper)
{
	*keeper = (struct keeper){.base = {&keeper_impl, {.from = 1, .every = 1}}};
	hand_begin(hand, KR_CLOCK_VIRTUAL, WIDTH, HEIGHT);
	hand->display->hooks.frame_pixels = false;
	assert_int_equal(kr_display_add_output(hand->display, &keeper->base), 0);
}

static void
show(struct hand *hand, struct hand_client *client)
{
	assert_true(hand_send_frame(client));
	hand_tick(hand);
	hand_hear(client);
}

static struct kr_display_stats
stats_of(const struct hand *hand)
{
	struct kr_display_stats stats;

	kr_display_get_stats(hand->display, &stats);
	return stats;
}

/* H-02: its buffer comes back when it is due, with a fence; the next ones are for copying. */
static void
a_slow_writer_costs_one_buffer(void **state)
{
	struct hand_client client;
	struct keeper keeper;
	struct hand hand;

	begin(&hand, &keeper);
	hand_join(&hand, &client, WIDTH, HEIGHT, RGBA);
	hand_fill(&client, 0x332211);
	show(&hand, &client);
	assert_int_equal(keeper.held, 1);
	assert_int_equal(client.released, 0);
	show(&hand, &client);
	assert_int_equal(client.released, 1);
	assert_int_equal(kr_fence_status(client.release_fence), KR_FENCE_ACTIVE);
	assert_int_equal(keeper.held, 1);
	assert_int_equal(keeper.copied, 1);
	for (int i = 0; i < 20; i++) {
		int first = client.release_fence;

		client.release_fence = -1;
		show(&hand, &client);
		assert_int_equal(client.release_fence, -1); /* nobody looks at that one */
		client.release_fence = first;
	}
	assert_int_equal(keeper.copied, 21);
	assert_int_equal(kr_fence_status(client.release_fence), KR_FENCE_ACTIVE);
	assert_int_equal(keeper.pixels[0][5] & 0xffffff, 0x332211);
	let_go(&keeper);
	assert_int_equal(kr_fence_status(client.release_fence), KR_FENCE_SIGNALLED);
	show(&hand, &client);
	assert_int_equal(keeper.held, 1);
	assert_int_equal(stats_of(&hand).held, 2);
	assert_int_equal(stats_of(&hand).not_held, 21);
	assert_int_equal(stats_of(&hand).handed_over, 23);
	assert_int_equal(stats_of(&hand).drawn_bytes, 0);
	let_go(&keeper);
	hand_leave(&client);
	hand_end(&hand);
}

/* Who is done before the next picture leaves no trace. */
static void
a_fast_writer_needs_no_fence(void **state)
{
	struct hand_client client;
	struct keeper keeper;
	struct hand hand;

	begin(&hand, &keeper);
	hand_join(&hand, &client, WIDTH, HEIGHT, RGBA);
	for (int i = 0; i < 50; i++) {
		show(&hand, &client);
		assert_int_equal(client.release_fence, -1);
		assert_int_equal(keeper.held, 1);
		let_go(&keeper);
	}
	assert_int_equal(keeper.copied, 0);
	hand_leave(&client);
	hand_end(&hand);
}

static void
several_may_look_at_one(void **state)
{
	struct hand_client client;
	struct keeper a, b;
	struct hand hand;

	begin(&hand, &a);
	b = a;
	assert_int_equal(kr_display_add_output(hand.display, &b.base), 0);
	hand_join(&hand, &client, WIDTH, HEIGHT, RGBA);
	show(&hand, &client);
	assert_ptr_equal(a.holds[0], b.holds[0]);
	show(&hand, &client);
	let_go(&a);
	assert_int_equal(kr_fence_status(client.release_fence), KR_FENCE_ACTIVE);
	let_go(&b);
	assert_int_equal(kr_fence_status(client.release_fence), KR_FENCE_SIGNALLED);
	hand_leave(&client);
	hand_end(&hand);
}

/* A drawn picture can't be kept: the next one is drawn over it. */
static void
drawn_pictures_are_copied(void **state)
{
	struct hand_client client;
	struct keeper keeper;
	struct hand hand;

	begin(&hand, &keeper);
	hand_join(&hand, &client, WIDTH - 1, HEIGHT, RGBA);
	show(&hand, &client);
	assert_int_equal(keeper.held, 0);
	assert_int_equal(keeper.copied, 1);
	hand_leave(&client);
	hand_end(&hand);
}

static void
held_pixels_outlive_their_producer_and_display(void **state)
{
	struct hand_client client;
	struct keeper keeper;
	struct hand hand;

	begin(&hand, &keeper);
	hand_join(&hand, &client, WIDTH, HEIGHT, RGBA);
	hand_fill(&client, 0x030201);
	show(&hand, &client);
	hand_leave(&client);
	hand_dispatch(&hand);
	assert_true(kr_list_empty(&hand.display->producers));
	assert_int_equal(keeper.pixels[0][WIDTH * HEIGHT - 1] & 0xffffff, 0x030201);
	hand_end(&hand);
	assert_int_equal(keeper.pixels[0][0] & 0xffffff, 0x030201);
	let_go(&keeper);
}

/* H-02: a display that goes doesn't signal for him who still looks. */
static void
the_fence_outlives_the_display(void **state)
{
	struct hand_client client;
	struct keeper keeper;
	struct hand hand;

	begin(&hand, &keeper);
	hand_join(&hand, &client, WIDTH, HEIGHT, RGBA);
	show(&hand, &client);
	hand_end(&hand);
	hand_hear(&client);
	assert_int_equal(client.released, 1);
	assert_int_equal(kr_fence_status(client.release_fence), KR_FENCE_ACTIVE);
	let_go(&keeper);
	assert_int_equal(kr_fence_status(client.release_fence), KR_FENCE_SIGNALLED);
	hand_leave(&client);
}

/* Producers that come, are looked at and go leave no more behind than there is room for. */
static void
holds_are_bounded(void **state)
{
	struct hand_client clients[HOLDS];
	struct keeper keeper;
	struct hand hand;

	begin(&hand, &keeper);
	for (unsigned i = 0; i < HOLDS; i++) {
		hand_join(&hand, &clients[i], WIDTH, HEIGHT, RGBA);
		show(&hand, &clients[i]);
		hand_leave(&clients[i]);
		hand_dispatch(&hand);
	}
	assert_int_equal(keeper.held, KR_DISPLAY_HOLDS);
	assert_int_equal(keeper.copied, HOLDS - KR_DISPLAY_HOLDS);
	let_go(&keeper);
	hand_end(&hand);
}

/* Who waits for a buffer that the display has isn't left out of a picture for that. */
static void
who_is_looked_at_is_not_idle(void **state)
{
	const int64_t long_ns = 20 * KR_NSEC_PER_SEC;
	struct hand_client held, other;
	struct keeper keeper;
	struct hand hand;

	begin(&hand, &keeper);
	hand_join(&hand, &other, 8, 8, RGBA);
	hand_join(&hand, &held, WIDTH, HEIGHT, RGBA);
	assert_true(hand_send_frame(&other));
	show(&hand, &held);
	assert_int_equal(keeper.held, 1);
	assert_true(hand_send_frame(&other));
	hand.now += long_ns;
	hand_dispatch(&hand);
	assert_true(kr_display_next_tick(hand.display, hand.now) > hand.now);
	let_go(&keeper);
	hand.now += long_ns;
	hand_dispatch(&hand);
	assert_true(kr_display_next_tick(hand.display, hand.now) <= hand.now);
	hand_leave(&held);
	hand_leave(&other);
	hand_end(&hand);
}

/* It doesn't wait for its fence: what it does then is shown, and nothing else breaks. */
static void
a_producer_may_not_wait(void **state)
{
	struct hand_client client;
	struct keeper keeper;
	struct hand hand;

	begin(&hand, &keeper);
	hand_join_with(&hand, &client, WIDTH, HEIGHT, RGBA, 2);
	for (int i = 0; i < 20; i++)
		show(&hand, &client);
	assert_int_equal(keeper.held, 1);
	assert_false(client.cut_off);
	let_go(&keeper);
	hand_leave(&client);
	hand_end(&hand);
}

/* Something lies unread whenever a fence is sent, and yet all fences but one were read. */
static void
who_is_a_message_behind_stays(void **state)
{
	struct hand_client client;
	struct keeper keeper;
	unsigned fences = 0;
	struct hand hand;

	begin(&hand, &keeper);
	hand_join_with(&hand, &client, WIDTH, HEIGHT, RGBA, 6);
	hand_hear(&client);
	client.lags = true;
	for (unsigned i = 0; i < 200; i++) {
		struct kr_picture_hold *before = keeper.held ? keeper.holds[0] : NULL;

		assert_true(hand_send_frame(&client));
		keeper.held = 0;
		hand_tick(&hand);
		if (i > 1)
			assert_true(hand_hear_one(&client));
		fences += client.release_fence >= 0;
		if (before)
			kr_picture_hold_drop(before);
		assert_false(client.cut_off);
	}
	assert_true(fences > 64);
	let_go(&keeper);
	hand_leave(&client);
	hand_end(&hand);
}

/* --- threads --- */

struct late {
	pthread_t thread;
	struct kr_picture_hold *hold;
};

struct threaded {
	struct kr_display_output base; /* first */
	struct late late[256];
	unsigned count;
};

static void *
drop_it(void *data)
{
	const struct late *late = data;

	kr_picture_hold_drop(late->hold);
	return NULL;
}

static int
drop_elsewhere(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	struct threaded *threaded = (struct threaded *)output;
	struct late *late = &threaded->late[threaded->count];

	if (!kr_picture_hold_take(frame->hold))
		return 0;
	late->hold = frame->hold;
	threaded->count++;
	assert_int_equal(pthread_create(&late->thread, NULL, drop_it, late), 0);
	return 0;
}

static const struct kr_display_output_impl threaded_impl = {
	.name = "threaded", .show = drop_elsewhere};

static void
threads_drop_holds(void **state)
{
	static struct threaded threaded = {.base = {&threaded_impl, {.from = 1, .every = 1}}};
	struct rig rig = {.outputs = {&threaded.base}};
	struct kr_queue *queue;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = rig_window(&rig, "frames");
	for (unsigned i = 0; i < 200; i++)
		rig_show_plain(queue, i);
	rig_close(queue);
	rig_drain(&rig);
	assert_int_equal(rig.frames, 200);
	assert_true(threaded.count > 0);
	for (unsigned i = 0; i < threaded.count; i++)
		pthread_join(threaded.late[i].thread, NULL);
	rig_stop(&rig, NULL);
}

/* A picture that is the last one's buffer still, offered just before its writer is done. */
static void
the_last_look_may_end_before_the_next_begins(void **state)
{
	const struct kr_buffer_desc desc = {16, 16, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN};
	struct kr_hwc_holds *holds = kr_hwc_holds_create();
	struct krafla_picture_hold *first, *again;
	struct kr_buffer *buffer;

	assert_non_null(holds);
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	first = kr_hwc_holds_offer(holds, 1, 1, buffer);
	assert_true(krafla_picture_hold_take(first));
	again = kr_hwc_holds_offer(holds, 1, 2, buffer);
	assert_ptr_equal(first, again);
	krafla_picture_hold_drop(first);
	assert_true(krafla_picture_hold_take(again));
	krafla_picture_hold_drop(again);
	kr_hwc_holds_leave(holds);
	kr_buffer_unref(buffer);
}

static const struct kr_test tests[] = {
	KR_TEST(a_slow_writer_costs_one_buffer),
	KR_TEST(a_fast_writer_needs_no_fence),
	KR_TEST(several_may_look_at_one),
	KR_TEST(drawn_pictures_are_copied),
	KR_TEST(held_pixels_outlive_their_producer_and_display),
	KR_TEST(the_fence_outlives_the_display),
	KR_TEST(holds_are_bounded),
	KR_TEST(who_is_looked_at_is_not_idle),
	KR_TEST(a_producer_may_not_wait),
	KR_TEST(who_is_a_message_behind_stays),
	KR_TEST(threads_drop_holds),
	KR_TEST(the_last_look_may_end_before_the_next_begins),
};
KR_TEST_MAIN(tests)
