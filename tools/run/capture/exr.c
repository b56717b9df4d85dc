/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenEXR by its library's C interface: red, green and blue as halves, linear light of the
 * primaries that the file names, 1.0 being white; zlib over 16 rows at a time.
 */
#include "tools/run/capture/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openexr.h>

#include "colour/half.h"
#include "colour/primaries.h"
#include "colour/space.h"
#include "tools/run/capture/light.h"

#define PIXEL_BYTES (KR_COLOUR_CHANNELS * sizeof(uint16_t))
#define ROWS_ZIP    16 /* that EXR_COMPRESSION_ZIP takes at a time */

struct encoder {
	const struct kr_capture_picture *picture;
	struct kr_capture_light light;
	struct kr_capture_buffer *out;
	exr_context_t file;
	exr_encode_pipeline_t pipeline;
	uint32_t rows;   /* of a piece */
	float *row;      /* NULL: the picture has halves already */
	uint8_t *pixels; /* of a piece */
	bool out_of_room;
};

static int64_t
write_bytes(exr_const_context_t file, void *data, const void *bytes, uint64_t size, uint64_t offset,
	exr_stream_error_func_ptr_t tell)
{
	struct encoder *encoder = data;
	struct kr_capture_buffer *out = encoder->out;
	uint64_t end = offset + size;

	if (end > out->size && kr_capture_buffer_reserve(out, end - out->size) < 0) {
		encoder->out_of_room = true;
		return -1;
	}
	if (offset > out->size)
		memset(out->data + out->size, 0, offset - out->size);
	memcpy(out->data + offset, bytes, size);
	out->size = KR_MAX(out->size, end);
	return (int64_t)size;
}

/* Whoever calls hears by the return value. */
static void
say_nothing(exr_const_context_t file, exr_result_t code, const char *message)
{
}

/* What the numbers mean: 0 or what the library says. */
static exr_result_t
describe(const struct encoder *encoder, int part)
{
	struct kr_colour_space space;
	double xy[4][2];
	exr_attr_chromaticities_t said;
	exr_result_t ret;

	if (!kr_colour_space_of(encoder->picture->dataspace, &space))
		return EXR_ERR_INVALID_ARGUMENT;
	kr_colour_chromaticities(space.primaries, xy);
	said = (exr_attr_chromaticities_t){
		.red_x = (float)xy[0][0],
		.red_y = (float)xy[0][1],
		.green_x = (float)xy[1][0],
		.green_y = (float)xy[1][1],
		.blue_x = (float)xy[2][0],
		.blue_y = (float)xy[2][1],
		.white_x = (float)xy[3][0],
		.white_y = (float)xy[3][1],
	};
	ret = exr_attr_set_chromaticities(encoder->file, part, "chromaticities", &said);
	return ret ? ret
		   : exr_attr_set_float(encoder->file, part, "whiteLuminance", KR_LIGHT_WHITE);
}

