/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the formats of captures make of pictures in every colour space, read back by the libraries
 * that read such files, or by what the formats' definitions say.
 */
#include "harness.h"

#include <krafla/native_window.h>
#include <math.h>
#include <string.h>

#include <openexr.h>
#include <png.h>

#include "colour/curves.h"
#include "colour/half.h"
#include "colour/primaries.h"
#include "colour/space.h"
#include "tools/run/capture/buffer.h"
#include "tools/run/capture/format.h"
#include "tools/run/capture/picture.h"

#define WIDTH  17
#define HEIGHT 19 /* more than OpenEXR takes at a time */

static const struct kr_capture_settings settings = {.level = 1, .refresh_mhz = 60000, .every = 1};
static uint32_t words[WIDTH * HEIGHT];
static uint16_t halves[WIDTH * HEIGHT * 4];

/* A channel's number at a place, from 0 to `most`. */
static uint32_t
number_at(uint32_t x, uint32_t y, unsigned channel, uint32_t most)
{
	return channel == 0    ? x * most / (WIDTH - 1)
		: channel == 1 ? y * most / (HEIGHT - 1)
			       : (x * 31 + y * 57) % (most + 1);
}

/* Of floats: some below 0, some beyond 1. */
static float
light_at(uint32_t x, uint32_t y, unsigned channel)
{
	return (float)number_at(x, y, channel, 512) / 128.0F - 0.5F;
}

static struct kr_capture_picture
make_picture(enum kr_capture_depth depth, int32_t dataspace)
{
	unsigned bits = depth == KR_CAPTURE_8 ? 8 : 10;
	uint32_t most = (1U << bits) - 1;

	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
		float floats[4] = {0, 0, 0, 1};

		words[i] = ~UINT32_C(0) << 3 * bits;
		for (unsigned k = 0; k < 3; k++) {
			words[i] |= number_at(i % WIDTH, i / WIDTH, k, most) << k * bits;
			floats[k] = light_at(i % WIDTH, i / WIDTH, k);
		}
		kr_colour_to_halves(floats, halves + (size_t)i * 4, 4);
	}
	return (struct kr_capture_picture){
		.number = 1,
		.width = WIDTH,
		.height = HEIGHT,
		.depth = depth,
		.dataspace = dataspace,
		.pixels = depth == KR_CAPTURE_FLOAT ? (void *)halves : (void *)words,
	};
}

static void
encode(const struct kr_capture_format *format, const struct kr_capture_picture *picture,
	struct kr_capture_buffer *out)
{
	out->size = 0;
	assert_int_equal(format->encode(&settings, picture, true, out), 0);
}

/* --- PNG --- */

