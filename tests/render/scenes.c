/* SPDX-License-Identifier: Apache-2.0 */
/* See scenes.h. */
#include "scenes.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define OFF 0.6 /* of 255; 1 is promised */

static uint32_t
pick(struct scenes_picture *picture, uint32_t below)
{
	return rig_random(&picture->random, below);
}

static struct kr_buffer *
random_buffer(struct scenes_picture *picture, bool premultiplied)
{
	static const uint32_t formats[] = {RGBA, RGBA, BGRA, BGRA, RGBX, RGB5, RGB10, HALF};
	struct kr_buffer *buffer = rig_buffer(1 + pick(picture, 120), 1 + pick(picture, 90),
		formats[pick(picture, KR_ARRAY_LEN(formats))]);
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(buffer)->desc;

	rig_fill(&picture->random, buffer,
		&(ARect){0, 0, (int32_t)desc->width, (int32_t)desc->height}, premultiplied);
	return buffer;
}

static float
random_edge(struct scenes_picture *picture, uint32_t size)
{
	float whole = (float)pick(picture, size + 20) - 10;

	return pick(picture, 2) ? whole : whole + (float)pick(picture, 1000) / 1000;
}

static struct kr_render_crop
random_crop(struct scenes_picture *picture, const struct kr_buffer_desc *desc)
{
	struct kr_render_crop crop = {0};
	float swap;

	if (pick(picture, 3) == 0)
		return crop;
	crop = (struct kr_render_crop){random_edge(picture, desc->width),
		random_edge(picture, desc->height), random_edge(picture, desc->width),
		random_edge(picture, desc->height)};
	if (crop.left > crop.right) {
		swap = crop.left;
		crop.left = crop.right;
		crop.right = swap;
	}
	if (crop.top > crop.bottom) {
		swap = crop.top;
		crop.top = crop.bottom;
		crop.bottom = swap;
	}
	return crop;
}

/* As large as what is shown, or of any size; at any place. */
static ARect
random_frame(struct scenes_picture *picture, const struct kr_render_layer *layer)
{
	int32_t width = 1 + (int32_t)pick(picture, SCENES_WIDTH + 40);
	int32_t height = 1 + (int32_t)pick(picture, SCENES_HEIGHT + 40);
	int32_t x = (int32_t)pick(picture, SCENES_WIDTH + 30) - 30;
	int32_t y = (int32_t)pick(picture, SCENES_HEIGHT + 30) - 30;

	if (layer->buffer && pick(picture, 2)) {
		const struct kr_buffer_desc *desc = &kr_buffer_get_info(layer->buffer)->desc;
		const struct kr_render_crop *crop = &layer->crop;
		bool cropped = crop->left < crop->right && crop->left >= 0 && crop->top >= 0;

		width = cropped ? (int32_t)(crop->right - crop->left) : (int32_t)desc->width;
		height = cropped ? (int32_t)(crop->bottom - crop->top) : (int32_t)desc->height;
	}
	if (layer->transform & NATIVE_WINDOW_TRANSFORM_ROT_90)
		return (ARect){x, y, x + height, y + width};
	return (ARect){x, y, x + width, y + height};
}

static void
add_layer(struct scenes_picture *picture)
{
	struct kr_render_layer *layer = &picture->scene.layers[picture->scene.count++];

	*layer = (struct kr_render_layer){
		.blend = 1 + (int32_t)pick(picture, 3),
		.alpha = pick(picture, 3) ? 1 : (float)pick(picture, 1001) / 1000,
		.transform = pick(picture, 2) ? 0 : (int32_t)pick(picture, 8),
	};
	layer->no_content = pick(picture, 24) == 0;
	layer->hole = !layer->no_content && picture->scene.has_alpha && pick(picture, 16) == 0;
	if (pick(picture, 5)) {
		layer->buffer = random_buffer(
			picture, layer->blend == KR_RENDER_BLEND_PREMULTIPLIED && pick(picture, 8));
		layer->crop = random_crop(picture, &kr_buffer_get_info(layer->buffer)->desc);
	}
	layer->frame = random_frame(picture, layer);
	layer->color = (struct kr_render_color){(uint8_t)pick(picture, 256),
		(uint8_t)pick(picture, 256), (uint8_t)pick(picture, 256),
		pick(picture, 2) ? 255 : (uint8_t)pick(picture, 256)};
	assert_int_equal(kr_render_layer_check(layer), 0);
}

