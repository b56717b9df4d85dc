/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of each colour space on canvases of each that displays have, against the standards. */
#include "rig.h"

#include <errno.h>
#include <krafla/native_window.h>
#include <math.h>
#include <string.h>

#include "colour/convert.h"
#include "colour_reference.h"

#define WIDTH  40
#define HEIGHT 20

static const int32_t displays[] = {HAL_DATASPACE_SRGB, HAL_DATASPACE_DISPLAY_P3,
	HAL_DATASPACE_BT2020_PQ, HAL_DATASPACE_BT2020_HLG, HAL_DATASPACE_SCRGB,
	HAL_DATASPACE_SCRGB_LINEAR};

struct picture {
	struct kr_render_canvas canvas;
	struct kr_render_plan plan;
	struct kr_render_scene scene;
	pixman_region32_t stale;
};

static void
begin(struct picture *picture, int32_t dataspace)
{
	*picture = (struct picture){0};
	assert_int_equal(
		kr_render_canvas_init_colour(&picture->canvas, WIDTH, HEIGHT, dataspace), 0);
	kr_render_plan_init(&picture->plan);
	pixman_region32_init(&picture->stale);
	picture->scene = (struct kr_render_scene){
		.width = WIDTH,
		.height = HEIGHT,
		.order = picture->canvas.order,
		.wanted = true,
		.must_draw = true,
		.dataspace = dataspace,
		.stale = &picture->stale,
	};
}

static void
end(struct picture *picture)
{
	kr_render_canvas_finish(&picture->canvas);
	kr_render_plan_finish(&picture->plan);
	pixman_region32_fini(&picture->stale);
}

/* All of it, in pieces. The bytes that were written. */
static uint64_t
draw(struct picture *picture)
{
	uint64_t written;

	pixman_region32_union_rect(&picture->stale, &picture->stale, 0, 0, WIDTH, HEIGHT);
	kr_render_plan_make(&picture->plan, &picture->scene);
	assert_int_equal(picture->plan.way, KR_RENDER_DRAW);
	rig_draw(&picture->plan, &picture->canvas, 1000, &written);
	assert_false(pixman_region32_not_empty(&picture->stale));
	return written;
}

static struct kr_render_layer *
add(struct picture *picture, struct kr_buffer *buffer, int32_t dataspace)
{
	struct kr_render_layer *layer = &picture->scene.layers[picture->scene.count++];

	*layer = (struct kr_render_layer){.frame = {0, 0, WIDTH, HEIGHT},
		.blend = KR_RENDER_BLEND_NONE,
		.alpha = 1,
		.color = {0, 0, 0, 255}};
	if (buffer)
		*layer = rig_layer(buffer, 0, 0);
	layer->dataspace = dataspace;
	return layer;
}

/* Signals of a pixel of the canvas, as it has them. */
static void
look(const struct picture *picture, int32_t x, int32_t y, double out[4])
{
	const struct kr_render_canvas *canvas = &picture->canvas;
	struct kr_colour_conversion same;
	float floats[4];

	kr_colour_conversion_init(&same, kr_render_canvas_format(canvas), canvas->dataspace,
		canvas->dataspace, false);
	kr_colour_to_floats(&same,
		canvas->pixels + (size_t)y * canvas->row_bytes + (size_t)x * canvas->pixel_bytes,
		floats, 1);
	for (int k = 0; k < 4; k++)
		out[k] = (double)floats[k];
}

/* Beside what the canvas's own numbers round off. */
static void
expect(const struct picture *picture, int32_t x, int32_t y, const double want[3])
{
	/* Of 8 bits: that, and where two are blended what each of them was rounded by. */
	double narrow = picture->scene.count > 1 ? 1.75 / 255 : 0.75 / 255, got[4];
	double most = picture->canvas.wide_format ? 1.5 / 1023 : narrow;

	look(picture, x, y, got);
	for (int k = 0; k < 3; k++) {
		double wanted = want[k];

		if (picture->canvas.wide_format != HALF)
			wanted = fmin(fmax(wanted, 0), 1);
		if (fabs(got[k] - wanted) > most * fmax(1, fabs(wanted)))
			fail_msg("display %d: %d, %d, channel %d is %f, not %f",
				picture->canvas.dataspace, x, y, k, got[k], wanted);
	}
}