static exr_result_t
begin(struct encoder *encoder, int level, int *part)
{
	static const char *const channels[] = {"B", "G", "R"};
	exr_context_initializer_t how = EXR_DEFAULT_CONTEXT_INITIALIZER;
	exr_result_t ret;

	how.user_data = encoder;
	how.write_fn = write_bytes;
	how.error_handler_fn = say_nothing;
	how.zip_level = level;
	ret = exr_start_write(&encoder->file, "picture", EXR_WRITE_FILE_DIRECTLY, &how);
	if (!ret)
		ret = exr_add_part(encoder->file, "picture", EXR_STORAGE_SCANLINE, part);
	if (!ret)
		ret = exr_initialize_required_attr_simple(encoder->file, *part,
			(int32_t)encoder->picture->width, (int32_t)encoder->picture->height,
			level ? EXR_COMPRESSION_ZIP : EXR_COMPRESSION_NONE);
	for (size_t i = 0; i < KR_ARRAY_LEN(channels) && !ret; i++)
		ret = exr_add_channel(encoder->file, *part, channels[i], EXR_PIXEL_HALF,
			EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
	if (!ret)
		ret = describe(encoder, *part);
	return ret ? ret : exr_write_header(encoder->file);
}

/* Where the halves of a piece's rows lie, R, G, B and another. */
static const uint8_t *
rows_of(struct encoder *encoder, uint32_t y, uint32_t count)
{
	size_t bytes = encoder->picture->width * PIXEL_BYTES;

	if (!encoder->row)
		return kr_capture_picture_row(encoder->picture, y);
	for (uint32_t i = 0; i < count; i++) {
		kr_capture_light_row(&encoder->light, y + i, encoder->row);
		kr_colour_to_halves(encoder->row, encoder->pixels + i * bytes,
			(size_t)encoder->picture->width * KR_COLOUR_CHANNELS);
	}
	return encoder->pixels;
}

static exr_result_t
write_piece(struct encoder *encoder, int part, uint32_t y)
{
	uint32_t count = KR_MIN(encoder->rows, encoder->picture->height - y);
	const uint8_t *pixels = rows_of(encoder, y, count);
	exr_encode_pipeline_t *pipeline = &encoder->pipeline;
	exr_chunk_info_t chunk;
	exr_result_t ret = exr_write_scanline_chunk_info(encoder->file, part, (int)y, &chunk);

	if (!ret)
		ret = y ? exr_encoding_update(encoder->file, part, &chunk, pipeline)
			: exr_encoding_initialize(encoder->file, part, &chunk, pipeline);
	if (ret)
		return ret;
	for (int i = 0; i < pipeline->channel_count; i++) {
		exr_coding_channel_info_t *channel = &pipeline->channels[i];
		size_t at = channel->channel_name[0] == 'R' ? 0
			: channel->channel_name[0] == 'G'   ? 1
							    : 2;

		channel->encode_from_ptr = pixels + at * sizeof(uint16_t);
		channel->user_bytes_per_element = sizeof(uint16_t);
		channel->user_data_type = EXR_PIXEL_HALF;
		channel->user_pixel_stride = (int32_t)PIXEL_BYTES;
		channel->user_line_stride = (int32_t)(encoder->picture->width * PIXEL_BYTES);
	}
	if (y == 0)
		ret = exr_encoding_choose_default_routines(encoder->file, part, pipeline);
	return ret ? ret : exr_encoding_run(encoder->file, part, pipeline);
}

static bool
make_room(struct encoder *encoder, int level)
{
	size_t width = encoder->picture->width;

	encoder->rows = level ? ROWS_ZIP : 1;
	if (encoder->picture->depth == KR_CAPTURE_FLOAT)
		return true;
	encoder->row = malloc(width * KR_COLOUR_CHANNELS * sizeof(*encoder->row));
	encoder->pixels = malloc(width * PIXEL_BYTES * encoder->rows);
	return encoder->row && encoder->pixels;
}

static int
encode(const struct kr_capture_settings *settings, const struct kr_capture_picture *picture,
	bool first, struct kr_capture_buffer *out)
{
	struct encoder encoder = {
		.picture = picture,
		.out = out,
		.pipeline = EXR_ENCODE_PIPELINE_INITIALIZER,
	};
	exr_result_t ret = EXR_ERR_OUT_OF_MEMORY, end;
	int part = 0;

	kr_capture_light_init(&encoder.light, picture);
	if (make_room(&encoder, settings->level))
		ret = begin(&encoder, settings->level, &part);
	for (uint32_t y = 0; y < picture->height && !ret; y += encoder.rows)
		ret = write_piece(&encoder, part, y);
	if (encoder.file) {
		exr_encoding_destroy(encoder.file, &encoder.pipeline);
		end = exr_finish(&encoder.file);
		ret = ret ? ret : end;
	}
	free(encoder.row);
	free(encoder.pixels);
	if (!ret)
		return 0;
	return encoder.out_of_room || ret == EXR_ERR_OUT_OF_MEMORY ? -ENOMEM : -EIO;
}

const struct kr_capture_format kr_capture_exr = {
	.name = "exr",
	.compresses = true,
	.encode = encode,
};
