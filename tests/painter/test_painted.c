/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a painter draws against the reference, by the scenes that the CPU's renderer is held to. All
 * of a case is drawn by one painter, picture after picture on one canvas.
 */
#include "rig.h"

#include <stdlib.h>
#include <string.h>

#include "scenes.h"

#define FEW 40

struct paint {
	struct kr_painter *painter;
	uint64_t number, id;
};

static struct kr_painter_result
draw(struct paint *paint, const struct scenes_picture *picture, const uint64_t *ids,
	const pixman_region32_t *stale)
{
	const struct kr_painter_request request = {
		.number = ++paint->number,
		.width = SCENES_WIDTH,
		.height = SCENES_HEIGHT,
		.order = picture->scene.order,
		.has_alpha = picture->scene.has_alpha,
		.readback = true,
		.layers = picture->scene.layers,
		.ids = ids,
		.count = picture->scene.count,
		.stale = stale,
	};

	return rig_paint(paint->painter, &request);
}

/* The canvas is as the reference wants it before. */
static void
draw_before(struct paint *paint, const struct scenes_picture *picture)
{
	const uint8_t byte = (uint8_t)SCENES_BEFORE;
	const struct kr_render_layer layer = {
		.frame = {0, 0, SCENES_WIDTH, SCENES_HEIGHT},
		.blend = KR_RENDER_BLEND_PREMULTIPLIED,
		.alpha = 1,
		.color = {byte, byte, byte, byte},
	};
	const struct kr_painter_request request = {
		.number = ++paint->number,
		.width = SCENES_WIDTH,
		.height = SCENES_HEIGHT,
		.order = picture->scene.order,
		.has_alpha = true,
		.layers = &layer,
		.ids = &(uint64_t){0},
		.count = 1,
	};

	assert_int_equal(rig_paint(paint->painter, &request).error, 0);
}

static void
take_pixels(struct scenes_picture *picture, const struct kr_painter_result *result)
{
	assert_non_null(result->pixels);
	for (uint32_t y = 0; y < SCENES_HEIGHT; y++)
		memcpy(&picture->pixels[y * SCENES_STRIDE],
			(const uint8_t *)result->pixels + (size_t)y * result->row_bytes,
			SCENES_WIDTH * 4);
}

static double
run_scene(void *data, uint64_t seed, unsigned most)
{
	struct paint *paint = data;
	struct scenes_picture picture = {0};
	uint64_t ids[KR_RENDER_MAX_LAYERS] = {0};
	struct kr_painter_result result;

	scenes_begin(&picture, seed, most);
	for (unsigned i = 0; i < picture.scene.count; i++) {
		if (!picture.scene.layers[i].buffer)
			continue;
		ids[i] = ++paint->id;
		assert_int_equal(rig_add(paint->painter, ids[i], picture.scene.layers[i].buffer),
			KR_PAINTER_GOOD);
	}
	draw_before(paint, &picture);
	result = draw(paint, &picture, ids, &picture.stale);
	assert_int_equal(result.error, 0);
	take_pixels(&picture, &result);
	kr_painter_give_back(paint->painter, result.ring);
	(void)scenes_compare(&picture, &picture.stale);
	for (unsigned i = 0; i < picture.scene.count; i++) {
		if (ids[i])
			kr_painter_remove_buffer(paint->painter, ids[i]);
	}
	scenes_end(&picture);
	return picture.worst;
}

static void
run(enum rig_driver driver, uint64_t first, unsigned count, unsigned most)
{
	struct kr_painter_report report;
	struct paint paint = {0};

	rig_use(driver);
	paint.painter = rig_start(&report);
	assert_true(report.cpu);
	scenes_run(first, count, most, run_scene, &paint);
	kr_painter_stop(paint.painter);
}

static void
single_layers_are_as_the_reference(void **state)
{
	run(RIG_LAVAPIPE, 1, 4 * FEW, 1);
}

static void
stacks_are_as_the_reference(void **state)
{
	run(RIG_LAVAPIPE, 10000, 2 * FEW, KR_RENDER_MAX_LAYERS);
}

static void
so_they_are_by_swiftshader(void **state)
{
	run(RIG_SWIFTSHADER, 1, FEW, 1);
}

static void
so_are_stacks_by_swiftshader(void **state)
{
	run(RIG_SWIFTSHADER, 10000, FEW, KR_RENDER_MAX_LAYERS);
}

/* --- what is read again --- */

