/* SPDX-License-Identifier: Apache-2.0 */
/* Pixels: formats, placement, transforms and crops, drawn straight onto a canvas. */
#include "rig.h"

#include "half.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <string.h>
#include <sys/stat.h>

#include "composer/display.h"
#include "gralloc/buffer.h"

/* A buffer of 8-bit RGBA pixels: red = x, green = y, blue 7. */
static struct kr_buffer *
gradient(uint32_t width, uint32_t height)
{
	const struct kr_buffer_desc desc = {
		.width = width,
		.height = height,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
	};
	struct kr_buffer *buffer;
	void *data;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	assert_int_equal(kr_buffer_map(buffer, &data), 0);
	for (uint32_t y = 0; y < height; y++) {
		uint8_t *p = (uint8_t *)data + (size_t)y * kr_buffer_get_info(buffer)->row_bytes;

		for (uint32_t x = 0; x < width; x++, p += 4) {
			p[0] = (uint8_t)x;
			p[1] = (uint8_t)y;
			p[2] = 7;
			p[3] = 0; /* alpha: not looked at */
		}
	}
	return buffer;
}

/* As a display has it whose windows lie in the corner. */
static void
draw_onto(struct kr_render_canvas *canvas, const struct kr_frame *frame)
{
	const struct kr_layout_place corner = {.set = KR_PLACE_POSITION};
	const struct kr_layout_room room = {
		KR_LAYOUT_NATIVE, canvas->width, canvas->height, &corner, 0, 1};
	static const struct kr_display unturned;
	const struct kr_layout_shape shape = kr_display_shape(&unturned, frame);
	const struct kr_render_layer *failed;
	struct kr_layout_spot spot;
	struct kr_render_plan plan;
	pixman_region32_t stale;
	struct kr_render_scene scene = {
		.width = canvas->width,
		.height = canvas->height,
		.order = KR_PIXELS_XRGB,
		.fixed_order = true,
		.wanted = true,
		.must_draw = true,
		.stale = &stale,
		.count = 1,
	};
	uint64_t budget = UINT64_MAX, written = 0;

	kr_layout_find(&room, &shape, &spot);
	scene.layers[0] = (struct kr_render_layer){
		.buffer = frame->buffer,
		.crop = {spot.left, spot.top, spot.right, spot.bottom},
		.frame = {spot.frame.left, spot.frame.top, spot.frame.right, spot.frame.bottom},
		.transform = frame->transform,
		.blend = KR_RENDER_BLEND_NONE,
		.alpha = 1,
	};
	assert_int_equal(kr_render_layer_check(&scene.layers[0]), 0);
	pixman_region32_init_rect(&stale, 0, 0, canvas->width, canvas->height);
	kr_render_plan_init(&plan);
	kr_render_plan_make(&plan, &scene);
	assert_int_equal(kr_render_draw(&plan, canvas, &budget, &written, &failed), 0);
	kr_render_plan_finish(&plan);
	pixman_region32_fini(&stale);
}

static struct kr_render_canvas
draw(uint32_t width, uint32_t height, const struct kr_frame *frame)
{
	struct kr_render_canvas canvas;

	assert_int_equal(kr_render_canvas_init(&canvas, width, height), 0);
	draw_onto(&canvas, frame);
	return canvas;
}

static uint32_t
pixel(const struct kr_render_canvas *canvas, uint32_t x, uint32_t y)
{
	return ((const uint32_t *)(const void *)(canvas->pixels +
		       (size_t)y * canvas->row_bytes))[x] &
		0xffffff;
}

/* What the gradient has at x,y, on the canvas. */
static uint32_t
at(uint32_t x, uint32_t y)
{
	return x << 16 | y << 8 | 7;
}

static void
same_size_is_copied_exactly(void **state)
{
	struct kr_frame frame = {.buffer = gradient(70, 50),
		.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW};
	struct kr_render_canvas canvas = draw(70, 50, &frame);

	for (uint32_t y = 0; y < 50; y++) {
		for (uint32_t x = 0; x < 70; x++)
			assert_int_equal(pixel(&canvas, x, y), at(x, y));
	}
	kr_render_canvas_finish(&canvas);
	kr_buffer_unref(frame.buffer);
}

static void
freeze_is_unscaled_at_the_corner(void **state)
{
	struct kr_frame frame = {.buffer = gradient(20, 10)};
	struct kr_render_canvas canvas = draw(30, 30, &frame);

	assert_int_equal(pixel(&canvas, 0, 0), at(0, 0));
	assert_int_equal(pixel(&canvas, 19, 9), at(19, 9));
	assert_int_equal(pixel(&canvas, 20, 9), 0);
	assert_int_equal(pixel(&canvas, 19, 10), 0);
	kr_render_canvas_finish(&canvas);
	canvas = draw(8, 4, &frame); /* larger than the canvas: clipped */
	assert_int_equal(pixel(&canvas, 7, 3), at(7, 3));
	kr_render_canvas_finish(&canvas);
	kr_buffer_unref(frame.buffer);
}

