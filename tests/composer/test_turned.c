/* SPDX-License-Identifier: Apache-2.0 */
/* Screens that are turned: where pixels come, and what is shown as it is. */
#include "by_hand.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <string.h>
#include <unistd.h>

#include "window/queue/queue.h"

#define TRANSFORMS 8

static bool
swaps(int32_t transform)
{
	return transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
}

/* Which one undoes it. */
static int32_t
inverse_of(int32_t transform)
{
	for (int32_t i = 0; i < TRANSFORMS; i++) {
		if (kr_layout_join_transforms(i, transform) == 0)
			return i;
	}
	fail_msg("no way back");
	return 0;
}

/* Where a pixel of what windows see comes on the picture. */
static void
find(int32_t transform, unsigned *x, unsigned *y)
{
	unsigned width = swaps(transform) ? RIG_HEIGHT : RIG_WIDTH;
	unsigned height = swaps(transform) ? RIG_WIDTH : RIG_HEIGHT;
	unsigned across = transform & NATIVE_WINDOW_TRANSFORM_FLIP_H ? width - 1 - *x : *x;
	unsigned down = transform & NATIVE_WINDOW_TRANSFORM_FLIP_V ? height - 1 - *y : *y;

	*x = swaps(transform) ? height - 1 - down : across;
	*y = swaps(transform) ? across : down;
}

static struct rig_frame
whole(int32_t transform)
{
	return (struct rig_frame){.width = swaps(transform) ? RIG_HEIGHT : RIG_WIDTH,
		.height = swaps(transform) ? RIG_WIDTH : RIG_HEIGHT,
		.fence = -1};
}

static void
expect_turned(struct rig *rig, int32_t transform, const struct rig_frame *frame, unsigned seed)
{
	for (unsigned y = 0; y < frame->height; y++) {
		for (unsigned x = 0; x < frame->width; x++) {
			unsigned px = x, py = y;

			find(transform, &px, &py);
			assert_int_equal(rig_pixel(rig, px, py), rig_gradient(x, y, seed));
		}
	}
}

static void
windows_are_turned_with_their_screen(void **state)
{
	for (int32_t transform = 0; transform < TRANSFORMS; transform++) {
		struct rig rig = {0};
		struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
		const struct rig_frame frame = whole(transform);
		struct kr_queue_config heard;
		struct kr_queue *queue;

		config.transform = transform;
		rig_start_with(&rig, &config);
		queue = rig_window(&rig, "turned");
		kr_queue_get_config(queue, &heard);
		assert_int_equal(heard.default_width, frame.width);
		assert_int_equal(heard.default_height, frame.height);
		rig_show(queue, &frame, rig_gradient, 5);
		rig_wait_frames(&rig, 1);
		assert_int_equal(rig.width, RIG_WIDTH);
		assert_int_equal(rig.height, RIG_HEIGHT);
		expect_turned(&rig, transform, &frame, 5);
		rig_close(queue);
		rig_stop(&rig, NULL);
	}
}

