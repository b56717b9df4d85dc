/* SPDX-License-Identifier: Apache-2.0 */
/* Producers that ask for more than a display can do: the others are shown all the same. */
#include "by_hand.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

#define HONEST_FRAMES 40

struct attacker {
	const struct rig *rig;
	pthread_t thread;
	atomic_bool stop;
	atomic_uint queued;
};

/* Frames of 1 GiB each, of which nothing was ever written, as fast as they are taken. */
static void *
attack(void *data)
{
	struct attacker *attacker = data;
	struct kr_queue *queue = rig_window(attacker->rig, "attacker");
	const struct kr_queue_input input = {
		.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW,
		.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
	};

	while (!atomic_load(&attacker->stop)) {
		const struct kr_queue_request request = {
			.width = 16384,
			.height = 8192,
			.format = AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT,
			.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
			.deadline_ns = kr_clock_now() + 100 * KR_NSEC_PER_MSEC,
		};
		struct kr_buffer *buffer;
		uint32_t slot;
		int fence;

		if (kr_queue_dequeue(queue, &request, &slot, &buffer, &fence) < 0)
			continue;
		assert_int_equal(fence, -1);
		assert_int_equal(kr_queue_queue(queue, slot, &input, -1, NULL), 0);
		atomic_fetch_add(&attacker->queued, 1);
	}
	rig_close(queue);
	return NULL;
}

