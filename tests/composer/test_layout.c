/* SPDX-License-Identifier: Apache-2.0 */
/* Where windows lie: the rule alone, and places that are asked for. */
#include "harness.h"

#include <math.h>

#include "composer/layout.h"

#define WIDTH  1280
#define HEIGHT 720

enum {
	FREEZE = NATIVE_WINDOW_SCALING_MODE_FREEZE,
	TO_WINDOW = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW,
	SCALE_CROP = NATIVE_WINDOW_SCALING_MODE_SCALE_CROP,
	NO_SCALE = NATIVE_WINDOW_SCALING_MODE_NO_SCALE_CROP,
};

static void
expect_rect(const android_native_rect_t *rect, const android_native_rect_t *expected)
{
	assert_int_equal(rect->left, expected->left);
	assert_int_equal(rect->top, expected->top);
	assert_int_equal(rect->right, expected->right);
	assert_int_equal(rect->bottom, expected->bottom);
}

static void
expect_source(const struct kr_layout_spot *spot, float left, float top, float right, float bottom)
{
	assert_true(fabsf(spot->left - left) < 1e-3f);
	assert_true(fabsf(spot->top - top) < 1e-3f);
	assert_true(fabsf(spot->right - right) < 1e-3f);
	assert_true(fabsf(spot->bottom - bottom) < 1e-3f);
}

static void
each_layout_has_its_own_rule(void **state)
{
	static const struct kr_layout_place nowhere = {0};
	static const struct {
		enum kr_layout layout;
		uint32_t width, height;
		int32_t mode;
		android_native_rect_t window, frame;
		float source[4];
	} cases[] = {
		/* In the middle; a pixel more than fits is at the left and the top. */
		{KR_LAYOUT_NATIVE, 400, 300, FREEZE, {440, 210, 840, 510}, {440, 210, 840, 510},
			{0, 0, 400, 300}},
		{KR_LAYOUT_NATIVE, 401, 301, FREEZE, {439, 209, 840, 510}, {439, 209, 840, 510},
			{0, 0, 401, 301}},
		{KR_LAYOUT_NATIVE, 400, 300, NO_SCALE, {440, 210, 840, 510}, {440, 210, 840, 510},
			{0, 0, 400, 300}},
		/* Larger: cut. */
		{KR_LAYOUT_NATIVE, 1920, 1080, FREEZE, {-320, -180, 1600, 900}, {0, 0, 1280, 720},
			{320, 180, 1600, 900}},
		/* To be scaled to its window, which is the whole screen. */
		{KR_LAYOUT_NATIVE, 320, 180, TO_WINDOW, {0, 0, 1280, 720}, {0, 0, 1280, 720},
			{0, 0, 320, 180}},
		{KR_LAYOUT_NATIVE, 320, 320, SCALE_CROP, {0, 0, 1280, 720}, {0, 0, 1280, 720},
			{0, 70, 320, 250}},
		{KR_LAYOUT_FIT, 400, 300, FREEZE, {160, 0, 1120, 720}, {160, 0, 1120, 720},
			{0, 0, 400, 300}},
		{KR_LAYOUT_FIT, 400, 300, TO_WINDOW, {160, 0, 1120, 720}, {160, 0, 1120, 720},
			{0, 0, 400, 300}},
		{KR_LAYOUT_FIT, 2560, 720, FREEZE, {0, 180, 1280, 540}, {0, 180, 1280, 540},
			{0, 0, 2560, 720}},
		{KR_LAYOUT_STRETCH, 400, 300, FREEZE, {0, 0, 1280, 720}, {0, 0, 1280, 720},
			{0, 0, 400, 300}},
		{KR_LAYOUT_STRETCH, 400, 300, NO_SCALE, {0, 0, 1280, 720}, {0, 0, 400, 300},
			{0, 0, 400, 300}},
		{KR_LAYOUT_STRETCH, 1280, 1440, SCALE_CROP, {0, 0, 1280, 720}, {0, 0, 1280, 720},
			{0, 360, 1280, 1080}},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		const struct kr_layout_room room = {cases[i].layout, WIDTH, HEIGHT, &nowhere, 0, 1};
		const struct kr_layout_shape shape = {.buffer_width = cases[i].width,
			.buffer_height = cases[i].height,
			.scaling_mode = cases[i].mode};
		struct kr_layout_spot spot;

		kr_layout_find(&room, &shape, &spot);
		expect_rect(&spot.window, &cases[i].window);
		expect_rect(&spot.frame, &cases[i].frame);
		expect_source(&spot, cases[i].source[0], cases[i].source[1], cases[i].source[2],
			cases[i].source[3]);
	}
}

