/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG, 8 bits each of R, G and B. Compression is all the work here, so what zlib is asked for was
 * chosen by measuring (docs/performance.md): rows as differences to the one above, of which level
 * 1, the one without --compress, compresses runs alone. That is quicker than zlib's own level 1 and
 * makes smaller files of what programs draw; of photographs the levels from 6 on, by Paeth's
 * prediction, make smaller ones, at ten times the cost.
 */
#include "tools/run/capture/format.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>
#include <zlib.h>

#include "tools/run/capture/rows.h"

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

/* 0 or -errno. Whatever fails in libpng jumps back to here. */
static int
write_all(struct encoder *encoder, const struct kr_capture_picture *picture, int level)
{
	png_structp png = encoder->png;

	if (setjmp(png_jmpbuf(png)))
		return encoder->error < 0 ? encoder->error : -EIO;
	png_set_write_fn(png, encoder, add_bytes, flush_nothing);
	png_set_IHDR(png, encoder->info, picture->width, picture->height, 8, PNG_COLOR_TYPE_RGB,
		PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	set_compression(png, level);
	png_write_info(png, encoder->info);
	for (uint32_t y = 0; y < picture->height; y++) {
		kr_rgb_from_rgbx(
			picture->pixels + (size_t)y * picture->width, encoder->row, picture->width);
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
		.row = malloc((size_t)picture->width * KR_RGB_BYTES),
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
	.encode = encode,
};
