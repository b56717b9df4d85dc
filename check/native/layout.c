/* SPDX-License-Identifier: Apache-2.0 */
/* What is in the buffer after a release, read by the CPU pixel by pixel (W-08, W-13). */
#include "check/native/native.h"

#define MANY   3
#define ROUNDS 4

static const float colours[MANY][4] = {
	{1.0f, 0.2f, 0.0f, 1.0f},
	{0.0f, 1.0f, 0.4f, 1.0f},
	{0.6f, 0.0f, 1.0f, 1.0f},
};

static void
draw_size(struct check *c, struct check_device *device, uint32_t width, uint32_t height)
{
	const struct check_image_request request = {.width = width, .height = height};
	struct check_image image;

	check_make_image(c, device, &request, &image);
	native_draw(c, device, &image, colours[0]);
	native_draw(c, device, &image, colours[1]);
	check_destroy_image(c, device, &image);
}

static void
holds_every_pixel(struct check *c)
{
	struct check_device device;

	check_make_device(c, NULL, &device);
	draw_size(c, &device, 64, 64);
	draw_size(c, &device, 320, 240);
	draw_size(c, &device, 640, 480);
}

static void
of_odd_sizes(struct check *c)
{
	static const uint32_t sizes[][2] = {
		{3, 5}, {17, 33}, {127, 3}, {5, 129}, {65, 7}, {255, 255}, {1023, 2}};
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++)
		draw_size(c, &device, sizes[i][0], sizes[i][1]);
	for (int i = 0; i < 8; i++)
		draw_size(c, &device, 2 + (uint32_t)(check_random(c) % 200),
			2 + (uint32_t)(check_random(c) % 200));
}

static void
keeps_content(struct check *c)
{
	struct native_scene scene;

	native_scene_make(c, &scene);
	native_draw(c, &scene.device, &scene.image, colours[2]);
	for (int i = 0; i < ROUNDS; i++) {
		native_acquire(c, &scene, -1, VK_NULL_HANDLE, VK_NULL_HANDLE);
		native_give_back(c, &scene.device, &scene.image);
		check_pixels(c, &scene.image, colours[2]);
	}
}

static void
of_several_images(struct check *c)
{
	struct check_device device;
	struct check_image images[MANY];

	check_make_device(c, NULL, &device);
	for (int i = 0; i < MANY; i++)
		check_make_image(c, &device, NULL, &images[i]);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < MANY; i++)
			native_draw(c, &device, &images[i], colours[(i + round) % MANY]);
		for (int i = 0; i < MANY; i++)
			check_pixels(c, &images[i], colours[(i + round) % MANY]);
	}
}

/* Nothing but a release makes it so: no fence of the driver's inside the buffer is waited for. */
static void
is_plain_after_release(struct check *c)
{
	struct native_scene scene;

	native_scene_make(c, &scene);
	for (int i = 0; i < ROUNDS; i++) {
		const float *colour = colours[i % MANY];

		native_acquire(c, &scene, -1, VK_NULL_HANDLE, VK_NULL_HANDLE);
		check_clear(c, &scene.device, &scene.image, 0, colours[(i + 1) % MANY],
			VK_NULL_HANDLE, VK_NULL_HANDLE);
		check_clear(
			c, &scene.device, &scene.image, 0, colour, VK_NULL_HANDLE, VK_NULL_HANDLE);
		native_give_back(c, &scene.device, &scene.image);
		check_pixels(c, &scene.image, colour);
	}
}

static const struct check_case rows[] = {
	{
		.name = "layout.holds_every_pixel",
		.requirement = "W-08",
		.expected =
			"after a release the buffer holds what was drawn, in rows of its stride",
		.consequence = "windows are black, striped or sheared",
		.run = holds_every_pixel,
	},
	{
		.name = "layout.of_odd_sizes",
		.requirement = "W-08",
		.expected = "images of odd widths and heights lie in rows of the buffer's stride",
		.consequence = "windows are sheared, but for some widths",
		.run = of_odd_sizes,
	},
	{
		.name = "layout.keeps_content",
		.requirement = "W-13",
		.expected = "an acquire and a release without drawing leave the buffer as it was",
		.consequence = "programs that draw only what has changed lose the rest",
		.run = keeps_content,
	},
	{
		.name = "layout.of_several_images",
		.requirement = "W-04",
		.expected = "each image draws to its own buffer",
		.consequence = "frames are shown in the wrong order",
		.run = of_several_images,
	},
	{
		.name = "layout.is_plain_after_release",
		.requirement = "W-13",
		.expected =
			"a release leaves what consumers without the driver's knowledge can read: no compression, no tiles",
		.consequence = "windows show coloured noise",
		.run = is_plain_after_release,
	},
};

const struct check_rows check_native_layout = CHECK_ROWS(rows);
