/* SPDX-License-Identifier: Apache-2.0 */
/* How pictures are made: the plan by itself. */
#include "rig.h"

#include <string.h>

#define WIDTH  80
#define HEIGHT 40

struct stack {
	struct kr_render_scene scene;
	struct kr_render_plan plan;
	pixman_region32_t stale;
};

static void
begin(struct stack *stack)
{
	*stack = (struct stack){0};
	kr_render_plan_init(&stack->plan);
	pixman_region32_init_rect(&stack->stale, 0, 0, WIDTH, HEIGHT);
	stack->scene = (struct kr_render_scene){
		.width = WIDTH,
		.height = HEIGHT,
		.order = KR_PIXELS_XRGB,
		.wanted = true,
		.stale = &stack->stale,
	};
}

/* Below what is there, at 0,0. */
static struct kr_render_layer *
add(struct stack *stack, uint32_t width, uint32_t height, uint32_t format)
{
	struct kr_render_layer *layer = &stack->scene.layers[stack->scene.count++];

	*layer = rig_layer(rig_buffer(width, height, format), 0, 0);
	return layer;
}

static void
plan(struct stack *stack)
{
	for (unsigned i = 0; i < stack->scene.count; i++)
		assert_int_equal(kr_render_layer_check(&stack->scene.layers[i]), 0);
	kr_render_plan_make(&stack->plan, &stack->scene);
}

static void
end(struct stack *stack)
{
	for (unsigned i = 0; i < stack->scene.count; i++)
		kr_buffer_unref(stack->scene.layers[i].owner);
	kr_render_plan_finish(&stack->plan);
	pixman_region32_fini(&stack->stale);
}

static bool
has(pixman_region32_t *region, int x, int y)
{
	return pixman_region32_contains_point(region, x, y, NULL);
}

static void
nothing_is_planned_for_nobody(void **state)
{
	struct stack stack;

	begin(&stack);
	add(&stack, WIDTH, HEIGHT, RGBA);
	stack.scene.wanted = false;
	plan(&stack);
	assert_int_equal(stack.plan.way, KR_RENDER_NOTHING);
	assert_int_equal(stack.plan.count, 0);
	assert_true(kr_render_plan_is_done(&stack.plan));
	assert_true(has(&stack.stale, 5, 5));
	end(&stack);
}

static void
one_whole_buffer_is_the_picture(void **state)
{
	static const struct {
		uint32_t format, width, height;
		int32_t x, y, transform, blend;
		struct kr_render_crop crop; /* of the display's size */
		float alpha;
		bool handed_over;
	} cases[] = {
		{RGBA, WIDTH, HEIGHT, 0, 0, 0, 1, {0}, 1, true},
		{HALF, WIDTH, HEIGHT, 0, 0, 0, 1, {0}, 1, true},
		{RGBX, WIDTH, HEIGHT, 0, 0, 0, 3, {0}, 1, true},
		{RGBA, WIDTH + 3, HEIGHT + 1, -3, -1, 0, 1, {0}, 1, true},
		{RGBA, 2 * WIDTH, 2 * HEIGHT, 0, 0, 0, 1, {7, 5, 7 + WIDTH, 5 + HEIGHT}, 1, true},
		{RGBA, 2 * WIDTH, 2 * HEIGHT, 0, 0, 0, 1, {7.5f, 5, 7.5f + WIDTH, 5 + HEIGHT}, 1,
			false},
		{RGBA, 2 * WIDTH, HEIGHT, 0, 0, 0, 1, {0, 0, 2 * WIDTH, HEIGHT}, 1, false},
		{RGBA, WIDTH - 1, HEIGHT, 0, 0, 0, 1, {0}, 1, false},
		{RGBA, WIDTH, HEIGHT, 1, 0, 0, 1, {0}, 1, false},
		{RGBA, WIDTH, HEIGHT, 0, 0, NATIVE_WINDOW_TRANSFORM_FLIP_V, 1, {0}, 1, false},
		{RGBA, WIDTH, HEIGHT, 0, 0, NATIVE_WINDOW_TRANSFORM_ROT_180, 1, {0}, 1, false},
		{RGBA, WIDTH, HEIGHT, 0, 0, 0, 2, {0}, 1, false},
		{RGBA, WIDTH, HEIGHT, 0, 0, 0, 1, {0}, 0.5f, false},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct kr_render_layer *layer;
		struct stack stack;

		begin(&stack);
		layer = add(&stack, cases[i].width, cases[i].height, cases[i].format);
		add(&stack, WIDTH, HEIGHT, BGRA); /* under it */
		layer->frame.left = cases[i].x;
		layer->frame.top = cases[i].y;
		layer->frame.right =
			cases[i].crop.right > 0 ? WIDTH : cases[i].x + (int)cases[i].width;
		layer->frame.bottom =
			cases[i].crop.right > 0 ? HEIGHT : cases[i].y + (int)cases[i].height;
		layer->transform = cases[i].transform;
		layer->blend = cases[i].blend;
		layer->crop = cases[i].crop;
		layer->alpha = cases[i].alpha;
		plan(&stack);
		if ((stack.plan.way == KR_RENDER_HAND_OVER) != cases[i].handed_over)
			fail_msg("case %d", (int)i);
		if (cases[i].handed_over) {
			assert_ptr_equal(stack.plan.source.owner, layer->owner);
			assert_int_equal(stack.plan.x, (int)cases[i].crop.left - cases[i].x);
			assert_int_equal(stack.plan.y, (int)cases[i].crop.top - cases[i].y);
		}
		stack.scene.must_draw = true;
		plan(&stack);
		assert_int_equal(stack.plan.way, KR_RENDER_DRAW);
		stack.scene.must_draw = false;
		stack.scene.has_alpha = true;
		plan(&stack);
		assert_int_equal(stack.plan.way, KR_RENDER_DRAW);
		end(&stack);
	}
}

