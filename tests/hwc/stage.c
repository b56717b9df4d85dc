/* SPDX-License-Identifier: Apache-2.0 */
/* See stage.h. */
#include "stage.h"

#include <math.h>
#include <poll.h>
#include <string.h>

#include "../render/reference.h"
#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

static struct kr_buffer *
inner(AHardwareBuffer *buffer)
{
	return (struct kr_buffer *)(void *)buffer;
}

void
stage_begin(struct stage *stage)
{
	*stage = (struct stage){.target_signal = -1};
	stage_face.begin(stage);
	for (unsigned i = 0; i < 3; i++)
		stage->targets[i] = rig_buffer(stage->rig.width, stage->rig.height, RIG_RGBA, 0);
}

void
stage_end(struct stage *stage)
{
	while (stage->count)
		stage_remove(stage, &stage->layers[stage->count - 1]);
	if (stage_face.end)
		stage_face.end(stage);
	rig_end(&stage->rig);
	for (unsigned i = 0; i < 3; i++)
		AHardwareBuffer_release(stage->targets[i]);
}

void
stage_set_buffer(
	struct stage *stage, struct stage_layer *layer, AHardwareBuffer *buffer, int acquire)
{
	struct rig *rig = &stage->rig;

	layer->buffer = buffer;
	layer->look.buffer = inner(buffer);
	kr_fd_close(&layer->acquire);
	assert_int_equal(kr_fd_dup(acquire, &layer->acquire), 0);
	assert_int_equal(krafla_layer_set_buffer(
				 rig->composer, rig->display, layer->handle, buffer, acquire),
		0);
}

void
stage_set_look(struct stage *stage, struct stage_layer *layer)
{
	struct krafla_composer *composer = stage->rig.composer;
	krafla_display_t display = stage->rig.display;
	krafla_layer_t handle = layer->handle;
	const struct kr_render_layer *look = &layer->look;
	const struct krafla_frect crop = {
		look->crop.left, look->crop.top, look->crop.right, look->crop.bottom};
	const struct krafla_color color = {
		look->color.r, look->color.g, look->color.b, look->color.a};
	int errors = krafla_layer_set_composition_type(composer, display, handle, layer->type);

	errors |= krafla_layer_set_display_frame(composer, display, handle, look->frame);
	errors |= krafla_layer_set_source_crop(composer, display, handle, crop);
	errors |= krafla_layer_set_transform(composer, display, handle, look->transform);
	errors |= krafla_layer_set_blend_mode(
		composer, display, handle, (enum krafla_blend)look->blend);
	errors |= krafla_layer_set_plane_alpha(composer, display, handle, look->alpha);
	errors |= krafla_layer_set_color(composer, display, handle, color);
	errors |= krafla_layer_set_z_order(composer, display, handle, layer->z);
	assert_int_equal(errors, 0);
}

struct stage_layer *
stage_add(struct stage *stage, AHardwareBuffer *buffer, ARect frame)
{
	struct stage_layer *layer = &stage->layers[stage->count];

	assert_true(stage->count < STAGE_MAX_LAYERS);
	*layer = (struct stage_layer){
		.look = {.frame = frame, .blend = KR_RENDER_BLEND_NONE, .alpha = 1},
		.acquire = -1,
		.type = KRAFLA_COMPOSITION_DEVICE,
		.z = stage->count ? stage->layers[stage->count - 1].z + 1 : 0,
	};
	stage->count++;
	assert_int_equal(krafla_display_create_layer(
				 stage->rig.composer, stage->rig.display, &layer->handle),
		0);
	stage_set_look(stage, layer);
	if (buffer)
		stage_set_buffer(stage, layer, buffer, -1);
	return layer;
}

void
stage_remove(struct stage *stage, struct stage_layer *layer)
{
	unsigned index = (unsigned)(layer - stage->layers);

	assert_int_equal(krafla_display_destroy_layer(
				 stage->rig.composer, stage->rig.display, layer->handle),
		0);
	kr_fd_close(&layer->acquire);
	stage->count--;
	memmove(layer, layer + 1, (stage->count - index) * sizeof(*layer));
}

/* --- client composition --- */

static bool
is_handed_back(const krafla_layer_t *layers, uint32_t count, krafla_layer_t layer)
{
	for (uint32_t i = 0; i < count; i++) {
		if (layers[i] == layer)
			return true;
	}
	return false;
}

