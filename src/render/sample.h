/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of the canvas, taken from the pixels of a layer: turned, flipped, scaled and converted. Only
 * those pixels are read of which something is seen. Thread-safety: one thread at a time.
 */
#ifndef KR_RENDER_SAMPLE_H
#define KR_RENDER_SAMPLE_H

#include "colour/convert.h"
#include "render/place.h"
#include "render/rows.h"

#define KR_RENDER_RUN 2048 /* pixels of a row at most */

/* The pixels of a source line that the row needs, between `first` and the last one. */
struct kr_render_sampler {
	/* For each pixel of the row: which of the pixels that are fetched; the next one's part. */
	uint32_t near[KR_RENDER_RUN];
	uint16_t weight[KR_RENDER_RUN];
	/* Where those that are fetched lie in a line, when that isn't one run. */
	uint32_t wanted[2 * KR_RENDER_RUN];
	uint64_t raw[2 * KR_RENDER_RUN];         /* the same, as the buffer has them */
	uint32_t fetched[2 * KR_RENDER_RUN + 1]; /* the same, converted */
	uint32_t row[KR_RENDER_RUN];
	uint16_t line[2][KR_RENDER_WIDE * KR_RENDER_RUN]; /* source lines, wide: even, odd */
	uint16_t wide_row[KR_RENDER_WIDE * KR_RENDER_RUN];
	int64_t line_at[2];
	const struct kr_render_rows *rows;
	/* Of the layer that is sampled: */
	struct kr_render_place place;
	const uint8_t *data; /* of the buffer */
	size_t along_step;   /* bytes from a pixel of a line to the next */
	size_t line_step;
	uint32_t pixel_bytes;
	kr_pixels_row_fn convert;
	bool converts; /* by this, from another colour space */
	struct kr_colour_conversion conversion;
	bool xrgb;
	bool as_it_is;  /* a pixel of the buffer is one of the canvas */
	bool make_full; /* alpha is to be full, whatever the buffer has */
	bool two_bits;  /* alpha has two bits in the buffer */
	uint32_t count; /* pixels of the row */
	uint32_t fetch; /* pixels fetched of a line */
	uint32_t first;
	bool run; /* they lie one after the other from `first` on */
};

/* How many pixels of a row are best asked for at a time. */
int32_t kr_render_sampler_run(const struct kr_render_place *place);
/*
 * Before rows of a layer with a buffer: pixels `left` to `right` of the canvas will be asked for,
 * at most KR_RENDER_RUN. `data` is the buffer's mapping and stays valid. `make_full`: see above.
 */
void kr_render_sampler_start(struct kr_render_sampler *sampler, const struct kr_render_layer *layer,
	const void *data, const struct kr_render_canvas *canvas, bool make_full, int32_t left,
	int32_t right);
/*
 * The pixels of row `y` of the canvas, of a layer that isn't scaled: where they are, which is `to`
 * or the buffer itself.
 */
const uint32_t *kr_render_sampler_row(struct kr_render_sampler *sampler, int32_t y, uint32_t *to);
/*
 * Wide ones, of a scaled layer; valid until the next call. Cheapest when rows follow each other.
 */
const uint16_t *kr_render_sampler_wide_row(struct kr_render_sampler *sampler, int32_t y);

/* What floats need beside. */
#define KR_RENDER_FLOAT_RUN 512 /* pixels of a row at most */
struct kr_render_float_sampler {
	float fetched[KR_COLOUR_CHANNELS * (2 * KR_RENDER_FLOAT_RUN + 1)];
	float line[2][KR_COLOUR_CHANNELS * KR_RENDER_FLOAT_RUN]; /* source lines: even, odd */
	float row[KR_COLOUR_CHANNELS * KR_RENDER_FLOAT_RUN];
};

/*
 * The same as floats, of a sampler that was started for KR_RENDER_FLOAT_RUN pixels at most and a
 * wide canvas, of a layer of any kind: signals of the canvas's space, valid until the next call.
 */
const float *kr_render_sampler_float_row(
	struct kr_render_sampler *sampler, struct kr_render_float_sampler *floats, int32_t y);

#endif