/* A layer that can't be seen keeps nothing from being the picture; one that can does. */
static void
what_is_above_counts_if_it_is_seen(void **state)
{
	struct kr_render_layer *above;
	struct stack stack;

	begin(&stack);
	above = add(&stack, 10, 10, RGBA);
	above->blend = KR_RENDER_BLEND_PREMULTIPLIED;
	add(&stack, WIDTH, HEIGHT, BGRA);
	plan(&stack);
	assert_int_equal(stack.plan.way, KR_RENDER_DRAW);
	above->alpha = 0;
	plan(&stack);
	assert_int_equal(stack.plan.way, KR_RENDER_HAND_OVER);
	above->alpha = 1;
	above->frame = (ARect){WIDTH, 0, WIDTH + 10, 10};
	plan(&stack);
	assert_int_equal(stack.plan.way, KR_RENDER_HAND_OVER);
	above->frame = (ARect){5, 5, 5, 10};
	plan(&stack);
	assert_int_equal(stack.plan.way, KR_RENDER_HAND_OVER);
	end(&stack);
}

/* Nor is a buffer the picture that leaves some of it bare. */
static void
bare_edges_are_drawn(void **state)
{
	struct stack stack;

	begin(&stack);
	add(&stack, WIDTH, HEIGHT - 1, RGBA);
	plan(&stack);
	assert_int_equal(stack.plan.way, KR_RENDER_DRAW);
	assert_true(has(&stack.plan.bare_alone, 0, HEIGHT - 1));
	end(&stack);
}

static void
what_is_seen_and_stale_is_drawn(void **state)
{
	struct kr_render_part *parts;
	struct stack stack;

	begin(&stack);
	add(&stack, 20, 20, RGBA);
	add(&stack, 60, 10, HALF);
	add(&stack, 20, 20, BGRA); /* hidden */
	pixman_region32_fini(&stack.stale);
	pixman_region32_init_rect(&stack.stale, 10, 5, WIDTH, HEIGHT);
	plan(&stack);
	parts = stack.plan.parts;
	assert_int_equal(stack.plan.way, KR_RENDER_DRAW);
	assert_int_equal(stack.plan.count, 2);
	assert_ptr_equal(parts[0].layer.owner, stack.scene.layers[0].owner);
	assert_true(has(&parts[0].alone, 10, 5));
	assert_false(has(&parts[0].alone, 9, 5));
	assert_true(has(&parts[1].alone, 59, 9));
	assert_false(has(&parts[1].alone, 19, 9));
	assert_false(has(&parts[1].alone, 30, 4));
	assert_int_equal(parts[0].seen, 20 * 20);
	assert_int_equal(parts[1].seen, 40 * 10);
	assert_true(has(&stack.plan.bare_alone, 60, 9));
	assert_false(has(&stack.plan.bare_alone, 19, 19));
	assert_false(kr_render_plan_is_done(&stack.plan));
	end(&stack);
}