static void
a_grid_has_a_cell_for_each(void **state)
{
	static const struct kr_layout_place nowhere = {0};
	static const android_native_rect_t cells[5] = {
		{0, 60, 300, 240},
		{300, 60, 600, 240},
		{600, 60, 900, 240},
		{0, 360, 300, 540},
		{300, 360, 600, 540},
	};
	const struct kr_layout_shape shape = {.buffer_width = 1000, .buffer_height = 600};

	for (unsigned i = 0; i < 5; i++) {
		const struct kr_layout_room room = {KR_LAYOUT_GRID, 900, 600, &nowhere, i, 5};
		struct kr_layout_spot spot;

		kr_layout_find(&room, &shape, &spot);
		expect_rect(&spot.frame, &cells[i]);
	}
}

static void
a_place_that_is_asked_for_counts(void **state)
{
	static const struct {
		struct kr_layout_place place;
		int32_t mode;
		android_native_rect_t frame;
		float source[4];
	} cases[] = {
		{{.set = KR_PLACE_POSITION, .x = 5, .y = 7}, FREEZE, {5, 7, 205, 107},
			{0, 0, 200, 100}},
		{{.set = KR_PLACE_POSITION, .x = -50, .y = 700}, FREEZE, {0, 700, 150, 720},
			{50, 0, 200, 20}},
		{{.set = KR_PLACE_SIZE, .width = 400, .height = 400}, FREEZE, {440, 160, 840, 560},
			{0, 0, 200, 100}},
		{{.set = KR_PLACE_SIZE, .width = 400, .height = 400}, SCALE_CROP,
			{440, 160, 840, 560}, {50, 0, 150, 100}},
		{{.set = KR_PLACE_SIZE, .width = 400, .height = 400}, NO_SCALE,
			{440, 160, 640, 260}, {0, 0, 200, 100}},
		{{.set = KR_PLACE_SIZE | KR_PLACE_POSITION,
			 .x = 10,
			 .y = 10,
			 .width = 50,
			 .height = 40},
			NO_SCALE, {10, 10, 60, 50}, {0, 0, 50, 40}},
		{{.set = KR_PLACE_POSITION, .x = 1280, .y = 0}, FREEZE, {0}, {0}},
	};
	const struct kr_layout_shape base = {.buffer_width = 200, .buffer_height = 100};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		const struct kr_layout_room room = {
			KR_LAYOUT_NATIVE, WIDTH, HEIGHT, &cases[i].place, 0, 1};
		struct kr_layout_shape shape = base;
		struct kr_layout_spot spot;

		shape.scaling_mode = cases[i].mode;
		kr_layout_find(&room, &shape, &spot);
		expect_rect(&spot.frame, &cases[i].frame);
		expect_source(&spot, cases[i].source[0], cases[i].source[1], cases[i].source[2],
			cases[i].source[3]);
	}
}

/* Of a window that hangs out at the right by half: which half of its buffer is seen. */
static void
what_is_cut_of_turned_windows_is_the_right_part(void **state)
{
	static const struct {
		int32_t transform;
		float source[4];
	} cases[] = {
		{0, {0, 0, 50, 60}},
		{NATIVE_WINDOW_TRANSFORM_FLIP_H, {50, 0, 100, 60}},
		{NATIVE_WINDOW_TRANSFORM_FLIP_V, {0, 0, 50, 60}},
		{NATIVE_WINDOW_TRANSFORM_ROT_180, {50, 0, 100, 60}},
		/* Clockwise: its left side is the buffer's bottom. */
		{NATIVE_WINDOW_TRANSFORM_ROT_90, {0, 30, 100, 60}},
		{NATIVE_WINDOW_TRANSFORM_ROT_270, {0, 0, 100, 30}},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		bool turned = cases[i].transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
		const struct kr_layout_place place = {
			.set = KR_PLACE_POSITION, .x = turned ? WIDTH - 30 : WIDTH - 50};
		const struct kr_layout_room room = {KR_LAYOUT_NATIVE, WIDTH, HEIGHT, &place, 0, 1};
		const struct kr_layout_shape shape = {
			.buffer_width = 100, .buffer_height = 60, .transform = cases[i].transform};
		struct kr_layout_spot spot;

		kr_layout_find(&room, &shape, &spot);
		assert_int_equal(spot.frame.right, WIDTH);
		assert_int_equal(spot.frame.bottom, turned ? 100 : 60);
		expect_source(&spot, cases[i].source[0], cases[i].source[1], cases[i].source[2],
			cases[i].source[3]);
	}
}