/* Signals of pixels that a buffer has. */
static void
signals_of(struct kr_buffer *buffer, int32_t x, int32_t y, double out[4])
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct kr_colour_conversion same;
	float floats[4];
	uint8_t *data;

	assert_int_equal(kr_buffer_map(buffer, (void **)&data), 0);
	kr_colour_conversion_init(
		&same, info->desc.format, HAL_DATASPACE_SCRGB, HAL_DATASPACE_SCRGB, false);
	kr_colour_to_floats(&same,
		data + (size_t)y * info->row_bytes + (size_t)x * kr_format_bytes(info->desc.format),
		floats, 1);
	for (int k = 0; k < 4; k++)
		out[k] = (double)floats[k];
}

static void
layers_of_all_spaces_are_converted(void **unused)
{
	static const uint32_t formats[] = {RGBA, BGRA, RGB5, RGB10, HALF};
	const ARect box = {0, 0, WIDTH, HEIGHT};
	struct rig_random random = {3};

	for (size_t f = 0; f < KR_ARRAY_LEN(formats); f++) {
		struct kr_buffer *buffer = rig_buffer(WIDTH, HEIGHT, formats[f]);

		rig_fill(&random, buffer, &box, false);
		for (size_t d = 0; d < KR_ARRAY_LEN(displays); d++) {
			for (int s = 0; s < REFERENCE_SPACES; s++) {
				struct picture picture;
				double in[4], want[3];

				begin(&picture, displays[d]);
				add(&picture, buffer, reference_spaces[s]);
				assert_int_equal(draw(&picture),
					WIDTH * HEIGHT * picture.canvas.pixel_bytes);
				for (int32_t i = 0; i < WIDTH * HEIGHT; i += 7) {
					signals_of(buffer, i % WIDTH, i / WIDTH, in);
					reference_convert(
						reference_spaces[s], displays[d], in, want);
					expect(&picture, i % WIDTH, i / WIDTH, want);
				}
				end(&picture);
			}
		}
		kr_buffer_unref(buffer);
	}
}

/* On a display of 10 bits a picture of 10 bits is what it was, also where something was drawn. */
static void
ten_bits_stay_ten_bits(void **unused)
{
	struct kr_buffer *buffer = rig_buffer(WIDTH, HEIGHT, RGB10);
	const ARect box = {0, 0, WIDTH, HEIGHT};
	struct rig_random random = {4};
	struct picture picture;
	const uint32_t *words;
	uint32_t *data;

	rig_fill(&random, buffer, &box, false);
	assert_int_equal(kr_buffer_map(buffer, (void **)&data), 0);
	begin(&picture, HAL_DATASPACE_BT2020_PQ);
	add(&picture, buffer, HAL_DATASPACE_BT2020_PQ);
	draw(&picture);
	assert_int_equal(kr_render_canvas_format(&picture.canvas), RGB10);
	words = (const uint32_t *)(const void *)picture.canvas.pixels;
	for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
		size_t stride = kr_buffer_get_info(buffer)->row_bytes / sizeof(*data);

		assert_int_equal(
			words[i] & 0x3fffffff, data[i / WIDTH * stride + i % WIDTH] & 0x3fffffff);
	}
	end(&picture);
	kr_buffer_unref(buffer);
}