/* Without a size of its own the picture is the first window, turned. */
static void
pictures_are_as_large_as_the_turned_window(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	const struct rig_frame frame = {.width = 20, .height = 30, .fence = -1};
	struct kr_queue *queue;

	config.size_given = false;
	config.transform = NATIVE_WINDOW_TRANSFORM_ROT_270;
	rig_start_with(&rig, &config);
	queue = rig_window(&rig, "first");
	rig_show(queue, &frame, rig_gradient, 5);
	rig_wait_frames(&rig, 1);
	assert_int_equal(rig.width, 30);
	assert_int_equal(rig.height, 20);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* Who draws turned, and says so by the inverse, is shown as he is: pre-rotation. */
static void
what_is_drawn_turned_is_handed_over(void **state)
{
	for (int32_t transform = 0; transform < TRANSFORMS; transform++) {
		struct hand hand;
		struct hand_client client;

		hand_begin(&hand, KR_CLOCK_VIRTUAL, RIG_WIDTH, RIG_HEIGHT);
		assert_int_equal(kr_display_set_transform(hand.display, transform), 0);
		hand_join(&hand, &client, RIG_WIDTH, RIG_HEIGHT,
			AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
		hand_fill(&client, 0xff0000ff);
		client.frame.transform = inverse_of(transform);
		assert_true(hand_send_frame(&client));
		hand_tick(&hand);
		assert_int_equal(hand.way, HAND_BUFFER);
		assert_int_equal(hand_seen(&hand, 0, 0), 0xff0000);
		/* Who doesn't is turned by us. */
		client.frame.transform = 0;
		assert_true(hand_send_frame(&client));
		hand_tick(&hand);
		assert_int_equal(hand.way, transform ? HAND_DRAWN : HAND_BUFFER);
		hand_leave(&client);
		hand_end(&hand);
	}
}

/* What has changed of a turned window is drawn, and nothing else of it is read. */
static void
damage_is_turned_as_well(void **state)
{
	for (int32_t transform = 0; transform < TRANSFORMS; transform++) {
		struct hand hand;
		struct hand_client client;
		struct kr_display_stats before, after;
		unsigned x = 10, y = 5, beside_x = 9, beside_y = 5;

		hand_begin(&hand, KR_CLOCK_VIRTUAL, RIG_WIDTH, RIG_HEIGHT);
		assert_int_equal(kr_display_set_transform(hand.display, transform), 0);
		hand_join(&hand, &client, 40, 40, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
		hand_fill(&client, 0xff0000ff);
		assert_true(hand_send_frame(&client));
		hand_tick(&hand);
		kr_display_get_stats(hand.display, &before);
		hand_fill(&client, 0xff00ff00);
		client.frame.damage_count = 1;
		client.frame.damage[0] = (struct kr_dp_rect){10, 5, 13, 7};
		assert_true(hand_send_frame(&client));
		hand_tick(&hand);
		kr_display_get_stats(hand.display, &after);
		assert_int_equal(after.drawn_bytes - before.drawn_bytes, 3 * 2 * 4);
		find(transform, &x, &y);
		find(transform, &beside_x, &beside_y);
		assert_int_equal(hand_seen(&hand, x, y), 0x00ff00);
		assert_int_equal(hand_seen(&hand, beside_x, beside_y), 0xff0000);
		hand_leave(&client);
		hand_end(&hand);
	}
}

/* Where a pixel of a buffer comes that nobody turns but its frame; the size that it has then. */
static void
find_own(int32_t transform, const struct rig_frame *frame, unsigned *x, unsigned *y)
{
	unsigned across = transform & NATIVE_WINDOW_TRANSFORM_FLIP_H ? frame->width - 1 - *x : *x;
	unsigned down = transform & NATIVE_WINDOW_TRANSFORM_FLIP_V ? frame->height - 1 - *y : *y;

	*x = swaps(transform) ? frame->height - 1 - down : across;
	*y = swaps(transform) ? across : down;
}

static void
expect_own(struct rig *rig, int32_t transform, const struct rig_frame *frame, unsigned left,
	unsigned top, unsigned seed)
{
	for (unsigned y = 0; y < frame->height; y++) {
		for (unsigned x = 0; x < frame->width; x++) {
			unsigned px = x, py = y;

			find_own(transform, frame, &px, &py);
			assert_int_equal(
				rig_pixel(rig, left + px, top + py), rig_gradient(x, y, seed));
		}
	}
}

/*
 * A frame that is for the screen as it would be without a turn, among others that are turned with
 * it: on the picture it is as it says, in its own size, in the middle where a window's is.
 */
static void
an_inverse_display_undoes_the_turn(void **state)
{
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	struct rig rig = {.laid_out = true};
	struct rig_frame small = {.width = 20, .height = 10, .fence = -1};
	struct rig_frame whole_screen = RIG_FRAME;
	struct kr_queue *below, *above;
	unsigned pictures = 0;

	rig_start_with(&rig, &config);
	below = rig_window(&rig, "turned with it");
	whole_screen.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	whole_screen.width = whole_screen.height = 16;
	rig_show(below, &whole_screen, rig_gradient, 5);
	rig_wait_frames(&rig, ++pictures);
	above = rig_window(&rig, "turned back");
	for (int32_t own = 0; own < TRANSFORMS; own++) {
		unsigned width = swaps(own) ? small.height : small.width;
		unsigned height = swaps(own) ? small.width : small.height;
		unsigned left = (RIG_WIDTH - width) / 2, top = (RIG_HEIGHT - height) / 2;

		small.transform = own | NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY;
		rig_show(above, &small, rig_gradient, (unsigned)own);
		rig_wait_frames(&rig, ++pictures);
		for (int32_t turn = 1; turn <= TRANSFORMS; turn++) {
			expect_own(&rig, own, &small, left, top, (unsigned)own);
			/* While it is shown; at last as it was. */
			assert_int_equal(
				kr_display_set_transform(rig.display, turn % TRANSFORMS), 0);
			rig_wait_frames(&rig, ++pictures);
		}
		expect_own(&rig, own, &small, left, top, (unsigned)own);
		/* Beside it there is the other one, and nothing black. */
		assert_int_equal(rig_pixel(&rig, left - 1, top) & 0xff, 5);
		assert_int_equal(rig_pixel(&rig, left, top - 1) & 0xff, 5);
	}
	rig_close(below);
	rig_close(above);
	rig_stop(&rig, NULL);
}

/* One that covers the screen as it is needs no drawing, though windows see it swapped. */
static void
an_inverse_display_is_handed_over(void **state)
{
	for (int32_t transform = 0; transform < TRANSFORMS; transform++) {
		struct hand hand;
		struct hand_client client;

		hand_begin(&hand, KR_CLOCK_VIRTUAL, RIG_WIDTH, RIG_HEIGHT);
		assert_int_equal(kr_display_set_transform(hand.display, transform), 0);
		hand_join(&hand, &client, RIG_WIDTH, RIG_HEIGHT,
			AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
		client.frame.transform = NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY;
		assert_true(hand_send_frame(&client));
		hand_tick(&hand);
		assert_int_equal(hand.way, HAND_BUFFER);
		hand_leave(&client);
		hand_end(&hand);
	}
}

/* Without a size of its own the picture is as large as its buffer then. */
static void
pictures_are_as_large_as_what_is_turned_back(void **state)
{
	struct rig rig = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	const struct rig_frame frame = {.width = 20,
		.height = 30,
		.transform = NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY,
		.fence = -1};
	struct kr_queue *queue;

	config.size_given = false;
	config.transform = NATIVE_WINDOW_TRANSFORM_ROT_270;
	rig_start_with(&rig, &config);
	queue = rig_window(&rig, "first");
	rig_show(queue, &frame, rig_gradient, 5);
	rig_wait_frames(&rig, 1);
	assert_int_equal(rig.width, 20);
	assert_int_equal(rig.height, 30);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* Real clock: a picture of its own, though no window has a new frame. */
static void
screens_turn_while_they_show(void **state)
{
	struct rig rig = {0};
	const struct rig_frame frame = RIG_FRAME;
	struct kr_queue *queue;
	unsigned pictures = 1;

	rig_start(&rig, KR_CLOCK_REAL);
	queue = rig_window(&rig, "turned");
	rig_show(queue, &frame, rig_gradient, 5);
	rig_wait_frames(&rig, pictures);
	for (int32_t transform = 1; transform < TRANSFORMS; transform++) {
		unsigned x = 3, y = 4;

		assert_int_equal(kr_display_set_transform(rig.display, transform), 0);
		rig_wait_frames(&rig, ++pictures);
		assert_int_equal(kr_display_get_transform(rig.display), transform);
		find(transform, &x, &y);
		assert_int_equal(rig_pixel(&rig, x, y), rig_gradient(3, 4, 5));
	}
	assert_int_equal(kr_display_set_transform(rig.display, TRANSFORMS), -EINVAL);
	assert_int_equal(kr_display_set_transform(rig.display, -1), -EINVAL);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* Pictures of another size: windows hear it and are laid out anew, without a frame of theirs. */
static void
screens_are_resized_while_they_show(void **state)
{
	static const uint32_t sizes[][2] = {{32, 48}, {64, 20}, {RIG_WIDTH, RIG_HEIGHT}};

	for (int i = 0; i < 2; i++) {
		struct kr_display_config config = rig_config(KR_CLOCK_REAL);
		const struct rig_frame frame = {.width = 16, .height = 16, .fence = -1};
		struct rig rig = {0};
		struct kr_queue_config heard;
		struct kr_queue *queue;
		unsigned pictures = 1;

		config.device = i ? "random:3" : "soft";
		rig.laid_out = true;
		rig_start_with(&rig, &config);
		queue = rig_window(&rig, "resized");
		rig_show(queue, &frame, rig_gradient, 5);
		rig_wait_frames(&rig, pictures);
		for (size_t at = 0; at < KR_ARRAY_LEN(sizes); at++) {
			int64_t until = kr_clock_now() + 10 * KR_NSEC_PER_SEC;
			unsigned x, y;

			assert_int_equal(
				kr_display_set_size(rig.display, sizes[at][0], sizes[at][1]), 0);
			rig_wait_frames(&rig, ++pictures);
			kr_mutex_lock(&rig.lock);
			assert_int_equal(rig.width, sizes[at][0]);
			assert_int_equal(rig.height, sizes[at][1]);
			x = sizes[at][0] / 2 - 8;
			y = sizes[at][1] / 2 - 8;
			assert_int_equal(rig.last[y * rig.width + x] & 0xffffff, 5);
			assert_int_equal(
				rig.last[(y + 15) * rig.width + x + 15] & 0xffffff, 0x0f0f05);
			assert_int_equal(rig.last[(y + 16) * rig.width + x] & 0xffffff, 0);
			kr_mutex_unlock(&rig.lock);
			do {
				assert_true(kr_clock_now() < until);
				usleep(1000);
				(void)kr_queue_last_shown(queue);
				kr_queue_get_config(queue, &heard);
			} while (heard.default_width != sizes[at][0] ||
				heard.default_height != sizes[at][1]);
		}
		assert_int_equal(kr_display_set_size(rig.display, 0, 1), -EINVAL);
		assert_int_equal(kr_display_set_size(rig.display, 1, 16385), -EINVAL);
		rig_close(queue);
		rig_stop(&rig, NULL);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(windows_are_turned_with_their_screen),
	KR_TEST(pictures_are_as_large_as_the_turned_window),
	KR_TEST(what_is_drawn_turned_is_handed_over),
	KR_TEST(damage_is_turned_as_well),
	KR_TEST(an_inverse_display_undoes_the_turn),
	KR_TEST(an_inverse_display_is_handed_over),
	KR_TEST(pictures_are_as_large_as_what_is_turned_back),
	KR_TEST(screens_turn_while_they_show),
	KR_TEST(screens_are_resized_while_they_show),
};
KR_TEST_MAIN(tests)
