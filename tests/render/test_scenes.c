/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures against the reference: scenes of random layers, a seed each, which a failure names
 * (RENDER_SEED runs that one alone).
 */
#include "rig.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH   83
#define HEIGHT  59
#define PADDING 5 /* pixels between rows of the canvas */
#define STRIDE  (WIDTH + PADDING)
#define SCENES  300
#define BEFORE  0x5a5a5a5au
#define OFF     0.6 /* of 255; 1 is promised */

struct picture {
	struct rig_random random;
	uint64_t seed;
	struct kr_render_scene scene;
	struct kr_render_plan plan;
	struct kr_render_canvas canvas;
	pixman_region32_t stale;
	uint32_t pixels[STRIDE * HEIGHT];
	double worst;
};

static uint32_t
pick(struct picture *picture, uint32_t below)
{
	return rig_random(&picture->random, below);
}

static struct kr_buffer *
random_buffer(struct picture *picture, bool premultiplied)
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
random_edge(struct picture *picture, uint32_t size)
{
	float whole = (float)pick(picture, size + 20) - 10;

	return pick(picture, 2) ? whole : whole + (float)pick(picture, 1000) / 1000;
}

static struct kr_render_crop
random_crop(struct picture *picture, const struct kr_buffer_desc *desc)
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
random_frame(struct picture *picture, const struct kr_render_layer *layer)
{
	int32_t width = 1 + (int32_t)pick(picture, WIDTH + 40);
	int32_t height = 1 + (int32_t)pick(picture, HEIGHT + 40);
	int32_t x = (int32_t)pick(picture, WIDTH + 30) - 30;
	int32_t y = (int32_t)pick(picture, HEIGHT + 30) - 30;

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
add_layer(struct picture *picture)
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
add_stale(struct picture *picture)
{
	unsigned boxes = pick(picture, 3) ? 0 : 1 + pick(picture, 6);

	if (!boxes)
		pixman_region32_union_rect(&picture->stale, &picture->stale, 0, 0, WIDTH, HEIGHT);
	while (boxes-- > 0)
		pixman_region32_union_rect(&picture->stale, &picture->stale,
			(int)pick(picture, WIDTH + 10) - 10, (int)pick(picture, HEIGHT + 10) - 10,
			1 + pick(picture, WIDTH), 1 + pick(picture, HEIGHT));
}

static void
begin(struct picture *picture, uint64_t seed, unsigned most)
{
	static const unsigned counts[] = {1, 2, 4, 8, 16, 65};
	unsigned count;

	picture->random.state = picture->seed = seed;
	for (int i = 0; i < 4; i++)
		(void)pick(picture, 2);
	pixman_region32_init(&picture->stale);
	kr_render_plan_init(&picture->plan);
	picture->scene = (struct kr_render_scene){
		.width = WIDTH,
		.height = HEIGHT,
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
		picture->pixels[i] = BEFORE;
	assert_int_equal(kr_render_canvas_wrap(&picture->canvas, picture->pixels, WIDTH, HEIGHT,
				 STRIDE * 4, picture->scene.order, picture->scene.has_alpha),
		0);
}

static void
end(struct picture *picture)
{
	for (unsigned i = 0; i < picture->scene.count; i++)
		kr_buffer_unref(picture->scene.layers[i].buffer);
	kr_render_plan_finish(&picture->plan);
	pixman_region32_fini(&picture->stale);
	kr_render_canvas_finish(&picture->canvas);
}

/* R, G, B, A of a pixel. */
static void
read_pixel(const struct picture *picture, int32_t x, int32_t y, int32_t channel[4])
{
	uint32_t pixel = picture->pixels[y * STRIDE + x];
	bool xrgb = picture->scene.order == KR_PIXELS_XRGB;

	channel[0] = pixel >> (xrgb ? 16 : 0) & 0xff;
	channel[1] = pixel >> 8 & 0xff;
	channel[2] = pixel >> (xrgb ? 0 : 16) & 0xff;
	channel[3] = (int32_t)(pixel >> 24);
}

static void
compare_at(struct picture *picture, int32_t x, int32_t y)
{
	const struct reference_pixel want = reference_at(
		picture->scene.layers, picture->scene.count, picture->scene.has_alpha, x, y);
	int32_t got[4];

	if (want.kept) {
		if (picture->pixels[y * STRIDE + x] != BEFORE)
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

/* Where it was stale as the reference has it, and elsewhere as it was; each pixel written once. */
static void
compare(struct picture *picture, pixman_region32_t *was_stale, uint64_t written)
{
	uint64_t due = 0;

	for (int32_t y = 0; y < HEIGHT; y++) {
		for (int32_t x = 0; x < STRIDE; x++) {
			bool stale = pixman_region32_contains_point(&picture->stale, x, y, NULL);

			if (x < WIDTH && pixman_region32_contains_point(was_stale, x, y, NULL)) {
				compare_at(picture, x, y);
				due += stale ? 0 : 4;
			} else if (picture->pixels[y * STRIDE + x] != BEFORE) {
				fail_msg("seed %d: %d,%d was touched", (int)picture->seed, x, y);
			}
		}
	}
	assert_int_equal(written, due);
	assert_int_equal(picture->plan.older, pixman_region32_not_empty(&picture->stale));
}

static double
run_scene(uint64_t seed, unsigned most)
{
	struct picture picture = {0};
	pixman_region32_t was_stale;
	uint64_t written;

	begin(&picture, seed, most);
	pixman_region32_init(&was_stale);
	pixman_region32_copy(&was_stale, &picture.stale);
	kr_render_plan_make(&picture.plan, &picture.scene);
	assert_int_equal(picture.plan.way, KR_RENDER_DRAW);
	(void)rig_draw(&picture.plan, &picture.canvas,
		seed % 3 ? UINT64_MAX : 1 + pick(&picture, 5000), &written);
	compare(&picture, &was_stale, written);
	pixman_region32_fini(&was_stale);
	end(&picture);
	return picture.worst;
}

static void
run_scenes(uint64_t first, uint64_t count, unsigned most)
{
	const char *only = getenv("RENDER_SEED");
	double worst = 0;

	if (only) {
		(void)run_scene(strtoull(only, NULL, 10), most);
		return;
	}
	for (uint64_t seed = first; seed < first + count; seed++)
		worst = fmax(worst, run_scene(seed, most));
	printf("# seeds %d to %d: off by %.3f at most\n", (int)first, (int)(first + count - 1),
		worst);
}

static void
single_layers_are_as_the_reference(void **state)
{
	run_scenes(1, SCENES, 1);
}

static void
stacks_are_as_the_reference(void **state)
{
	run_scenes(10000, SCENES, KR_RENDER_MAX_LAYERS);
}

/* What a buffer's damage has a say in, and no more than that has to be drawn again. */
static void
damage_is_all_that_changes(void **state)
{
	for (uint64_t seed = 20000; seed < 20000 + SCENES; seed++) {
		struct picture picture = {0};
		uint32_t partly[STRIDE * HEIGHT];
		struct kr_render_layer *layer;
		uint64_t written;

		begin(&picture, seed, 8);
		for (unsigned i = 0; i < picture.scene.count; i++)
			picture.scene.layers[i].no_content = false;
		pixman_region32_union_rect(&picture.stale, &picture.stale, 0, 0, WIDTH, HEIGHT);
		kr_render_plan_make(&picture.plan, &picture.scene);
		(void)rig_draw(&picture.plan, &picture.canvas, UINT64_MAX, &written);
		layer = &picture.scene.layers[pick(&picture, picture.scene.count)];
		if (layer->buffer) {
			const struct kr_buffer_desc *desc =
				&kr_buffer_get_info(layer->buffer)->desc;
			ARect box = {(int32_t)pick(&picture, desc->width),
				(int32_t)pick(&picture, desc->height), 0, 0};

			box.right = box.left + 1 +
				(int32_t)pick(&picture, desc->width - (uint32_t)box.left);
			box.bottom = box.top + 1 +
				(int32_t)pick(&picture, desc->height - (uint32_t)box.top);
			rig_fill(&picture.random, layer->buffer, &box, false);
			kr_render_layer_add_damage(layer, WIDTH, HEIGHT, &box, &picture.stale);
		}
		kr_render_plan_make(&picture.plan, &picture.scene);
		(void)rig_draw(&picture.plan, &picture.canvas, UINT64_MAX, &written);
		memcpy(partly, picture.pixels, sizeof(partly));
		pixman_region32_union_rect(&picture.stale, &picture.stale, 0, 0, WIDTH, HEIGHT);
		kr_render_plan_make(&picture.plan, &picture.scene);
		(void)rig_draw(&picture.plan, &picture.canvas, UINT64_MAX, &written);
		for (size_t i = 0; i < KR_ARRAY_LEN(partly); i++) {
			uint32_t mask = picture.scene.has_alpha ? UINT32_MAX : 0xffffff;

			if ((partly[i] ^ picture.pixels[i]) & mask)
				fail_msg("seed %d: %d,%d wasn't drawn again", (int)seed,
					(int)(i % STRIDE), (int)(i / STRIDE));
		}
		end(&picture);
	}
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(single_layers_are_as_the_reference, 0, 100),
	KR_TEST_SLOW(stacks_are_as_the_reference, 0, 100),
	KR_TEST_SLOW(damage_is_all_that_changes, 0, 100),
};
KR_TEST_MAIN(tests)