static void
scale_to_window_fills_the_canvas(void **state)
{
	struct kr_frame frame = {.buffer = gradient(20, 10),
		.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW};
	struct kr_render_canvas canvas = draw(40, 40, &frame);
	uint32_t middle = pixel(&canvas, 20, 20);

	assert_int_equal(pixel(&canvas, 0, 0), at(0, 0));
	assert_int_equal(pixel(&canvas, 39, 39), at(19, 9));
	assert_in_range(middle >> 16, 9, 10);
	assert_in_range(middle >> 8 & 0xff, 4, 5);
	assert_int_equal(middle & 0xff, 7);
	kr_render_canvas_finish(&canvas);
	kr_buffer_unref(frame.buffer);
}

static void
scale_crop_keeps_the_shape(void **state)
{
	struct kr_frame frame = {
		.buffer = gradient(20, 10), .scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_CROP};
	/* 20x10 becomes 40x20 on 20x20: the middle half is seen. */
	struct kr_render_canvas canvas = draw(20, 20, &frame);

	assert_in_range(pixel(&canvas, 0, 10) >> 16, 4, 6);
	assert_in_range(pixel(&canvas, 19, 10) >> 16, 13, 15);
	assert_int_equal(pixel(&canvas, 10, 0) >> 8 & 0xff, 0);
	assert_int_equal(pixel(&canvas, 10, 19) >> 8 & 0xff, 9);
	kr_render_canvas_finish(&canvas);
	kr_buffer_unref(frame.buffer);
}

/* For each transform, where the buffer's top left and the pixel right of it end up. */
static void
transforms_turn_and_flip(void **state)
{
	static const struct {
		int transform;
		uint32_t width, height; /* of a 20x10 buffer, turned */
		uint32_t corner_x, corner_y, right_x, right_y;
	} rows[] = {
		{0, 20, 10, 0, 0, 1, 0},
		{NATIVE_WINDOW_TRANSFORM_FLIP_H, 20, 10, 19, 0, 18, 0},
		{NATIVE_WINDOW_TRANSFORM_FLIP_V, 20, 10, 0, 9, 1, 9},
		{NATIVE_WINDOW_TRANSFORM_ROT_180, 20, 10, 19, 9, 18, 9},
		{NATIVE_WINDOW_TRANSFORM_ROT_90, 10, 20, 9, 0, 9, 1},
		{NATIVE_WINDOW_TRANSFORM_ROT_270, 10, 20, 0, 19, 0, 18},
		{NATIVE_WINDOW_TRANSFORM_FLIP_H | NATIVE_WINDOW_TRANSFORM_ROT_90, 10, 20, 9, 19, 9,
			18},
		{NATIVE_WINDOW_TRANSFORM_FLIP_V | NATIVE_WINDOW_TRANSFORM_ROT_90, 10, 20, 0, 0, 0,
			1},
	};
	struct kr_frame frame = {.buffer = gradient(20, 10)};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kr_render_canvas canvas;

		frame.transform = rows[i].transform;
		canvas = draw(rows[i].width, rows[i].height, &frame);
		assert_int_equal(pixel(&canvas, rows[i].corner_x, rows[i].corner_y), at(0, 0));
		assert_int_equal(pixel(&canvas, rows[i].right_x, rows[i].right_y), at(1, 0));
		for (uint32_t n = 0; n < rows[i].width * rows[i].height; n++)
			assert_int_equal(
				pixel(&canvas, n % rows[i].width, n / rows[i].width) & 0xff,
				7); /* nothing was left out */
		kr_render_canvas_finish(&canvas);
	}
	kr_buffer_unref(frame.buffer);
}

static void
crop_is_what_is_seen(void **state)
{
	struct kr_frame frame = {.buffer = gradient(20, 10), .crop = {5, 2, 15, 8}};
	struct kr_render_canvas canvas = draw(20, 20, &frame);

	assert_int_equal(pixel(&canvas, 0, 0), at(5, 2));
	assert_int_equal(pixel(&canvas, 9, 5), at(14, 7));
	assert_int_equal(pixel(&canvas, 10, 5), 0);
	assert_int_equal(pixel(&canvas, 9, 6), 0);
	kr_render_canvas_finish(&canvas);
	frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	canvas = draw(100, 60, &frame);
	/* Nothing from outside of the crop bleeds in. */
	assert_int_equal(pixel(&canvas, 0, 0), at(5, 2));
	assert_int_equal(pixel(&canvas, 99, 59), at(14, 7));
	kr_render_canvas_finish(&canvas);
	frame.crop = (android_native_rect_t){-5, -5, 1000, 1000};
	frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_FREEZE;
	canvas = draw(20, 10, &frame);
	assert_int_equal(pixel(&canvas, 19, 9), at(19, 9));
	kr_render_canvas_finish(&canvas);
	kr_buffer_unref(frame.buffer);
}