static void
huge_frames_leave_others_their_display(enum kr_display_clock clock)
{
	struct rig rig = {0};
	struct attacker attacker = {.rig = &rig};
	struct kr_queue *queue;

	rig_start(&rig, clock);
	assert_int_equal(pthread_create(&attacker.thread, NULL, attack, &attacker), 0);
	rig_wait_stat(&rig, queued, 1);
	queue = rig_window(&rig, "honest");
	for (unsigned i = 0; i < HONEST_FRAMES; i++)
		rig_show_plain(queue, i);
	/* The two are shown, and the last frame of the attacker's too. */
	rig_wait_stat(&rig, shown + rig_stats(&rig).hidden, HONEST_FRAMES + 2);
	assert_true(kr_queue_alive(queue));
	atomic_store(&attacker.stop, true);
	pthread_join(attacker.thread, NULL);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static void
huge_frames_on_the_real_clock(void **state)
{
	huge_frames_leave_others_their_display(KR_CLOCK_REAL);
}

static void
huge_frames_on_the_virtual_clock(void **state)
{
	huge_frames_leave_others_their_display(KR_CLOCK_VIRTUAL);
}

/* What a tick may do for frames that take longer. */
static uint64_t
bound(const struct hand *by_hand)
{
	return by_hand->display->preparation.work / KR_PREPARE_PART;
}

/* Below or above: the honest window is in each picture, and the large one comes, too. */
static void
huge_frames_wait_and_come(void **state)
{
	for (int above = 0; above < 2; above++) {
		struct hand_client honest, huge;
		struct hand by_hand;
		unsigned ticks = 0;

		hand_begin(&by_hand, KR_CLOCK_REAL, 320, 200);
		if (above)
			hand_join(&by_hand, &honest, 40, 30, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
		hand_join(&by_hand, &huge, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
		if (!above)
			hand_join(&by_hand, &honest, 40, 30, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
		huge.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
		for (unsigned i = 1; i <= 200; i++) {
			uint64_t before = hand_shown(&by_hand);

			hand_fill(&honest, i);
			assert_true(hand_send_frame(&honest));
			while (hand_send_frame(&huge))
				;
			hand_tick(&by_hand);
			assert_int_equal(by_hand.pictures, i);
			/* The large one's are shown beside it, now and then. */
			assert_in_range(hand_shown(&by_hand) - before, 1, 2);
			ticks += hand_shown(&by_hand) - before == 2;
			if (!above)
				assert_int_equal(hand_seen(&by_hand, 39, 29), i << 16);
			assert_true(by_hand.display->preparation.spent <= bound(&by_hand));
		}
		/* 400 source rows of 128 KiB, and as much work again, at 1 MiB a tick. */
		assert_in_range(ticks, 1, 4);
		hand_leave(&honest);
		hand_leave(&huge);
		hand_end(&by_hand);
	}
}

/* While one is prepared and one is on screen: a third that fails goes back at once. */
static void
frames_may_fail_behind_a_huge_one(void **state)
{
	const struct kr_fence_label label = {"test", 1, "failed"};
	struct hand_client huge, other;
	struct hand by_hand;
	int signal, fence;

	assert_int_equal(kr_fence_create(&label, &signal, &fence), 0);
	kr_fence_signal(signal, -EIO);
	hand_begin(&by_hand, KR_CLOCK_REAL, 320, 200);
	hand_join(&by_hand, &huge, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
	hand_join(&by_hand, &other, 16, 16, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	/* Of its left upper corner alone, which costs nothing. */
	assert_true(hand_send_frame(&huge));
	hand_tick(&by_hand);
	huge.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	assert_true(hand_send_frame(&huge));
	hand_tick(&by_hand);
	assert_true(hand_send_fenced(&huge, fence));
	hand_dispatch(&by_hand);
	hand_hear(&huge);
	assert_int_equal(huge.released, 3);
	while (hand_shown(&by_hand) < 2)
		hand_tick(&by_hand);
	hand_hear(&huge);
	assert_int_equal(huge.released, 1);
	kr_fd_close(&fence);
	hand_leave(&huge);
	hand_leave(&other);
	hand_end(&by_hand);
}

/* What is on screen was uncovered and is prepared: the frame after it is not what comes of that. */
static void
what_is_replaced_is_prepared_no_further(void **state)
{
	struct hand_client below, cover, other;
	struct kr_producer *producer;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_REAL, 320, 200);
	hand_join(&hand, &below, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
	hand_join(&hand, &cover, 320, 200, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	hand_join(&hand, &other, 10, 10, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	below.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	assert_true(hand_send_frame(&cover) && hand_send_frame(&below));
	hand_tick(&hand);
	assert_int_equal(hand_shown(&hand), 2);
	producer = kr_container_of(hand.display->producers.next, struct kr_producer, link);
	hand_leave(&cover);
	assert_true(hand_send_frame(&other));
	hand_tick(&hand);
	assert_ptr_equal(hand.display->preparation.producer, producer);
	below.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_FREEZE;
	assert_true(hand_send_frame(&below));
	hand_tick(&hand);
	assert_int_equal(hand_shown(&hand), 4);
	assert_null(hand.display->preparation.producer);
	assert_false(kr_producer_is_prepared(producer));
	hand_leave(&below);
	hand_leave(&other);
	hand_end(&hand);
}

/* A frame behind it that never gets ready takes what is on screen away, and nothing else. */
static void
a_huge_frame_comes_before_one_that_is_stuck(void **state)
{
	const struct kr_fence_label label = {"test", 1, "never"};
	struct hand_client huge, other;
	struct hand hand;
	int signal, fence;

	assert_int_equal(kr_fence_create(&label, &signal, &fence), 0);
	hand_begin(&hand, KR_CLOCK_REAL, 320, 200);
	hand_join(&hand, &huge, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
	hand_join(&hand, &other, 16, 16, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	assert_true(hand_send_frame(&huge));
	hand_tick(&hand);
	huge.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	assert_true(hand_send_frame(&huge));
	hand_tick(&hand);
	assert_true(hand_send_fenced(&huge, fence));
	hand_dispatch(&hand);
	hand.now += 6 * KR_NSEC_PER_SEC;
	hand_dispatch(&hand);
	assert_int_equal(hand.display->stats.stuck, 1);
	for (unsigned i = 0; i < 1000 && hand_shown(&hand) < 2; i++)
		hand_tick(&hand);
	assert_int_equal(hand_shown(&hand), 2);
	kr_fd_close(&signal);
	kr_fd_close(&fence);
	hand_leave(&huge);
	hand_leave(&other);
	hand_end(&hand);
}

/* Virtual clock: each frame is in the picture that it is meant for. */
static void
huge_frames_are_in_their_picture(void **state)
{
	struct hand_client huge, small;
	struct hand by_hand;
	uint32_t *data;

	hand_begin(&by_hand, KR_CLOCK_VIRTUAL, 320, 200);
	hand_join(&by_hand, &huge, 16384, 8192, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM);
	hand_join(&by_hand, &small, 40, 30, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	huge.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	assert_int_equal(kr_buffer_map(huge.buffer, (void **)&data), 0);
	for (uint32_t y = 8190; y < 8192; y++) {
		for (uint32_t x = 0; x < 16384; x++)
			data[y * (kr_buffer_get_info(huge.buffer)->row_bytes / 4) + x] = 0x123456;
	}
	for (unsigned i = 1; i <= 3; i++) {
		hand_fill(&small, i);
		assert_true(hand_send_frame(&huge));
		assert_true(hand_send_frame(&small));
		hand_tick(&by_hand);
		assert_int_equal(by_hand.pictures, i);
		assert_int_equal(hand_shown(&by_hand), 2 * i);
		assert_int_equal(hand_seen(&by_hand, 0, 0), i << 16);
		assert_int_equal(hand_seen(&by_hand, 319, 0), 0);
	}
	hand_leave(&huge);
	hand_leave(&small);
	hand_end(&by_hand);
}

/* 60 that are each more than a tick can do: together they take no more of it than one. */
static void
crowds_of_costly_windows_share(void **state)
{
	struct hand_client honest, crowd[60];
	struct hand by_hand;
	uint64_t before;

	hand_begin(&by_hand, KR_CLOCK_REAL, 320, 200);
	for (int i = 0; i < 60; i++) {
		hand_join(&by_hand, &crowd[i], 256, 256, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
		/* A step of each is seen. */
		crowd[i].frame.crop_right = crowd[i].frame.crop_bottom = 250 - 3 * i;
		crowd[i].frame.transform = NATIVE_WINDOW_TRANSFORM_ROT_90;
	}
	hand_join(&by_hand, &honest, 40, 30, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	for (unsigned i = 1; i <= 60; i++) {
		hand_fill(&honest, i);
		assert_true(hand_send_frame(&honest));
		for (int k = 0; k < 60; k++)
			while (hand_send_frame(&crowd[k]))
				;
		before = hand_shown(&by_hand);
		hand_tick(&by_hand);
		assert_int_equal(by_hand.pictures, i);
		assert_true(hand_shown(&by_hand) > before);
		assert_int_equal(hand_seen(&by_hand, 0, 0), i << 16);
		assert_true(by_hand.display->preparation.spent <= bound(&by_hand));
	}
	for (int i = 0; i < 60; i++) {
		hand_hear(&crowd[i]);
		assert_true(crowd[i].released > 0);
		hand_leave(&crowd[i]);
	}
	hand_leave(&honest);
	hand_end(&by_hand);
}

static uint64_t
drawn_bytes(const struct hand *by_hand)
{
	struct kr_display_stats stats;

	kr_display_get_stats(by_hand->display, &stats);
	return stats.drawn_bytes;
}

/* What doesn't change isn't drawn again, and neither is what nobody sees. */
static void
only_changes_that_are_seen_cost(void **state)
{
	const uint32_t rgba = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	struct hand_client large, small, hidden;
	struct hand by_hand;
	uint64_t drawn;

	hand_begin(&by_hand, KR_CLOCK_REAL, 320, 200);
	hand_join(&by_hand, &hidden, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
	hand_join(&by_hand, &large, 320, 200, rgba);
	hand_join(&by_hand, &small, 32, 20, rgba);
	hidden.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	hand_fill(&large, 5);
	hand_fill(&small, 7);
	assert_true(hand_send_frame(&large) && hand_send_frame(&small));
	hand_tick(&by_hand);
	drawn = drawn_bytes(&by_hand);
	assert_true(drawn >= 320 * 200 * 4);
	assert_true(hand_send_frame(&small));
	hand_tick(&by_hand);
	assert_int_equal(drawn_bytes(&by_hand) - drawn, 32 * 20 * 4);
	drawn = drawn_bytes(&by_hand);
	assert_true(hand_send_frame(&hidden));
	hand_tick(&by_hand);
	assert_int_equal(hand_shown(&by_hand), 4);
	assert_int_equal(drawn_bytes(&by_hand) - drawn, 0);
	assert_int_equal(by_hand.display->preparation.spent, 0);
	assert_int_equal(hand_seen(&by_hand, 0, 0), 7 << 16);
	assert_int_equal(hand_seen(&by_hand, 31, 20), 5 << 16);
	hand_leave(&large);
	hand_leave(&small);
	hand_leave(&hidden);
	hand_end(&by_hand);
}

/* What lay on top goes: the one below is seen again, a costly one bit by bit, and then black. */
static void
what_is_uncovered_is_drawn(void **state)
{
	const uint32_t rgba = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	struct hand_client below, cover, other;
	struct hand by_hand;
	unsigned ticks = 0;
	uint32_t *data;

	hand_begin(&by_hand, KR_CLOCK_REAL, 320, 200);
	hand_join(&by_hand, &below, 16384, 8192, rgba);
	hand_join(&by_hand, &cover, 320, 190, rgba);
	hand_join(&by_hand, &other, 10, 10, rgba);
	below.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	assert_int_equal(kr_buffer_map(below.buffer, (void **)&data), 0);
	for (uint32_t y = 3256; y < 3328; y++) {
		for (uint32_t x = 0; x < 16384; x++)
			data[y * (kr_buffer_get_info(below.buffer)->row_bytes / 4) + x] = 0x40;
	}
	hand_fill(&cover, 9);
	assert_true(hand_send_frame(&cover) && hand_send_frame(&below));
	/* All of it is prepared, so that it is there when it is uncovered. */
	for (; hand_shown(&by_hand) < ticks + 2 && ticks < 200; ticks++) {
		assert_true(hand_send_frame(&other));
		hand_tick(&by_hand);
		assert_true(by_hand.display->preparation.spent <= bound(&by_hand));
	}
	assert_in_range(ticks, 10, 100);
	assert_int_equal(hand_seen(&by_hand, 319, 80), 9 << 16);
	hand_leave(&cover);
	for (unsigned i = 0; i < 40; i++) {
		assert_true(hand_send_frame(&other));
		hand_tick(&by_hand);
		assert_true(by_hand.display->preparation.spent <= bound(&by_hand));
	}
	assert_int_equal(hand_seen(&by_hand, 319, 80), 0x40 << 16);
	assert_int_equal(hand_seen(&by_hand, 319, 60), 0);
	hand_leave(&below);
	assert_true(hand_send_frame(&other));
	hand_tick(&by_hand);
	assert_int_equal(hand_seen(&by_hand, 319, 80), 0);
	hand_leave(&other);
	hand_end(&by_hand);
}

/*
 * Who goes while a frame of his is prepared leaves nothing behind; and what he sent is shown first.
 */
static void
a_producer_that_goes_is_shown_first(void **state)
{
	struct hand by_hand;
	struct hand_client huge;

	hand_begin(&by_hand, KR_CLOCK_REAL, 320, 200);
	hand_join(&by_hand, &huge, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
	huge.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	assert_true(hand_send_frame(&huge));
	hand_tick(&by_hand);
	hand_leave(&huge);
	for (unsigned i = 0; i < 400 && !hand_shown(&by_hand); i++)
		hand_tick(&by_hand);
	assert_int_equal(hand_shown(&by_hand), 1);
	hand_join(&by_hand, &huge, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
	huge.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	assert_true(hand_send_frame(&huge));
	hand_tick(&by_hand);
	hand_leave(&huge);
	hand_end(&by_hand);
}

/*
 * All of them talk at once: what is taken in before a tick is looked at is a matter
 * of milliseconds.
 */
static void
talk_of_all_ends_before_a_tick(void **state)
{
	struct kr_dp_message ping = {.type = KR_DP_PING};
	struct kr_producer *producer;
	struct hand_client client;
	unsigned taken = 0;
	struct hand hand;
	int fd;

	hand_begin(&hand, KR_CLOCK_REAL, 320, 200);
	hand_join_with(&hand, &client, 16, 16, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 1);
	hand_dispatch(&hand);
	hand_hear(&client);
	for (unsigned i = 0; i < 40; i++)
		assert_true(hand_say(&client, &ping, -1));
	kr_list_for_each (producer, &hand.display->producers, link)
		kr_producer_dispatch(producer);
	while (kr_remote_receive(client.socket, &ping, &fd) == 0)
		taken++;
	assert_in_range(taken * KR_DISPLAY_MAX_PRODUCERS, 1, 256);
	hand_leave(&client);
	hand_end(&hand);
}

/* Freeing large buffers takes the kernel a while, which isn't the display's: a thread does it. */
static void
large_buffers_are_freed_aside(void **state)
{
	struct hand_client large, small;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_REAL, 320, 200);
	hand_join(&hand, &large, 4096, 4096, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	hand_join(&hand, &small, 64, 64, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	assert_true(hand_send_frame(&large) && hand_send_frame(&small));
	for (unsigned i = 0; i < 400 && hand_shown(&hand) < 2; i++)
		hand_tick(&hand);
	assert_int_equal(hand.display->cleaner.taken, 0);
	hand_leave(&large);
	hand_leave(&small);
	hand_dispatch(&hand);
	assert_true(kr_list_empty(&hand.display->producers));
	assert_int_equal(hand.display->cleaner.taken, HAND_SLOTS);
	hand_end(&hand);
}

/* A turned frame doesn't fault in more pages at a tick than it may read bytes. */
static void
turned_frames_take_their_pages_bit_by_bit(void **state)
{
	struct hand_client huge, other;
	struct hand hand;
	int64_t before = 0;

	hand_begin(&hand, KR_CLOCK_REAL, 1280, 720);
	hand_join(&hand, &huge, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
	hand_join(&hand, &other, 16, 16, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	huge.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	huge.frame.transform = NATIVE_WINDOW_TRANSFORM_ROT_90;
	assert_true(hand_send_frame(&huge));
	for (unsigned i = 0; i < 16; i++) {
		struct stat st;

		hand_tick(&hand);
		assert_int_equal(fstat(kr_buffer_get_info(huge.buffer)->fd, &st), 0);
		assert_true((st.st_blocks * INT64_C(512)) - before <=
			(int64_t)(hand.display->preparation.work / KR_PREPARE_PART));
		before = st.st_blocks * INT64_C(512);
	}
	assert_true(before > 0);
	hand_leave(&huge);
	hand_leave(&other);
	hand_end(&hand);
}

static const struct kr_test tests[] = {
	KR_TEST(huge_frames_on_the_real_clock),
	KR_TEST(huge_frames_on_the_virtual_clock),
	KR_TEST(huge_frames_wait_and_come),
	KR_TEST(frames_may_fail_behind_a_huge_one),
	KR_TEST(what_is_replaced_is_prepared_no_further),
	KR_TEST(a_huge_frame_comes_before_one_that_is_stuck),
	KR_TEST(huge_frames_are_in_their_picture),
	KR_TEST(crowds_of_costly_windows_share),
	KR_TEST(only_changes_that_are_seen_cost),
	KR_TEST(what_is_uncovered_is_drawn),
	KR_TEST(a_producer_that_goes_is_shown_first),
	KR_TEST(talk_of_all_ends_before_a_tick),
	KR_TEST(large_buffers_are_freed_aside),
	KR_TEST(turned_frames_take_their_pages_bit_by_bit),
};
KR_TEST_MAIN(tests)
