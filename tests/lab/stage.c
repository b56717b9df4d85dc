/* SPDX-License-Identifier: Apache-2.0 */
/* See stage.h. */
#include "stage.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <krafla/sync.h>
#include "harness.h"
#include "util/clock.h"

/*
 * What the dynamic linker keeps of a module and what that needs would count as left behind by the
 * case that loads it first: all cases have it from their parent.
 */
__attribute__((constructor)) static void
load_module(void)
{
	const char *folder = getenv("KRAFLA_OUTPUT_PATH");
	char path[512];

	snprintf(path, sizeof(path), "%s/krafla-output-kms.so", folder ? folder : ".");
	(void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void
handle_hotplug(void *data, krafla_display_t display, enum krafla_connection connection)
{
	struct stage *stage = data;

	if (connection == KRAFLA_CONNECTED) {
		stage->connected++;
		stage->display = display;
	} else {
		stage->disconnected++;
		if (stage->display == display)
			stage->display = 0;
	}
}

static void
handle_refresh(void *data, krafla_display_t display)
{
	((struct stage *)data)->refreshed++;
}

static void
handle_vsync(void *data, krafla_display_t display, int64_t time_ns, int64_t period_ns)
{
	struct stage *stage = data;

	stage->vsyncs++;
	stage->vsync_ns = time_ns;
	stage->vsync_period_ns = period_ns;
}

static int32_t
attribute(struct stage *stage, enum krafla_attribute attribute)
{
	krafla_config_t config;
	int32_t value = -1;

	assert_int_equal(
		krafla_display_get_active_config(stage->composer, stage->display, &config), 0);
	assert_int_equal(krafla_display_get_attribute(
				 stage->composer, stage->display, config, attribute, &value),
		0);
	return value;
}

void
stage_open(struct stage *stage, const char *device)
{
	const struct krafla_composer_callbacks callbacks = {
		.size = sizeof(callbacks),
		.data = stage,
		.hotplug = handle_hotplug,
		.refresh = handle_refresh,
		.vsync = handle_vsync,
	};

	memset(stage, 0, sizeof(*stage));
	assert_int_equal(krafla_composer_open(device, &stage->composer), 0);
	assert_int_equal(krafla_composer_register(stage->composer, &callbacks), 0);
	assert_int_equal(stage->connected, 1);
	stage->width = (uint32_t)attribute(stage, KRAFLA_ATTRIBUTE_WIDTH);
	stage->height = (uint32_t)attribute(stage, KRAFLA_ATTRIBUTE_HEIGHT);
	assert_true(stage->width > 0 && stage->height > 0);
}

void
stage_close(struct stage *stage)
{
	krafla_composer_close(stage->composer);
	for (unsigned i = 0; i < stage->count; i++)
		AHardwareBuffer_release(stage->layers[i].buffer);
	if (stage->target)
		AHardwareBuffer_release(stage->target);
}

static void
dispatch_for(struct stage *stage, int other, int64_t deadline)
{
	struct pollfd fds[2] = {
		{krafla_composer_get_fd(stage->composer), POLLIN, 0}, {other, POLLIN, 0}};

	poll(fds, 2, kr_deadline_poll_ms(deadline));
	if (fds[0].revents)
		(void)krafla_composer_dispatch(stage->composer);
}

static int
status_of(int fence)
{
	struct sync_file_info *info = sync_file_info(fence);
	int status;

	assert_non_null(info);
	status = info->status;
	sync_file_info_free(info);
	return status;
}

int
stage_wait(struct stage *stage, int take_fence)
{
	int64_t deadline = kr_deadline_in(STAGE_SOON_MS * KR_NSEC_PER_MSEC);
	int status = 1;

	while (take_fence >= 0 && !(status = status_of(take_fence))) {
		if (kr_clock_now() > deadline)
			fail_msg("a fence doesn't signal");
		dispatch_for(stage, take_fence, deadline);
	}
	if (take_fence >= 0)
		close(take_fence);
	return status;
}

void
stage_dispatch(struct stage *stage, int ms, const unsigned *number, unsigned until)
{
	int64_t deadline = kr_deadline_in((uint64_t)ms * KR_NSEC_PER_MSEC);

	while (kr_clock_now() < deadline && !(number && *number != until))
		dispatch_for(stage, -1, deadline);
}

/* Something of every pixel's own, and easy to pack for the way out of the machine. */
static uint32_t
pixel_of(const struct stage_layer *layer, uint32_t x, uint32_t y)
{
	uint32_t value = layer->seed * 0x3b1d57u + (x / 8) * 0x010305u + (y / 4) * 0x000b11u;

	if (layer->blend == KRAFLA_BLEND_NONE)
		return value & 0xffffff;
	/* Premultiplied: no channel is above alpha, 0x80. */
	return (value & 0x7f7f7f) | 0x80000000;
}

static AHardwareBuffer *
allocate(uint32_t width, uint32_t height, uint32_t format)
{
	const AHardwareBuffer_Desc desc = {
		.width = width,
		.height = height,
		.layers = 1,
		.format = format,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |
			AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY,
	};
	AHardwareBuffer *buffer;

	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	return buffer;
}

static uint32_t *
lock(AHardwareBuffer *buffer, uint32_t *stride)
{
	AHardwareBuffer_Desc desc;
	void *pixels;

	AHardwareBuffer_describe(buffer, &desc);
	*stride = desc.stride;
	assert_int_equal(AHardwareBuffer_lock(buffer,
				 AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
					 AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
				 -1, NULL, &pixels),
		0);
	return pixels;
}

static void
paint(const struct stage_layer *layer)
{
	uint32_t stride, *pixels = lock(layer->buffer, &stride);

	for (uint32_t y = 0; y < layer->height; y++) {
		for (uint32_t x = 0; x < layer->width; x++)
			pixels[(size_t)y * stride + x] = pixel_of(layer, x, y);
	}
	assert_int_equal(AHardwareBuffer_unlock(layer->buffer, NULL), 0);
}

void
stage_set(struct stage *stage, struct stage_layer *layer)
{
	bool turned = layer->transform & KRAFLA_TRANSFORM_ROT_90;
	const ARect frame = {layer->x, layer->y,
		layer->x + (int32_t)(turned ? layer->height : layer->width),
		layer->y + (int32_t)(turned ? layer->width : layer->height)};
	struct krafla_composer *composer = stage->composer;
	krafla_display_t display = stage->display;

	assert_int_equal(krafla_layer_set_display_frame(composer, display, layer->layer, frame), 0);
	assert_int_equal(
		krafla_layer_set_blend_mode(composer, display, layer->layer, layer->blend), 0);
	assert_int_equal(
		krafla_layer_set_transform(composer, display, layer->layer, layer->transform), 0);
	assert_int_equal(krafla_layer_set_z_order(composer, display, layer->layer,
				 (uint32_t)(layer - stage->layers)),
		0);
}

struct stage_layer *
stage_add(struct stage *stage, int32_t x, int32_t y, uint32_t width, uint32_t height)
{
	struct stage_layer *layer = &stage->layers[stage->count];

	assert_true(stage->count < STAGE_LAYERS);
	*layer = (struct stage_layer){
		.x = x,
		.y = y,
		.width = width,
		.height = height,
		.format = AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM,
		.blend = KRAFLA_BLEND_NONE,
		.seed = ++stage->count,
	};
	assert_int_equal(
		krafla_display_create_layer(stage->composer, stage->display, &layer->layer), 0);
	stage_set(stage, layer);
	stage_renew(stage, layer, -1);
	return layer;
}

AHardwareBuffer *
stage_renew(struct stage *stage, struct stage_layer *layer, int acquire_fence)
{
	AHardwareBuffer *before = layer->buffer;

	layer->seed += STAGE_LAYERS;
	layer->buffer = allocate(layer->width, layer->height, layer->format);
	paint(layer);
	assert_int_equal(krafla_layer_set_buffer(stage->composer, stage->display, layer->layer,
				 layer->buffer, acquire_fence),
		0);
	return before;
}

/* Where the pixel of the frame lies in the buffer: what a turn and a flip undo. */
static void
into_buffer(const struct stage_layer *layer, uint32_t fx, uint32_t fy, uint32_t *x, uint32_t *y)
{
	uint32_t bx = fx, by = fy;

	if (layer->transform & KRAFLA_TRANSFORM_ROT_90) {
		/* Clockwise: the frame's row from left to right is a column from the bottom up. */
		bx = fy;
		by = layer->height - 1 - fx;
	}
	if (layer->transform & KRAFLA_TRANSFORM_FLIP_H)
		bx = layer->width - 1 - bx;
	if (layer->transform & KRAFLA_TRANSFORM_FLIP_V)
		by = layer->height - 1 - by;
	*x = bx;
	*y = by;
}

/* One channel over another, as vkms has it and as the contract has it (H-04). */
static uint16_t
blend_channel(uint32_t over, uint32_t under, uint32_t alpha)
{
	return (uint16_t)((over * 0xffffull + under * (0xffffull - alpha) + 0x7fff) / 0xffff);
}

static void
blend_layer(const struct stage *stage, const struct stage_layer *layer, uint16_t (*picture)[3])
{
	bool turned = layer->transform & KRAFLA_TRANSFORM_ROT_90;
	uint32_t width = turned ? layer->height : layer->width;
	uint32_t height = turned ? layer->width : layer->height;

	for (uint32_t fy = 0; fy < height; fy++) {
		for (uint32_t fx = 0; fx < width; fx++) {
			int32_t px = layer->x + (int32_t)fx, py = layer->y + (int32_t)fy;
			uint32_t x, y, pixel, alpha = 0xffff;
			uint16_t *at;

			if (px < 0 || py < 0 || px >= (int32_t)stage->width ||
				py >= (int32_t)stage->height)
				continue;
			into_buffer(layer, fx, fy, &x, &y);
			pixel = pixel_of(layer, x, y);
			if (layer->blend != KRAFLA_BLEND_NONE)
				alpha = (pixel >> 24) * 257;
			at = picture[(size_t)py * stage->width + (size_t)px];
			for (int i = 0; i < 3; i++)
				at[i] = blend_channel(
					(pixel >> (16 - 8 * i) & 0xff) * 257, at[i], alpha);
		}
	}
}

static uint16_t (*compose(const struct stage *stage, bool only_the_clients))[3]
{
	uint16_t(*picture)[3] = calloc((size_t)stage->width * stage->height, 6);

	assert_non_null(picture);
	for (unsigned i = 0; i < stage->count; i++) {
		if (!only_the_clients || stage->layers[i].composition == KRAFLA_COMPOSITION_CLIENT)
			blend_layer(stage, &stage->layers[i], picture);
	}
	return picture;
}

uint16_t (*stage_picture(const struct stage *stage))[3]
{
	return compose(stage, false);
}

static void
draw_target(struct stage *stage)
{
	uint16_t(*picture)[3] = compose(stage, true);
	uint32_t stride, *pixels;

	if (stage->target)
		AHardwareBuffer_release(stage->target);
	stage->target =
		allocate(stage->width, stage->height, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM);
	pixels = lock(stage->target, &stride);
	for (uint32_t y = 0; y < stage->height; y++) {
		for (uint32_t x = 0; x < stage->width; x++) {
			const uint16_t *from = picture[(size_t)y * stage->width + x];

			pixels[(size_t)y * stride + x] = 0xff000000 |
				(uint32_t)(from[0] / 257) << 16 | (uint32_t)(from[1] / 257) << 8 |
				from[2] / 257;
		}
	}
	assert_int_equal(AHardwareBuffer_unlock(stage->target, NULL), 0);
	free(picture);
	assert_int_equal(krafla_display_set_client_target(
				 stage->composer, stage->display, stage->target, -1, 0, 0, NULL),
		0);
}

unsigned
stage_validate(struct stage *stage)
{
	krafla_layer_t changed[STAGE_LAYERS];
	int32_t types[STAGE_LAYERS];
	uint32_t count = 0, requests = 0, devices = 0;
	int ret;

	for (unsigned i = 0; i < stage->count; i++) {
		stage->layers[i].composition = KRAFLA_COMPOSITION_DEVICE;
		assert_int_equal(krafla_layer_set_composition_type(stage->composer, stage->display,
					 stage->layers[i].layer, KRAFLA_COMPOSITION_DEVICE),
			0);
	}
	ret = krafla_display_validate(stage->composer, stage->display, &count, &requests);
	assert_true(ret == KRAFLA_COMPOSER_NONE || ret == KRAFLA_COMPOSER_HAS_CHANGES);
	count = STAGE_LAYERS;
	assert_int_equal(krafla_display_get_changed_composition_types(
				 stage->composer, stage->display, &count, changed, types),
		0);
	for (uint32_t k = 0; k < count; k++) {
		for (unsigned i = 0; i < stage->count; i++) {
			if (stage->layers[i].layer == changed[k])
				stage->layers[i].composition = (enum krafla_composition)types[k];
		}
	}
	assert_int_equal(krafla_display_accept_changes(stage->composer, stage->display), 0);
	for (unsigned i = 0; i < stage->count; i++)
		devices += stage->layers[i].composition == KRAFLA_COMPOSITION_DEVICE;
	if (devices < stage->count)
		draw_target(stage);
	return devices;
}

int
stage_present(struct stage *stage)
{
	int fence = -1;

	assert_int_equal(krafla_display_present(stage->composer, stage->display, &fence), 0);
	return fence;
}

int
stage_release_fence(struct stage *stage, const struct stage_layer *layer)
{
	krafla_layer_t layers[STAGE_LAYERS];
	int fences[STAGE_LAYERS], found = -2;
	uint32_t count = STAGE_LAYERS;

	assert_int_equal(krafla_display_get_release_fences(
				 stage->composer, stage->display, &count, layers, fences),
		0);
	for (uint32_t i = 0; i < count; i++) {
		if (layers[i] == layer->layer)
			found = fences[i];
		else
			close(fences[i]);
	}
	return found;
}

unsigned
stage_show(struct stage *stage)
{
	unsigned devices = stage_validate(stage);

	assert_int_equal(stage_wait(stage, stage_present(stage)), 1);
	return devices;
}
