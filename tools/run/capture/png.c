/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG, 8 bits each of R, G and B, or 16 where the display has 10. The file says its colour space by
 * cICP (ITU-T H.273's numbers; for older readers by sRGB, or gAMA and cHRM) and, where windows told
 * it, the light in it by mDCV and cLLI: chunks of PNG's third edition, which libpng knows only from
 * 1.6.46 on, so that they are handed to it as bytes.
 *
 * Compression is all the work here, so what zlib is asked for was chosen by measuring
 * (docs/performance.md): rows as differences to the one above, of which level 1, the one without
 * --compress, compresses runs alone. That is quicker than zlib's own level 1 and makes smaller
 * files of what programs draw; of photographs the levels from 6 on, by Paeth's prediction, make
 * smaller ones, at ten times the cost.
 */
#include "tools/run/capture/format.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <krafla/native_window.h>
#include <png.h>
#include <zlib.h>

#include "colour/primaries.h"
#include "colour/space.h"
#include "tools/run/capture/rows.h"

/* Of mDCV and cLLI: of x and y, and cd/m2. */
#define CHROMATICITY_UNIT 0.00002F
#define LUMINANCE_UNIT    0.0001F

#define PQ_GAMMA    0.15
#define OTHER_GAMMA (1 / 2.2)

#define RUNS_LEVEL  1
#define PAETH_LEVEL 6
/* As much goes into a chunk: each costs a checksum and a call. */
#define CHUNK_BYTES (1 << 16)

struct encoder {
	png_structp png;
	png_infop info;
	struct kr_capture_buffer *out;
	uint8_t *row;
	int error; /* of ours, that libpng was told of */
};

static void
add_bytes(png_structp png, png_bytep data, size_t size)
{
	struct encoder *encoder = png_get_io_ptr(png);

	encoder->error = kr_capture_buffer_add(encoder->out, data, size);
	if (encoder->error < 0)
		png_error(png, "out of memory");
}

static void
flush_nothing(png_structp png)
{
	(void)png;
}

/* Whoever calls libpng hears by the return value; libpng would print. */
static void
leave(png_structp png, png_const_charp message)
{
	(void)message;
	longjmp(png_jmpbuf(png), 1);
}

static void
ignore(png_structp png, png_const_charp message)
{
	(void)png;
	(void)message;
}

static void
set_compression(png_structp png, int level)
{
	png_set_compression_level(png, level);
	png_set_compression_buffer_size(png, CHUNK_BYTES);
	if (level == RUNS_LEVEL)
		png_set_compression_strategy(png, Z_RLE);
	else
		png_set_compression_strategy(png, Z_DEFAULT_STRATEGY);
	png_set_filter(png, PNG_FILTER_TYPE_BASE,
		level == 0                     ? PNG_FILTER_NONE
			: level >= PAETH_LEVEL ? PNG_FILTER_PAETH
					       : PNG_FILTER_UP);
}

/*
 * For readers that don't know cICP, and take 16 bits that say nothing for linear light. What no
 * exponent is (PQ's is that of https://www.w3.org/TR/png-hdr-pq, 4) comes near only.
 */
static void
set_fallback(png_structp png, png_infop info, int32_t dataspace)
{
	struct kr_colour_space space;
	double xy[4][2];

	if (!kr_colour_space_of(dataspace, &space))
		return;
	if (dataspace == HAL_DATASPACE_SRGB) {
		png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
		return;
	}
	kr_colour_chromaticities(space.primaries, xy);
	png_set_cHRM(png, info, xy[3][0], xy[3][1], xy[0][0], xy[0][1], xy[1][0], xy[1][1],
		xy[2][0], xy[2][1]);
	png_set_gAMA(png, info, space.transfer == KR_TRANSFER_PQ ? PQ_GAMMA : OTHER_GAMMA);
}

/* ITU-T H.273's numbers; the matrix is that of RGB, and the range is full. */
static void
write_cicp(png_structp png, int32_t dataspace)
{
	static const uint8_t primaries[] = {
		[KR_PRIMARIES_BT709] = 1,
		[KR_PRIMARIES_P3] = 12,
		[KR_PRIMARIES_BT2020] = 9,
	};
	static const uint8_t transfers[] = {
		[KR_TRANSFER_LINEAR] = 8,
		[KR_TRANSFER_SRGB] = 13,
		[KR_TRANSFER_PQ] = 16,
		[KR_TRANSFER_HLG] = 18,
	};
	struct kr_colour_space space;
	uint8_t bytes[4] = {0, 0, 0, 1};

	if (!kr_colour_space_of(dataspace, &space))
		return;
	if (space.primaries < KR_ARRAY_LEN(primaries))
		bytes[0] = primaries[space.primaries];
	if (space.transfer < KR_ARRAY_LEN(transfers))
		bytes[1] = transfers[space.transfer];
	if (bytes[0] && bytes[1])
		png_write_chunk(png, (png_const_bytep) "cICP", bytes, sizeof(bytes));
}

static uint8_t *
put_number(uint8_t *to, unsigned bytes, float value, float unit)
{
	double most = bytes == 2 ? UINT16_MAX : UINT32_MAX;
	double units = round((double)value / (double)unit);
	uint64_t number = (uint64_t)KR_MIN(KR_MAX(units, 0), most);

	while (bytes--)
		*to++ = (uint8_t)(number >> 8 * bytes);
	return to;
}

static uint8_t *
put_point(uint8_t *to, const float xy[2])
{
	to = put_number(to, 2, xy[0], CHROMATICITY_UNIT);
	return put_number(to, 2, xy[1], CHROMATICITY_UNIT);
}

static void
write_light(png_structp png, const struct kr_hdr_metadata *hdr)
{
	uint8_t bytes[24], *to = bytes;

	if (hdr->has & KR_HDR_MASTERING) {
		to = put_point(to, hdr->red);
		to = put_point(to, hdr->green);
		to = put_point(to, hdr->blue);
		to = put_point(to, hdr->white);
		to = put_number(to, 4, hdr->max_luminance, LUMINANCE_UNIT);
		to = put_number(to, 4, hdr->min_luminance, LUMINANCE_UNIT);
		png_write_chunk(png, (png_const_bytep) "mDCV", bytes, (size_t)(to - bytes));
	}
	if (hdr->has & KR_HDR_CONTENT) {
		to = put_number(bytes, 4, hdr->max_cll, LUMINANCE_UNIT);
		to = put_number(to, 4, hdr->max_fall, LUMINANCE_UNIT);
		png_write_chunk(png, (png_const_bytep) "cLLI", bytes, (size_t)(to - bytes));
	}
}

static void
write_colour(png_structp png, const struct kr_capture_picture *picture)
{
	write_cicp(png, picture->dataspace);
	write_light(png, &picture->hdr);
}

/* 0 or -errno. Whatever fails in libpng jumps back to here. */
static int
write_all(struct encoder *encoder, const struct kr_capture_picture *picture, int level)
{
	static const png_color_8 ten_bits = {.red = 10, .green = 10, .blue = 10};
	bool deep = picture->depth != KR_CAPTURE_8;
	png_structp png = encoder->png;

	if (setjmp(png_jmpbuf(png)))
		return encoder->error < 0 ? encoder->error : -EIO;
	png_set_write_fn(png, encoder, add_bytes, flush_nothing);
	png_set_IHDR(png, encoder->info, picture->width, picture->height, deep ? 16 : 8,
		PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
		PNG_FILTER_TYPE_DEFAULT);
	if (deep)
		png_set_sBIT(png, encoder->info, &ten_bits);
	set_fallback(png, encoder->info, picture->dataspace);
	set_compression(png, level);
	png_write_info_before_PLTE(png, encoder->info);
	write_colour(png, picture);
	png_write_info(png, encoder->info);
	for (uint32_t y = 0; y < picture->height; y++) {
		const void *from = kr_capture_picture_row(picture, y);

		if (deep)
			kr_rgb16_from_10(from, encoder->row, picture->width);
		else
			kr_rgb_from_rgbx(from, encoder->row, picture->width);
		png_write_row(png, encoder->row);
	}
	png_write_end(png, encoder->info);
	return 0;
}

static int
encode(const struct kr_capture_settings *settings, const struct kr_capture_picture *picture,
	bool first, struct kr_capture_buffer *out)
{
	struct encoder encoder = {
		.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, leave, ignore),
		.out = out,
		.row = malloc((size_t)picture->width *
			(picture->depth == KR_CAPTURE_8 ? KR_RGB_BYTES : KR_RGB16_BYTES)),
	};
	int err = -ENOMEM;

	if (encoder.png)
		encoder.info = png_create_info_struct(encoder.png);
	if (encoder.info && encoder.row)
		err = write_all(&encoder, picture, settings->level);
	png_destroy_write_struct(&encoder.png, &encoder.info);
	free(encoder.row);
	return err;
}

const struct kr_capture_format kr_capture_png = {
	.name = "png",
	.compresses = true,
	.encode = encode,
	.refuses = kr_capture_refuses_floats,
};