/* What the canvas has at x,y of a frame that fills it, worked out the long way for one channel. */
static double
expected(const struct kr_frame *frame, double width, double height, uint32_t x, uint32_t y,
	bool vertical)
{
	double u = (x + 0.5) / width, v = (y + 0.5) / height, swap;
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(frame->buffer)->desc;

	if (frame->transform & NATIVE_WINDOW_TRANSFORM_ROT_90) {
		swap = u;
		u = v;
		v = 1 - swap;
	}
	if (frame->transform & NATIVE_WINDOW_TRANSFORM_FLIP_H)
		u = 1 - u;
	if (frame->transform & NATIVE_WINDOW_TRANSFORM_FLIP_V)
		v = 1 - v;
	u = u * desc->width - 0.5;
	v = v * desc->height - 0.5;
	u = KR_MIN(KR_MAX(u, 0.0), desc->width - 1.0);
	v = KR_MIN(KR_MAX(v, 0.0), desc->height - 1.0);
	return vertical ? v : u;
}

/* Enlarged a little and a lot, made smaller a little and a lot, each way round. */
static void
scaled_frames_are_bilinear(void **state)
{
	static const uint32_t sizes[][2] = {{20, 10}, {41, 31}, {130, 90}, {7, 5}, {3, 60}};

	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++) {
		struct kr_frame frame = {.buffer = gradient(sizes[i][0], sizes[i][1]),
			.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW};

		for (frame.transform = 0; frame.transform < 8; frame.transform++) {
			struct kr_render_canvas canvas = draw(40, 30, &frame);

			for (uint32_t n = 0; n < 40 * 30; n++) {
				uint32_t x = n % 40, y = n / 40, p = pixel(&canvas, x, y);
				double red = expected(&frame, 40, 30, x, y, false);
				double green = expected(&frame, 40, 30, x, y, true);

				assert_true((p >> 16) - red < 1.01 && red - (p >> 16) < 1.01);
				assert_true((p >> 8 & 0xff) - green < 1.01 &&
					green - (p >> 8 & 0xff) < 1.01);
				assert_int_equal(p & 0xff, 7);
			}
			kr_render_canvas_finish(&canvas);
		}
		kr_buffer_unref(frame.buffer);
	}
}

/* A picture of a large buffer reads what it shows: the pages between stay holes. */
static void
only_pages_that_show_are_read(void **state)
{
	const struct kr_buffer_desc desc = {16384, 8192, 1,
		AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT,
		AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN | AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN};
	struct kr_frame frame = {.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW};
	struct kr_render_canvas canvas;
	struct stat st;

	assert_int_equal(kr_buffer_allocate(&desc, &frame.buffer), 0);
	canvas = draw(64, 48, &frame);
	assert_int_equal(fstat(kr_buffer_get_info(frame.buffer)->fd, &st), 0);
	/* Two rows of 128 KiB for each row of the picture, of 1 GiB. */
	assert_true(st.st_blocks * INT64_C(512) <= 2 * 48 * (INT64_C(128) << 10));
	kr_render_canvas_finish(&canvas);
	kr_buffer_unref(frame.buffer);
}

/* Each format end to end: the producer writes it, the picture has the colour. */
static void
formats_keep_their_colours(void **state)
{
	static const struct {
		uint32_t format;
		uint32_t mask; /* bits of a channel that survive */
	} rows[] = {
		{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 0xffffff},
		{AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 0xffffff},
		{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, 0xffffff},
		{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 0xf8fcf8},
		{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 0xffffff},
		{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 0xffffff},
	};
	struct rig rig = {0};

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	for (unsigned i = 0; i < KR_ARRAY_LEN(rows); i++) {
		struct kr_queue *queue = rig_window(&rig, "format");
		struct rig_frame frame = {.format = rows[i].format, .fence = -1};

		rig_show(queue, &frame, rig_gradient, 200);
		rig_wait_frames(&rig, i + 1);
		assert_int_equal(rig_pixel(&rig, 40, 30) & rows[i].mask,
			rig_gradient(40, 30, 200) & rows[i].mask);
		rig_close(queue);
		rig_wait_gone(&rig, i + 1);
	}
	rig_stop(&rig, NULL);
}

