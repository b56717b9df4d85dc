/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scaling, gravity and transforms of frames in their windows, and of screens that are turned: each
 * with each, pixel by pixel, against a reference that walks the way one step after the other.
 */
#include "harness.h"

#include <math.h>

#include "composer/layout.h"

#define SCREEN_WIDTH  41
#define SCREEN_HEIGHT 30
#define ACROSS        26 /* of the window */
#define DOWN          17

struct point {
	double x;
	double y;
};

/* A step of a transform: where a point of a picture of that size goes. */
static struct point
turned(struct point at, int32_t transform, double width, double height)
{
	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_H)
		at.x = width - at.x;
	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_V)
		at.y = height - at.y;
	return transform & NATIVE_WINDOW_TRANSFORM_ROT_90 ? (struct point){height - at.y, at.x}
							  : at;
}

/* The way back: the one of all ways that leads there. */
static struct point
turned_back(struct point at, int32_t transform, double width, double height)
{
	struct point from = at;

	if (transform & NATIVE_WINDOW_TRANSFORM_ROT_90)
		from = (struct point){at.y, height - at.x};
	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_H)
		from.x = width - from.x;
	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_V)
		from.y = height - from.y;
	return from;
}

static int32_t
gravity_of(uint8_t gravity, int32_t left)
{
	switch (gravity) {
	case KR_GRAVITY_MIN:
		return 0;
	case KR_GRAVITY_MAX:
		return left;
	default:
		return left / 2;
	}
}

/* In a direction: how many pixels of the window the image takes. */
static int32_t
size_of(const struct kr_layout_shape *shape, int32_t size, int32_t other, int32_t own,
	int32_t other_own)
{
	switch (shape->scaling) {
	case KR_SCALING_ONE_TO_ONE:
		return size;
	case KR_SCALING_STRETCH:
		return own;
	default:
		if ((int64_t)own * other <= (int64_t)other_own * size)
			return own;
		return (int32_t)lround((double)size * other_own / other);
	}
}

enum seen {
	BESIDE_THE_WINDOW,
	BARE,
	IMAGE,
};

/* What the screen as windows see it has at a pixel. */
static enum seen
look(const struct kr_layout_shape *shape, int32_t width, int32_t height, struct point at,
	struct point *source)
{
	bool turn = shape->transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	int32_t w = (int32_t)(turn ? shape->buffer_height : shape->buffer_width);
	int32_t h = (int32_t)(turn ? shape->buffer_width : shape->buffer_height);
	int32_t left = (int32_t)((width - ACROSS) / 2), top = (int32_t)((height - DOWN) / 2);
	int32_t across = size_of(shape, w, h, ACROSS, DOWN);
	int32_t down = size_of(shape, h, w, DOWN, ACROSS);
	struct point in = {at.x - left, at.y - top};

	if (in.x < 0 || in.y < 0 || in.x >= ACROSS || in.y >= DOWN)
		return BESIDE_THE_WINDOW;
	in.x -= gravity_of(shape->gravity_x, ACROSS - across);
	in.y -= gravity_of(shape->gravity_y, DOWN - down);
	if (in.x < 0 || in.y < 0 || in.x >= across || in.y >= down)
		return BARE;
	in.x *= (double)w / across;
	in.y *= (double)h / down;
	*source = turned_back(in, shape->transform, shape->buffer_width, shape->buffer_height);
	return IMAGE;
}

static bool
is_in(const android_native_rect_t *rect, struct point at)
{
	return at.x >= rect->left && at.x < rect->right && at.y >= rect->top && at.y < rect->bottom;
}

/* And what the spot has there. */
static enum seen
look_at_spot(const struct kr_layout_spot *spot, struct point at, struct point *source)
{
	const android_native_rect_t *frame = &spot->frame;
	bool turn = spot->transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	double width = spot->right - spot->left, height = spot->bottom - spot->top;
	struct point in;

	if (!is_in(frame, at))
		return is_in(&spot->seen, at) ? BARE : BESIDE_THE_WINDOW;
	in.x = (at.x - frame->left) / (frame->right - frame->left) * (turn ? height : width);
	in.y = (at.y - frame->top) / (frame->bottom - frame->top) * (turn ? width : height);
	in = turned_back(in, spot->transform, width, height);
	*source = (struct point){spot->left + in.x, spot->top + in.y};
	return IMAGE;
}

static void
compare(const struct kr_layout_shape *shape, int32_t screen)
{
	static const struct kr_layout_place nowhere = {0};
	bool turn = screen & NATIVE_WINDOW_TRANSFORM_ROT_90;
	const struct kr_layout_room room = {KR_LAYOUT_NATIVE, turn ? SCREEN_HEIGHT : SCREEN_WIDTH,
		turn ? SCREEN_WIDTH : SCREEN_HEIGHT, &nowhere, 0, 1};
	struct kr_layout_spot spot;

	kr_layout_find(&room, shape, &spot);
	kr_layout_turn(&spot, screen, room.width, room.height);
	for (uint32_t y = 0; y < room.height; y++) {
		for (uint32_t x = 0; x < room.width; x++) {
			const struct point at = {x + 0.5, y + 0.5};
			const struct point on = turned(at, screen, room.width, room.height);
			struct point expected = {0}, found = {0};
			enum seen is = look(
				shape, (int32_t)room.width, (int32_t)room.height, at, &expected);

			assert_int_equal(look_at_spot(&spot, on, &found), is);
			assert_true(is != IMAGE ||
				(fabs(found.x - expected.x) < 1e-3 &&
					fabs(found.y - expected.y) < 1e-3));
		}
	}
}

