/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture of two layers, made by the hardware composer: a gradient, and a half transparent red
 * square on it.
 *
 *   cc composer.c -o composer $(pkg-config --cflags --libs krafla-composer)
 *   ./composer                 composes on the CPU
 *   ./composer random:7        the same with a device that may hand layers back: then this says so
 *
 * The picture goes to a virtual display, whose output is a buffer of this program. Nobody touches
 * the buffer until the present fence signals.
 */
#include <krafla/composer.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	WIDTH = 320,
	HEIGHT = 180,
	SQUARE = 60,
};

static void
check(const char *what, int error)
{
	if (!error)
		return;
	fprintf(stderr, "composer: %s: error %d\n", what, error);
	exit(1);
}

static AHardwareBuffer *
make_buffer(uint32_t width, uint32_t height)
{
	const AHardwareBuffer_Desc desc = {
		.width = width,
		.height = height,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
	};
	AHardwareBuffer *buffer;

	check("a buffer", AHardwareBuffer_allocate(&desc, &buffer));
	return buffer;
}

/* From black on the left to white on the right. */
static void
draw_gradient(AHardwareBuffer *buffer)
{
	AHardwareBuffer_Desc desc;
	uint32_t *row;
	void *data;

	AHardwareBuffer_describe(buffer, &desc);
	check("lock",
		AHardwareBuffer_lock(
			buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, &data));
	for (uint32_t y = 0; y < desc.height; y++) {
		row = (uint32_t *)data + (size_t)y * desc.stride;
		for (uint32_t x = 0; x < desc.width; x++)
			row[x] = 0xff000000 | x * 255 / (desc.width - 1) * 0x010101;
	}
	check("unlock", AHardwareBuffer_unlock(buffer, NULL));
}

/* Waits for the fence, which the lock takes over, and tells three pixels, R G B A in memory. */
static void
tell_pixels(AHardwareBuffer *buffer, int fence)
{
	static const uint32_t columns[] = {0, WIDTH / 2, WIDTH - 1};
	AHardwareBuffer_Desc desc;
	const uint8_t *pixel;
	void *data;

	AHardwareBuffer_describe(buffer, &desc);
	check("the present fence",
		AHardwareBuffer_lock(
			buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, fence, NULL, &data));
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		pixel = (const uint8_t *)data + ((size_t)HEIGHT / 2 * desc.stride + columns[i]) * 4;
		printf("pixel %u, %u: %02x%02x%02x\n", columns[i], HEIGHT / 2, pixel[0], pixel[1],
			pixel[2]);
	}
	check("unlock", AHardwareBuffer_unlock(buffer, NULL));
}

static void
set_layers(struct krafla_composer *composer, krafla_display_t display, AHardwareBuffer *gradient)
{
	const ARect all = {0, 0, WIDTH, HEIGHT};
	const ARect middle = {(WIDTH - SQUARE) / 2, (HEIGHT - SQUARE) / 2, (WIDTH + SQUARE) / 2,
		(HEIGHT + SQUARE) / 2};
	const krafla_color red = {255, 0, 0, 255};
	krafla_layer_t below, above;

	check("a layer", krafla_display_create_layer(composer, display, &below));
	check("its buffer", krafla_layer_set_buffer(composer, display, below, gradient, -1));
	check("its frame", krafla_layer_set_display_frame(composer, display, below, all));

	check("a layer", krafla_display_create_layer(composer, display, &above));
	check("its kind",
		krafla_layer_set_composition_type(
			composer, display, above, KRAFLA_COMPOSITION_SOLID_COLOR));
	check("its color", krafla_layer_set_color(composer, display, above, red));
	check("its blending",
		krafla_layer_set_blend_mode(composer, display, above, KRAFLA_BLEND_PREMULTIPLIED));
	check("its alpha", krafla_layer_set_plane_alpha(composer, display, above, 0.5f));
	check("its frame", krafla_layer_set_display_frame(composer, display, above, middle));
	check("its place", krafla_layer_set_z_order(composer, display, above, 1));
}

int
main(int argc, char **argv)
{
	AHardwareBuffer *gradient = make_buffer(WIDTH, HEIGHT), *output;
	int32_t format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	struct krafla_composer *composer;
	uint32_t types, requests;
	krafla_display_t display;
	int error, fence;

	check("the device", krafla_composer_open(argc > 1 ? argv[1] : "soft", &composer));
	check("a virtual display",
		krafla_composer_create_virtual_display(composer, WIDTH, HEIGHT, &format, &display));
	draw_gradient(gradient);
	set_layers(composer, display, gradient);
	output = make_buffer(WIDTH, HEIGHT);
	check("the output", krafla_display_set_output_buffer(composer, display, output, -1));

	/* A client that can compose would draw those layers into a client target now. */
	error = krafla_display_validate(composer, display, &types, &requests);
	if (error == KRAFLA_COMPOSER_HAS_CHANGES) {
		printf("the device hands %u layers back, and has %u requests\n", types, requests);
		error = 0;
	} else {
		check("validate", error);
		check("present", krafla_display_present(composer, display, &fence));
		tell_pixels(output, fence);
	}

	AHardwareBuffer_release(output);
	AHardwareBuffer_release(gradient);
	krafla_composer_close(composer);
	return error;
}
