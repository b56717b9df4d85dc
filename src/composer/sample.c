/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a row of the canvas comes from. Each direction of the canvas lies along one direction
 * of the buffer (kr_axis); a frame that is turned by 90 degrees swaps the two. So a row of the
 * canvas needs one source line, a row of the buffer or a column of it, or when it is scaled
 * the two lines around it:
 *
 *   source line --fetch--> raw pixels that are needed --convert--> --blend-->
 *                                                        line at the row's resolution
 *   two such lines --blend--> row
 *
 * What is fetched of a line is a run of pixels as long as that isn't more than two for each
 * pixel of the row, and else these two alone: a picture of a very large buffer reads what
 * it shows and nothing beside. The last two lines are kept, because the next row of an
 * enlarged frame needs them again.
 *
 * (Android applies the flips first and then turns clockwise: system/window.h.) A frame that is not
 * scaled is sampled at pixel centres, so every one of its pixels arrives unchanged. Scaled ones are
 * bilinear with weights of 8 bits, in whole numbers; beyond the edge the edge goes on.
 */
#include "composer/sample.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"

#define ONE          256 /* the weights of two neighbours together */
#define NO_LINE      (-1)
#define MAX_BYTES    8 /* of a pixel */
#define CACHE_LINE   64
#define CACHED_LINES 4096 /* so many lines of the cache stay while a column is walked */

int
kr_sampler_init(struct kr_sampler *sampler, uint32_t width)
{
	size_t n = width;
	struct kr_sampler made = {
		.capacity = width,
		.near = calloc(n, sizeof(*made.near)),
		.weight = calloc(n, sizeof(*made.weight)),
		.wanted = calloc(2 * n, sizeof(*made.wanted)),
		.raw = calloc(2 * n, MAX_BYTES),
		.fetched = calloc(2 * n + 1, sizeof(*made.fetched)),
		.line = {calloc(n, sizeof(uint32_t)), calloc(n, sizeof(uint32_t))},
	};

	*sampler = made;
	if (made.near && made.weight && made.wanted && made.raw && made.fetched && made.line[0] &&
		made.line[1])
		return 0;
	kr_sampler_finish(sampler);
	return -ENOMEM;
}

void
kr_sampler_finish(struct kr_sampler *sampler)
{
	free(sampler->near);
	free(sampler->weight);
	free(sampler->wanted);
	free(sampler->raw);
	free(sampler->fetched);
	free(sampler->line[0]);
	free(sampler->line[1]);
	*sampler = (struct kr_sampler){0};
}

/* Along a row of the canvas, and down it. */
static void
axes_of(const struct kr_placement *p, struct kr_axis *along, struct kr_axis *down)
{
	bool turned = p->transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	bool flip_h = p->transform & NATIVE_WINDOW_TRANSFORM_FLIP_H;
	bool flip_v = p->transform & NATIVE_WINDOW_TRANSFORM_FLIP_V;
	uint32_t width = (uint32_t)(p->source.right - p->source.left);
	uint32_t height = (uint32_t)(p->source.bottom - p->source.top);

	*along = (struct kr_axis){.origin = p->x, .length = p->width, .scaled = p->scaled};
	*down = (struct kr_axis){.origin = p->y, .length = p->height, .scaled = p->scaled};
	along->size = turned ? height : width;
	along->reversed = turned ? !flip_v : flip_h;
	down->size = turned ? width : height;
	down->reversed = turned ? flip_h : flip_v;
}

/*
 * The pixel of the buffer that pixel `at` of the canvas begins with; *weight is what
 * the next one has.
 */
static uint32_t
near_of(const struct kr_axis *axis, int32_t at, uint32_t *weight)
{
	double part = (at + 0.5 - axis->origin) / axis->length;
	double place = (axis->reversed ? 1 - part : part) * axis->size;
	int64_t last = (int64_t)axis->size - 1, fixed;

	*weight = 0;
	if (!axis->scaled)
		return (uint32_t)KR_MIN(KR_MAX((int64_t)floor(place), 0), last);
	fixed = KR_MAX((int64_t)floor(place * ONE) - ONE / 2, 0);
	if (fixed / ONE >= last)
		return (uint32_t)last;
	*weight = (uint32_t)(fixed % ONE);
	return (uint32_t)(fixed / ONE);
}

/* Chooses between a run of pixels and pairs of them: see above. */
static void
choose_fetch(struct kr_sampler *s)
{
	uint32_t last_near = s->near[s->count - 1];
	uint32_t first = KR_MIN(s->near[0], last_near);
	uint32_t last = KR_MAX(s->near[0], last_near) + s->along.scaled;
	uint32_t edge = s->along.size - 1;

	s->first = first;
	s->fetch = KR_MIN(last, edge) - first + 1;
	s->run = s->fetch <= 2 * s->count;
	if (s->run) {
		for (uint32_t i = 0; i < s->fetch; i++)
			s->wanted[i] = first + i;
		for (uint32_t i = 0; i < s->count; i++)
			s->near[i] -= first;
		return;
	}
	s->fetch = 2 * s->count;
	for (uint32_t i = 0; i < s->count; i++) {
		s->wanted[2 * i] = s->near[i];
		s->wanted[2 * i + 1] = KR_MIN(s->near[i] + 1, edge);
		s->near[i] = 2 * i;
	}
}