static void
each_with_each_transform_and_turn(void **state)
{
	/* Smaller, larger, wider and higher than the window, and as large; odd and even. */
	static const uint32_t sizes[][2] = {
		{10, 7}, {52, 34}, {11, 29}, {33, 8}, {ACROSS, DOWN}, {DOWN, ACROSS}, {1, 1}};
	const unsigned gravities = 3, transforms = 8;

	for (uint8_t scaling = KR_SCALING_ONE_TO_ONE; scaling <= KR_SCALING_STRETCH; scaling++) {
		for (unsigned i = 0; i < gravities * gravities * transforms * transforms; i++) {
			for (size_t size = 0; size < KR_ARRAY_LEN(sizes); size++) {
				const struct kr_layout_shape shape = {
					.buffer_width = sizes[size][0],
					.buffer_height = sizes[size][1],
					.window_width = ACROSS,
					.window_height = DOWN,
					.scaling = scaling,
					.gravity_x = (uint8_t)(i % gravities),
					.gravity_y = (uint8_t)(i / gravities % gravities),
					.transform = (int32_t)(i / 9 % transforms),
				};

				compare(&shape, (int32_t)(i / 9 / transforms));
			}
		}
	}
}

static void
transforms_are_joined(void **state)
{
	const struct point at = {3, 5};

	for (int32_t first = 0; first < 8; first++) {
		for (int32_t then = 0; then < 8; then++) {
			bool turn = first & NATIVE_WINDOW_TRANSFORM_ROT_90;
			int32_t both = kr_layout_join_transforms(first, then);
			struct point one = turned(at, first, 20, 30);
			struct point joined = turned(at, both, 20, 30);

			one = turned(one, then, turn ? 30 : 20, turn ? 20 : 30);
			assert_true(one.x == joined.x && one.y == joined.y);
		}
	}
}

/* What a place does to a window with a size of its own: all of it is scaled. */
static void
a_placed_window_is_scaled_as_a_whole(void **state)
{
	static const struct kr_layout_place place = {.set = KR_PLACE_SIZE | KR_PLACE_POSITION,
		.x = 10,
		.y = 20,
		.width = 80,
		.height = 40};
	const struct kr_layout_room room = {KR_LAYOUT_NATIVE, 200, 100, &place, 0, 1};
	const struct kr_layout_shape shape = {.buffer_width = 20,
		.buffer_height = 10,
		.window_width = 40,
		.window_height = 20,
		.scaling = KR_SCALING_ONE_TO_ONE,
		.gravity_x = KR_GRAVITY_MAX,
		.gravity_y = KR_GRAVITY_CENTRED};
	struct kr_layout_spot spot;

	kr_layout_find(&room, &shape, &spot);
	assert_int_equal(spot.frame.left, 50);
	assert_int_equal(spot.frame.right, 90);
	assert_int_equal(spot.frame.top, 30);
	assert_int_equal(spot.frame.bottom, 50);
	assert_true(spot.left == 0 && spot.top == 0 && spot.right == 20 && spot.bottom == 10);
}

/* A window with a size of its own is as large as it says, not as the screen or as its buffer. */
static void
native_windows_have_sizes_of_their_own(void **state)
{
	static const struct {
		enum kr_layout layout;
		int32_t mode;
		android_native_rect_t window, frame;
		float source[4];
	} rows[] = {
		{KR_LAYOUT_NATIVE, NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW, {50, 25, 150, 75},
			{50, 25, 150, 75}, {0, 0, 20, 20}},
		{KR_LAYOUT_NATIVE, NATIVE_WINDOW_SCALING_MODE_SCALE_CROP, {50, 25, 150, 75},
			{50, 25, 150, 75}, {0, 5, 20, 15}},
		{KR_LAYOUT_NATIVE, NATIVE_WINDOW_SCALING_MODE_NO_SCALE_CROP, {50, 25, 150, 75},
			{50, 25, 70, 45}, {0, 0, 20, 20}},
		{KR_LAYOUT_NATIVE, NATIVE_WINDOW_SCALING_MODE_FREEZE, {90, 40, 110, 60},
			{90, 40, 110, 60}, {0, 0, 20, 20}},
		/* In its own shape, which isn't the buffer's. */
		{KR_LAYOUT_FIT, NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW, {0, 0, 200, 100},
			{0, 0, 200, 100}, {0, 0, 20, 20}},
		{KR_LAYOUT_FIT, NATIVE_WINDOW_SCALING_MODE_FREEZE, {50, 0, 150, 100},
			{50, 0, 150, 100}, {0, 0, 20, 20}},
	};
	static const struct kr_layout_place nowhere = {0};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		const struct kr_layout_room room = {rows[i].layout, 200, 100, &nowhere, 0, 1};
		const struct kr_layout_shape shape = {.buffer_width = 20,
			.buffer_height = 20,
			.window_width = 100,
			.window_height = 50,
			.scaling_mode = rows[i].mode};
		struct kr_layout_spot spot;

		kr_layout_find(&room, &shape, &spot);
		assert_memory_equal(&spot.window, &rows[i].window, sizeof(spot.window));
		assert_memory_equal(&spot.frame, &rows[i].frame, sizeof(spot.frame));
		assert_true(spot.left == rows[i].source[0] && spot.top == rows[i].source[1] &&
			spot.right == rows[i].source[2] && spot.bottom == rows[i].source[3]);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(each_with_each_transform_and_turn),
	KR_TEST(transforms_are_joined),
	KR_TEST(a_placed_window_is_scaled_as_a_whole),
	KR_TEST(native_windows_have_sizes_of_their_own),
};
KR_TEST_MAIN(tests)