static struct kr_painter_result
draw_changed(struct paint *paint, const struct scenes_picture *picture, const uint64_t *ids,
	const uint64_t *contents, const pixman_region32_t *stale)
{
	const struct kr_painter_request request = {
		.number = ++paint->number,
		.width = SCENES_WIDTH,
		.height = SCENES_HEIGHT,
		.order = picture->scene.order,
		.has_alpha = picture->scene.has_alpha,
		.readback = true,
		.layers = picture->scene.layers,
		.ids = ids,
		.contents = contents,
		.count = picture->scene.count,
		.stale = stale,
	};
	struct kr_painter_result result = rig_paint(paint->painter, &request);

	assert_int_equal(result.error, 0);
	return result;
}

/* A part of a buffer gets other pixels; what of the canvas that has a say in. */
static void
change_something(struct scenes_picture *picture, unsigned at, pixman_region32_t *stale)
{
	struct kr_render_layer *layer = &picture->scene.layers[at];
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(layer->buffer)->desc;
	ARect box = {(int32_t)rig_random(&picture->random, desc->width),
		(int32_t)rig_random(&picture->random, desc->height), 0, 0};

	box.right = box.left + 1 +
		(int32_t)rig_random(&picture->random, desc->width - (uint32_t)box.left);
	box.bottom = box.top + 1 +
		(int32_t)rig_random(&picture->random, desc->height - (uint32_t)box.top);
	rig_fill(&picture->random, layer->buffer, &box, false);
	kr_render_layer_add_damage(layer, SCENES_WIDTH, SCENES_HEIGHT, &box, stale);
}

/*
 * After a few changes the picture is what it is when all is drawn: nothing that changed was left
 * out, on the canvas, in copies of buffers, in the ring. Two slots of that take turns.
 */
static double
run_changes(void *data, uint64_t seed, unsigned most)
{
	struct paint *paint = data;
	struct scenes_picture picture = {0};
	uint64_t ids[KR_RENDER_MAX_LAYERS] = {0}, contents[KR_RENDER_MAX_LAYERS] = {0};
	struct kr_painter_result result, held = {.ring = KR_PAINTER_RING};
	pixman_region32_t stale;

	scenes_begin(&picture, seed, most);
	pixman_region32_init_rect(&stale, 0, 0, SCENES_WIDTH, SCENES_HEIGHT);
	for (unsigned i = 0; i < picture.scene.count; i++) {
		picture.scene.layers[i].no_content = false;
		ids[i] = picture.scene.layers[i].buffer ? ++paint->id : 0;
		if (ids[i])
			assert_int_equal(
				rig_add(paint->painter, ids[i], picture.scene.layers[i].buffer),
				KR_PAINTER_GOOD);
	}
	for (unsigned round = 0; round < 6; round++) {
		result = draw_changed(paint, &picture, ids, contents, &stale);
		pixman_region32_clear(&stale);
		if (held.ring < KR_PAINTER_RING)
			kr_painter_give_back(paint->painter, held.ring);
		held = result;
		take_pixels(&picture, &result);
		pixman_region32_union_rect(
			&picture.stale, &picture.stale, 0, 0, SCENES_WIDTH, SCENES_HEIGHT);
		(void)scenes_compare(&picture, &picture.stale);
		for (unsigned i = 0; i < picture.scene.count; i++) {
			if (!ids[i] || rig_random(&picture.random, 2))
				continue;
			contents[i]++;
			change_something(&picture, i, &stale);
		}
	}
	kr_painter_give_back(paint->painter, held.ring);
	pixman_region32_fini(&stale);
	for (unsigned i = 0; i < picture.scene.count; i++)
		kr_painter_remove_buffer(paint->painter, ids[i]);
	scenes_end(&picture);
	return picture.worst;
}

static void
what_has_changed_is_drawn_again(void **state)
{
	struct paint paint = {0};

	rig_use(RIG_LAVAPIPE);
	paint.painter = rig_start(NULL);
	scenes_run(20000, FEW, 8, run_changes, &paint);
	kr_painter_stop(paint.painter);
}

