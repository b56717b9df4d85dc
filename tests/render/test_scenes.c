/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures against the reference. */
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCENES 300

struct picture {
	struct scenes_picture p;
	struct kr_render_plan plan;
	struct kr_render_canvas canvas;
};

static void
begin(struct picture *picture, uint64_t seed, unsigned most)
{
	scenes_begin(&picture->p, seed, most);
	kr_render_plan_init(&picture->plan);
	assert_int_equal(kr_render_canvas_wrap(&picture->canvas, picture->p.pixels, SCENES_WIDTH,
				 SCENES_HEIGHT, SCENES_STRIDE * 4, picture->p.scene.order,
				 picture->p.scene.has_alpha),
		0);
}

static void
end(struct picture *picture)
{
	kr_render_plan_finish(&picture->plan);
	kr_render_canvas_finish(&picture->canvas);
	scenes_end(&picture->p);
}

static double
run_scene(void *data, uint64_t seed, unsigned most)
{
	struct picture picture = {0};
	pixman_region32_t was_stale;
	uint64_t written;

	begin(&picture, seed, most);
	pixman_region32_init(&was_stale);
	pixman_region32_copy(&was_stale, &picture.p.stale);
	kr_render_plan_make(&picture.plan, &picture.p.scene);
	assert_int_equal(picture.plan.way, KR_RENDER_DRAW);
	(void)rig_draw(&picture.plan, &picture.canvas,
		seed % 3 ? UINT64_MAX : 1 + rig_random(&picture.p.random, 5000), &written);
	/* Each pixel is written once. */
	assert_int_equal(written, scenes_compare(&picture.p, &was_stale));
	assert_int_equal(picture.plan.older, pixman_region32_not_empty(&picture.p.stale));
	pixman_region32_fini(&was_stale);
	end(&picture);
	return picture.p.worst;
}

static void
single_layers_are_as_the_reference(void **state)
{
	scenes_run(1, SCENES, 1, run_scene, NULL);
}

static void
stacks_are_as_the_reference(void **state)
{
	scenes_run(10000, SCENES, KR_RENDER_MAX_LAYERS, run_scene, NULL);
}

/* What a buffer's damage has a say in, and no more than that has to be drawn again. */
static void
damage_is_all_that_changes(void **state)
{
	for (uint64_t seed = 20000; seed < 20000 + SCENES; seed++) {
		struct picture picture = {0};
		uint32_t partly[SCENES_STRIDE * SCENES_HEIGHT];
		struct kr_render_layer *layer;
		uint64_t written;

		begin(&picture, seed, 8);
		for (unsigned i = 0; i < picture.p.scene.count; i++)
			picture.p.scene.layers[i].no_content = false;
		pixman_region32_union_rect(
			&picture.p.stale, &picture.p.stale, 0, 0, SCENES_WIDTH, SCENES_HEIGHT);
		kr_render_plan_make(&picture.plan, &picture.p.scene);
		(void)rig_draw(&picture.plan, &picture.canvas, UINT64_MAX, &written);
		layer = &picture.p.scene
				 .layers[rig_random(&picture.p.random, picture.p.scene.count)];
		if (layer->buffer) {
			const struct kr_buffer_desc *desc =
				&kr_buffer_get_info(layer->buffer)->desc;
			ARect box = {(int32_t)rig_random(&picture.p.random, desc->width),
				(int32_t)rig_random(&picture.p.random, desc->height), 0, 0};

			box.right = box.left + 1 +
				(int32_t)rig_random(
					&picture.p.random, desc->width - (uint32_t)box.left);
			box.bottom = box.top + 1 +
				(int32_t)rig_random(
					&picture.p.random, desc->height - (uint32_t)box.top);
			rig_fill(&picture.p.random, layer->buffer, &box, false);
			kr_render_layer_add_damage(
				layer, SCENES_WIDTH, SCENES_HEIGHT, &box, &picture.p.stale);
		}
		kr_render_plan_make(&picture.plan, &picture.p.scene);
		(void)rig_draw(&picture.plan, &picture.canvas, UINT64_MAX, &written);
		memcpy(partly, picture.p.pixels, sizeof(partly));
		pixman_region32_union_rect(
			&picture.p.stale, &picture.p.stale, 0, 0, SCENES_WIDTH, SCENES_HEIGHT);
		kr_render_plan_make(&picture.plan, &picture.p.scene);
		(void)rig_draw(&picture.plan, &picture.canvas, UINT64_MAX, &written);
		for (size_t i = 0; i < KR_ARRAY_LEN(partly); i++) {
			uint32_t mask = picture.p.scene.has_alpha ? UINT32_MAX : 0xffffff;

			if ((partly[i] ^ picture.p.pixels[i]) & mask)
				fail_msg("seed %d: %d,%d wasn't drawn again", (int)seed,
					(int)(i % SCENES_STRIDE), (int)(i / SCENES_STRIDE));
		}
		end(&picture);
	}
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(single_layers_are_as_the_reference, 0, 100),
	KR_TEST_SLOW(stacks_are_as_the_reference, 0, 100),
	KR_TEST_SLOW(damage_is_all_that_changes, 0, 100),
};
KR_TEST_MAIN(tests)
