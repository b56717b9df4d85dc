/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading dma-bufs: between the kernel's two calls, and never waiting (fake devices: buffer_rig.h).
 */
#include "rig.h"

#include <errno.h>

#include "buffer_rig.h"
#include "render/render.h"
#include "support.h"
#include "util/fd.h"

#define SYNC_END 4

static int
draw(struct kr_render_canvas *canvas, struct kr_buffer *buffer)
{
	const struct kr_render_layer *failed = NULL;
	struct kr_render_plan plan;
	pixman_region32_t stale;
	const struct kr_render_scene scene = {
		.width = 32,
		.height = 32,
		.order = KR_PIXELS_XRGB,
		.fixed_order = true,
		.wanted = true,
		.must_draw = true,
		.stale = &stale,
		.layers = {{.buffer = buffer,
			.frame = {0, 0, 32, 32},
			.blend = KR_RENDER_BLEND_NONE,
			.alpha = 1}},
		.count = 1,
	};
	uint64_t budget = UINT64_MAX, written = 0;
	int err;

	pixman_region32_init_rect(&stale, 0, 0, 32, 32);
	kr_render_plan_init(&plan);
	kr_render_plan_make(&plan, &scene);
	err = kr_render_draw(&plan, canvas, &budget, &written, &failed);
	assert_true(!err == !failed);
	kr_render_plan_finish(&plan);
	pixman_region32_fini(&stale);
	return err;
}

static void
reads_are_told_to_the_kernel(void **state)
{
	static const uint32_t formats[] = {1, 4, 0x16, 0x2b};

	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		const struct kr_buffer_desc desc = {32, 32, 1, formats[i], 0x33};
		struct kr_render_canvas canvas;
		struct kr_buffer *buffer;
		uint32_t *pixels;

		rig_begin_with("dma-heap");
		assert_int_equal(kr_render_canvas_init(&canvas, 32, 32), 0);
		assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
		assert_int_equal(kr_buffer_map(buffer, (void **)&pixels), 0);
		pixels[0] = 0xffffffff;
		pixels[1] = 0xffff3c00;
		assert_int_equal(draw(&canvas, buffer), 0);
		if (formats[i] != 0x16)
			assert_int_equal(*(const uint32_t *)(const void *)canvas.pixels & 0xffffff,
				0xffffff);
		assert_int_equal(
			fake_synced(kr_buffer_get_info(buffer)->fd), KR_DMA_BUF_READ | SYNC_END);
		kr_buffer_unref(buffer);
		kr_render_canvas_finish(&canvas);
		rig_end();
	}
}

/* Hostile, or late: who writes when it is drawn isn't waited for. */
static void
a_buffer_that_is_written_is_left_out(void **state)
{
	const struct kr_buffer_desc desc = {32, 32, 1, 1, 0x33};
	struct kr_render_canvas canvas;
	struct kr_buffer *buffer;
	struct rig_fence fence;

	rig_begin_with("udmabuf");
	assert_int_equal(kr_render_canvas_init(&canvas, 32, 32), 0);
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	fence = rig_fence_create();
	assert_int_equal(
		kr_buffer_import_fence(kr_buffer_get_info(buffer), KR_DMA_BUF_WRITE, fence.fence),
		0);
	assert_int_equal(draw(&canvas, buffer), -ETIME);
	assert_int_equal(fake_synced(kr_buffer_get_info(buffer)->fd), 0);
	rig_fence_signal(&fence);
	assert_int_equal(draw(&canvas, buffer), 0);
	rig_fence_finish(&fence);
	kr_buffer_unref(buffer);
	kr_render_canvas_finish(&canvas);
	rig_end();
}

enum fence {
	NONE,
	USER,
	KERNEL,
};

static int
make_fence(enum fence kind)
{
	struct rig_fence made;
	struct pair pair;

	if (kind == NONE)
		return -1;
	if (kind == USER) {
		pair = make_pair("frame");
		kr_fence_signal(pair.producer, KR_FENCE_SIGNALLED);
		return pair.fence;
	}
	made = rig_fence_create();
	rig_fence_signal(&made);
	return made.fence;
}

/* A window of its own that shows frames with these fences. */
static void
show(struct rig *rig, const char *fences)
{
	struct kr_queue *queue = rig_window(rig, "tier");

	for (; *fences; fences++) {
		struct rig_frame frame = {.fence = make_fence(*fences == 'k' ? KERNEL
							  : *fences == 'u'   ? USER
									     : NONE)};
		uint64_t shown = rig_stats(rig).shown;

		rig_show(queue, &frame, rig_plain, 1);
		rig_wait_stat(rig, shown, shown + 1);
	}
	rig_close(queue);
	rig_wait_gone(rig, (unsigned)rig_stats(rig).windows);
}

/* DESIGN 6: T1 is dma-bufs and any fences, of every window; what came is what is told. */
static void
tier_is_a_question_to_what_came(void **state)
{
	static const struct {
		const char *buffers;
		const char *fences[2]; /* of a window each */
		unsigned t1;           /* windows that reach it */
	} rows[] = {
		{"dma-heap", {"kk", NULL}, 1},
		{"udmabuf", {"-k-k", NULL}, 1},
		{"dma-heap", {"---", NULL}, 0},
		{"dma-heap", {"kku", NULL}, 1},
		{"udmabuf", {"u", NULL}, 1},
		{"dma-heap", {"u-u", NULL}, 1},
		{"memfd", {"uu", NULL}, 0},
		{"memfd", {"kk", NULL}, 0},
		{"udmabuf", {"kk", "kk"}, 2},
		{"udmabuf", {"kk", "--"}, 1},
		{"udmabuf", {"uu", "kk"}, 2},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		unsigned windows = rows[i].fences[1] ? 2 : 1, counts[3] = {0};
		struct kr_display_stats stats;
		struct rig rig = {0};

		rig_begin_with(rows[i].buffers);
		rig_start(&rig, KR_CLOCK_VIRTUAL);
		for (unsigned k = 0; k < windows; k++) {
			show(&rig, rows[i].fences[k]);
			for (const char *c = rows[i].fences[k]; *c; c++)
				counts[*c == 'k' ? KERNEL : *c == 'u' ? USER : NONE]++;
		}
		rig_stop(&rig, &stats);
		rig_end();
		assert_int_equal(stats.windows, windows);
		if (stats.windows_t1 != rows[i].t1)
			fail_msg("row %zu: %d", i, (int)stats.windows_t1);
		assert_int_equal(stats.kernel_fences, counts[KERNEL]);
		assert_int_equal(stats.user_fences, counts[USER]);
		assert_int_equal(stats.unfenced, counts[NONE]);
		assert_int_equal(stats.backends,
			1u << (*rows[i].buffers == 'd'            ? KR_BUFFER_DMA_HEAP
					: *rows[i].buffers == 'u' ? KR_BUFFER_UDMABUF
								  : KR_BUFFER_MEMFD));
	}
}

static const struct kr_test tests[] = {
	KR_TEST(reads_are_told_to_the_kernel),
	KR_TEST(a_buffer_that_is_written_is_left_out),
	KR_TEST(tier_is_a_question_to_what_came),
};

KR_TEST_MAIN(tests)
