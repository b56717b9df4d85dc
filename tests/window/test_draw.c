/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ANativeWindow_lock and _unlockAndPost: each frame that is shown is, pixel by pixel, the one
 * before with what was drawn; whatever buffers come, in whatever order.
 */
#include "help.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>

#include "gralloc/buffer.h"
#include "util/macros.h"
#include "window/window.h"

#define WIDTH  64 /* help_config's */
#define HEIGHT 32
#define FRAMES 2000

static struct fake_sink sink;

static ANativeWindow *
open_window(unsigned max_acquired)
{
	struct kr_queue_config config = help_config;
	struct kr_queue *queue;
	ANativeWindow *window;

	config.max_acquired = max_acquired;
	fake_sink_init(&sink, false);
	assert_int_equal(kr_queue_create(&config, &sink.base, &queue), 0);
	assert_int_equal(kr_window_create(queue, &window), 0);
	kr_queue_unref(queue);
	assert_int_equal(ANativeWindow_setDequeueTimeout(window, 0), 0);
	return window;
}

static void
close_window(ANativeWindow *window)
{
	ANativeWindow_release(window);
	fake_sink_finish(&sink, NULL);
}

/* --- the picture --- */

static uint64_t state;

static uint32_t
random_below(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((state >> 33) % below);
}

struct model {
	uint32_t pixels[HEIGHT][WIDTH];
};

/* Of a rectangle that may lie outside, too. */
static void
draw(const ANativeWindow_Buffer *pixels, struct model *model, const ARect *rect, uint32_t colour)
{
	for (int32_t y = KR_MAX(rect->top, 0); y < KR_MIN(rect->bottom, HEIGHT); y++) {
		for (int32_t x = KR_MAX(rect->left, 0); x < KR_MIN(rect->right, WIDTH); x++) {
			((uint32_t *)pixels->bits)[y * pixels->stride + x] = colour + (uint32_t)x;
			model->pixels[y][x] = colour + (uint32_t)x;
		}
	}
}

static void
expect_shown(const struct model *model, ANativeWindow_Buffer pixels, unsigned frame)
{
	for (int y = 0; y < HEIGHT; y++) {
		const uint32_t *row = (const uint32_t *)pixels.bits + y * pixels.stride;

		if (memcmp(row, model->pixels[y], sizeof(model->pixels[y])) != 0)
			fail_msg("frame %u, row %d is another", frame, y);
	}
}

static ARect
random_rect(uint32_t most)
{
	ARect rect = {(int32_t)random_below(WIDTH) - 4, (int32_t)random_below(HEIGHT) - 4};

	rect.right = rect.left + (int32_t)random_below(most);
	rect.bottom = rect.top + (int32_t)random_below(most / 2);
	return rect;
}

/* Some by ANativeWindow's other functions, all of it: those that draw then have to notice. */
static void
queue_another_way(ANativeWindow *window, struct model *model, uint32_t colour)
{
	const ARect all = {0, 0, WIDTH, HEIGHT};
	ANativeWindowBuffer *native;
	void *data;
	int fence;

	assert_int_equal(ANativeWindow_dequeueBuffer(window, &native, &fence), 0);
	assert_int_equal(kr_buffer_map(kr_buffer_from_native(native), &data), 0);
	draw(&(ANativeWindow_Buffer){.stride = native->stride, .bits = data}, model, &all, colour);
	assert_int_equal(ANativeWindow_queueBuffer(window, native, -1), 0);
}

static void
frames_are_the_one_before_and_what_was_drawn(void **unused)
{
	/* With the last, buffers come back that lack more frames than are remembered. */
	static const unsigned counts[] = {1, 2, 3, 15, 16, 17, 40};

	for (size_t k = 0; k < KR_ARRAY_LEN(counts); k++) {
		unsigned max_acquired = counts[k];
		ANativeWindow *window = open_window(max_acquired);
		static struct model model;
		ANativeWindow_Buffer pixels;
		ARect all = {0};

		state = max_acquired;
		assert_int_equal(ANativeWindow_lock(window, &pixels, &all), 0);
		assert_int_equal(all.right, WIDTH);
		assert_int_equal(all.bottom, HEIGHT);
		draw(&pixels, &model, &all, 1);
		assert_int_equal(ANativeWindow_unlockAndPost(window), 0);
		for (unsigned i = 0; i < FRAMES; i++) {
			/* Small ones, so that many together don't cover it all. */
			ARect rect = random_rect(max_acquired < 4 ? WIDTH : 4);

			while (sink.frame_count > random_below(max_acquired + 1))
				fake_sink_release(&sink, -1);
			if (random_below(20) == 0)
				queue_another_way(window, &model, i << 16);
			while (sink.frame_count > max_acquired)
				fake_sink_release(&sink, -1);
			assert_int_equal(ANativeWindow_lock(window, &pixels, &rect), 0);
			draw(&pixels, &model, &rect, i << 8);
			expect_shown(&model, pixels, i);
			assert_int_equal(ANativeWindow_unlockAndPost(window), 0);
		}
		close_window(window);
	}
}

