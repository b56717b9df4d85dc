/* SPDX-License-Identifier: Apache-2.0 */
/* Windows that are translucent, and that their images don't fill, as a display shows them. */
#include "rig.h"

#include <krafla/hardware_buffer.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"

#define BELOW 0x00a040u

/* Of all pixels, as they lie in an RGBA buffer: premultiplied, half of red, or straight. */
#define HALF_RED 0x80000080u
#define RED_HALF 0x800000ffu

static uint32_t
below(unsigned x, unsigned y, unsigned seed)
{
	return BELOW;
}

/* rig_show has no alpha: pixels with the alpha that a test wants. */
static void
show_pixels(struct kr_queue *queue, const struct kr_queue_input *input, uint32_t width,
	uint32_t height, uint32_t format, uint32_t value)
{
	const struct kr_queue_request request = {
		.width = width,
		.height = height,
		.format = format,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_clock_now() + 10 * KR_NSEC_PER_SEC,
	};
	const struct kr_buffer_info *info;
	struct kr_buffer *buffer;
	uint32_t slot, *data;
	int fence;

	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &fence), 0);
	info = kr_buffer_get_info(buffer);
	assert_int_equal(kr_buffer_map(buffer, (void **)&data), 0);
	for (size_t i = 0; i < (size_t)info->row_bytes / 4 * info->desc.height; i++)
		data[i] = value;
	assert_int_equal(kr_queue_queue(queue, slot, input, -1, NULL), 0);
}

struct two {
	struct rig rig;
	struct kr_queue *lower;
	struct kr_queue *upper;
};

static void
begin(struct two *two, const char *device)
{
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);

	memset(two, 0, sizeof(*two));
	config.device = device;
	two->rig.laid_out = true;
	rig_start_with(&two->rig, &config);
	two->lower = rig_window(&two->rig, "lower");
	rig_wait_stat(&two->rig, producers, 1);
	two->upper = rig_window(&two->rig, "upper");
	rig_wait_stat(&two->rig, producers, 2);
}

static void
show_both(struct two *two, const struct kr_queue_input *input, uint32_t width, uint32_t height,
	uint32_t format, uint32_t value)
{
	struct rig_frame frame = RIG_FRAME;

	rig_show(two->lower, &frame, below, 0);
	show_pixels(two->upper, input, width, height, format, value);
	rig_wait_frames(&two->rig, 1);
}

static void
end(struct two *two)
{
	rig_close(two->lower);
	rig_close(two->upper);
	rig_stop(&two->rig, NULL);
}

static void
expect_close(uint32_t is, uint32_t expected)
{
	for (int shift = 0; shift < 24; shift += 8) {
		int a = (int)(is >> shift & 0xff), b = (int)(expected >> shift & 0xff);

		assert_true(abs(a - b) <= 1);
	}
}

static const char *const devices[] = {"soft", "random:7"};

static void
each_alpha_is_blended_as_it_says(void **state)
{
	static const uint32_t rgba = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	static const struct {
		enum kr_present_alpha alpha;
		uint32_t format;
		uint32_t pixels;
		uint32_t seen;
	} rows[] = {
		{KR_ALPHA_INHERIT, rgba, HALF_RED, 0x800000},
		{KR_ALPHA_OPAQUE, rgba, HALF_RED, 0x800000},
		{KR_ALPHA_PREMULTIPLIED, rgba, HALF_RED, 0x805020},
		{KR_ALPHA_PREMULTIPLIED, rgba, 0, BELOW},
		{KR_ALPHA_STRAIGHT, rgba, RED_HALF, 0x805020},
		{KR_ALPHA_STRAIGHT, rgba, 0x000000ff, BELOW},
		{KR_ALPHA_PREMULTIPLIED, AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, HALF_RED, 0x800000},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows) * KR_ARRAY_LEN(devices); i++) {
		const struct kr_queue_input input = {.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
			.presentation = {.alpha = (uint8_t)rows[i / 2].alpha}};
		static struct two two;

		begin(&two, devices[i % 2]);
		show_both(&two, &input, 32, 24, rows[i / 2].format, rows[i / 2].pixels);
		expect_close(rig_pixel(&two.rig, 32, 24), rows[i / 2].seen);
		assert_int_equal(rig_pixel(&two.rig, 1, 1), BELOW);
		end(&two);
	}
}

