/* SPDX-License-Identifier: Apache-2.0 */
/* Canvases, what is refused, and what is at the ends of what can be asked. */
#include "rig.h"

#include "failing_alloc.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

struct board {
	struct kr_render_canvas canvas;
	struct kr_render_plan plan;
	pixman_region32_t stale;
	struct kr_render_scene scene;
};

static void
begin(struct board *board, uint32_t width, uint32_t height)
{
	*board = (struct board){0};
	kr_render_plan_init(&board->plan);
	pixman_region32_init_rect(&board->stale, 0, 0, width, height);
	assert_int_equal(kr_render_canvas_init(&board->canvas, width, height), 0);
	board->scene = (struct kr_render_scene){
		.width = width,
		.height = height,
		.wanted = true,
		.must_draw = true,
		.stale = &board->stale,
	};
}

static uint64_t
draw(struct board *board)
{
	uint64_t written;

	board->scene.order = board->canvas.order;
	kr_render_plan_make(&board->plan, &board->scene);
	(void)rig_draw(&board->plan, &board->canvas, UINT64_MAX, &written);
	return written;
}

static void
make_stale(struct board *board)
{
	pixman_region32_union_rect(
		&board->stale, &board->stale, 0, 0, board->scene.width, board->scene.height);
}

/* 0xRRGGBB. */
static uint32_t
pixel(const struct board *board, uint32_t x, uint32_t y)
{
	uint32_t p;

	memcpy(&p, board->canvas.pixels + (size_t)y * board->canvas.row_bytes + (size_t)x * 4, 4);
	if (board->canvas.order == KR_PIXELS_XBGR)
		kr_pixels_swap(&p, 1);
	return p & 0xffffff;
}

static void
end(struct board *board)
{
	kr_render_plan_finish(&board->plan);
	kr_render_canvas_finish(&board->canvas);
	pixman_region32_fini(&board->stale);
}

static struct kr_render_layer
plain(uint8_t r, uint8_t g, uint8_t b, ARect frame)
{
	return (struct kr_render_layer){
		.frame = frame,
		.blend = KR_RENDER_BLEND_NONE,
		.alpha = 1,
		.color = {r, g, b, 255},
	};
}

static void
canvas_sizes_are_checked(void **state)
{
	uint32_t pixels[16] = {0};
	struct kr_render_canvas canvas = {0};

	assert_int_equal(kr_render_canvas_init(&canvas, 0, 1), -EINVAL);
	assert_int_equal(kr_render_canvas_init(&canvas, 1, 0), -EINVAL);
	assert_int_equal(kr_render_canvas_init(&canvas, KR_RENDER_MAX_SIZE + 1, 1), -EINVAL);
	assert_int_equal(kr_render_canvas_wrap(&canvas, pixels, 4, 4, 15, 0, false), -EINVAL);
	assert_int_equal(kr_render_canvas_wrap(&canvas, pixels, 4, 4, 12, 0, false), -EINVAL);
	assert_int_equal(kr_render_canvas_wrap(&canvas, NULL, 4, 4, 16, 0, false), -EINVAL);
	assert_int_equal(kr_render_canvas_wrap(&canvas, pixels, 4, 4, 16, 0, false), 0);
	kr_render_canvas_finish(&canvas);
}

/* A display that shows nothing, or buffers as they are, takes no memory for a canvas. */
static void
memory_comes_with_the_first_pixel(void **state)
{
	struct kr_buffer *buffer = rig_buffer(64, 32, BGRA);
	struct board board;

	begin(&board, 64, 32);
	board.scene.layers[board.scene.count++] = rig_layer(buffer, 0, 0);
	board.scene.must_draw = false;
	(void)draw(&board);
	assert_null(board.canvas.pixels);
	board.scene.wanted = false;
	(void)draw(&board);
	assert_null(board.canvas.pixels);
	board.scene.wanted = board.scene.must_draw = true;
	(void)draw(&board);
	assert_non_null(board.canvas.pixels);
	end(&board);
	kr_buffer_unref(buffer);
}

static void
allocations_that_fail_change_nothing(void **state)
{
	struct kr_buffer *buffer = rig_buffer(8, 8, BGRA);
	struct board board;

	begin(&board, 8, 8);
	board.scene.layers[board.scene.count++] = rig_layer(buffer, 0, 0);
	kr_render_plan_make(&board.plan, &board.scene);
	for (long left = 0; left < 2; left++) {
		const struct kr_render_layer *failed = &board.scene.layers[0];
		uint64_t budget = UINT64_MAX, written = 0;
		int err;

		failing_alloc_left = left;
		err = kr_render_draw(&board.plan, &board.canvas, &budget, &written, &failed);
		failing_alloc_left = -1;
		assert_int_equal(err, -ENOMEM);
		assert_null(failed);
		assert_int_equal(written, 0);
		assert_false(kr_render_plan_is_done(&board.plan));
	}
	assert_int_equal(draw(&board), 8 * 8 * 4);
	end(&board);
	kr_buffer_unref(buffer);
}

