/* SPDX-License-Identifier: Apache-2.0 */
/* Reading dma-bufs: between the kernel's two calls, and never waiting (fake devices: buffer_rig.h). */
#include "harness.h"

#include <errno.h>

#include "buffer_rig.h"
#include "composer/compose.h"
#include "support.h"

#define SYNC_END 4

static int
draw(struct kr_canvas *canvas, struct kr_buffer *buffer)
{
	const struct kr_frame frame = {.buffer = buffer};
	struct kr_placement placement;

	assert_int_equal(kr_canvas_place(canvas, &frame, &placement), 0);
	return kr_canvas_draw(canvas, &frame, &placement);
}

static void
reads_are_told_to_the_kernel(void **state)
{
	static const uint32_t formats[] = {1, 4, 0x16, 0x2b};

	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		const struct kr_buffer_desc desc = {32, 32, 1, formats[i], 0x33};
		struct kr_canvas canvas;
		struct kr_buffer *buffer;
		uint32_t *pixels;

		rig_begin_with("dma-heap");
		assert_int_equal(kr_canvas_init(&canvas, 32, 32), 0);
		assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
		assert_int_equal(kr_buffer_map(buffer, (void **)&pixels), 0);
		canvas.pixels[0] = 0;
		pixels[0] = 0xffffffff;
		pixels[1] = 0xffff3c00;
		assert_int_equal(draw(&canvas, buffer), 0);
		if (formats[i] != 0x16)
			assert_int_equal(canvas.pixels[0] & 0xffffff, 0xffffff);
		assert_int_equal(
			fake_synced(kr_buffer_info(buffer)->fd), KR_DMA_BUF_READ | SYNC_END);
		kr_buffer_unref(buffer);
		kr_canvas_finish(&canvas);
		rig_end();
	}
}

/* Hostile, or late: who writes when it is drawn isn't waited for. */
static void
a_buffer_that_is_written_is_left_out(void **state)
{
	const struct kr_buffer_desc desc = {32, 32, 1, 1, 0x33};
	struct kr_canvas canvas;
	struct kr_buffer *buffer;
	struct rig_fence fence;

	rig_begin_with("udmabuf");
	assert_int_equal(kr_canvas_init(&canvas, 32, 32), 0);
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	fence = rig_fence_create();
	assert_int_equal(
		kr_buffer_import_fence(kr_buffer_info(buffer), KR_DMA_BUF_WRITE, fence.fence), 0);
	assert_int_equal(draw(&canvas, buffer), -ETIME);
	assert_int_equal(fake_synced(kr_buffer_info(buffer)->fd), 0);
	rig_fence_signal(&fence);
	assert_int_equal(draw(&canvas, buffer), 0);
	rig_fence_finish(&fence);
	kr_buffer_unref(buffer);
	kr_canvas_finish(&canvas);
	rig_end();
}

static const struct kr_test tests[] = {
	KR_TEST(reads_are_told_to_the_kernel),
	KR_TEST(a_buffer_that_is_written_is_left_out),
};

KR_TEST_MAIN(tests)