static uint32_t
word_at(const uint8_t *from)
{
	return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* The data of a chunk that stands before the pixels; NULL: there is none. */
static const uint8_t *
find_chunk(const struct kr_capture_buffer *file, const char *name, uint32_t *size)
{
	for (size_t at = 8; at + 12 <= file->size; at += 12 + *size) {
		const uint8_t *chunk = file->data + at;

		*size = word_at(chunk);
		if (!memcmp(chunk + 4, name, 4))
			return chunk + 8;
		if (!memcmp(chunk + 4, "IDAT", 4))
			return NULL;
	}
	return NULL;
}

struct reading {
	const struct kr_capture_buffer *file;
	size_t at;
};

static void
read_bytes(png_structp png, png_bytep to, size_t size)
{
	struct reading *reading = png_get_io_ptr(png);

	if (size > reading->file->size - reading->at)
		png_error(png, "it ends too early");
	memcpy(to, reading->file->data + reading->at, size);
	reading->at += size;
}

/* Pixel for pixel the numbers, of 8 bits or of 10 in 16. */
static void
expect_png(const struct kr_capture_buffer *file, enum kr_capture_depth depth)
{
	unsigned bytes = depth == KR_CAPTURE_8 ? 1 : 2, most = depth == KR_CAPTURE_8 ? 255 : 1023;
	struct reading reading = {.file = file};
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	png_bytepp rows;

	png_set_read_fn(png, &reading, read_bytes);
	png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
	assert_int_equal(png_get_image_width(png, info), WIDTH);
	assert_int_equal(png_get_image_height(png, info), HEIGHT);
	assert_int_equal(png_get_bit_depth(png, info), 8 * bytes);
	assert_int_equal(png_get_color_type(png, info), PNG_COLOR_TYPE_RGB);
	rows = png_get_rows(png, info);
	for (uint32_t i = 0; i < WIDTH * HEIGHT * 3; i++) {
		uint32_t x = i / 3 % WIDTH, y = i / 3 / WIDTH;
		const uint8_t *at = rows[y] + (size_t)(x * 3 + i % 3) * bytes;
		double wanted = number_at(x, y, i % 3, most);

		if (bytes == 1)
			assert_int_equal(at[0], wanted);
		else
			assert_int_equal(at[0] << 8 | at[1], floor(wanted * 65535 / 1023 + 0.5));
	}
	png_destroy_read_struct(&png, &info, NULL);
}

/* What numbers ITU-T H.273 has for the colour space, and no more than what is known. */
static void
pngs_say_their_colours(void **state)
{
	static const struct {
		int32_t dataspace;
		enum kr_capture_depth depth;
		uint8_t cicp[4];
	} rows[] = {
		{HAL_DATASPACE_SRGB, KR_CAPTURE_8, {1, 13, 0, 1}},
		{HAL_DATASPACE_SRGB, KR_CAPTURE_10, {1, 13, 0, 1}},
		{HAL_DATASPACE_DISPLAY_P3, KR_CAPTURE_8, {12, 13, 0, 1}},
		{HAL_DATASPACE_BT2020_PQ, KR_CAPTURE_10, {9, 16, 0, 1}},
		{HAL_DATASPACE_BT2020_PQ, KR_CAPTURE_8, {9, 16, 0, 1}},
		{HAL_DATASPACE_BT2020_HLG, KR_CAPTURE_10, {9, 18, 0, 1}},
	};
	struct kr_capture_buffer file = {0};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		struct kr_capture_picture picture = make_picture(rows[i].depth, rows[i].dataspace);
		const uint8_t *chunk;
		uint32_t size;

		encode(&kr_capture_png, &picture, &file);
		chunk = find_chunk(&file, "cICP", &size);
		assert_non_null(chunk);
		assert_int_equal(size, 4);
		assert_memory_equal(chunk, rows[i].cicp, 4);
		/* What older readers know. */
		assert_int_equal(find_chunk(&file, "sRGB", &size) != NULL,
			rows[i].dataspace == HAL_DATASPACE_SRGB);
		assert_int_equal(find_chunk(&file, "gAMA", &size) != NULL,
			rows[i].dataspace != HAL_DATASPACE_SRGB);
		assert_int_equal(find_chunk(&file, "cHRM", &size) != NULL,
			rows[i].dataspace != HAL_DATASPACE_SRGB);
		assert_null(find_chunk(&file, "mDCV", &size));
		assert_null(find_chunk(&file, "cLLI", &size));
		chunk = find_chunk(&file, "sBIT", &size);
		assert_int_equal(chunk != NULL, rows[i].depth == KR_CAPTURE_10);
		if (chunk)
			assert_memory_equal(chunk, "\12\12\12", 3);
		expect_png(&file, rows[i].depth);
	}
	kr_capture_buffer_finish(&file);
}

/* The light in it, as windows told it; what is too large for the file is the most it can say. */
static void
pngs_say_their_light(void **state)
{
	static const uint8_t mastering[] = {0x8a, 0x48, 0x39, 0x08, 0x21, 0x34, 0x9b, 0xaa, 0x19,
		0x96, 0x08, 0xfc, 0x3d, 0x13, 0x40, 0x42, 0x00, 0x98, 0x96, 0x80, 0x00, 0x00, 0x00,
		0x32};
	static const uint8_t content[] = {0x00, 0x98, 0x96, 0x80, 0xff, 0xff, 0xff, 0xff};
	struct kr_capture_picture picture = make_picture(KR_CAPTURE_10, HAL_DATASPACE_BT2020_PQ);
	struct kr_capture_buffer file = {0};
	const uint8_t *chunk;
	uint32_t size;

	picture.hdr = (struct kr_hdr_metadata){
		.has = KR_HDR_MASTERING | KR_HDR_CONTENT,
		.red = {0.708F, 0.292F},
		.green = {0.17F, 0.797F},
		.blue = {0.131F, 0.046F},
		.white = {0.3127F, 0.329F},
		.max_luminance = 1000,
		.min_luminance = 0.005F,
		.max_cll = 1000,
		.max_fall = 1e30F,
	};
	encode(&kr_capture_png, &picture, &file);
	chunk = find_chunk(&file, "mDCV", &size);
	assert_non_null(chunk);
	assert_int_equal(size, sizeof(mastering));
	assert_memory_equal(chunk, mastering, size);
	chunk = find_chunk(&file, "cLLI", &size);
	assert_non_null(chunk);
	assert_int_equal(size, sizeof(content));
	assert_memory_equal(chunk, content, size);
	picture.hdr.has = KR_HDR_CONTENT;
	encode(&kr_capture_png, &picture, &file);
	assert_null(find_chunk(&file, "mDCV", &size));
	assert_non_null(find_chunk(&file, "cLLI", &size));
	expect_png(&file, KR_CAPTURE_10);
	kr_capture_buffer_finish(&file);
}