static void
numbers_out_of_bounds_are_refused(void **state)
{
	static const float crops[] = {NAN, -NAN};
	struct kr_buffer *buffer = rig_buffer(8, 8, RGBA);
	const struct kr_render_layer good = rig_layer(buffer, 0, 0);
	struct kr_render_layer bad;
	float *const edges[] = {&bad.crop.left, &bad.crop.top, &bad.crop.right, &bad.crop.bottom};
	static const float alphas[] = {-0.01f, 1.01f, NAN, INFINITY};

	for (size_t i = 0; i < KR_ARRAY_LEN(edges) * KR_ARRAY_LEN(crops); i++) {
		bad = good;
		*edges[i / 2] = crops[i % 2];
		assert_int_equal(kr_render_layer_check(&bad), -EINVAL);
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(alphas); i++) {
		bad = good;
		bad.alpha = alphas[i];
		assert_int_equal(kr_render_layer_check(&bad), -EINVAL);
	}
	for (int32_t blend = 0; blend <= 4; blend += 4) {
		bad = good;
		bad.blend = blend;
		assert_int_equal(kr_render_layer_check(&bad), -EINVAL);
	}
	bad = good;
	bad.transform = 8;
	assert_int_equal(kr_render_layer_check(&bad), -EINVAL);
	bad = good;
	bad.frame.left = -KR_RENDER_MAX_PLACE - 1;
	assert_int_equal(kr_render_layer_check(&bad), -EINVAL);
	bad = good;
	bad.frame.bottom = KR_RENDER_MAX_PLACE + 1;
	assert_int_equal(kr_render_layer_check(&bad), -EINVAL);
	assert_int_equal(kr_render_layer_check(&good), 0);
	kr_buffer_unref(buffer);
}

/* As large and as far away as can be said: nothing runs over. */
static void
frames_at_the_ends(void **state)
{
	const int32_t far = KR_RENDER_MAX_PLACE;
	const ARect frames[] = {{-far, -far, far, far}, {-far, -far, 1, 1}, {7, 7, far, far},
		{-far, 3, far, 4}, {3, -far, 4, far}, {far, far, far, far}, {5, 5, 4, 4},
		{far, far, -far, -far}, {0, 0, 0, 8}};
	const struct kr_render_crop crops[] = {{0, 0, 0, 0}, {0, 0, 1, 1}, {2.5f, 2.5f, 2.6f, 2.6f},
		{-INFINITY, -INFINITY, INFINITY, INFINITY}, {1e30f, 0, 2e30f, 5}, {-9, -9, -1, -1},
		{6.999f, 0, 50, 50}, {5, 5, 2, 2}};
	struct rig_random random = {3};
	struct kr_buffer *buffer = rig_buffer(7, 5, RGBA);
	struct board board;

	rig_fill(&random, buffer, &(ARect){0, 0, 7, 5}, true);
	begin(&board, 8, 8);
	board.scene.count = 2;
	board.scene.layers[0] = rig_layer(buffer, 0, 0);
	board.scene.layers[1] = plain(9, 9, 9, (ARect){0, 0, 8, 8});
	for (size_t i = 0; i < KR_ARRAY_LEN(frames) * KR_ARRAY_LEN(crops) * 16; i++) {
		struct kr_render_layer *layer = &board.scene.layers[0];

		layer->frame = frames[i / 16 / KR_ARRAY_LEN(crops)];
		layer->crop = crops[i / 16 % KR_ARRAY_LEN(crops)];
		layer->transform = (int32_t)(i % 8);
		layer->blend = i / 8 % 2 ? KR_RENDER_BLEND_PREMULTIPLIED : KR_RENDER_BLEND_NONE;
		assert_int_equal(kr_render_layer_check(layer), 0);
		assert_true(kr_render_layer_cost(layer) >= 1);
		make_stale(&board);
		assert_int_equal(draw(&board), 8 * 8 * 4);
		kr_render_layer_add_damage(layer, 8, 8,
			&(ARect){INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX}, &board.stale);
		kr_render_layer_add_damage(layer, 8, 8, &(ARect){3, 3, 2, 9}, &board.stale);
		(void)draw(&board);
	}
	end(&board);
	kr_buffer_unref(buffer);
}