static void
draw_target(AHardwareBuffer *target, struct kr_render_scene *scene)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(inner(target));
	const struct kr_render_layer *failed;
	struct kr_render_canvas canvas = {0};
	uint64_t budget = UINT64_MAX, written = 0;
	struct kr_render_plan plan = {0};
	pixman_region32_t stale;
	void *data;

	assert_int_equal(kr_buffer_map(inner(target), &data), 0);
	assert_int_equal(kr_render_canvas_wrap(&canvas, data, info->desc.width, info->desc.height,
				 info->row_bytes, KR_PIXELS_XBGR, true),
		0);
	pixman_region32_init_rect(&stale, 0, 0, info->desc.width, info->desc.height);
	scene->width = info->desc.width;
	scene->height = info->desc.height;
	scene->order = KR_PIXELS_XBGR;
	scene->fixed_order = scene->has_alpha = scene->wanted = scene->must_draw = true;
	scene->stale = &stale;
	kr_render_plan_init(&plan);
	kr_render_plan_make(&plan, scene);
	assert_int_equal(kr_render_draw(&plan, &canvas, &budget, &written, &failed), 0);
	kr_render_plan_finish(&plan);
	kr_render_canvas_finish(&canvas);
	pixman_region32_fini(&stale);
}

/* Draws the client's layers now, or leaves it to stage_finish when a fence is active. */
static void
compose(struct stage *stage, const krafla_layer_t *mine, uint32_t count)
{
	AHardwareBuffer *target = stage->targets[stage->turn++ % 3];
	struct rig *rig = &stage->rig;
	bool wait = false;
	int ready = -1;

	stage->late = (struct kr_render_scene){0};
	stage->blended_twice = false;
	for (unsigned i = stage->count; i-- > 0;) {
		const struct stage_layer *layer = &stage->layers[i];
		int status = kr_fence_status(layer->acquire);

		if (layer->hole) {
			stage->late.layers[stage->late.count++] =
				(struct kr_render_layer){.hole = true, .frame = layer->look.frame};
			continue;
		}
		if (!is_handed_back(mine, count, layer->handle) || status < 0)
			continue;
		wait |= status == KR_FENCE_ACTIVE;
		stage->blended_twice |= !kr_render_layer_is_opaque(&layer->look);
		stage->late.layers[stage->late.count] = layer->look;
		stage->late.layers[stage->late.count++].owner = &stage->layers[i];
	}
	if (wait)
		ready = rig_fence(&stage->target_signal);
	else
		draw_target(target, &stage->late);
	assert_int_equal(krafla_display_set_client_target(
				 rig->composer, rig->display, target, ready, 0, 0, NULL),
		0);
	kr_fd_close(&ready);
}

static void
drop_failed(struct kr_render_scene *scene)
{
	unsigned count = 0;

	for (unsigned i = 0; i < scene->count; i++) {
		const struct stage_layer *layer = scene->layers[i].owner;
		int status = layer ? kr_fence_status(layer->acquire) : KR_FENCE_SIGNALLED;

		assert_int_not_equal(status, KR_FENCE_ACTIVE);
		if (status > 0)
			scene->layers[count++] = scene->layers[i];
	}
	scene->count = count;
}

void
stage_finish(struct stage *stage)
{
	int signal = stage->target_signal;

	if (signal == -1)
		return;
	drop_failed(&stage->late);
	draw_target(stage->targets[(stage->turn + 2) % 3], &stage->late);
	stage->target_signal = -1;
	kr_fence_signal(signal, KR_FENCE_SIGNALLED);
}

/* Accepts what the device says: how many layers it hands back. */
static uint32_t
take_back(struct stage *stage, krafla_layer_t layers[STAGE_MAX_LAYERS], uint32_t types,
	uint32_t requests)
{
	krafla_layer_t asked[STAGE_MAX_LAYERS];
	int32_t changes[STAGE_MAX_LAYERS], bits[STAGE_MAX_LAYERS], display_bits = -1;
	uint32_t count = 0, asked_count = STAGE_MAX_LAYERS;
	struct rig *rig = &stage->rig;

	assert_int_equal(krafla_display_get_changed_composition_types(
				 rig->composer, rig->display, &count, NULL, NULL),
		0);
	assert_int_equal(count, types);
	assert_int_equal(krafla_display_get_changed_composition_types(
				 rig->composer, rig->display, &count, layers, changes),
		0);
	assert_int_equal(count, types);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(changes[i], KRAFLA_COMPOSITION_CLIENT);
	assert_int_equal(krafla_display_get_requests(rig->composer, rig->display, &display_bits,
				 &asked_count, asked, bits),
		0);
	assert_int_equal(asked_count + (display_bits != 0), requests);
	assert_int_equal(krafla_display_accept_changes(rig->composer, rig->display), 0);
	stage->handed_back += types;
	for (uint32_t a = 0; a < asked_count; a++) {
		assert_int_equal(bits[a], KRAFLA_REQUEST_CLEAR_CLIENT_TARGET);
		for (unsigned i = 0; i < stage->count; i++)
			stage->layers[i].hole |= stage->layers[i].handle == asked[a];
	}
	stage->holes += asked_count;
	return count;
}