/* --- light --- */

/* By the formulas, in double precision: of HLG each channel's scene light makes the display's. */
static void
light_of(const struct kr_capture_picture *picture, uint32_t x, uint32_t y, double light[3])
{
	uint32_t most = picture->depth == KR_CAPTURE_8 ? 255 : 1023;
	struct kr_colour_space space;

	assert_true(kr_colour_space_of(picture->dataspace, &space));
	for (unsigned k = 0; k < 3; k++) {
		if (picture->depth == KR_CAPTURE_FLOAT)
			light[k] = (double)light_at(x, y, k);
		else
			light[k] = kr_colour_light_of(
				space.transfer, (double)number_at(x, y, k, most) / most);
	}
	if (space.transfer == KR_TRANSFER_HLG) {
		double luminance = 0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2];
		double gain = pow(luminance, 0.2) * KR_COLOUR_HLG_PEAK;

		for (unsigned k = 0; k < 3; k++)
			light[k] *= gain;
	}
}

static void
expect_light(const struct kr_capture_picture *picture, uint32_t x, uint32_t y, const float found[3])
{
	double wanted[3];

	light_of(picture, x, y, wanted);
	for (unsigned k = 0; k < 3; k++) {
		if (fabs((double)found[k] - wanted[k]) > 0.002 * fabs(wanted[k]) + 1e-4)
			fail_msg("%s at %u, %u: channel %u is %g, where %g is right",
				kr_colour_name(picture->dataspace), x, y, k, (double)found[k],
				wanted[k]);
	}
}

static void
pfms_have_the_light(void **state)
{
	static const char head[] = "PF\n17 19\n-1.0\n";
	static const struct {
		int32_t dataspace;
		enum kr_capture_depth depth;
	} rows[] = {
		{HAL_DATASPACE_SRGB, KR_CAPTURE_8},
		{HAL_DATASPACE_SRGB, KR_CAPTURE_10},
		{HAL_DATASPACE_SCRGB_LINEAR, KR_CAPTURE_FLOAT},
	};
	struct kr_capture_buffer file = {0};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		struct kr_capture_picture picture = make_picture(rows[i].depth, rows[i].dataspace);

		encode(&kr_capture_pfm, &picture, &file);
		assert_int_equal(file.size, sizeof(head) - 1 + WIDTH * HEIGHT * 3 * sizeof(float));
		assert_memory_equal(file.data, head, sizeof(head) - 1);
		for (uint32_t y = 0; y < HEIGHT; y++) {
			for (uint32_t x = 0; x < WIDTH; x++) {
				float found[3];

				memcpy(found,
					file.data + sizeof(head) - 1 +
						((size_t)(HEIGHT - 1 - y) * WIDTH + x) *
							sizeof(found),
					sizeof(found));
				expect_light(&picture, x, y, found);
			}
		}
	}
	kr_capture_buffer_finish(&file);
}

/* --- OpenEXR --- */

static float exr_pixels[HEIGHT][WIDTH][3];

