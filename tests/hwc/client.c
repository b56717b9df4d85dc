/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of libkrafla-composer.so.0 alone: opens a device, and shows two layers on a screen of
 * its own, of which the upper one lets the lower one through. The picture is kept beyond the
 * composer.
 */
#include <krafla/composer.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 64, HEIGHT = 32 };

static unsigned shown;
static uint32_t pixel;
static const uint32_t *held_pixels;
static struct krafla_picture_hold *hold;

static void
expect(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "client: %s\n", what);
	exit(1);
}

static int
show(void *data, const struct krafla_picture *picture, int *shown_fence)
{
	shown++;
	expect(picture->pixels != NULL, "a picture without pixels");
	held_pixels = picture->pixels;
	pixel = held_pixels[0];
	if (!hold && krafla_picture_hold_take(picture->hold))
		hold = picture->hold;
	return 0;
}

static AHardwareBuffer *
make_buffer(uint32_t colour)
{
	const AHardwareBuffer_Desc desc = {
		.width = WIDTH,
		.height = HEIGHT,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
	};
	AHardwareBuffer_Desc made;
	AHardwareBuffer *buffer;
	void *data;

	expect(!AHardwareBuffer_allocate(&desc, &buffer), "a buffer");
	AHardwareBuffer_describe(buffer, &made);
	expect(!AHardwareBuffer_lock(buffer, desc.usage, -1, NULL, &data), "lock");
	for (uint32_t i = 0; i < made.stride * HEIGHT; i++)
		((uint32_t *)data)[i] = colour;
	expect(!AHardwareBuffer_unlock(buffer, NULL), "unlock");
	return buffer;
}

static void
add_layer(struct krafla_composer *composer, krafla_display_t display, AHardwareBuffer *buffer,
	uint32_t z, float alpha)
{
	const ARect all = {0, 0, WIDTH, HEIGHT};
	krafla_layer_t layer;

	expect(!krafla_display_create_layer(composer, display, &layer), "a layer");
	expect(!krafla_layer_set_display_frame(composer, display, layer, all), "its frame");
	expect(!krafla_layer_set_z_order(composer, display, layer, z), "its place");
	expect(!krafla_layer_set_plane_alpha(composer, display, layer, alpha), "its alpha");
	expect(!krafla_layer_set_buffer(composer, display, layer, buffer, -1), "its buffer");
}

int
main(int argc, char **argv)
{
	AHardwareBuffer *below = make_buffer(0xff000064), *above = make_buffer(0xff0000c8);
	const struct krafla_screen screen = {
		.size = sizeof(screen),
		.width = WIDTH,
		.height = HEIGHT,
		.vsync_period_ns = 16666667,
		.dpi_x = -1,
		.dpi_y = -1,
		.show = show,
	};
	struct krafla_composer *composer;
	krafla_display_t display;
	uint32_t types, requests;
	int fence = -1;

	expect(argc == 2, "usage: client DEVICE");
	expect(!krafla_composer_open(argv[1], &composer), "the device can't be opened");
	expect(!krafla_composer_create_screen(composer, &screen, &display), "a screen");
	add_layer(composer, display, below, 0, 1);
	add_layer(composer, display, above, 1, 0.5f);
	expect(!krafla_display_validate(composer, display, &types, &requests), "validate");
	expect(!krafla_display_present(composer, display, &fence), "present");
	for (int i = 0; i < 100 && !shown; i++) {
		struct pollfd fd = {.fd = krafla_composer_get_fd(composer), .events = POLLIN};

		poll(&fd, 1, 200);
		expect(!krafla_composer_dispatch(composer), "dispatch");
	}
	krafla_composer_close(composer);
	/* Red, between the two; the same in both orders of the channels but for its place. */
	pixel = (pixel & 0xff) | (pixel >> 16 & 0xff);
	expect(shown == 1 && pixel >= 149 && pixel <= 151, "the picture isn't as it should be");
	expect(!hold || ((held_pixels[0] | held_pixels[0] >> 16) & 0xff) == pixel,
		"what was held isn't what was shown");
	krafla_picture_hold_drop(hold);
	AHardwareBuffer_release(below);
	AHardwareBuffer_release(above);
	printf("1..1\nok 1 - %s\n", argv[1]);
	return 0;
}