static void
names_and_bounds(void **state)
{
	enum kr_layout layout;
	struct kr_layout_place place = {.set = 1u << 5};

	for (int i = KR_LAYOUT_NATIVE; i <= KR_LAYOUT_GRID; i++) {
		assert_true(kr_layout_from_name(kr_layout_name((enum kr_layout)i), &layout));
		assert_int_equal(layout, i);
	}
	assert_false(kr_layout_from_name("", &layout));
	assert_false(kr_layout_from_name("natives", &layout));
	assert_false(kr_layout_place_is_valid(&place));
	place = (struct kr_layout_place){.set = KR_PLACE_SIZE, .width = 1};
	assert_false(kr_layout_place_is_valid(&place));
	place.height = KR_PLACE_MAX + 1;
	assert_false(kr_layout_place_is_valid(&place));
	place.height = KR_PLACE_MAX;
	assert_true(kr_layout_place_is_valid(&place));
	place = (struct kr_layout_place){.set = KR_PLACE_ALPHA, .alpha = NAN};
	assert_false(kr_layout_place_is_valid(&place));
	place.alpha = 1;
	assert_true(kr_layout_place_is_valid(&place));
	place = (struct kr_layout_place){.set = KR_PLACE_POSITION, .x = -KR_PLACE_MAX - 1};
	assert_false(kr_layout_place_is_valid(&place));
}

#define TRANSFORMS 8

static void
what_undoes_a_transform_undoes_it(void **state)
{
	for (int32_t transform = 0; transform < TRANSFORMS; transform++) {
		int32_t back = kr_layout_invert_transform(transform);

		assert_in_range(back, 0, TRANSFORMS - 1);
		assert_int_equal(kr_layout_join_transforms(transform, back), 0);
		assert_int_equal(kr_layout_join_transforms(back, transform), 0);
	}
	assert_int_equal(kr_layout_invert_transform(NATIVE_WINDOW_TRANSFORM_ROT_90),
		NATIVE_WINDOW_TRANSFORM_ROT_270);
}

/*
 * On the picture it is turned as it says itself, however the screen is turned; and its window has
 * the size that this has on the screen as windows see it.
 */
static void
an_inverse_display_is_turned_back(void **state)
{
	static const struct kr_layout_place place = {.set = KR_PLACE_POSITION, .x = 10, .y = 20};
	const uint32_t width = 64, height = 48;

	for (int32_t i = 0; i < TRANSFORMS * TRANSFORMS; i++) {
		int32_t screen = i / TRANSFORMS, own = i % TRANSFORMS;
		bool turned = screen & NATIVE_WINDOW_TRANSFORM_ROT_90;
		bool side = own & NATIVE_WINDOW_TRANSFORM_ROT_90;
		const struct kr_layout_room room = {.width = turned ? height : width,
			.height = turned ? width : height,
			.place = &place,
			.count = 1};
		struct kr_layout_shape shape = {.buffer_width = 12, .buffer_height = 8};
		struct kr_layout_spot spot;
		uint32_t w, h;

		/* Without the bit it is its own, and turned with the screen. */
		assert_int_equal(kr_layout_content_transform(own, screen), own);
		shape.transform = kr_layout_content_transform(
			own | NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY, screen);
		assert_true(kr_layout_window_size(&shape, &w, &h));
		assert_int_equal(w, side == turned ? 12 : 8);
		assert_int_equal(h, side == turned ? 8 : 12);
		kr_layout_find(&room, &shape, &spot);
		assert_int_equal(spot.window.right - spot.window.left, w);
		kr_layout_turn(&spot, screen, room.width, room.height);
		assert_int_equal(spot.transform, own);
		assert_int_equal(spot.frame.right - spot.frame.left, side ? 8 : 12);
		assert_int_equal(spot.frame.bottom - spot.frame.top, side ? 12 : 8);
		expect_source(&spot, 0, 0, 12, 8);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(each_layout_has_its_own_rule),
	KR_TEST(a_grid_has_a_cell_for_each),
	KR_TEST(a_place_that_is_asked_for_counts),
	KR_TEST(what_is_cut_of_turned_windows_is_the_right_part),
	KR_TEST(what_undoes_a_transform_undoes_it),
	KR_TEST(an_inverse_display_is_turned_back),
	KR_TEST(names_and_bounds),
};
KR_TEST_MAIN(tests)
