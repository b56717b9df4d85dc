/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One picture, planned and drawn as a display does it, of layers that lie over each other so that
 * the same part of each is seen. Against memcpy of as many bytes as the picture has, in turns. All
 * is warm: mapped, and as far in the caches as it fits.
 */
#include "bench/compose/compose.h"

#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "composer/compose.h"
#include "composer/plan.h"
#include "gralloc/buffer.h"

#define MAX_LAYERS 16
#define ROUNDS     41

struct scene {
	struct kr_canvas canvas;
	struct kr_scene_plan plan;
	struct kr_frame frames[MAX_LAYERS];
	struct kr_placement placements[MAX_LAYERS];
	unsigned count;
	uint32_t *from; /* what memcpy copies, and to where */
	uint32_t *to;
};

/* Something that isn't all alike. */
static int
fill(struct kr_buffer *buffer)
{
	uint32_t *data, value = 1;
	int err = kr_buffer_map(buffer, (void **)&data);

	for (size_t i = 0; !err && i < kr_buffer_get_info(buffer)->size / sizeof(*data); i++)
		data[i] = value = value * 1664525 + 1013904223;
	return err;
}

/* The topmost is as high as its part of the picture; each one below shows as much more. */
static int
begin(struct scene *scene, uint32_t width, uint32_t height, uint32_t format, unsigned count)
{
	size_t bytes = (size_t)width * height * sizeof(uint32_t);

	*scene = (struct scene){.count = count, .from = malloc(bytes), .to = malloc(bytes)};
	if (!scene->from || !scene->to)
		return -1;
	memset(scene->from, 1, bytes);
	memset(scene->to, 2, bytes);
	kr_scene_plan_init(&scene->plan);
	if (kr_canvas_init(&scene->canvas, width, height))
		return -1;
	for (unsigned i = 0; i < count; i++) {
		const struct kr_buffer_desc desc = {width, height * (i + 1) / count, 1, format,
			AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
				AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};

		if (kr_buffer_allocate(&desc, &scene->frames[i].buffer) ||
			fill(scene->frames[i].buffer))
			return -1;
	}
	return 0;
}

static void
end(struct scene *scene)
{
	for (unsigned i = 0; i < scene->count; i++)
		kr_buffer_unref(scene->frames[i].buffer);
	kr_canvas_finish(&scene->canvas);
	kr_scene_plan_finish(&scene->plan);
	free(scene->from);
	free(scene->to);
}

static int
draw_part(struct scene *scene, struct kr_scene_plan_part *part)
{
	uint64_t budget = UINT64_MAX;
	const pixman_box32_t *at;
	int count;

	at = pixman_region32_rectangles(&part->todo, &count);
	for (int i = 0; i < count; i++) {
		android_native_rect_t box = {at[i].x1, at[i].y1, at[i].x2, at[i].y2};

		if (kr_canvas_draw(&scene->canvas, scene->canvas.pixels, part->layer.frame,
			    part->layer.placement, &box, &budget))
			return -1;
	}
	return 0;
}

/* All of it is stale, and none is handed over. */
static int
draw(struct scene *scene)
{
	pixman_region32_t stale;
	struct kr_scene what = {
		.width = scene->canvas.width,
		.height = scene->canvas.height,
		.order = scene->canvas.order,
		.wanted = true,
		.must_draw = true,
		.stale = &stale,
		.count = scene->count,
	};
	int err = 0;

	for (unsigned i = 0; i < scene->count && !err; i++) {
		err = kr_canvas_place(&scene->canvas, &scene->frames[i], &scene->placements[i]);
		what.layers[i] = (struct kr_scene_layer){
			.frame = &scene->frames[i], .placement = &scene->placements[i]};
	}
	if (err)
		return err;
	pixman_region32_init_rect(&stale, 0, 0, what.width, what.height);
	kr_scene_plan_make(&scene->plan, &what);
	scene->canvas.order = scene->plan.order;
	for (unsigned i = 0; i < scene->plan.count && !err; i++)
		err = draw_part(scene, &scene->plan.parts[i]);
	pixman_region32_fini(&stale);
	return err;
}

static int
measure(struct scene *scene, double *drawing, double *copying)
{
	size_t bytes = (size_t)scene->canvas.row_bytes * scene->canvas.height;
	double draws[ROUNDS], copies[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		int64_t start = kr_bench_now(), middle, last;

		memcpy(scene->to, scene->from, bytes);
		middle = kr_bench_now();
		if (draw(scene))
			return -1;
		last = kr_bench_now();
		copies[i] = (double)(middle - start) / 1000;
		draws[i] = (double)(last - middle) / 1000;
	}
	*drawing = kr_bench_median(draws, ROUNDS);
	*copying = kr_bench_median(copies, ROUNDS);
	return 0;
}

static void
report(struct kr_bench *bench, const char *name, uint32_t width, uint32_t height, uint32_t format,
	unsigned layers, double goal)
{
	double drawing, copying;
	struct scene scene;

	if (begin(&scene, width, height, format, layers) || measure(&scene, &drawing, &copying))
		kr_bench_skip(bench, name, "no memory for it");
	else
		kr_bench_row(bench, name, "us", drawing, "memcpy", copying, goal);
	end(&scene);
}

void
kr_bench_compose_layers(struct kr_bench *bench, uint32_t width, uint32_t height)
{
	static const struct {
		const char *name;
		uint32_t format;
		double goal;
	} formats[] = {
		{"RGBA", AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 1},
		{"BGRA", AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, 1},
		{"565", AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 2},
		{"1010102", AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 2},
		{"FP16", AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 4},
	};
	char name[64];

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		snprintf(name, sizeof(name), "compose %ux%u, one layer of %s", width, height,
			formats[i].name);
		report(bench, name, width, height, formats[i].format, 1, formats[i].goal);
	}
	for (unsigned layers = 4; layers <= MAX_LAYERS; layers *= 4) {
		snprintf(name, sizeof(name), "compose %ux%u, %u layers of RGBA", width, height,
			layers);
		report(bench, name, width, height, formats[0].format, layers, 1.5);
	}
}
