/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures of layers at 1920x1080: as a client of <krafla/composer.h> has them from the device that
 * composes on the CPU, into the output buffer of a virtual display, from the first call to the
 * present fence; and by the renderer alone. Opaque layers lie over each other so that the same part
 * of each is seen, against memcpy of as many bytes; translucent ones cover everything, against as
 * many of pixman's OVER. All is warm, and all of each layer has changed. In turns.
 */
#include "bench/composer/rows.h"

#include <krafla/composer.h>
#include <krafla/sync.h>
#include <pixman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "gralloc/buffer.h"
#include "render/render.h"

#define WIDTH      1920
#define HEIGHT     1080
#define MAX_LAYERS 16
#define ROUNDS     41
#define LIMIT_MS   10000

struct stack {
	unsigned count;
	bool blended;
	AHardwareBuffer *buffers[MAX_LAYERS]; /* from the top down */
	/* Of who composes. */
	struct krafla_composer *composer;
	krafla_display_t display;
	krafla_layer_t layers[MAX_LAYERS];
	AHardwareBuffer *output;
	/* Of the renderer. */
	struct kr_render_plan plan;
	struct kr_render_canvas canvas;
	/* Of what they are compared with. */
	uint32_t *from;
	uint32_t *to;
};

static AHardwareBuffer *
allocate(uint32_t height)
{
	const AHardwareBuffer_Desc desc = {.width = WIDTH,
		.height = height,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	AHardwareBuffer *buffer;

	return AHardwareBuffer_allocate(&desc, &buffer) ? NULL : buffer;
}

/* Something that isn't all alike; no channel above alpha, which is neither none nor all. */
static int
fill(AHardwareBuffer *buffer, uint32_t value)
{
	AHardwareBuffer_Desc desc;
	uint32_t *data;

	AHardwareBuffer_describe(buffer, &desc);
	if (AHardwareBuffer_lock(
		    buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, (void **)&data))
		return -1;
	for (size_t i = 0; i < (size_t)desc.stride * desc.height; i++) {
		value = value * 1664525 + 1013904223;
		data[i] = (value & 0x7f7f7f) | 0x80000000;
	}
	return AHardwareBuffer_unlock(buffer, NULL);
}

/* --- by the composer --- */

static int
place(struct stack *stack, unsigned i)
{
	struct krafla_composer *composer = stack->composer;
	krafla_display_t display = stack->display;
	AHardwareBuffer_Desc desc;
	krafla_layer_t layer;

	AHardwareBuffer_describe(stack->buffers[i], &desc);
	if (krafla_display_create_layer(composer, display, &layer))
		return -1;
	stack->layers[i] = layer;
	return krafla_layer_set_blend_mode(composer, display, layer,
		       stack->blended ? KRAFLA_BLEND_PREMULTIPLIED : KRAFLA_BLEND_NONE) ||
		krafla_layer_set_display_frame(
			composer, display, layer, (ARect){0, 0, WIDTH, (int32_t)desc.height}) ||
		krafla_layer_set_z_order(composer, display, layer, stack->count - i);
}

static int
begin_composer(struct stack *stack)
{
	int32_t format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;

	if (krafla_composer_open("soft", &stack->composer) ||
		krafla_composer_create_virtual_display(
			stack->composer, WIDTH, HEIGHT, &format, &stack->display))
		return -1;
	stack->output = allocate(HEIGHT);
	for (unsigned i = 0; i < stack->count; i++) {
		if (place(stack, i))
			return -1;
	}
	return stack->output ? 0 : -1;
}

static int
drop_release_fences(struct stack *stack)
{
	krafla_layer_t layers[MAX_LAYERS];
	int fences[MAX_LAYERS];
	uint32_t count = MAX_LAYERS;

	if (krafla_display_get_release_fences(
		    stack->composer, stack->display, &count, layers, fences))
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		if (fences[i] >= 0)
			close(fences[i]);
	}
	return 0;
}

static int
compose(struct stack *stack)
{
	uint32_t types, requests, state;
	int fence = -1, err = 0;

	for (unsigned i = 0; i < stack->count; i++)
		err |= krafla_layer_set_buffer(
			stack->composer, stack->display, stack->layers[i], stack->buffers[i], -1);
	err |= krafla_display_set_output_buffer(stack->composer, stack->display, stack->output, -1);
	if (err ||
		krafla_display_present_or_validate(
			stack->composer, stack->display, &types, &requests, &fence, &state) ||
		state != 1)
		return -1;
	if (fence >= 0) {
		err = sync_wait(fence, LIMIT_MS);
		close(fence);
	}
	return err || drop_release_fences(stack);
}

/* --- by the renderer --- */

static int
begin_renderer(struct stack *stack)
{
	kr_render_plan_init(&stack->plan);
	return kr_render_canvas_init(&stack->canvas, WIDTH, HEIGHT);
}