/* By another way than a processor's: what isn't said to have changed isn't read. */
static void
copies_are_read_when_told(void **state)
{
	const struct kr_buffer_desc desc = {8, 8, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	const uint8_t seen = getenv("KRAFLA_PAINTER_MEMORY")[0] ? 1 : 2;
	const struct {
		uint8_t byte;
		uint64_t content;
		uint8_t want;
	} rounds[] = {{1, 5, 1}, {2, 5, seen}, {2, 6, 2}, {3, 5, 3}};
	struct scenes_picture picture = {
		.scene = {.count = 1, .layers = {{.blend = 1, .alpha = 1, .frame = {0, 0, 8, 8}}}}};
	struct paint paint = {.id = 1};
	struct kr_buffer *buffer;
	void *data;

	rig_use(RIG_LAVAPIPE);
	paint.painter = rig_start(NULL);
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	assert_int_equal(kr_buffer_map(buffer, &data), 0);
	assert_int_equal(rig_add(paint.painter, 1, buffer), KR_PAINTER_GOOD);
	for (size_t i = 0; i < KR_ARRAY_LEN(rounds); i++) {
		struct kr_painter_result result;

		memset(data, rounds[i].byte, kr_buffer_get_info(buffer)->size);
		result = draw_changed(&paint, &picture, &(uint64_t){1}, &rounds[i].content, NULL);
		assert_int_equal(((const uint8_t *)result.pixels)[0], rounds[i].want);
		kr_painter_give_back(paint.painter, result.ring);
	}
	kr_painter_stop(paint.painter);
	kr_buffer_unref(buffer);
}

/* What stays on a canvas keeps its colors when pictures get another order of bytes. */
static void
the_order_may_change(void **state)
{
	struct scenes_picture picture = {
		.scene = {.count = 1,
			.order = KR_PIXELS_XRGB,
			.layers = {{.blend = 1,
				.alpha = 1,
				.frame = {0, 0, SCENES_WIDTH, SCENES_HEIGHT},
				.color = {1, 2, 3, 255}}}}};
	static const uint8_t bytes[][3] = {{3, 2, 1}, {1, 2, 3}, {3, 2, 1}};
	const uint64_t none = 0;
	struct paint paint = {0};
	pixman_region32_t stale;

	rig_use(RIG_LAVAPIPE);
	paint.painter = rig_start(NULL);
	pixman_region32_init_rect(&stale, 0, 0, SCENES_WIDTH, SCENES_HEIGHT);
	for (size_t i = 0; i < KR_ARRAY_LEN(bytes); i++) {
		struct kr_painter_result result =
			draw_changed(&paint, &picture, &none, &none, &stale);
		const uint8_t *last = (const uint8_t *)result.pixels +
			(SCENES_HEIGHT - 1) * result.row_bytes + (SCENES_WIDTH - 1) * 4;

		assert_memory_equal(result.pixels, bytes[i], 3);
		assert_memory_equal(last, bytes[i], 3);
		kr_painter_give_back(paint.painter, result.ring);
		picture.scene.order =
			picture.scene.order == KR_PIXELS_XRGB ? KR_PIXELS_XBGR : KR_PIXELS_XRGB;
		pixman_region32_fini(&stale);
		pixman_region32_init_rect(&stale, 5, 5, 3, 3);
	}
	pixman_region32_fini(&stale);
	kr_painter_stop(paint.painter);
}

static struct kr_painter_result
draw_one(struct paint *paint, const struct kr_render_layer *layer, uint32_t width, uint32_t height)
{
	const struct kr_painter_request request = {
		.number = ++paint->number,
		.width = width,
		.height = height,
		.has_alpha = true,
		.readback = true,
		.layers = layer,
		.ids = &(uint64_t){0},
		.count = 1,
	};
	struct kr_painter_result result = rig_paint(paint->painter, &request);

	assert_int_equal(result.error, 0);
	kr_painter_give_back(paint->painter, result.ring);
	return result;
}

/* Where nothing was drawn yet is nothing, not what that memory had before. */
static void
a_new_canvas_is_empty(void **state)
{
	struct kr_render_layer layer = {
		.blend = 1,
		.alpha = 1,
		.frame = {0, 0, 400, 400},
		.color = {255, 255, 255, 255},
	};
	struct paint paint = {0};

	rig_use(RIG_LAVAPIPE);
	paint.painter = rig_start(NULL);
	for (uint32_t size = 400; size > 380; size -= 4) {
		struct kr_painter_result result;

		layer.no_content = false;
		(void)draw_one(&paint, &layer, size, size);
		layer.no_content = true;
		result = draw_one(&paint, &layer, size - 2, size - 2);
		for (uint32_t i = 0; i < (size - 2) * result.row_bytes; i++)
			assert_int_equal(((const uint8_t *)result.pixels)[i], 0);
	}
	kr_painter_stop(paint.painter);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(single_layers_are_as_the_reference, 0, 120),
	KR_TEST_SLOW(stacks_are_as_the_reference, 0, 120),
	KR_TEST_SLOW(what_has_changed_is_drawn_again, 0, 120),
	KR_TEST(copies_are_read_when_told),
	KR_TEST(the_order_may_change),
	KR_TEST(a_new_canvas_is_empty),
	KR_TEST_SLOW(so_they_are_by_swiftshader, 0, 120),
	KR_TEST_SLOW(so_are_stacks_by_swiftshader, 0, 120),
};
KR_TEST_MAIN(tests)