/* For the next validation each layer is what it was to be. */
static void
ask_again(struct stage *stage)
{
	for (unsigned i = 0; i < stage->count; i++)
		stage_set_look(stage, &stage->layers[i]);
}

int
stage_present(struct stage *stage)
{
	uint32_t types = 0, requests = 0;
	krafla_layer_t mine[STAGE_MAX_LAYERS];
	uint32_t count = 0;
	struct rig *rig = &stage->rig;
	int fence = -2, error;

	stage->blended_twice = false;
	for (unsigned i = 0; i < stage->count; i++)
		stage->layers[i].hole = false;
	if (stage_face.prepare)
		stage_face.prepare(stage);
	if (stage_face.hands_back)
		ask_again(stage);
	error = krafla_display_validate(rig->composer, rig->display, &types, &requests);
	assert_true(error == 0 || error == KRAFLA_COMPOSER_HAS_CHANGES);
	assert_int_equal(error != 0, types || requests);
	if (error)
		count = take_back(stage, mine, types, requests);
	for (unsigned i = 0; i < stage->count; i++) {
		if (stage->layers[i].type == KRAFLA_COMPOSITION_CLIENT)
			mine[count++] = stage->layers[i].handle;
	}
	if (count || requests)
		compose(stage, mine, count);
	assert_int_equal(krafla_display_present(rig->composer, rig->display, &fence), 0);
	assert_int_not_equal(fence, -2);
	return fence;
}

int
stage_wait(struct stage *stage, int fence)
{
	struct pollfd fds[2] = {{.fd = fence, .events = POLLIN},
		{.fd = krafla_composer_get_fd(stage->rig.composer), .events = POLLIN}};
	int64_t deadline = kr_deadline_in(15 * KR_NSEC_PER_SEC);
	int status;

	while (kr_fence_status(fence) == KR_FENCE_ACTIVE) {
		assert_true(kr_fd_poll(fds, 2, deadline) > 0);
		if (fds[1].revents)
			assert_int_equal(krafla_composer_dispatch(stage->rig.composer), 0);
	}
	status = kr_fence_status(fence);
	kr_fd_close(&fence);
	return status;
}

void
stage_show(struct stage *stage)
{
	assert_int_equal(stage_wait(stage, stage_present(stage)), KR_FENCE_SIGNALLED);
}

uint32_t *
stage_look(struct stage *stage)
{
	uint32_t *pixels = calloc((size_t)stage->rig.width * stage->rig.height, sizeof(*pixels));

	assert_non_null(pixels);
	stage_face.look(stage, pixels);
	return pixels;
}

uint32_t
stage_pixel(struct stage *stage, int32_t x, int32_t y)
{
	uint32_t *pixels = stage_look(stage), pixel;

	pixel = pixels[(uint32_t)y * stage->rig.width + (uint32_t)x];
	free(pixels);
	return pixel;
}

/* --- the reference --- */

static void
expect_pixel(const struct stage *stage, const struct kr_render_layer *layers, int32_t x, int32_t y,
	uint32_t pixel)
{
	struct reference_pixel expected = reference_at(layers, stage->count, false, x, y);
	/* A client target has 8 bits a channel: what is blended into it is rounded once more. */
	double most = expected.exact ? 0 : stage->blended_twice ? 2 : 1;

	for (int c = 0; c < 3; c++) {
		double is = pixel >> (16 - 8 * c) & 0xff;

		if (fabs(is - expected.channel[c]) > most + 1e-6)
			fail_msg("pixel %d, %d: channel %d is %g instead of %g (%s)", x, y, c, is,
				expected.channel[c], expected.exact ? "exact" : "blended");
	}
}

void
stage_expect_reference(struct stage *stage)
{
	struct kr_render_layer layers[STAGE_MAX_LAYERS];
	uint32_t *pixels = stage_look(stage);

	for (unsigned i = 0; i < stage->count; i++)
		layers[i] = stage->layers[stage->count - 1 - i].look;
	for (uint32_t y = 0; y < stage->rig.height; y++) {
		for (uint32_t x = 0; x < stage->rig.width; x++)
			expect_pixel(stage, layers, (int32_t)x, (int32_t)y,
				pixels[y * stage->rig.width + x]);
	}
	free(pixels);
}