/* The pixel of the gradient in wider formats. */
static uint64_t
wide_pixel(uint32_t format, uint32_t x, uint32_t y)
{
	return format == AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM ? kr_test_10_bit_pixel(at(x, y))
								  : kr_test_half_pixel(at(x, y));
}

static struct kr_buffer *
wide_gradient(uint32_t format, uint32_t width, uint32_t height)
{
	const struct kr_buffer_desc desc = {width, height, 1, format,
		AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN | AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN};
	size_t bytes = kr_format_bytes(format);
	struct kr_buffer *buffer;
	unsigned char *data;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	assert_int_equal(kr_buffer_map(buffer, (void **)&data), 0);
	memset(data, 0xff, kr_buffer_get_info(buffer)->size);
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			uint64_t value = wide_pixel(format, x, y);

			memcpy(data + (size_t)y * kr_buffer_get_info(buffer)->row_bytes + x * bytes,
				&value, bytes);
		}
	}
	return buffer;
}

/*
 * Odd sizes, a crop, a turn: wider pixels lie where others do. One canvas draws small
 * and large ones.
 */
static void
wider_pixels_are_placed_as_others(void **state)
{
	static const uint32_t formats[] = {AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
		AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT};

	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		struct kr_frame frame = {
			.buffer = wide_gradient(formats[i], 33, 21), .crop = {7, 3, 12, 20}};
		struct kr_render_canvas canvas = draw(33, 21, &frame);

		for (uint32_t y = 0; y < 17; y++) {
			for (uint32_t x = 0; x < 5; x++)
				assert_int_equal(pixel(&canvas, x, y), at(x + 7, y + 3));
		}
		assert_int_equal(pixel(&canvas, 5, 0), 0);
		frame.crop = (android_native_rect_t){0};
		draw_onto(&canvas, &frame);
		for (uint32_t y = 0; y < 21; y++) {
			for (uint32_t x = 0; x < 33; x++)
				assert_int_equal(pixel(&canvas, x, y), at(x, y));
		}
		frame.transform = NATIVE_WINDOW_TRANSFORM_ROT_180;
		draw_onto(&canvas, &frame);
		for (uint32_t y = 0; y < 21; y++) {
			for (uint32_t x = 0; x < 33; x++)
				assert_int_equal(pixel(&canvas, x, y), at(32 - x, 20 - y));
		}
		kr_render_canvas_finish(&canvas);
		kr_buffer_unref(frame.buffer);
	}
}

/* The later window lies on top; where it isn't, the earlier one shows. */
static void
layers_lie_in_order(void **state)
{
	struct rig rig = {0};
	struct rig_frame small = {.width = 10, .height = 10, .fence = -1};
	struct kr_queue *below, *above;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	below = rig_window(&rig, "below");
	rig_wait_stat(&rig, producers, 1);
	above = rig_window(&rig, "above");
	rig_wait_stat(&rig, producers, 2);
	rig_show_plain(below, 1);
	rig_show(above, &small, rig_plain, 2);
	rig_wait_frames(&rig, 1);
	assert_int_equal(rig_pixel(&rig, 9, 9), rig_plain(0, 0, 2));
	assert_int_equal(rig_pixel(&rig, 10, 9), rig_plain(0, 0, 1));
	rig_close(above);
	rig_wait_gone(&rig, 1);
	rig_show_plain(below, 3);
	rig_wait_frames(&rig, 2);
	assert_int_equal(rig_pixel(&rig, 0, 0), rig_plain(0, 0, 3));
	rig_close(below);
	rig_stop(&rig, NULL);
}

static void
canvas_sizes_are_checked(void **state)
{
	struct kr_render_canvas canvas;

	assert_int_equal(kr_render_canvas_init(&canvas, 0, 1), -EINVAL);
	assert_int_equal(kr_render_canvas_init(&canvas, 1, 0), -EINVAL);
	assert_int_equal(kr_render_canvas_init(&canvas, KR_RENDER_MAX_SIZE + 1, 1), -EINVAL);
}

static const struct kr_test tests[] = {
	KR_TEST(same_size_is_copied_exactly),
	KR_TEST(freeze_is_unscaled_at_the_corner),
	KR_TEST(scale_to_window_fills_the_canvas),
	KR_TEST(scale_crop_keeps_the_shape),
	KR_TEST(transforms_turn_and_flip),
	KR_TEST(crop_is_what_is_seen),
	KR_TEST(scaled_frames_are_bilinear),
	KR_TEST(only_pages_that_show_are_read),
	KR_TEST(formats_keep_their_colours),
	KR_TEST(wider_pixels_are_placed_as_others),
	KR_TEST(layers_lie_in_order),
	KR_TEST(canvas_sizes_are_checked),
};
KR_TEST_MAIN(tests)