/* Blended as the display encodes, by each mode and a plane's alpha. */
static void
converted_layers_are_blended_as_encoded(void **unused)
{
	struct kr_buffer *below = rig_buffer(WIDTH, HEIGHT, RGB10);
	struct kr_buffer *above = rig_buffer(WIDTH, HEIGHT, HALF);
	const ARect box = {0, 0, WIDTH, HEIGHT};
	struct rig_random random = {5};

	rig_fill(&random, below, &box, false);
	rig_fill(&random, above, &box, true);
	for (size_t d = 0; d < KR_ARRAY_LEN(displays); d++) {
		for (int32_t blend = 1; blend <= 3; blend++) {
			struct kr_render_layer *layer;
			struct picture picture;

			begin(&picture, displays[d]);
			layer = add(&picture, above, HAL_DATASPACE_DISPLAY_P3);
			layer->blend = blend;
			layer->alpha = 0.75f;
			add(&picture, below, HAL_DATASPACE_BT2020_HLG);
			draw(&picture);
			for (int32_t i = 0; i < WIDTH * HEIGHT; i += 3) {
				int32_t x = i % WIDTH, y = i / WIDTH;
				double a[4], b[4], top[3], want[3], alpha, times;

				signals_of(above, x, y, a);
				signals_of(below, x, y, b);
				alpha = blend == KR_RENDER_BLEND_NONE ? 1 : a[3];
				times = blend == KR_RENDER_BLEND_COVERAGE ? alpha : 1;
				/* What is next to nothing has next to no colour to be told. */
				if (blend == KR_RENDER_BLEND_PREMULTIPLIED && a[3] < 0.02)
					continue;
				for (int k = 0; blend == KR_RENDER_BLEND_PREMULTIPLIED && k < 3;
					k++)
					a[k] = fmin(a[k] / a[3], 1);
				reference_convert(HAL_DATASPACE_DISPLAY_P3, displays[d], a, top);
				reference_convert(HAL_DATASPACE_BT2020_HLG, displays[d], b, want);
				if (blend == KR_RENDER_BLEND_PREMULTIPLIED)
					times = a[3];
				for (int k = 0; k < 3; k++)
					want[k] = top[k] * times * 0.75 +
						want[k] * (1 - alpha * 0.75);
				expect(&picture, x, y, want);
			}
			end(&picture);
		}
	}
	kr_buffer_unref(below);
	kr_buffer_unref(above);
}

/* Two colours, left and right: turned, flipped and scaled they come where they belong. */
static void
converted_layers_are_turned_and_scaled(void **unused)
{
	const uint32_t colors[2] = {0xff2040c0, 0xff80e010};
	struct kr_buffer *buffer = rig_buffer(WIDTH / 2, HEIGHT / 2, RGBA);
	double want[2][3];
	uint32_t *data;

	assert_int_equal(kr_buffer_map(buffer, (void **)&data), 0);
	for (int y = 0; y < HEIGHT / 2; y++) {
		for (int x = 0; x < WIDTH / 2; x++)
			data[(size_t)y * kr_buffer_get_info(buffer)->row_bytes / 4 + (size_t)x] =
				colors[x >= WIDTH / 4];
	}
	for (size_t d = 0; d < KR_ARRAY_LEN(displays); d++) {
		for (int i = 0; i < 2; i++) {
			const double in[3] = {(colors[i] & 255) / 255.0,
				(colors[i] >> 8 & 255) / 255.0, (colors[i] >> 16 & 255) / 255.0};

			reference_convert(HAL_DATASPACE_ADOBE_RGB, displays[d], in, want[i]);
		}
		for (int32_t transform = 0; transform < 8; transform++) {
			bool turned = transform & 4, mirrored = transform & 1;
			struct picture picture;

			begin(&picture, displays[d]);
			add(&picture, buffer, HAL_DATASPACE_ADOBE_RGB)->frame =
				(ARect){0, 0, WIDTH, HEIGHT};
			picture.scene.layers[0].transform = transform;
			draw(&picture);
			expect(&picture, 1, 1, want[mirrored]);
			expect(&picture, turned ? WIDTH - 2 : 1, turned ? 1 : HEIGHT - 2,
				want[mirrored]);
			expect(&picture, WIDTH - 2, HEIGHT - 2, want[!mirrored]);
			end(&picture);
		}
	}
	kr_buffer_unref(buffer);
}