static int
render(struct stack *stack)
{
	static struct kr_render_scene scene;
	const struct kr_render_layer *failed;
	uint64_t budget = UINT64_MAX, written = 0;
	pixman_region32_t stale;
	int err;

	scene = (struct kr_render_scene){.width = WIDTH,
		.height = HEIGHT,
		.order = stack->canvas.order,
		.wanted = true,
		.must_draw = true,
		.stale = &stale,
		.count = stack->count};
	for (unsigned i = 0; i < stack->count; i++) {
		AHardwareBuffer_Desc desc;

		AHardwareBuffer_describe(stack->buffers[i], &desc);
		scene.layers[i] = (struct kr_render_layer){
			.buffer = (struct kr_buffer *)stack->buffers[i],
			.frame = {0, 0, WIDTH, (int32_t)desc.height},
			.blend = stack->blended ? KR_RENDER_BLEND_PREMULTIPLIED
						: KR_RENDER_BLEND_NONE,
			.alpha = 1,
		};
	}
	pixman_region32_init_rect(&stale, 0, 0, WIDTH, HEIGHT);
	kr_render_plan_make(&stack->plan, &scene);
	stack->canvas.order = stack->plan.order;
	err = kr_render_draw(&stack->plan, &stack->canvas, &budget, &written, &failed);
	pixman_region32_fini(&stale);
	return err;
}

/* --- and what they are compared with --- */

static int
copy(struct stack *stack)
{
	memcpy(stack->to, stack->from, (size_t)WIDTH * HEIGHT * sizeof(*stack->to));
	return 0;
}

static int
blend(struct stack *stack)
{
	const int row_bytes = WIDTH * sizeof(*stack->to);
	pixman_image_t *to = pixman_image_create_bits_no_clear(
		PIXMAN_x8b8g8r8, WIDTH, HEIGHT, stack->to, row_bytes);
	int err = to ? 0 : -1;

	for (unsigned i = stack->count; to && i-- > 0;) {
		pixman_image_t *from;
		void *data;

		if (AHardwareBuffer_lock(stack->buffers[i], AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
			    -1, NULL, &data))
			return -1;
		from = pixman_image_create_bits_no_clear(
			PIXMAN_a8b8g8r8, WIDTH, HEIGHT, data, row_bytes);
		if (from)
			pixman_image_composite32(
				PIXMAN_OP_OVER, from, NULL, to, 0, 0, 0, 0, 0, 0, WIDTH, HEIGHT);
		else
			err = -1;
		if (from)
			pixman_image_unref(from);
		err |= AHardwareBuffer_unlock(stack->buffers[i], NULL);
	}
	if (to)
		pixman_image_unref(to);
	return err;
}

/* --- rows --- */

static int
begin(struct stack *stack, unsigned count, bool blended)
{
	size_t bytes = (size_t)WIDTH * HEIGHT * sizeof(*stack->to);

	*stack = (struct stack){
		.count = count, .blended = blended, .from = malloc(bytes), .to = malloc(bytes)};
	if (!stack->from || !stack->to)
		return -1;
	memset(stack->from, 1, bytes);
	memset(stack->to, 2, bytes);
	for (unsigned i = 0; i < count; i++) {
		stack->buffers[i] = allocate(blended ? HEIGHT : HEIGHT * (i + 1) / count);
		if (!stack->buffers[i] || fill(stack->buffers[i], i))
			return -1;
	}
	return begin_composer(stack) || begin_renderer(stack) ? -1 : 0;
}

static void
end(struct stack *stack)
{
	krafla_composer_close(stack->composer);
	kr_render_canvas_finish(&stack->canvas);
	kr_render_plan_finish(&stack->plan);
	for (unsigned i = 0; i < stack->count; i++) {
		if (stack->buffers[i])
			AHardwareBuffer_release(stack->buffers[i]);
	}
	if (stack->output)
		AHardwareBuffer_release(stack->output);
	free(stack->from);
	free(stack->to);
}

/* The median of each, in microseconds. */
static int
measure(struct stack *stack, double medians[3])
{
	int (*const ways[])(struct stack *) = {compose, render, stack->blended ? blend : copy};
	double us[3][ROUNDS];

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned way = 0; way < 3; way++) {
			int64_t start = kr_bench_now();

			if (ways[way](stack))
				return -1;
			us[way][round] = (double)(kr_bench_now() - start) / 1000;
		}
	}
	for (unsigned way = 0; way < 3; way++)
		medians[way] = kr_bench_median(us[way], ROUNDS);
	return 0;
}

static void
report(struct kr_bench *bench, unsigned count, bool blended)
{
	const char *kind = blended ? "translucent" : "opaque";
	const char *reference = blended ? "pixman's OVER" : "memcpy";
	double us[3], goal = blended ? 3 : 1.5;
	char name[96];
	struct stack stack;

	snprintf(name, sizeof(name), "1920x1080, %u %s layer%s, by the composer", count, kind,
		count > 1 ? "s" : "");
	if (begin(&stack, count, blended) || measure(&stack, us)) {
		kr_bench_skip(bench, name, "no memory for it, or a call failed");
	} else {
		kr_bench_row(bench, name, "us", us[0], reference, us[2], goal);
		snprintf(name, sizeof(name), "1920x1080, %u %s layer%s, by the renderer", count,
			kind, count > 1 ? "s" : "");
		kr_bench_row(bench, name, "us", us[1], reference, us[2], goal);
	}
	end(&stack);
}

void
kr_bench_composer_layers(struct kr_bench *bench)
{
	report(bench, 1, false);
	report(bench, 4, false);
	report(bench, 16, false);
	report(bench, 16, true);
}
