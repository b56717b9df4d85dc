/* SPDX-License-Identifier: Apache-2.0 */
/* How pictures are made, and what is drawn for them. */
#include "by_hand.h"

#include <krafla/hardware_buffer.h>
#include <string.h>

#include "gralloc/buffer.h"

#define WIDTH  80
#define HEIGHT 40

#define RGBA AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define BGRA AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
#define HALF AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT

/* --- what a display does --- */

static void
set_damage(struct hand_client *client, int32_t left, int32_t top, int32_t right, int32_t bottom)
{
	client->frame.damage_count = 1;
	client->frame.damage[0] = (struct kr_dp_rect){left, top, right, bottom};
}

static struct kr_display_stats
stats_of(const struct hand *hand)
{
	struct kr_display_stats stats;

	kr_display_get_stats(hand->display, &stats);
	return stats;
}

/* Nobody looks: not a page of the canvas or of a buffer is touched. */
static void
unseen_pictures_touch_nothing(void **state)
{
	struct hand_client full, part;
	struct kr_display_stats stats;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, 640, 480);
	hand.display->hooks.frame_pixels = false;
	hand_join(&hand, &full, 640, 480, RGBA);
	hand_join(&hand, &part, 64, 64, BGRA);
	for (int i = 0; i < 5; i++) {
		assert_true(hand_send_frame(&full));
		assert_true(hand_send_frame(&part));
		hand_tick(&hand);
	}
	stats = stats_of(&hand);
	assert_int_equal(hand.pictures, 5);
	assert_int_equal(stats.composed, 5);
	assert_int_equal(stats.shown, 10);
	assert_int_equal(stats.untouched, 5);
	assert_int_equal(stats.drawn_bytes, 0);
	hand_leave(&full);
	hand_leave(&part);
	hand_end(&hand);
}

/* Who begins to look sees all that has changed meanwhile. */
static void
what_was_not_looked_at_is_drawn_later(void **state)
{
	struct hand_client below, above;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, WIDTH, HEIGHT);
	hand_join(&hand, &below, WIDTH, HEIGHT, RGBA);
	hand_join(&hand, &above, 10, 10, RGBA);
	for (uint32_t i = 1; i <= 4; i++) {
		hand_fill(&below, 0x010101 * i);
		set_damage(&below, (int32_t)(20 * i) - 20, 20, (int32_t)(20 * i), HEIGHT);
		if (i == 1)
			below.frame.damage_count = 0;
		assert_true(hand_send_frame(&below));
		assert_true(hand_send_frame(&above));
		hand.display->hooks.frame_pixels = i == 1 || i == 4;
		hand_tick(&hand);
	}
	/* Of the second and the third frame, too, although the fourth says nothing of it. */
	assert_int_equal(hand_seen(&hand, 25, 30), 0x040404);
	assert_int_equal(hand_seen(&hand, 45, 30), 0x040404);
	assert_int_equal(hand_seen(&hand, 65, 30), 0x040404);
	assert_int_equal(hand_seen(&hand, 5, 30), 0x010101); /* it lies; so be it */
	assert_int_equal(stats_of(&hand).untouched, 2);
	hand_leave(&below);
	hand_leave(&above);
	hand_end(&hand);
}

static void
only_damage_is_drawn(void **state)
{
	static const uint32_t formats[] = {RGBA, AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, BGRA,
		AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
		HALF};

	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		struct hand_client client;
		uint64_t before;
		struct hand hand;

		hand_begin(&hand, KR_CLOCK_VIRTUAL, WIDTH, HEIGHT);
		hand_join(&hand, &client, WIDTH - 1, HEIGHT, formats[i]);
		hand_fill(&client, 0);
		assert_true(hand_send_frame(&client));
		hand_tick(&hand);
		before = stats_of(&hand).drawn_bytes;
		assert_true(before >= (WIDTH - 1) * HEIGHT * 4);
		hand_fill(&client, 0x3c003c00);
		set_damage(&client, 30, 10, 40, 20);
		assert_true(hand_send_frame(&client));
		hand_tick(&hand);
		assert_int_equal(stats_of(&hand).drawn_bytes - before, 10 * 10 * 4);
		assert_int_not_equal(hand_seen(&hand, 30, 10), 0);
		assert_int_not_equal(hand_seen(&hand, 39, 19), 0);
		assert_int_equal(hand_seen(&hand, 29, 10), 0);
		assert_int_equal(hand_seen(&hand, 40, 19), 0);
		hand_leave(&client);
		hand_end(&hand);
	}
}