/* As many layers as there can be: full stays full, and what has no alpha changes nothing. */
static void
alphas_at_the_ends(void **state)
{
	struct board board;

	begin(&board, 40, 3);
	for (board.scene.count = 0; board.scene.count < KR_RENDER_MAX_LAYERS; board.scene.count++) {
		struct kr_render_layer *layer = &board.scene.layers[board.scene.count];

		*layer = plain(255, 1, 0, (ARect){0, 0, 40, 3});
		layer->blend = KR_RENDER_BLEND_PREMULTIPLIED;
		layer->color.a = 4;
	}
	(void)draw(&board);
	assert_int_equal(pixel(&board, 39, 2) >> 16, 255); /* more than alpha: full, not around */
	for (unsigned i = 0; i < KR_RENDER_MAX_LAYERS; i++) {
		board.scene.layers[i].alpha = i == 63 ? 1 : 0;
		board.scene.layers[i].blend = KR_RENDER_BLEND_NONE;
	}
	board.scene.layers[63].color = (struct kr_render_color){1, 2, 3, 4};
	make_stale(&board);
	(void)draw(&board);
	assert_int_equal(pixel(&board, 0, 0), 0x010203);
	for (unsigned i = 0; i < 63; i++) {
		board.scene.layers[i].alpha = 1.0f / 512; /* of black: less than can be seen */
		board.scene.layers[i].color = (struct kr_render_color){1, 2, 3, 255};
	}
	make_stale(&board);
	(void)draw(&board);
	assert_int_equal(pixel(&board, 0, 0), 0x010203);
	end(&board);
}

/* What stays on a canvas whose order changes is turned around. */
static void
the_canvas_turns(void **state)
{
	struct kr_buffer *buffer = rig_buffer(30, 10, RGBA);
	struct rig_random random = {5};
	struct board board;
	uint32_t *data;

	assert_int_equal(kr_buffer_map(buffer, (void **)&data), 0);
	rig_fill(&random, buffer, &(ARect){0, 0, 30, 10}, false);
	begin(&board, 40, 10);
	board.scene.layers[board.scene.count++] = plain(0x12, 0x34, 0x56, (ARect){30, 0, 40, 10});
	(void)draw(&board);
	assert_int_equal(board.canvas.order, KR_PIXELS_XRGB);
	assert_int_equal(
		kr_render_canvas_format(&board.canvas), AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM);
	board.scene.layers[board.scene.count++] = rig_layer(buffer, 0, 0);
	kr_render_layer_add_frame(&board.scene.layers[1], 40, 10, &board.stale);
	assert_int_equal(draw(&board), 40 * 10 * 4);
	assert_int_equal(board.canvas.order, KR_PIXELS_XBGR);
	assert_int_equal(pixel(&board, 35, 5), 0x123456);
	assert_int_equal(pixel(&board, 0, 0),
		(data[0] & 0xff) << 16 | (data[0] & 0xff00) | (data[0] >> 16 & 0xff));
	end(&board);
	kr_buffer_unref(buffer);
}

/* A picture of a large buffer reads what it shows: the pages between stay holes. */
static void
only_pages_that_show_are_read(void **state)
{
	struct kr_buffer *buffer = rig_buffer(16384, 8192, HALF);
	struct board board;
	struct stat st;

	begin(&board, 64, 48);
	board.scene.layers[board.scene.count] = rig_layer(buffer, 0, 0);
	board.scene.layers[board.scene.count++].frame = (ARect){0, 0, 64, 48};
	(void)draw(&board);
	assert_int_equal(fstat(kr_buffer_get_info(buffer)->fd, &st), 0);
	/* Two rows of 128 KiB for each row of the picture, of 1 GiB. */
	assert_true(st.st_blocks * INT64_C(512) <= 2 * 48 * (INT64_C(128) << 10));
	end(&board);
	kr_buffer_unref(buffer);
}

/* A hostile layer's work goes in pieces, each of which the budget bounds. */
static void
work_goes_in_pieces(void **state)
{
	struct kr_buffer *buffer = rig_buffer(4096, 512, HALF);
	const uint64_t budget = 1 << 20;
	struct board board;
	uint64_t written;

	begin(&board, 64, 48);
	for (int transform = 0; transform < 8; transform++) {
		struct kr_render_layer *layer = &board.scene.layers[0];
		unsigned calls;

		board.scene.count = 1;
		*layer = rig_layer(buffer, 0, 0);
		layer->frame = (ARect){0, 0, 64, 48};
		layer->transform = transform;
		layer->blend = KR_RENDER_BLEND_COVERAGE;
		make_stale(&board);
		kr_render_plan_make(&board.plan, &board.scene);
		assert_true(board.plan.cost > 0);
		calls = rig_draw(&board.plan, &board.canvas, budget, &written);
		assert_true(calls >= board.plan.cost / budget / 2);
		assert_int_equal(written, 64 * 48 * 4);
	}
	end(&board);
	kr_buffer_unref(buffer);
}

static const struct kr_test tests[] = {
	KR_TEST(canvas_sizes_are_checked),
	KR_TEST(memory_comes_with_the_first_pixel),
	KR_TEST(allocations_that_fail_change_nothing),
	KR_TEST(numbers_out_of_bounds_are_refused),
	KR_TEST(frames_at_the_ends),
	KR_TEST(alphas_at_the_ends),
	KR_TEST(the_canvas_turns),
	KR_TEST(only_pages_that_show_are_read),
	KR_TEST(work_goes_in_pieces),
};
KR_TEST_MAIN(tests)
