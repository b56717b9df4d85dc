/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-output-xcb.so and frames that aren't shown as their buffer is: turned, scaled, placed,
 * opaque in a window with alpha.
 */
#include "harness.h"

#include <krafla/hardware_buffer.h>
#include <string.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "picture.h"
#include "util/clock.h"
#include "util/macros.h"
#include "x_rig.h"

#define SCREEN "640x480x24"
#define BGRA   AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
#define LIMIT  (5 * KR_NSEC_PER_SEC)
#define BLACK  0u

static const uint32_t colours[4] = {0xff0000, 0x00ff00, 0x0000ff, 0xffff00};

static void
write_pixel(void *row, uint32_t x, uint32_t format, uint32_t alpha, uint32_t rgb)
{
	if (format == BGRA)
		((uint32_t *)row)[x] = alpha << 24 | rgb;
	else
		((uint32_t *)row)[x] =
			alpha << 24 | (rgb & 0xff) << 16 | (rgb & 0xff00) | rgb >> 16;
}

/* Four quarters, of which the colours tell. */
static void
show(struct x_rig *rig, uint32_t width, uint32_t height, uint32_t format, uint32_t alpha)
{
	struct x_buffer buffer;
	uint32_t row;
	void *data;

	assert_int_equal(x_rig_dequeue(rig, width, height, format, LIMIT, &buffer), 0);
	assert_int_equal(kr_buffer_map(buffer.buffer, &data), 0);
	row = kr_buffer_get_info(buffer.buffer)->row_bytes;
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++)
			write_pixel((char *)data + (size_t)y * row, x, format, alpha,
				colours[(x >= width / 2) + 2 * (y >= height / 2)]);
	}
	assert_int_equal(x_rig_queue(rig, &buffer, -1), 0);
}

/* What stands in the window, whose pixels are words of 0xAARRGGBB. */
static uint32_t
pixel_at(struct x_rig *rig, uint32_t x, uint32_t y)
{
	xcb_get_image_reply_t *image = xcb_get_image_reply(rig->app,
		xcb_get_image(rig->app, XCB_IMAGE_FORMAT_Z_PIXMAP, rig->window, (int16_t)x,
			(int16_t)y, 1, 1, ~0u),
		NULL);
	uint32_t pixel;

	assert_non_null(image);
	memcpy(&pixel, xcb_get_image_data(image), sizeof(pixel));
	free(image);
	return pixel;
}

static void
expect_pixel(struct x_rig *rig, uint32_t x, uint32_t y, uint32_t mask, uint32_t wanted)
{
	for (int i = 0; i < 600 && (pixel_at(rig, x, y) & mask) != wanted; i++)
		usleep(5000);
	if ((pixel_at(rig, x, y) & mask) != wanted)
		fail_msg("at %u,%u stands %08x, not %08x", x, y, pixel_at(rig, x, y), wanted);
}

/* The middle of each quarter of a rectangle; `of` says which is where. */
static void
expect_quarters(struct x_rig *rig, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
	const unsigned of[4])
{
	for (unsigned q = 0; q < 4; q++)
		expect_pixel(rig, x + width / 4 + (q & 1) * (width / 2),
			y + height / 4 + (q >> 1) * (height / 2), 0xffffff, colours[of[q]]);
}

static const unsigned upright[4] = {0, 1, 2, 3};

static void
frames_are_turned(void **state)
{
	static const uint8_t modes[] = {KR_PRESENT_FIFO, KR_PRESENT_IMMEDIATE, KR_PRESENT_MAILBOX};
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 40);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	for (int32_t transform = 0; transform < 16; transform++) {
		bool side = transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
		unsigned of[4];

		for (unsigned q = 0; q < 4; q++)
			of[picture_place(q, transform)] = q;
		rig.input.transform = transform;
		rig.input.presentation.mode = modes[transform % 3];
		show(&rig, side ? 40 : 64, side ? 64 : 40, BGRA, 0xff);
		expect_quarters(&rig, 0, 0, 64, 40, of);
		/* To the last pixel. */
		expect_pixel(&rig, 0, 0, 0xffffff, colours[of[0]]);
		expect_pixel(&rig, 63, 39, 0xffffff, colours[of[3]]);
	}
	x_rig_stop(&rig);
}