/* Damage is the difference to the frame before, and that isn't what the canvas has. */
static void
damage_of_what_is_not_there_is_no_limit(void **state)
{
	struct kr_producer *producer;
	struct hand_client client;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, WIDTH, HEIGHT);
	hand_join(&hand, &client, WIDTH - 1, HEIGHT, RGBA);
	hand_fill(&client, 0);
	assert_true(hand_send_frame(&client));
	hand_tick(&hand);
	/* One that was given back unseen. */
	hand_fill(&client, 0x111111);
	assert_true(hand_send_frame(&client));
	hand_dispatch(&hand);
	kr_list_for_each (producer, &hand.display->producers, link)
		kr_producer_discard(producer);
	set_damage(&client, 0, 0, 1, 1);
	assert_true(hand_send_frame(&client));
	hand_tick(&hand);
	assert_int_equal(hand_seen(&hand, 50, 20), 0x111111);
	/* Another crop. */
	hand_fill(&client, 0x222222);
	client.frame.crop_right = 40;
	client.frame.crop_bottom = 30;
	assert_true(hand_send_frame(&client));
	hand_tick(&hand);
	assert_int_equal(hand_seen(&hand, 39, 29), 0x222222);
	assert_int_equal(hand_seen(&hand, 41, 29), 0);
	hand_leave(&client);
	hand_end(&hand);
}

/* A picture that is a buffer leaves the canvas behind; what is drawn later has caught up. */
static void
the_canvas_catches_up(void **state)
{
	struct hand_client below, above;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, WIDTH, HEIGHT);
	hand_join(&hand, &below, WIDTH, HEIGHT, BGRA);
	for (uint32_t i = 1; i <= 3; i++) {
		hand_fill(&below, 0x101010 * i);
		if (i > 1)
			set_damage(&below, 20 * (int32_t)i, 0, 20 * (int32_t)i + 20, HEIGHT);
		assert_true(hand_send_frame(&below));
		hand_tick(&hand);
		assert_int_equal(hand.way, HAND_BUFFER);
		assert_int_equal(hand_seen(&hand, 70, 30), 0x101010 * i);
	}
	assert_int_equal(stats_of(&hand).drawn_bytes, 0);
	hand_join(&hand, &above, 10, 10, BGRA);
	hand_fill(&above, 0x777777);
	assert_true(hand_send_frame(&above));
	set_damage(&below, 0, 0, 1, 1);
	assert_true(hand_send_frame(&below));
	hand_tick(&hand);
	assert_int_equal(hand.way, HAND_DRAWN);
	assert_int_equal(hand_seen(&hand, 5, 5), 0x777777);
	assert_int_equal(hand_seen(&hand, 70, 30), 0x303030);
	assert_int_equal(hand_seen(&hand, 11, 11), 0x303030);
	hand_leave(&below);
	hand_leave(&above);
	hand_end(&hand);
}

static void
the_canvas_turns(void **state)
{
	struct hand_client small, large;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, WIDTH, HEIGHT);
	hand_join(&hand, &small, 20, 20, BGRA);
	hand_fill(&small, 0x123456);
	assert_true(hand_send_frame(&small));
	hand_tick(&hand);
	assert_int_equal(hand.format, BGRA);
	hand_join(&hand, &large, 70, 10, RGBA);
	hand_fill(&large, 0xaabbcc);
	assert_true(hand_send_frame(&large));
	assert_true(hand_send_frame(&small));
	set_damage(&small, 0, 0, 1, 1);
	hand_tick(&hand);
	assert_int_equal(hand.format, RGBA);
	assert_int_equal(hand_seen(&hand, 60, 5), 0xccbbaa);
	assert_int_equal(hand_seen(&hand, 19, 19), 0x123456);
	assert_int_equal(hand_seen(&hand, 19, 9), 0xccbbaa);
	hand_leave(&small);
	hand_leave(&large);
	hand_end(&hand);
}

static const struct kr_test tests[] = {
	KR_TEST(unseen_pictures_touch_nothing),
	KR_TEST(what_was_not_looked_at_is_drawn_later),
	KR_TEST(only_damage_is_drawn),
	KR_TEST(damage_of_what_is_not_there_is_no_limit),
	KR_TEST(the_canvas_catches_up),
	KR_TEST(the_canvas_turns),
};
KR_TEST_MAIN(tests)