static void
read_exr(exr_context_t file)
{
	exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
	exr_chunk_info_t chunk;
	int32_t lines;

	assert_int_equal(exr_get_scanlines_per_chunk(file, 0, &lines), 0);
	for (int32_t y = 0; y < HEIGHT; y += lines) {
		assert_int_equal(exr_read_scanline_chunk_info(file, 0, y, &chunk), 0);
		if (y == 0)
			assert_int_equal(exr_decoding_initialize(file, 0, &chunk, &pipeline), 0);
		else
			assert_int_equal(exr_decoding_update(file, 0, &chunk, &pipeline), 0);
		assert_int_equal(pipeline.channel_count, 3);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(pipeline.channels[i].channel_name[0], "BGR"[i]);
			pipeline.channels[i].decode_to_ptr = (uint8_t *)&exr_pixels[y][0][2 - i];
			pipeline.channels[i].user_bytes_per_element = sizeof(float);
			pipeline.channels[i].user_data_type = EXR_PIXEL_FLOAT;
			pipeline.channels[i].user_pixel_stride = 3 * sizeof(float);
			pipeline.channels[i].user_line_stride = sizeof(exr_pixels[0]);
		}
		if (y == 0)
			assert_int_equal(
				exr_decoding_choose_default_routines(file, 0, &pipeline), 0);
		assert_int_equal(exr_decoding_run(file, 0, &pipeline), 0);
	}
	assert_int_equal(exr_decoding_destroy(file, &pipeline), 0);
}

static void
expect_chromaticities(exr_context_t file, int32_t dataspace)
{
	exr_attr_chromaticities_t said;
	struct kr_colour_space space;
	double xy[4][2];
	float white;

	assert_true(kr_colour_space_of(dataspace, &space));
	kr_colour_chromaticities(space.primaries, xy);
	assert_int_equal(exr_attr_get_chromaticities(file, 0, "chromaticities", &said), 0);
	assert_true(said.red_x == (float)xy[0][0] && said.red_y == (float)xy[0][1]);
	assert_true(said.green_x == (float)xy[1][0] && said.green_y == (float)xy[1][1]);
	assert_true(said.blue_x == (float)xy[2][0] && said.blue_y == (float)xy[2][1]);
	assert_true(said.white_x == (float)xy[3][0] && said.white_y == (float)xy[3][1]);
	assert_int_equal(exr_attr_get_float(file, 0, "whiteLuminance", &white), 0);
	assert_true(white == 203);
}

static void
expect_exr(const struct kr_capture_picture *picture, const struct kr_capture_buffer *bytes)
{
	const char *path = kr_test_path("picture.exr");
	FILE *out = fopen(path, "we");
	exr_context_t file;
	exr_compression_t compression;

	assert_non_null(out);
	assert_int_equal(fwrite(bytes->data, 1, bytes->size, out), bytes->size);
	fclose(out);
	assert_int_equal(exr_start_read(&file, path, NULL), 0);
	assert_int_equal(exr_get_compression(file, 0, &compression), 0);
	assert_int_equal(compression, EXR_COMPRESSION_ZIP);
	expect_chromaticities(file, picture->dataspace);
	read_exr(file);
	exr_finish(&file);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
		expect_light(picture, i % WIDTH, i / WIDTH, exr_pixels[i / WIDTH][i % WIDTH]);
}

static void
exrs_have_the_light(void **state)
{
	static const struct {
		int32_t dataspace;
		enum kr_capture_depth depth;
	} rows[] = {
		{HAL_DATASPACE_SRGB, KR_CAPTURE_8},
		{HAL_DATASPACE_DISPLAY_P3, KR_CAPTURE_8},
		{HAL_DATASPACE_BT2020_PQ, KR_CAPTURE_10},
		{HAL_DATASPACE_BT2020_HLG, KR_CAPTURE_10},
		{HAL_DATASPACE_SCRGB_LINEAR, KR_CAPTURE_FLOAT},
	};
	struct kr_capture_buffer file = {0};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		struct kr_capture_picture picture = make_picture(rows[i].depth, rows[i].dataspace);

		encode(&kr_capture_exr, &picture, &file);
		expect_exr(&picture, &file);
	}
	kr_capture_buffer_finish(&file);
}

/* --- streams --- */