static void
add_stale(struct scenes_picture *picture)
{
	unsigned boxes = pick(picture, 3) ? 0 : 1 + pick(picture, 6);

	if (!boxes)
		pixman_region32_union_rect(
			&picture->stale, &picture->stale, 0, 0, SCENES_WIDTH, SCENES_HEIGHT);
	while (boxes-- > 0)
		pixman_region32_union_rect(&picture->stale, &picture->stale,
			(int)pick(picture, SCENES_WIDTH + 10) - 10,
			(int)pick(picture, SCENES_HEIGHT + 10) - 10,
			1 + pick(picture, SCENES_WIDTH), 1 + pick(picture, SCENES_HEIGHT));
}

void
scenes_begin(struct scenes_picture *picture, uint64_t seed, unsigned most)
{
	static const unsigned counts[] = {1, 2, 4, 8, 16, 65};
	unsigned count;

	picture->random.state = picture->seed = seed;
	for (int i = 0; i < 4; i++)
		(void)pick(picture, 2);
	pixman_region32_init(&picture->stale);
	picture->scene = (struct kr_render_scene){
		.width = SCENES_WIDTH,
		.height = SCENES_HEIGHT,
		.order = (enum kr_pixels_order)pick(picture, 2),
		.fixed_order = true,
		.has_alpha = pick(picture, 2),
		.wanted = true,
		.must_draw = true,
		.stale = &picture->stale,
	};
	count = KR_MIN(1 + pick(picture, counts[pick(picture, KR_ARRAY_LEN(counts))]), most);
	while (picture->scene.count < count)
		add_layer(picture);
	add_stale(picture);
	for (size_t i = 0; i < KR_ARRAY_LEN(picture->pixels); i++)
		picture->pixels[i] = SCENES_BEFORE;
}

void
scenes_end(struct scenes_picture *picture)
{
	for (unsigned i = 0; i < picture->scene.count; i++)
		kr_buffer_unref(picture->scene.layers[i].buffer);
	pixman_region32_fini(&picture->stale);
}

/* R, G, B, A of a pixel. */
static void
read_pixel(const struct scenes_picture *picture, int32_t x, int32_t y, int32_t channel[4])
{
	uint32_t pixel = picture->pixels[y * SCENES_STRIDE + x];
	bool xrgb = picture->scene.order == KR_PIXELS_XRGB;

	channel[0] = pixel >> (xrgb ? 16 : 0) & 0xff;
	channel[1] = pixel >> 8 & 0xff;
	channel[2] = pixel >> (xrgb ? 0 : 16) & 0xff;
	channel[3] = (int32_t)(pixel >> 24);
}

static void
compare_at(struct scenes_picture *picture, int32_t x, int32_t y)
{
	const struct reference_pixel want = reference_at(
		picture->scene.layers, picture->scene.count, picture->scene.has_alpha, x, y);
	int32_t got[4];

	if (want.kept) {
		if (picture->pixels[y * SCENES_STRIDE + x] != SCENES_BEFORE)
			fail_msg("seed %d: %d,%d was to be kept", (int)picture->seed, x, y);
		return;
	}
	read_pixel(picture, x, y, got);
	for (int c = 0; c < (picture->scene.has_alpha ? 4 : 3); c++) {
		double off = fabs(got[c] - want.channel[c]);

		picture->worst = fmax(picture->worst, off);
		if (off > (want.exact ? 0 : OFF))
			fail_msg("seed %d: %d,%d channel %d is %d, not %.3f%s", (int)picture->seed,
				x, y, c, got[c], want.channel[c], want.exact ? " exactly" : "");
	}
}

uint64_t
scenes_compare(struct scenes_picture *picture, pixman_region32_t *was_stale)
{
	uint64_t due = 0;

	for (int32_t y = 0; y < SCENES_HEIGHT; y++) {
		for (int32_t x = 0; x < SCENES_STRIDE; x++) {
			bool stale = pixman_region32_contains_point(&picture->stale, x, y, NULL);

			if (x < SCENES_WIDTH &&
				pixman_region32_contains_point(was_stale, x, y, NULL)) {
				compare_at(picture, x, y);
				due += stale ? 0 : 4;
			} else if (picture->pixels[y * SCENES_STRIDE + x] != SCENES_BEFORE) {
				fail_msg("seed %d: %d,%d was touched", (int)picture->seed, x, y);
			}
		}
	}
	return due;
}

void
scenes_run(uint64_t first, uint64_t count, unsigned most,
	double (*run)(void *data, uint64_t seed, unsigned most), void *data)
{
	const char *only = getenv("RENDER_SEED");
	double worst = 0;

	if (only) {
		(void)run(data, strtoull(only, NULL, 10), most);
		return;
	}
	for (uint64_t seed = first; seed < first + count; seed++)
		worst = fmax(worst, run(data, seed, most));
	printf("# seeds %d to %d: off by %.3f at most\n", (int)first, (int)(first + count - 1),
		worst);
}
