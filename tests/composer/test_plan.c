/* SPDX-License-Identifier: Apache-2.0 */
/* How pictures are made: the plan by itself, and what displays do of it. */
#include "by_hand.h"

#include <krafla/hardware_buffer.h>
#include <string.h>

#include "gralloc/buffer.h"

#define WIDTH  80
#define HEIGHT 40

/* --- the plan --- */

struct stack {
	struct kr_canvas canvas;
	struct kr_scene scene;
	struct kr_scene_plan plan;
	pixman_region32_t stale;
	struct kr_frame frames[4];
	struct kr_placement placements[4];
};

static struct kr_buffer *
make_buffer(uint32_t width, uint32_t height, uint32_t format)
{
	const struct kr_buffer_desc desc = {width, height, 1, format,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	return buffer;
}

static void
begin(struct stack *stack)
{
	*stack = (struct stack){0};
	assert_int_equal(kr_canvas_init(&stack->canvas, WIDTH, HEIGHT), 0);
	kr_scene_plan_init(&stack->plan);
	pixman_region32_init_rect(&stack->stale, 0, 0, WIDTH, HEIGHT);
	stack->scene = (struct kr_scene){
		.width = WIDTH,
		.height = HEIGHT,
		.order = KR_PIXELS_XRGB,
		.wanted = true,
		.stale = &stack->stale,
	};
}

/* Below what is there. */
static struct kr_frame *
add(struct stack *stack, uint32_t width, uint32_t height, uint32_t format)
{
	unsigned at = stack->scene.count++;
	struct kr_frame *frame = &stack->frames[at];

	frame->buffer = make_buffer(width, height, format);
	stack->scene.layers[at] = (struct kr_scene_layer){
		.owner = frame, .frame = frame, .placement = &stack->placements[at]};
	return frame;
}

static void
plan(struct stack *stack)
{
	for (unsigned i = 0; i < stack->scene.count; i++)
		assert_int_equal(
			kr_canvas_place(&stack->canvas, &stack->frames[i], &stack->placements[i]),
			0);
	kr_scene_plan_make(&stack->plan, &stack->scene);
}

static void
end(struct stack *stack)
{
	for (unsigned i = 0; i < stack->scene.count; i++)
		kr_buffer_unref(stack->frames[i].buffer);
	kr_scene_plan_finish(&stack->plan);
	pixman_region32_fini(&stack->stale);
	kr_canvas_finish(&stack->canvas);
}

#define RGBA AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define BGRA AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
#define HALF AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT

static void
nothing_is_planned_for_nobody(void **state)
{
	struct stack stack;

	begin(&stack);
	add(&stack, WIDTH, HEIGHT, RGBA);
	stack.scene.wanted = false;
	plan(&stack);
	assert_int_equal(stack.plan.way, KR_PLAN_NOTHING);
	assert_int_equal(stack.plan.count, 0);
	assert_true(kr_scene_plan_is_done(&stack.plan));
	end(&stack);
}

static void
one_whole_buffer_is_the_picture(void **state)
{
	static const struct {
		uint32_t format;
		int32_t transform, scaling;
		android_native_rect_t crop;
		uint32_t width, height;
		enum kr_scene_plan_way way;
	} cases[] = {
		{RGBA, 0, 0, {0}, WIDTH, HEIGHT, KR_PLAN_HAND_OVER},
		{HALF, 0, 0, {0}, WIDTH, HEIGHT, KR_PLAN_HAND_OVER},
		{RGBA, 0, NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW, {0}, WIDTH, HEIGHT,
			KR_PLAN_HAND_OVER},
		/* Larger, or cropped to the display's size. */
		{RGBA, 0, 0, {0}, WIDTH + 3, HEIGHT + 1, KR_PLAN_HAND_OVER},
		{RGBA, 0, 0, {7, 5, 7 + WIDTH, 5 + HEIGHT}, 2 * WIDTH, 2 * HEIGHT,
			KR_PLAN_HAND_OVER},
		{RGBA, 0, 0, {0}, WIDTH - 1, HEIGHT, KR_PLAN_DRAW},
		{RGBA, 0, NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW, {0}, WIDTH - 1, HEIGHT,
			KR_PLAN_DRAW},
		{RGBA, NATIVE_WINDOW_TRANSFORM_FLIP_V, 0, {0}, WIDTH, HEIGHT, KR_PLAN_DRAW},
		{RGBA, NATIVE_WINDOW_TRANSFORM_ROT_90, 0, {0}, HEIGHT, WIDTH, KR_PLAN_DRAW},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct stack stack;
		struct kr_frame *frame;

		begin(&stack);
		frame = add(&stack, cases[i].width, cases[i].height, cases[i].format);
		add(&stack, WIDTH, HEIGHT, BGRA); /* under it */
		frame->transform = cases[i].transform;
		frame->scaling_mode = cases[i].scaling;
		frame->crop = cases[i].crop;
		plan(&stack);
		assert_int_equal(stack.plan.way, cases[i].way);
		if (cases[i].way == KR_PLAN_HAND_OVER)
			assert_ptr_equal(stack.plan.source.owner, frame);
		end(&stack);
	}
}

static bool
has(pixman_region32_t *region, int x, int y)
{
	return pixman_region32_contains_point(region, x, y, NULL);
}

static void
what_is_seen_and_stale_is_drawn(void **state)
{
	struct kr_scene_plan_part *parts;
	struct stack stack;

	begin(&stack);
	add(&stack, 20, 20, RGBA);
	add(&stack, 60, 10, HALF);
	add(&stack, 20, 20, BGRA); /* hidden */
	pixman_region32_fini(&stack.stale);
	pixman_region32_init_rect(&stack.stale, 10, 5, WIDTH, HEIGHT);
	plan(&stack);
	parts = stack.plan.parts;
	assert_int_equal(stack.plan.way, KR_PLAN_DRAW);
	assert_int_equal(stack.plan.count, 2);
	assert_ptr_equal(parts[0].layer.owner, &stack.frames[0]);
	assert_true(has(&parts[0].todo, 10, 5));
	assert_false(has(&parts[0].todo, 9, 5));
	assert_true(has(&parts[1].todo, 59, 9));
	assert_false(has(&parts[1].todo, 19, 9));
	assert_false(has(&parts[1].todo, 30, 4));
	assert_int_equal(parts[0].seen, 20 * 20);
	assert_int_equal(parts[1].seen, 40 * 10);
	assert_true(has(&stack.plan.black, 60, 9));
	assert_false(has(&stack.plan.black, 19, 19));
	assert_false(kr_scene_plan_is_done(&stack.plan));
	end(&stack);
}

static void
the_canvas_is_what_most_pixels_are(void **state)
{
	struct stack stack;

	begin(&stack);
	add(&stack, 20, 20, BGRA);
	add(&stack, 60, 20, RGBA);
	add(&stack, WIDTH, HEIGHT, HALF); /* has no say */
	plan(&stack);
	assert_int_equal(stack.plan.order, KR_PIXELS_XBGR);
	assert_int_equal(stack.plan.parts[0].move, KR_MOVE_CONVERT);
	assert_int_equal(stack.plan.parts[1].move, KR_MOVE_COPY);
	assert_int_equal(stack.plan.parts[2].move, KR_MOVE_CONVERT);
	end(&stack);

	begin(&stack);
	add(&stack, 20, 20, RGBA);
	add(&stack, 40, 20, BGRA); /* as much of it is seen */
	for (int i = 0; i < 2; i++) {
		stack.scene.order = i ? KR_PIXELS_XBGR : KR_PIXELS_XRGB;
		plan(&stack);
		assert_int_equal(stack.plan.order, stack.scene.order);
	}
	end(&stack);
}

static void
frames_without_pixels_are_not_read(void **state)
{
	struct kr_frame *frame;
	struct stack stack;

	begin(&stack);
	frame = add(&stack, WIDTH, HEIGHT, RGBA);
	frame->no_pixels = true;
	plan(&stack);
	assert_int_equal(stack.plan.way, KR_PLAN_DRAW);
	assert_int_equal(stack.plan.parts[0].move, KR_MOVE_NONE);
	assert_true(stack.plan.older);
	assert_true(kr_scene_plan_is_done(&stack.plan));
	end(&stack);
}

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
	assert_int_equal(hand.display->picture.spent, 0);
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
		assert_int_equal(hand.way, KR_PLAN_HAND_OVER);
		assert_int_equal(hand_seen(&hand, 70, 30), 0x101010 * i);
	}
	assert_int_equal(stats_of(&hand).drawn_bytes, 0);
	hand_join(&hand, &above, 10, 10, BGRA);
	hand_fill(&above, 0x777777);
	assert_true(hand_send_frame(&above));
	set_damage(&below, 0, 0, 1, 1);
	assert_true(hand_send_frame(&below));
	hand_tick(&hand);
	assert_int_equal(hand.way, KR_PLAN_DRAW);
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
	assert_int_equal(hand.display->picture.canvas.order, KR_PIXELS_XRGB);
	hand_join(&hand, &large, 70, 10, RGBA);
	hand_fill(&large, 0xaabbcc);
	assert_true(hand_send_frame(&large));
	assert_true(hand_send_frame(&small));
	set_damage(&small, 0, 0, 1, 1);
	hand_tick(&hand);
	assert_int_equal(hand.display->picture.canvas.order, KR_PIXELS_XBGR);
	assert_int_equal(hand_seen(&hand, 60, 5), 0xccbbaa);
	assert_int_equal(hand_seen(&hand, 19, 19), 0x123456);
	assert_int_equal(hand_seen(&hand, 19, 9), 0xccbbaa);
	hand_leave(&small);
	hand_leave(&large);
	hand_end(&hand);
}

static const struct kr_test tests[] = {
	KR_TEST(nothing_is_planned_for_nobody),
	KR_TEST(one_whole_buffer_is_the_picture),
	KR_TEST(what_is_seen_and_stale_is_drawn),
	KR_TEST(the_canvas_is_what_most_pixels_are),
	KR_TEST(frames_without_pixels_are_not_read),
	KR_TEST(unseen_pictures_touch_nothing),
	KR_TEST(what_was_not_looked_at_is_drawn_later),
	KR_TEST(only_damage_is_drawn),
	KR_TEST(damage_of_what_is_not_there_is_no_limit),
	KR_TEST(the_canvas_catches_up),
	KR_TEST(the_canvas_turns),
};
KR_TEST_MAIN(tests)
