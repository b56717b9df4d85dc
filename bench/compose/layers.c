/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One picture, planned and drawn as a display does it, of layers that lie over each other so that
 * the same part of each is seen. Against memcpy of as many bytes as the picture has, in turns. All
 * is warm: mapped, and as far in the caches as it fits.
 */
#include "bench/compose/compose.h"

#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "gralloc/buffer.h"
#include "render/render.h"

#define MAX_LAYERS 16
#define ROUNDS     41

struct scene {
	struct kr_render_canvas canvas;
	struct kr_render_plan plan;
	struct kr_buffer *buffers[MAX_LAYERS];
	unsigned count;
	int32_t dataspace; /* of all layers; 0: sRGB, as the picture */
	uint32_t *from;    /* what memcpy copies, and to where */
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
	kr_render_plan_init(&scene->plan);
	if (kr_render_canvas_init(&scene->canvas, width, height))
		return -1;
	for (unsigned i = 0; i < count; i++) {
		const struct kr_buffer_desc desc = {width, height * (i + 1) / count, 1, format,
			AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
				AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};

		if (kr_buffer_allocate(&desc, &scene->buffers[i]) || fill(scene->buffers[i]))
			return -1;
	}
	return 0;
}

static void
end(struct scene *scene)
{
	for (unsigned i = 0; i < scene->count; i++)
		kr_buffer_unref(scene->buffers[i]);
	kr_render_canvas_finish(&scene->canvas);
	kr_render_plan_finish(&scene->plan);
	free(scene->from);
	free(scene->to);
}

/* All of it is stale, and none is handed over. */
static int
draw(struct scene *scene)
{
	const struct kr_render_layer *failed;
	uint64_t budget = UINT64_MAX, written = 0;
	pixman_region32_t stale;
	struct kr_render_scene what = {
		.width = scene->canvas.width,
		.height = scene->canvas.height,
		.order = scene->canvas.order,
		.wanted = true,
		.must_draw = true,
		.stale = &stale,
		.count = scene->count,
	};
	int err;

	for (unsigned i = 0; i < scene->count; i++) {
		const struct kr_buffer_desc *desc = &kr_buffer_get_info(scene->buffers[i])->desc;

		what.layers[i] = (struct kr_render_layer){
			.buffer = scene->buffers[i],
			.frame = {0, 0, (int32_t)desc->width, (int32_t)desc->height},
			.blend = KR_RENDER_BLEND_NONE,
			.alpha = 1,
			.dataspace = scene->dataspace,
		};
	}
	pixman_region32_init_rect(&stale, 0, 0, what.width, what.height);
	kr_render_plan_make(&scene->plan, &what);
	err = kr_render_draw(&scene->plan, &scene->canvas, &budget, &written, &failed);
	pixman_region32_fini(&stale);
	return err;
}

static int
measure(struct scene *scene, double *drawing, double *copying)
{
	size_t bytes = (size_t)scene->canvas.width * scene->canvas.height * sizeof(uint32_t);
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
	int32_t dataspace, unsigned layers, double goal)
{
	double drawing, copying;
	struct scene scene;

	int err = begin(&scene, width, height, format, layers);

	scene.dataspace = dataspace;
	if (err || measure(&scene, &drawing, &copying))
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
		int32_t dataspace;
		double goal; /* 0: none */
	} formats[] = {
		{"RGBA", AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 0, 1},
		{"BGRA", AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, 0, 1},
		{"565", AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 0, 2},
		{"1010102", AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 0, 2},
		{"FP16", AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 0, 4},
		{"1010102 of PQ", AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, HAL_DATASPACE_BT2020_PQ,
			4},
		{"1010102 of HLG", AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
			HAL_DATASPACE_BT2020_HLG, 0},
		{"RGBA of P3", AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, HAL_DATASPACE_DISPLAY_P3, 0},
		{"FP16 of scRGB", AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT,
			HAL_DATASPACE_SCRGB_LINEAR, 0},
	};
	char name[64];

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		snprintf(name, sizeof(name), "compose %ux%u, one layer of %s", width, height,
			formats[i].name);
		report(bench, name, width, height, formats[i].format, formats[i].dataspace, 1,
			formats[i].goal);
	}
	for (unsigned layers = 4; layers <= MAX_LAYERS; layers *= 4) {
		snprintf(name, sizeof(name), "compose %ux%u, %u layers of RGBA", width, height,
			layers);
		report(bench, name, width, height, formats[0].format, 0, layers, 1.5);
	}
}