void
kr_sampler_start(struct kr_sampler *s, const struct kr_buffer_info *info, const void *data,
	const struct kr_placement *p, enum kr_pixels_order order, int32_t left, int32_t right)
{
	bool turned = p->transform & NATIVE_WINDOW_TRANSFORM_ROT_90;

	s->pixel_bytes = kr_format_bytes(info->desc.format);
	s->convert = kr_pixels_row(info->desc.format, order);
	s->data = (const uint8_t *)data + (size_t)p->source.top * info->row_bytes +
		(size_t)p->source.left * s->pixel_bytes;
	s->along_step = turned ? info->row_bytes : s->pixel_bytes;
	s->line_step = turned ? s->pixel_bytes : info->row_bytes;
	axes_of(p, &s->along, &s->down);
	s->count = (uint32_t)(right - left);
	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t weight;

		s->near[i] = near_of(&s->along, left + (int32_t)i, &weight);
		s->weight[i] = (uint8_t)weight;
	}
	choose_fetch(s);
	s->line_at[0] = s->line_at[1] = NO_LINE;
}

static void
gather(struct kr_sampler *s, const uint8_t *line)
{
	const uint32_t *wanted = s->wanted;
	size_t step = s->along_step;

	switch (s->pixel_bytes) {
	case 2:
		for (uint32_t i = 0; i < s->fetch; i++)
			memcpy((uint16_t *)s->raw + i, line + wanted[i] * step, 2);
		break;
	case 4:
		for (uint32_t i = 0; i < s->fetch; i++)
			memcpy((uint32_t *)s->raw + i, line + wanted[i] * step, 4);
		break;
	default:
		for (uint32_t i = 0; i < s->fetch; i++)
			memcpy((uint64_t *)s->raw + i, line + wanted[i] * step, MAX_BYTES);
	}
}

static void
fetch(struct kr_sampler *s, uint32_t at, uint32_t *to)
{
	const uint8_t *line = s->data + at * s->line_step;

	if (s->run && s->along_step == s->pixel_bytes) {
		s->convert(line + (size_t)s->first * s->pixel_bytes, to, s->fetch);
		return;
	}
	gather(s, line);
	s->convert(s->raw, to, s->fetch);
}

static uint32_t
blend(uint32_t a, uint32_t b, uint32_t weight)
{
	const uint32_t mask = 0xff00ff, half = 0x800080;
	uint32_t rest = ONE - weight;
	uint32_t even = (a & mask) * rest + (b & mask) * weight + half;
	uint32_t odd = (a >> 8 & mask) * rest + (b >> 8 & mask) * weight + half;

	return (even >> 8 & mask) | (odd & ~mask);
}

/* A source line at the row's resolution, kept until another one of the same parity is needed. */
static const uint32_t *
line_for(struct kr_sampler *s, uint32_t at)
{
	uint32_t *line = s->line[at & 1];

	if (s->line_at[at & 1] == (int64_t)at)
		return line;
	s->line_at[at & 1] = at;
	fetch(s, at, s->fetched);
	s->fetched[s->fetch] = s->fetched[s->fetch - 1]; /* the edge goes on */
	for (uint32_t i = 0; i < s->count; i++) {
		const uint32_t *near = s->fetched + s->near[i];

		line[i] = blend(near[0], near[1], s->weight[i]);
	}
	return line;
}

void
kr_sampler_row(struct kr_sampler *s, int32_t y, uint32_t *to)
{
	uint32_t weight, at = near_of(&s->down, y, &weight);
	const uint32_t *a, *b;

	if (!s->along.scaled && !s->along.reversed) {
		fetch(s, at, to);
		return;
	}
	if (!s->along.scaled) {
		fetch(s, at, s->fetched);
		for (uint32_t i = 0; i < s->count; i++)
			to[i] = s->fetched[s->near[i]];
		return;
	}
	a = line_for(s, at);
	if (!weight) {
		memcpy(to, a, s->count * sizeof(*to));
		return;
	}
	b = line_for(s, at + 1);
	for (uint32_t i = 0; i < s->count; i++)
		to[i] = blend(a[i], b[i], weight);
}

/*
 * Bytes a pixel that converting it counts as, beside those that it has: what takes
 * more than moving them.
 */
static double
convert_cost(uint32_t format)
{
	return format == AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT ||
			format == AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM
		? 8
		: 0;
}

/*
 * Bytes that fetching a source line moves, for the whole destination. Between pixels that are far
 * from each other lie bytes that nobody asked for, and page faults for them, which count twice. Of
 * a column each pixel is another line of the processor's cache, and another page; neighbouring
 * columns share these as long as they fit and the columns are close. (Measured: tests take no time,
 * so that a change here is to be measured again.)
 */
static double
line_cost(const struct kr_buffer_info *info, const struct kr_placement *p,
	const struct kr_axis *along, const struct kr_axis *down)
{
	bool turned = p->transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	double bytes = kr_format_bytes(info->desc.format), step = down->size / down->length;
	double pixels = KR_MIN((double)along->size, 2 * along->length);
	double work = pixels * convert_cost(info->desc.format);

	if (!turned)
		return along->size * bytes * (along->size > pixels ? 2 : 1) + work;
	if (step * bytes * 4 < CACHE_LINE && pixels < CACHED_LINES)
		return pixels * bytes * 4 + work;
	return pixels * CACHE_LINE * 3 + work;
}

uint64_t
kr_sample_pixel_cost(const struct kr_buffer_info *info, const struct kr_placement *p)
{
	double lines = 1, blending = 0;
	struct kr_axis along, down;

	axes_of(p, &along, &down);
	if (p->scaled) {
		lines = fmin(2, (down.size + 1) / down.length);
		blending = 2 * sizeof(uint32_t);
	}
	lines *= line_cost(info, p, &along, &down) / along.length + blending;
	return (uint64_t)fmax(ceil(lines + (p->scaled ? blending : sizeof(uint32_t))), 1);
}