/* A window of 40x40 in the middle of 64x48, with an image of 20x10. */
static void
what_an_image_leaves_is_black_or_nothing(void **state)
{
	static const struct {
		uint8_t scaling, x, y;
		android_native_rect_t image; /* on the picture */
	} rows[] = {
		{KR_SCALING_ONE_TO_ONE, KR_GRAVITY_MIN, KR_GRAVITY_MIN, {12, 4, 32, 14}},
		{KR_SCALING_ONE_TO_ONE, KR_GRAVITY_MAX, KR_GRAVITY_CENTRED, {32, 19, 52, 29}},
		{KR_SCALING_ASPECT, KR_GRAVITY_MIN, KR_GRAVITY_MAX, {12, 24, 52, 44}},
		{KR_SCALING_STRETCH, KR_GRAVITY_MIN, KR_GRAVITY_MIN, {12, 4, 52, 44}},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows) * 4; i++) {
		bool opaque = i / 2 % 2;
		const struct kr_queue_input input = {
			.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
			.presentation = {.alpha = opaque ? KR_ALPHA_OPAQUE : KR_ALPHA_PREMULTIPLIED,
				.scaling = rows[i / 4].scaling,
				.gravity_x = rows[i / 4].x,
				.gravity_y = rows[i / 4].y},
			.window_width = 40,
			.window_height = 40,
		};
		const android_native_rect_t *image = &rows[i / 4].image;
		static struct two two;

		begin(&two, devices[i % 2]);
		show_both(&two, &input, 20, 10, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 0xff0000ff);
		for (int y = 0; y < RIG_HEIGHT; y++) {
			for (int x = 0; x < RIG_WIDTH; x++) {
				bool window = x >= 12 && x < 52 && y >= 4 && y < 44;
				bool covered = x >= image->left && x < image->right &&
					y >= image->top && y < image->bottom;

				assert_int_equal(rig_pixel(&two.rig, (unsigned)x, (unsigned)y),
					covered                    ? 0xff0000
						: window && opaque ? 0
								   : BELOW);
			}
		}
		end(&two);
	}
}

/* A composer has 64 layers: windows come first, and the display goes on. */
static void
windows_come_before_what_is_behind_them(void **state)
{
	const struct kr_queue_input input = {
		.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
		.presentation = {.alpha = KR_ALPHA_OPAQUE, .scaling = KR_SCALING_ONE_TO_ONE},
		.window_width = 40,
		.window_height = 40,
	};
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	static struct kr_queue *queues[40];
	static struct rig rig;
	int64_t until = kr_clock_now() + 10 * KR_NSEC_PER_SEC;

	memset(&rig, 0, sizeof(rig));
	rig_start_with(&rig, &config);
	for (unsigned i = 0; i < KR_ARRAY_LEN(queues); i++) {
		queues[i] = rig_window(&rig, "one of many");
		rig_wait_stat(&rig, producers, i + 1);
		show_pixels(queues[i], &input, 8, 8, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
			0xff000000 | i * 5);
		rig_wait_stat(&rig, composed, i + 1);
	}
	while (rig_pixel(&rig, 1, 1) != (KR_ARRAY_LEN(queues) - 1) * 5 << 16)
		assert_true(kr_clock_now() < until);
	for (unsigned i = 0; i < KR_ARRAY_LEN(queues); i++)
		rig_close(queues[i]);
	rig_stop(&rig, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(each_alpha_is_blended_as_it_says),
	KR_TEST(what_an_image_leaves_is_black_or_nothing),
	KR_TEST(windows_come_before_what_is_behind_them),
};
KR_TEST_MAIN(tests)
