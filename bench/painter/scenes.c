/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures of four layers by a GPU, against src/render on a processor: the same layers, all of the
 * canvas stale. The GPU's buffers have memory of that GPU; or memory of processors, which is read
 * again for each picture.
 */
#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/painter/images.h"
#include "bench/painter/measure.h"
#include "gralloc/buffer.h"

#define GOAL     0.2 /* of the processor's time */
#define ROUNDS   9
#define FEW      3 /* pictures by a processor that does without a GPU */
#define PICTURES 200

enum kind {
	BLENDED, /* each as large as the picture, three of them translucent */
	SCALED,  /* the same, of buffers half as large each way */
};

static struct kr_buffer *
make_words(uint32_t width, uint32_t height)
{
	const struct kr_buffer_desc desc = {width, height, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	struct kr_buffer *buffer;
	void *data;

	if (kr_buffer_allocate(&desc, &buffer))
		return NULL;
	if (kr_buffer_map(buffer, &data)) {
		kr_buffer_unref(buffer);
		return NULL;
	}
	memset(data, 0x40, kr_buffer_get_info(buffer)->size);
	return buffer;
}

static void
set_layers(struct painter_scene *scene, struct kr_buffer *const *buffers)
{
	for (unsigned i = 0; i < scene->count; i++)
		scene->layers[i] = (struct kr_render_layer){
			.buffer = buffers[i],
			.frame = {0, 0, (int32_t)scene->width, (int32_t)scene->height},
			.blend = i + 1 == scene->count ? KR_RENDER_BLEND_NONE
						       : KR_RENDER_BLEND_PREMULTIPLIED,
			.alpha = i + 1 == scene->count ? 1 : 0.75f,
		};
}

static double
time_on_cpu(const struct painter_scene *scene)
{
	double times[ROUNDS];
	struct kr_render_canvas canvas = {0};
	struct kr_render_plan plan;

	kr_render_plan_init(&plan);
	if (kr_render_canvas_init(&canvas, scene->width, scene->height))
		return 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		const struct kr_render_layer *failed;
		uint64_t budget = UINT64_MAX, written = 0;
		pixman_region32_t stale;
		struct kr_render_scene what = {
			.width = scene->width,
			.height = scene->height,
			.wanted = true,
			.must_draw = true,
			.stale = &stale,
			.count = scene->count,
		};
		int64_t start = kr_bench_now();

		memcpy(what.layers, scene->layers, sizeof(scene->layers));
		pixman_region32_init_rect(&stale, 0, 0, what.width, what.height);
		kr_render_plan_make(&plan, &what);
		if (kr_render_draw(&plan, &canvas, &budget, &written, &failed))
			times[i] = 0;
		else
			times[i] = (double)(kr_bench_now() - start) / 1000;
		pixman_region32_fini(&stale);
	}
	kr_render_plan_finish(&plan);
	kr_render_canvas_finish(&canvas);
	return kr_bench_median(times, ROUNDS);
}

static void
measure(struct kr_bench *bench, const struct painter_scene *scene, const char *name, double cpu_us,
	double goal)
{
	struct painter_time time;
	char text[128], reason[192];

	if (painter_measure(scene, &time, reason)) {
		kr_bench_skip(bench, name, reason);
		return;
	}
	kr_bench_row(bench, name, "us", time.picture_us, "src/render", cpu_us, goal);
	snprintf(text, sizeof(text), "%s, of it the device", name);
	kr_bench_row(bench, text, "us", time.device_us, NULL, 0, 0);
}

static void
measure_all(struct kr_bench *bench, struct painter_images *images, struct painter_scene *scene,
	struct kr_buffer *const *words, const char *name)
{
	static const float color[4] = {0.25f, 0.25f, 0.25f, 0.5f};
	double goal = images->device.cpu ? 0 : GOAL, cpu_us;
	char text[128];
	const uint32_t width = kr_buffer_get_info(words[0])->desc.width,
		       height = kr_buffer_get_info(words[0])->desc.height;

	scene->pictures = images->device.cpu ? FEW : bench->quick ? PICTURES / 10 : PICTURES;
	set_layers(scene, words);
	cpu_us = time_on_cpu(scene);
	memcpy(scene->buffers, words, sizeof(scene->buffers));
	scene->readback = scene->changing = true;
	snprintf(text, sizeof(text), "%s, of processors' memory, read back", name);
	measure(bench, scene, text, cpu_us, 0);
	scene->changing = false;
	for (unsigned i = 0; i < scene->count; i++)
		scene->buffers[i] = painter_images_make(images, width, height, color);
	scene->readback = false;
	measure(bench, scene, name, cpu_us, goal);
	scene->readback = true;
	snprintf(text, sizeof(text), "%s, read back", name);
	measure(bench, scene, text, cpu_us, goal);
	for (unsigned i = 0; i < scene->count; i++)
		kr_buffer_unref(scene->buffers[i]);
}

static void
run(struct kr_bench *bench, struct painter_images *images, enum kind kind)
{
	struct painter_scene scene = {.count = PAINTER_LAYERS, .width = 3840, .height = 2160};
	struct kr_buffer *words[PAINTER_LAYERS] = {0};
	const uint32_t part = kind == SCALED ? 2 : 1;
	bool made = true;
	char name[64];

	snprintf(name, sizeof(name), "gpu %ux%u, %u layers%s", scene.width, scene.height,
		scene.count, kind == SCALED ? " scaled" : "");
	for (unsigned i = 0; i < scene.count; i++) {
		words[i] = make_words(scene.width / part, scene.height / part);
		made = made && words[i];
	}
	if (made)
		measure_all(bench, images, &scene, words, name);
	else
		kr_bench_skip(bench, name, "no memory for it");
	for (unsigned i = 0; i < scene.count; i++)
		kr_buffer_unref(words[i]);
}

void
kr_bench_painter(struct kr_bench *bench)
{
	static struct painter_images images;
	char reason[128];

	if (painter_images_open(&images, reason)) {
		kr_bench_skip(bench, "gpu", reason);
		return;
	}
	run(bench, &images, BLENDED);
	run(bench, &images, SCALED);
}
