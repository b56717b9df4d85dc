/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading dma-bufs: between the kernel's two calls, and never waiting (fake devices: buffer_rig.h).
 */
#include "rig.h"

#include <errno.h>

#include "buffer_rig.h"
#include "support.h"

#define SYNC_END 4

struct board {
	struct kr_render_canvas canvas;
	struct kr_render_plan plan;
	pixman_region32_t stale;
};

static void
begin(struct board *board)
{
	*board = (struct board){0};
	kr_render_plan_init(&board->plan);
	pixman_region32_init_rect(&board->stale, 0, 0, 32, 32);
	assert_int_equal(kr_render_canvas_init(&board->canvas, 32, 32), 0);
}

static void
end(struct board *board)
{
	kr_render_plan_finish(&board->plan);
	kr_render_canvas_finish(&board->canvas);
	pixman_region32_fini(&board->stale);
}

/* Two layers, side by side; what failed. */
static int
draw(struct board *board, struct kr_buffer *left, struct kr_buffer *right, const void **failed)
{
	struct kr_render_scene scene = {.width = 32,
		.height = 32,
		.wanted = true,
		.must_draw = true,
		.stale = &board->stale};
	const struct kr_render_layer *layer = NULL;
	uint64_t budget = UINT64_MAX, written = 0;
	int err;

	scene.layers[scene.count++] = rig_layer(left, 0, 0);
	scene.layers[scene.count++] = rig_layer(right, 16, 0);
	kr_render_plan_make(&board->plan, &scene);
	err = kr_render_draw(&board->plan, &board->canvas, &budget, &written, &layer);
	*failed = layer ? layer->owner : NULL;
	assert_int_equal(written, err ? 0 : 32 * 32 * 4);
	return err;
}

static void
reads_are_told_to_the_kernel(void **state)
{
	static const uint32_t formats[] = {RGBA, RGB5, HALF, RGB10};

	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		struct kr_buffer *buffer, *other;
		const void *failed;
		struct board board;

		rig_begin_with("dma-heap");
		begin(&board);
		buffer = rig_buffer(16, 32, formats[i]);
		other = rig_buffer(16, 32, RGBA);
		assert_int_equal(draw(&board, buffer, other, &failed), 0);
		assert_int_equal(
			fake_synced(kr_buffer_get_info(buffer)->fd), KR_DMA_BUF_READ | SYNC_END);
		kr_buffer_unref(buffer);
		kr_buffer_unref(other);
		end(&board);
		rig_end();
	}
}

/* Hostile, or late: who writes when it is drawn isn't waited for, and named; nothing is drawn. */
static void
a_buffer_that_is_written_is_named(void **state)
{
	struct kr_buffer *buffer, *other;
	struct rig_fence fence;
	const void *failed;
	struct board board;

	rig_begin_with("udmabuf");
	begin(&board);
	buffer = rig_buffer(16, 32, RGBA);
	other = rig_buffer(16, 32, RGBA);
	fence = rig_fence_create();
	assert_int_equal(
		kr_buffer_import_fence(kr_buffer_get_info(buffer), KR_DMA_BUF_WRITE, fence.fence),
		0);
	assert_int_equal(draw(&board, other, buffer, &failed), -ETIME);
	assert_ptr_equal(failed, buffer);
	assert_int_equal(fake_synced(kr_buffer_get_info(buffer)->fd), 0);
	/* The one before it was opened, and is closed again. */
	assert_int_equal(fake_synced(kr_buffer_get_info(other)->fd), KR_DMA_BUF_READ | SYNC_END);
	rig_fence_signal(&fence);
	assert_int_equal(draw(&board, other, buffer, &failed), 0);
	rig_fence_finish(&fence);
	kr_buffer_unref(buffer);
	kr_buffer_unref(other);
	end(&board);
	rig_end();
}

static const struct kr_test tests[] = {
	KR_TEST(reads_are_told_to_the_kernel),
	KR_TEST(a_buffer_that_is_written_is_named),
};
KR_TEST_MAIN(tests)