static void
colors_are_converted(void **unused)
{
	const double red[3] = {1, 0, 0}, black[3] = {0};
	double want[3];

	for (size_t d = 0; d < KR_ARRAY_LEN(displays); d++) {
		struct kr_render_layer *layer;
		struct picture picture;

		begin(&picture, displays[d]);
		layer = add(&picture, NULL, HAL_DATASPACE_SRGB);
		layer->color = (struct kr_render_color){255, 0, 0, 255};
		layer->frame = (ARect){0, 0, WIDTH / 2, HEIGHT};
		draw(&picture);
		reference_convert(HAL_DATASPACE_SRGB, displays[d], red, want);
		expect(&picture, 3, 3, want);
		expect(&picture, WIDTH - 3, 3, black);
		layer->blend = KR_RENDER_BLEND_COVERAGE;
		layer->color.a = 51;
		draw(&picture);
		for (int k = 0; k < 3; k++)
			want[k] *= 0.2;
		expect(&picture, 3, 3, want);
		end(&picture);
	}
}

/* A buffer is the picture if its colours are the display's, or the display's whatever they are. */
static void
buffers_of_other_spaces_are_not_handed_over(void **unused)
{
	static const int32_t spaces[] = {HAL_DATASPACE_UNKNOWN, HAL_DATASPACE_ARBITRARY, 513,
		HAL_DATASPACE_SRGB, HAL_DATASPACE_DISPLAY_P3, HAL_DATASPACE_BT2020_PQ};
	struct kr_buffer *buffer = rig_buffer(WIDTH, HEIGHT, RGB10);

	for (size_t d = 0; d < KR_ARRAY_LEN(displays); d++) {
		for (size_t s = 0; s < KR_ARRAY_LEN(spaces); s++) {
			bool same = kr_colour_resolve(spaces[s], displays[d]) == displays[d];
			struct picture picture;

			begin(&picture, displays[d]);
			add(&picture, buffer, spaces[s]);
			picture.scene.must_draw = false;
			kr_render_plan_make(&picture.plan, &picture.scene);
			assert_int_equal(
				picture.plan.way, same ? KR_RENDER_HAND_OVER : KR_RENDER_DRAW);
			end(&picture);
		}
	}
	kr_buffer_unref(buffer);
}

/* A client's target: transparent where nothing is, alpha and all in halves. */
static void
wide_targets_have_alpha(void **unused)
{
	static uint64_t pixels[WIDTH * HEIGHT];
	struct kr_render_layer *layer;
	struct picture picture;
	double got[4];

	begin(&picture, HAL_DATASPACE_BT2020_PQ);
	assert_int_equal(kr_render_canvas_wrap_colour(&picture.canvas, pixels, WIDTH, HEIGHT,
				 WIDTH * 8, HALF, HAL_DATASPACE_BT2020_PQ, true),
		0);
	picture.scene.has_alpha = true;
	layer = add(&picture, NULL, HAL_DATASPACE_SRGB);
	layer->frame = (ARect){0, 0, WIDTH / 2, HEIGHT};
	layer->alpha = 0.5f;
	layer->color = (struct kr_render_color){255, 255, 255, 255};
	draw(&picture);
	look(&picture, 2, 2, got);
	assert_true(fabs(got[0] - 0.5807 / 2) < 0.001 && fabs(got[3] - 0.5) < 0.001);
	look(&picture, WIDTH - 2, 2, got);
	assert_true(got[0] == 0 && got[3] == 0);
	assert_int_equal(kr_render_canvas_wrap_colour(&picture.canvas, pixels, WIDTH, HEIGHT,
				 WIDTH * 8 - 8, HALF, HAL_DATASPACE_BT2020_PQ, true),
		-EINVAL);
	end(&picture);
}

static const struct kr_test tests[] = {
	KR_TEST(layers_of_all_spaces_are_converted),
	KR_TEST(ten_bits_stay_ten_bits),
	KR_TEST(converted_layers_are_blended_as_encoded),
	KR_TEST(converted_layers_are_turned_and_scaled),
	KR_TEST(colors_are_converted),
	KR_TEST(buffers_of_other_spaces_are_not_handed_over),
	KR_TEST(wide_targets_have_alpha),
};
KR_TEST_MAIN(tests)