static void
frames_are_scaled_and_placed(void **state)
{
	static const struct {
		uint8_t scaling, gravity_x, gravity_y;
		uint32_t x, y, width, height; /* where the 32x16 image lies in 96x64 */
	} cases[] = {
		{KR_SCALING_ONE_TO_ONE, KR_GRAVITY_MIN, KR_GRAVITY_MIN, 0, 0, 32, 16},
		{KR_SCALING_ONE_TO_ONE, KR_GRAVITY_MAX, KR_GRAVITY_MIN, 64, 0, 32, 16},
		{KR_SCALING_ONE_TO_ONE, KR_GRAVITY_CENTRED, KR_GRAVITY_MAX, 32, 48, 32, 16},
		{KR_SCALING_ONE_TO_ONE, KR_GRAVITY_MIN, KR_GRAVITY_CENTRED, 0, 24, 32, 16},
		{KR_SCALING_ASPECT, KR_GRAVITY_MIN, KR_GRAVITY_MIN, 0, 0, 96, 48},
		{KR_SCALING_ASPECT, KR_GRAVITY_MAX, KR_GRAVITY_MAX, 0, 16, 96, 48},
		{KR_SCALING_ASPECT, KR_GRAVITY_CENTRED, KR_GRAVITY_CENTRED, 0, 8, 96, 48},
		{KR_SCALING_STRETCH, KR_GRAVITY_MAX, KR_GRAVITY_CENTRED, 0, 0, 96, 64},
	};
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 96, 64);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		rig.input.presentation.scaling = cases[i].scaling;
		rig.input.presentation.gravity_x = cases[i].gravity_x;
		rig.input.presentation.gravity_y = cases[i].gravity_y;
		show(&rig, 32, 16, BGRA, 0xff);
		expect_quarters(
			&rig, cases[i].x, cases[i].y, cases[i].width, cases[i].height, upright);
		/* Beside it is nothing of the frame before. */
		if (cases[i].y >= 4)
			expect_pixel(&rig, 48, 1, 0xffffff, BLACK);
		if (cases[i].y + cases[i].height <= 60)
			expect_pixel(&rig, 48, 62, 0xffffff, BLACK);
	}
	x_rig_stop(&rig);
}

/* One that is larger than the window is cut as gravity says. */
static void
large_frames_are_cut(void **state)
{
	static const uint8_t gravities[] = {KR_GRAVITY_MIN, KR_GRAVITY_MAX, KR_GRAVITY_CENTRED};
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 40);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	rig.input.presentation.scaling = KR_SCALING_ONE_TO_ONE;
	for (size_t i = 0; i < KR_ARRAY_LEN(gravities); i++) {
		rig.input.presentation.gravity_x = gravities[i];
		rig.input.presentation.gravity_y = gravities[i];
		show(&rig, 128, 80, BGRA, 0xff);
		expect_pixel(&rig, 2, 2, 0xffffff, colours[i == 1 ? 3 : 0]);
		expect_pixel(&rig, 61, 37, 0xffffff, colours[i == 0 ? 0 : 3]);
	}
	x_rig_stop(&rig);
}

/* As large as the window is when the frame comes. */
static void
scaling_follows_the_window(void **state)
{
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 32, 32);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	rig.input.presentation.scaling = KR_SCALING_STRETCH;
	for (uint32_t size = 32; size <= 160; size += 32) {
		const uint32_t values[] = {size, size / 2};

		xcb_configure_window(rig.app, rig.window,
			XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
		free(xcb_get_input_focus_reply(rig.app, xcb_get_input_focus(rig.app), NULL));
		/* The first may come before its server has told of the size. */
		for (int i = 0; i < 3; i++)
			show(&rig, 32, 32, BGRA, 0xff);
		expect_quarters(&rig, 0, 0, size, size / 2, upright);
	}
	x_rig_stop(&rig);
}

/* A window of the visual that has alpha: the root's depth is 24. */
static void
open_blended(struct x_rig *rig)
{
	const xcb_setup_t *setup = xcb_get_setup(rig->app);
	xcb_screen_t *root = xcb_setup_roots_iterator(setup).data;
	xcb_depth_iterator_t depth = xcb_screen_allowed_depths_iterator(root);
	xcb_colormap_t map = xcb_generate_id(rig->app);
	uint32_t values[3] = {0, 0, map};

	while (depth.rem && depth.data->depth != 32)
		xcb_depth_next(&depth);
	assert_true(depth.rem);
	rig->visual = xcb_depth_visuals(depth.data)->visual_id;
	rig->window = xcb_generate_id(rig->app);
	xcb_create_colormap(rig->app, XCB_COLORMAP_ALLOC_NONE, map, root->root, rig->visual);
	xcb_create_window(rig->app, 32, rig->window, root->root, 0, 0, rig->width, rig->height, 0,
		XCB_WINDOW_CLASS_INPUT_OUTPUT, rig->visual,
		XCB_CW_BACK_PIXEL | XCB_CW_BORDER_PIXEL | XCB_CW_COLORMAP, values);
	xcb_map_window(rig->app, rig->window);
}

static void
alpha_is_as_the_frame_says(void **state)
{
	static const uint32_t formats[] = {BGRA, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM};
	struct kr_queue_config config;
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 40);
	open_blended(&rig);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	kr_queue_get_config(rig.queue, &config);
	assert_int_equal(config.abilities.alphas,
		KR_ABILITY(KR_ALPHA_INHERIT) | KR_ABILITY(KR_ALPHA_OPAQUE) |
			KR_ABILITY(KR_ALPHA_PREMULTIPLIED));
	for (size_t f = 0; f < KR_ARRAY_LEN(formats); f++) {
		rig.input.presentation.alpha = KR_ALPHA_PREMULTIPLIED;
		show(&rig, 64, 40, formats[f], 0x40);
		expect_pixel(&rig, 1, 1, ~0u, 0x40000000 | colours[0]);
		rig.input.presentation.alpha = KR_ALPHA_OPAQUE;
		show(&rig, 64, 40, formats[f], 0x40);
		expect_pixel(&rig, 1, 1, ~0u, 0xff000000 | colours[0]);
		rig.input.presentation.alpha = KR_ALPHA_INHERIT;
		show(&rig, 64, 40, formats[f], 0x20);
		expect_pixel(&rig, 1, 1, ~0u, 0x20000000 | colours[0]);
	}
	x_rig_stop(&rig);
}

