/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of the canvas, taken from the pixels of a frame: turned, flipped, scaled and converted. Only
 * those pixels are read of which something is seen. Thread-safety: one thread at a time.
 */
#ifndef KR_COMPOSER_SAMPLE_H
#define KR_COMPOSER_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <krafla/native_window.h>
#include "gralloc/pixels.h"
#include "util/macros.h"

struct kr_buffer_info;

/* Where a frame goes, in pixels of the canvas. */
struct kr_placement {
	android_native_rect_t source; /* in the buffer; not empty, inside it */
	android_native_rect_t box;    /* what is seen of the destination; may be empty */
	double x;                     /* of the destination, before clipping */
	double y;
	double width;
	double height;
	int32_t transform; /* NATIVE_WINDOW_TRANSFORM_* */
	bool scaled;
};

/* One direction of the canvas, and the direction of the buffer that lies along it. */
struct kr_axis {
	double origin;
	double length;
	uint32_t size; /* in the buffer */
	bool reversed;
	bool scaled;
};

/* The pixels of a source line that the row needs, between `first` and the last one. */
struct kr_sampler {
	uint32_t capacity; /* pixels of a row */
	/*
	 * For each pixel of the row: which of the pixels that are fetched; the next
	 * one's part in 1/256.
	 */
	uint32_t *near;
	uint8_t *weight;
	uint32_t *wanted;  /* where those that are fetched lie in a line, when that isn't one run */
	void *raw;         /* the same, as the buffer has them */
	uint32_t *fetched; /* the same, converted */
	uint32_t *line[2]; /* source lines at the row's resolution: even, odd */
	int64_t line_at[2];
	/* Of the frame that is sampled: */
	const uint8_t *data; /* the source's first pixel */
	size_t along_step;   /* bytes from a pixel of a line to the next */
	size_t line_step;
	uint32_t pixel_bytes;
	kr_pixels_row_fn convert;
	struct kr_axis along;
	struct kr_axis down;
	uint32_t count; /* pixels of the row */
	uint32_t fetch; /* pixels fetched of a line */
	uint32_t first;
	bool run; /* they lie one after the other from `first` on */
};

/* For rows of at most `width` pixels. -ENOMEM. */
int kr_sampler_init(struct kr_sampler *sampler, uint32_t width) KR_MUST_CHECK;
/* Safe on a zeroed sampler. */
void kr_sampler_finish(struct kr_sampler *sampler);

/*
 * Before rows of a frame: pixels `left` to `right` of the canvas will be asked for. `data` is the
 * buffer's mapping and stays valid. The format is one that kr_pixels_row knows.
 * `order`: of the rows that are written.
 */
void kr_sampler_start(struct kr_sampler *sampler, const struct kr_buffer_info *info,
	const void *data, const struct kr_placement *placement, enum kr_pixels_order order,
	int32_t left, int32_t right);
/* Writes the pixels of row `y` of the canvas. Cheapest when rows follow each other. */
void kr_sampler_row(struct kr_sampler *sampler, int32_t y, uint32_t *to);

/*
 * What a pixel of the canvas costs on the average, in bytes that are read and written; 1 at least.
 */
uint64_t kr_sample_pixel_cost(
	const struct kr_buffer_info *info, const struct kr_placement *placement);

#endif