static void
bounds_are_cut_and_told(void **unused)
{
	ANativeWindow *window = open_window(1);
	ARect out = {-5, -5, 10, 1000}, nothing = {100, 100, 120, 120};
	ANativeWindow_Buffer pixels;

	assert_int_equal(ANativeWindow_lock(window, &pixels, NULL), 0);
	assert_int_equal(pixels.width, WIDTH);
	assert_int_equal(pixels.height, HEIGHT);
	assert_true(pixels.stride >= WIDTH);
	assert_int_equal(pixels.format, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	memset(pixels.bits, 0x5a, (size_t)pixels.stride * HEIGHT * 4);
	assert_int_equal(ANativeWindow_unlockAndPost(window), 0);
	assert_int_equal(sink.frames[0].damage_count, 1);
	assert_int_equal(sink.frames[0].damage[0].right, WIDTH);
	assert_int_equal(ANativeWindow_lock(window, &pixels, &out), 0);
	assert_memory_equal(&out, (&(ARect){0, 0, 10, HEIGHT}), sizeof(out));
	assert_int_equal(((uint8_t *)pixels.bits)[10 * 4], 0x5a);
	assert_int_equal(ANativeWindow_unlockAndPost(window), 0);
	assert_int_equal(sink.frames[1].damage[0].right, 10);
	fake_sink_release(&sink, -1);
	assert_int_equal(ANativeWindow_lock(window, &pixels, &nothing), 0);
	assert_true(nothing.left >= nothing.right);
	assert_int_equal(ANativeWindow_unlockAndPost(window), 0);
	/* Another size has no frame before. */
	assert_int_equal(ANativeWindow_setBuffersGeometry(
				 window, 32, 16, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM),
		0);
	fake_sink_release(&sink, -1);
	out = (ARect){1, 1, 2, 2};
	assert_int_equal(ANativeWindow_lock(window, &pixels, &out), 0);
	assert_memory_equal(&out, (&(ARect){0, 0, 32, 16}), sizeof(out));
	assert_int_equal(pixels.format, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM);
	assert_int_equal(ANativeWindow_unlockAndPost(window), 0);
	close_window(window);
}

static void
errors_are_androids(void **unused)
{
	ANativeWindow *window = open_window(1);
	ANativeWindow_Buffer pixels;

	assert_int_equal(ANativeWindow_lock(NULL, &pixels, NULL), -EINVAL);
	assert_int_equal(ANativeWindow_unlockAndPost(NULL), -EINVAL);
	assert_int_equal(ANativeWindow_lock(window, NULL, NULL), -EINVAL);
	assert_int_equal(ANativeWindow_unlockAndPost(window), -ENOSYS);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(ANativeWindow_lock(window, &pixels, NULL), -EINVAL);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(ANativeWindow_lock(window, &pixels, NULL), 0);
	assert_int_equal(ANativeWindow_lock(window, &pixels, NULL), -ENOSYS);
	assert_int_equal(ANativeWindow_unlockAndPost(window), 0);
	assert_int_equal(ANativeWindow_unlockAndPost(window), -ENOSYS);
	/* All that it may have are on their way. */
	assert_int_equal(ANativeWindow_lock(window, &pixels, NULL), 0);
	assert_int_equal(ANativeWindow_unlockAndPost(window), 0);
	assert_int_equal(ANativeWindow_lock(window, &pixels, NULL), -ETIMEDOUT);
	fake_sink_release(&sink, -1);
	assert_int_equal(ANativeWindow_lock(window, &pixels, NULL), 0);
	/* A frame that nobody posts goes with the connection, or the window. */
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_CPU), 0);
	assert_int_equal(ANativeWindow_unlockAndPost(window), -ENOSYS);
	assert_int_equal(ANativeWindow_lock(window, &pixels, NULL), 0);
	close_window(window);
}

static void
formats_that_no_cpu_draws_are_refused(void **unused)
{
	ANativeWindow *window = open_window(1);
	ANativeWindow_Buffer pixels;

	assert_int_equal(ANativeWindow_setBuffersGeometry(
				 window, 32, 16, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420),
		0);
	assert_true(ANativeWindow_lock(window, &pixels, NULL) < 0);
	assert_int_equal(
		ANativeWindow_setBuffersGeometry(window, 0, 0, AHARDWAREBUFFER_FORMAT_BLOB), 0);
	assert_true(ANativeWindow_lock(window, &pixels, NULL) < 0);
	assert_int_equal(ANativeWindow_setBuffersGeometry(window, 0, 0, 0), 0);
	assert_int_equal(ANativeWindow_lock(window, &pixels, NULL), 0);
	assert_int_equal(ANativeWindow_unlockAndPost(window), 0);
	close_window(window);
}

static const struct kr_test tests[] = {
	KR_TEST(frames_are_the_one_before_and_what_was_drawn),
	KR_TEST(bounds_are_cut_and_told),
	KR_TEST(errors_are_androids),
	KR_TEST(formats_that_no_cpu_draws_are_refused),
};
KR_TEST_MAIN(tests)