static void
ppms_have_ten_bits(void **state)
{
	static const char head[] = "P6\n17 19\n1023\n";
	struct kr_capture_picture picture = make_picture(KR_CAPTURE_10, HAL_DATASPACE_BT2020_HLG);
	struct kr_capture_buffer file = {0};
	const uint8_t *at;

	encode(&kr_capture_ppm, &picture, &file);
	assert_int_equal(file.size, sizeof(head) - 1 + WIDTH * HEIGHT * 6);
	assert_memory_equal(file.data, head, sizeof(head) - 1);
	at = file.data + sizeof(head) - 1;
	for (uint32_t i = 0; i < WIDTH * HEIGHT * 3; i++, at += 2)
		assert_int_equal(
			at[0] << 8 | at[1], number_at(i / 3 % WIDTH, i / 3 / WIDTH, i % 3, 1023));
	kr_capture_buffer_finish(&file);
}

static void
y4ms_have_ten_bits(void **state)
{
	static const char head[] =
		"YUV4MPEG2 W17 H19 F60000:1000 Ip A1:1 C444p10 XYSCSS=444P10 XCOLORRANGE=LIMITED\n"
		"FRAME\n";
	struct kr_capture_picture picture = make_picture(KR_CAPTURE_10, HAL_DATASPACE_BT2020_PQ);
	struct kr_capture_buffer file = {0};

	encode(&kr_capture_y4m, &picture, &file);
	assert_int_equal(file.size, sizeof(head) - 1 + WIDTH * HEIGHT * 6);
	assert_memory_equal(file.data, head, sizeof(head) - 1);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
		const uint8_t *at = file.data + sizeof(head) - 1 + (size_t)i * 2;
		double r = number_at(i % WIDTH, i / WIDTH, 0, 1023);
		double g = number_at(i % WIDTH, i / WIDTH, 1, 1023);
		double b = number_at(i % WIDTH, i / WIDTH, 2, 1023);
		double luma = 0.2627 * r + 0.6780 * g + 0.0593 * b;

		assert_true(fabs((at[0] | at[1] << 8) - (64 + luma * 876 / 1023)) < 0.502);
		at += (size_t)WIDTH * HEIGHT * 2;
		assert_true(fabs((at[0] | at[1] << 8) - (512 + (b - luma) / 1.8814 * 896 / 1023)) <
			0.502);
	}
	kr_capture_buffer_finish(&file);
}

/* What a format can't hold is refused, and all that it can isn't. */
static void
formats_refuse_what_they_cant_hold(void **state)
{
	static const struct kr_capture_format *const formats[] = {&kr_capture_png, &kr_capture_ppm,
		&kr_capture_y4m, &kr_capture_raw, &kr_capture_exr, &kr_capture_pfm};
	static const int32_t dataspaces[] = {HAL_DATASPACE_SRGB, HAL_DATASPACE_DISPLAY_P3,
		HAL_DATASPACE_BT2020_PQ, HAL_DATASPACE_BT2020_HLG, HAL_DATASPACE_SCRGB_LINEAR};
	static const char *const taken[] = {"yyyyn", "yyyyn", "yyyyn", "yyyyy", "yyyyy", "ynnny"};

	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		for (size_t j = 0; j < KR_ARRAY_LEN(dataspaces); j++) {
			const char *why =
				formats[i]->refuses ? formats[i]->refuses(dataspaces[j]) : NULL;

			assert_int_equal(why ? 'n' : 'y', taken[i][j]);
		}
	}
}

/* One pixel, and one row. */
static void
small_pictures_are_whole(void **state)
{
	static const struct kr_capture_format *const formats[] = {&kr_capture_png, &kr_capture_ppm,
		&kr_capture_y4m, &kr_capture_exr, &kr_capture_pfm};
	struct kr_capture_buffer file = {0};

	for (size_t i = 0; i < 2 * KR_ARRAY_LEN(formats); i++) {
		struct kr_capture_picture picture = make_picture(KR_CAPTURE_10, HAL_DATASPACE_SRGB);

		picture.width = i % 2 ? 1 : WIDTH;
		picture.height = 1;
		encode(formats[i / 2], &picture, &file);
		assert_true(file.size > 0);
	}
	kr_capture_buffer_finish(&file);
}

static const struct kr_test tests[] = {
	KR_TEST(pngs_say_their_colours),
	KR_TEST(pngs_say_their_light),
	KR_TEST(pfms_have_the_light),
	KR_TEST(exrs_have_the_light),
	KR_TEST(ppms_have_ten_bits),
	KR_TEST(y4ms_have_ten_bits),
	KR_TEST(formats_refuse_what_they_cant_hold),
	KR_TEST(small_pictures_are_whole),
};
KR_TEST_MAIN(tests)