/* Sent over the wire, where the server can't map our memory. */
static void
pictures_are_sent(void **state)
{
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, "-extension", "MIT-SHM", 64, 40);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	rig.input.transform = NATIVE_WINDOW_TRANSFORM_ROT_180;
	show(&rig, 64, 40, BGRA, 0xff);
	expect_quarters(&rig, 0, 0, 64, 40, (const unsigned[]){3, 2, 1, 0});
	x_rig_stop(&rig);
}

static void
fill(struct x_buffer *buffer, uint32_t rgb)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer->buffer);
	void *data;

	assert_int_equal(kr_buffer_map(buffer->buffer, &data), 0);
	for (uint64_t i = 0; i < info->size / 4; i++)
		((uint32_t *)data)[i] = 0xff000000 | rgb;
}

/* The one buffer is drawn into while it stands in the window, upright or not. */
static void
a_shared_buffer_is_shown_again(void **state)
{
	for (int32_t transform = 0; transform < 2; transform++) {
		struct x_buffer buffer;
		struct x_rig rig;

		x_rig_start(&rig, SCREEN, NULL, NULL, 64, 40);
		x_rig_open(&rig, KR_PRESENT_SHARED_DEMAND);
		rig.input.transform = transform;
		assert_int_equal(kr_queue_set_shared(rig.queue, true), 0);
		for (uint32_t i = 0; i < 100; i++) {
			assert_int_equal(x_rig_dequeue(&rig, 64, 40, BGRA, LIMIT, &buffer), 0);
			fill(&buffer, i);
			assert_int_equal(x_rig_queue(&rig, &buffer, -1), 0);
		}
		expect_pixel(&rig, 5, 5, 0xffffff, 99);
		/* From now on nobody says anything. */
		rig.input.presentation.mode = KR_PRESENT_SHARED_CONTINUOUS;
		assert_int_equal(x_rig_dequeue(&rig, 64, 40, BGRA, LIMIT, &buffer), 0);
		assert_int_equal(x_rig_queue(&rig, &buffer, -1), 0);
		for (uint32_t i = 0; i < 4; i++) {
			fill(&buffer, 0x1000 + i);
			expect_pixel(&rig, 5, 5, 0xffffff, 0x1000 + i);
		}
		/* And back: it is released by the frame that takes its place. */
		assert_int_equal(kr_queue_set_shared(rig.queue, false), 0);
		rig.input.presentation.mode = KR_PRESENT_FIFO;
		for (uint32_t i = 0; i < 8; i++)
			show(&rig, 64, 40, BGRA, 0xff);
		expect_pixel(&rig, 1, 1, 0xffffff, colours[transform]);
		x_rig_stop(&rig);
	}
}

/* A server that goes meanwhile is the window's end, and the thread's. */
static void
a_server_may_go_while_it_is_read(void **state)
{
	struct x_buffer buffer;
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 40);
	x_rig_open(&rig, KR_PRESENT_SHARED_CONTINUOUS);
	assert_int_equal(kr_queue_set_shared(rig.queue, true), 0);
	assert_int_equal(x_rig_dequeue(&rig, 64, 40, BGRA, LIMIT, &buffer), 0);
	fill(&buffer, 7);
	assert_int_equal(x_rig_queue(&rig, &buffer, -1), 0);
	expect_pixel(&rig, 5, 5, 0xffffff, 7);
	kr_xvfb_stop(&rig.server);
	for (int i = 0; i < 1000 && kr_queue_alive(rig.queue); i++)
		usleep(5000);
	assert_false(kr_queue_alive(rig.queue));
	x_rig_stop(&rig);
}

/* libxcb and libdl keep memory of their own. */
#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(frames_are_turned, KEEPS),
	KR_TEST_FLAGS(frames_are_scaled_and_placed, KEEPS),
	KR_TEST_FLAGS(large_frames_are_cut, KEEPS),
	KR_TEST_FLAGS(scaling_follows_the_window, KEEPS),
	KR_TEST_FLAGS(alpha_is_as_the_frame_says, KEEPS),
	KR_TEST_FLAGS(pictures_are_sent, KEEPS),
	KR_TEST_FLAGS(a_shared_buffer_is_shown_again, KEEPS),
	KR_TEST_FLAGS(a_server_may_go_while_it_is_read, KEEPS),
};

KR_TEST_MAIN(tests)
