/* SPDX-License-Identifier: Apache-2.0 */
/* See rig.h. */
#include "rig.h"

#include <poll.h>

#include "gralloc/buffer.h"
#include "gralloc/pixels.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"

#define PATIENCE_NS (UINT64_C(10) * 1000 * 1000 * 1000)

static bool
wants(void *data, uint64_t number)
{
	const struct rig_screen *screen = data;

	return !screen->unwanted;
}

static void
keep(struct rig_screen *screen, const struct krafla_picture *picture)
{
	kr_pixels_row_fn row = kr_pixels_to_xrgb(picture->format);
	size_t pixels = (size_t)picture->width * picture->height;

	screen->pixels = realloc(screen->pixels, pixels * sizeof(uint32_t));
	assert_non_null(screen->pixels);
	for (uint32_t y = 0; y < picture->height; y++)
		row((const uint8_t *)picture->pixels + (size_t)y * picture->row_bytes,
			screen->pixels + (size_t)y * picture->width, picture->width);
	for (size_t i = 0; i < pixels; i++)
		screen->pixels[i] &= 0xffffff;
	if (screen->shown <= RIG_CORNERS)
		screen->corners[screen->shown - 1] = screen->pixels[0];
}

static int
show(void *data, const struct krafla_picture *picture, int *shown_fence)
{
	struct rig_screen *screen = data;

	assert_int_equal(picture->size, sizeof(*picture));
	assert_int_equal(*shown_fence, -1);
	screen->shown++;
	screen->last = *picture;
	if (picture->damage_count)
		screen->damage = picture->damage[0];
	if (picture->pixels) {
		keep(screen, picture);
	} else {
		free(screen->pixels);
		screen->pixels = NULL;
	}
	if (screen->hold && picture->hold && krafla_picture_hold_take(picture->hold))
		screen->holds[screen->held++] = picture->hold;
	*shown_fence = screen->fence;
	screen->fence = -1;
	return screen->error;
}

struct krafla_screen
rig_screen(struct rig_screen *screen, uint32_t width, uint32_t height)
{
	return (struct krafla_screen){
		.size = sizeof(struct krafla_screen),
		.data = screen,
		.width = width,
		.height = height,
		.vsync_period_ns = 1000000,
		.dpi_x = -1,
		.dpi_y = 96000,
		.wants = wants,
		.show = show,
	};
}

void
rig_begin(struct rig *rig, const char *device, uint32_t width, uint32_t height)
{
	struct krafla_screen screen = rig_screen(&rig->screen, width, height);

	*rig = (struct rig){.width = width, .height = height, .screen = {.fence = -1}};
	assert_int_equal(krafla_composer_open(device, &rig->composer), 0);
	assert_int_equal(krafla_composer_create_screen(rig->composer, &screen, &rig->display), 0);
}

void
rig_end(struct rig *rig)
{
	for (unsigned i = 0; i < rig->screen.held; i++)
		krafla_picture_hold_drop(rig->screen.holds[i]);
	krafla_composer_close(rig->composer);
	free(rig->screen.pixels);
}

static uint32_t
swapped(uint32_t argb)
{
	return (argb & 0xff00ff00) | (argb >> 16 & 0xff) | (argb & 0xff) << 16;
}

void
rig_fill(AHardwareBuffer *buffer, uint32_t argb)
{
	AHardwareBuffer_Desc desc;
	void *data;

	AHardwareBuffer_describe(buffer, &desc);
	assert_int_equal(AHardwareBuffer_lock(
				 buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, &data),
		0);
	for (uint32_t y = 0; y < desc.height; y++) {
		uint32_t *row = (uint32_t *)data + (size_t)y * desc.stride;

		for (uint32_t x = 0; x < desc.width; x++)
			row[x] = desc.format == RIG_BGRA ? argb : swapped(argb);
	}
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
}

AHardwareBuffer *
rig_buffer(uint32_t width, uint32_t height, uint32_t format, uint32_t argb)
{
	const AHardwareBuffer_Desc desc = {
		.width = width,
		.height = height,
		.layers = 1,
		.format = format,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
	};
	AHardwareBuffer *buffer;

	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	if (kr_format_bytes(format) == 4)
		rig_fill(buffer, argb);
	return buffer;
}

uint32_t
rig_pixel(AHardwareBuffer *buffer, uint32_t x, uint32_t y)
{
	AHardwareBuffer_Desc desc;
	uint32_t pixel;
	void *data;

	AHardwareBuffer_describe(buffer, &desc);
	assert_int_equal(
		AHardwareBuffer_lock(buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, -1, NULL, &data),
		0);
	pixel = ((const uint32_t *)data)[(size_t)y * desc.stride + x];
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	return desc.format == RIG_BGRA ? pixel : swapped(pixel);
}

krafla_layer_t
rig_layer(struct rig *rig, AHardwareBuffer *buffer, ARect frame, uint32_t z)
{
	struct krafla_composer *composer = rig->composer;
	krafla_layer_t layer;

	assert_int_equal(krafla_display_create_layer(composer, rig->display, &layer), 0);
	assert_int_equal(krafla_layer_set_display_frame(composer, rig->display, layer, frame), 0);
	assert_int_equal(krafla_layer_set_z_order(composer, rig->display, layer, z), 0);
	if (buffer)
		assert_int_equal(
			krafla_layer_set_buffer(composer, rig->display, layer, buffer, -1), 0);
	return layer;
}

int
rig_present(struct rig *rig)
{
	uint32_t types, requests;
	int fence = -2;

	assert_int_equal(
		krafla_display_validate(rig->composer, rig->display, &types, &requests), 0);
	assert_int_equal(types, 0);
	assert_int_equal(requests, 0);
	assert_int_equal(krafla_display_present(rig->composer, rig->display, &fence), 0);
	assert_int_not_equal(fence, -2);
	return fence;
}

void
rig_show(struct rig *rig)
{
	unsigned shown = rig->screen.shown;

	assert_int_equal(rig_present(rig), -1);
	assert_int_equal(rig->screen.shown, shown + 1);
}

void
rig_wait_shown(struct rig *rig, unsigned shown)
{
	struct pollfd poll = {.fd = krafla_composer_get_fd(rig->composer), .events = POLLIN};
	int64_t deadline = kr_deadline_in(PATIENCE_NS);

	while (rig->screen.shown < shown) {
		assert_true(kr_fd_poll(&poll, 1, deadline) > 0);
		krafla_composer_dispatch(rig->composer);
	}
}

int
rig_release(struct rig *rig, krafla_layer_t layer)
{
	krafla_layer_t layers[64];
	uint32_t count = 64;
	int fences[64], found = -1;

	assert_int_equal(krafla_display_get_release_fences(
				 rig->composer, rig->display, &count, layers, fences),
		0);
	for (uint32_t i = 0; i < count; i++) {
		if (layers[i] == layer)
			found = fences[i];
		else
			kr_fd_close(&fences[i]);
	}
	return found;
}

int
rig_fence(int *producer)
{
	const struct kr_fence_label label = {"test", 1, NULL};
	int fence;

	assert_int_equal(kr_fence_create(&label, producer, &fence), 0);
	return fence;
}

int
rig_wait_fence(int fence)
{
	int err = kr_fence_wait(fence, kr_deadline_in(PATIENCE_NS));

	kr_fd_close(&fence);
	return err ? err : KR_FENCE_SIGNALLED;
}