/* What lies under something translucent is part of the tile, and not drawn by itself. */
static void
translucent_layers_need_what_is_below(void **state)
{
	struct kr_render_part *parts;
	struct stack stack;

	begin(&stack);
	add(&stack, 20, 20, RGBA)->alpha = 0.5f;
	add(&stack, 40, 20, BGRA);
	add(&stack, 60, 20, BGRA);
	plan(&stack);
	parts = stack.plan.parts;
	assert_int_equal(stack.plan.count, 3);
	assert_true(has(&stack.plan.blended, 19, 19));
	assert_false(has(&stack.plan.blended, 20, 19));
	assert_true(has(&parts[1].visible, 0, 0));
	assert_false(has(&parts[1].alone, 0, 0));
	assert_true(has(&parts[1].alone, 20, 0));
	assert_false(has(&parts[2].visible, 39, 0));
	assert_true(has(&parts[2].alone, 40, 0));
	assert_false(has(&stack.plan.bare, 59, 0));
	assert_int_equal(parts[1].seen, 40 * 20);
	assert_true(stack.plan.cost > (20 * 20 + WIDTH * HEIGHT) * 4);
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
	stack.scene.fixed_order = true;
	plan(&stack);
	assert_int_equal(stack.plan.order, KR_PIXELS_XRGB);
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
layers_without_content_are_not_read(void **state)
{
	struct kr_render_layer *above, *layer;
	struct stack stack;

	begin(&stack);
	above = add(&stack, 10, 10, RGBA);
	above->alpha = 0.5f;
	layer = add(&stack, WIDTH, HEIGHT, RGBA);
	layer->no_content = true;
	layer->buffer = NULL;
	plan(&stack);
	assert_int_equal(stack.plan.way, KR_RENDER_DRAW);
	assert_true(stack.plan.older);
	assert_true(kr_render_plan_is_done(&stack.plan));
	assert_true(has(&stack.stale, 5, 5));
	above->alpha = 1;
	above->frame = (ARect){0, 0, WIDTH, HEIGHT};
	plan(&stack);
	assert_false(stack.plan.older);
	end(&stack);
}

/* However many boxes who keeps the stale region makes of it. */
static void
stale_boxes_are_bounded(void **state)
{
	struct stack stack;

	begin(&stack);
	add(&stack, WIDTH, HEIGHT, RGBA);
	stack.scene.must_draw = true;
	pixman_region32_clear(&stack.stale);
	for (int i = 0; i < KR_RENDER_MAX_STALE + 1; i++)
		pixman_region32_union_rect(
			&stack.stale, &stack.stale, i % 27 * 3, i / 27 * 3, 1, 1);
	assert_true(pixman_region32_n_rects(&stack.stale) > KR_RENDER_MAX_STALE);
	plan(&stack);
	assert_int_equal(pixman_region32_n_rects(&stack.stale), 1);
	assert_true(has(&stack.plan.parts[0].alone, 1, 1));
	end(&stack);
}

/* Who shows a huge buffer small pays for what lies between the pixels that are seen. */
static void
cost_is_what_is_moved(void **state)
{
	struct kr_buffer *small = rig_buffer(100, 100, RGBA), *wide = rig_buffer(16384, 64, HALF);
	struct kr_render_layer layer = rig_layer(small, 0, 0), huge = rig_layer(wide, 0, 0);
	uint64_t plain = kr_render_layer_cost(&layer), turned;

	assert_int_equal(plain, 8);
	layer.blend = KR_RENDER_BLEND_PREMULTIPLIED;
	assert_true(kr_render_layer_cost(&layer) > plain);
	layer.frame = (ARect){0, 0, 200, 200};
	assert_true(kr_render_layer_cost(&layer) > plain);
	huge.frame = (ARect){0, 0, 16, 64};
	assert_true(kr_render_layer_cost(&huge) > 16384 / 16 * 8);
	huge.transform = NATIVE_WINDOW_TRANSFORM_ROT_90;
	huge.frame = (ARect){0, 0, 64, 16384};
	turned = kr_render_layer_cost(&huge);
	huge.transform = 0;
	huge.frame = (ARect){0, 0, 16384, 64};
	assert_true(turned > kr_render_layer_cost(&huge));
	huge.frame = (ARect){0};
	assert_int_equal(kr_render_layer_cost(&huge), 1);
	kr_buffer_unref(small);
	kr_buffer_unref(wide);
}

static const struct kr_test tests[] = {
	KR_TEST(nothing_is_planned_for_nobody),
	KR_TEST(one_whole_buffer_is_the_picture),
	KR_TEST(what_is_above_counts_if_it_is_seen),
	KR_TEST(bare_edges_are_drawn),
	KR_TEST(what_is_seen_and_stale_is_drawn),
	KR_TEST(translucent_layers_need_what_is_below),
	KR_TEST(the_canvas_is_what_most_pixels_are),
	KR_TEST(layers_without_content_are_not_read),
	KR_TEST(stale_boxes_are_bounded),
	KR_TEST(cost_is_what_is_moved),
};
KR_TEST_MAIN(tests)
