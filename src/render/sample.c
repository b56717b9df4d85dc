/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a row of the canvas comes from. It needs one source line, a row of the buffer or a column
 * of it, or when it is scaled the two lines around it:
 *
 *   source line --fetch--> raw pixels that are needed --convert--> --between_pixels-->
 *                                                        line at the row's resolution
 *   two such lines --between_rows--> row
 *
 * What is fetched of a line is a run of pixels as long as that isn't more than two for each pixel
 * of the row, and else these two alone: a picture of a very large buffer reads what it shows and
 * nothing beside. The last two lines are kept, because the next row of an enlarged layer needs them
 * again.
 *
 * A layer that is not scaled is sampled at pixel centres, so every one of its pixels arrives
 * unchanged. Scaled ones are bilinear; beyond the pixels that the crop touches the edge goes on.
 */
#include "render/sample.h"

#include <string.h>

#include "gralloc/buffer.h"

#define NO_LINE    (-1)
#define MAX_BYTES  8  /* of a pixel */
#define TURNED_RUN 64 /* pixels of a row of a turned layer */

/* The pixel of the buffer that pixel `at` of the canvas is. */
static uint32_t
exact_of(const struct kr_render_axis *axis, int32_t at)
{
	return (uint32_t)(axis->reversed ? axis->last - (at - axis->origin)
					 : axis->first + (at - axis->origin));
}

/*
 * Where pixel 0 of the canvas lies in the buffer, and how far apart pixels lie: between pixels, at
 * their centres.
 */
static double
start_of(const struct kr_render_axis *axis, double *step)
{
	double part = (0.5 - axis->origin) / axis->length;

	*step = axis->size / axis->length;
	if (axis->reversed) {
		*step = -*step;
		part = 1 - part;
	}
	return axis->from + part * axis->size - 0.5;
}

/* That place in KR_RENDER_ONE of a pixel; beyond the edge it is the edge. */
static inline uint32_t
fixed_of(double place, double first, double last)
{
	place = place < first ? first : place;
	place = place > last ? last : place;
	return (uint32_t)(int32_t)(place * KR_RENDER_ONE + 0.5);
}

/* Pixels of a run lie one after the other in a row of the buffer, but not in a column. */
static void
list_run(struct kr_render_sampler *s)
{
	if (!s->place.turned)
		return;
	for (uint32_t i = 0; i < s->fetch; i++)
		s->wanted[i] = s->first + i;
}

/* A run of pixels, forwards or backwards. */
static void
find_run(struct kr_render_sampler *s, int32_t left, int32_t right)
{
	uint32_t one = exact_of(&s->place.along, left),
		 other = exact_of(&s->place.along, right - 1);

	s->run = true;
	s->first = KR_MIN(one, other);
	s->fetch = s->count;
	list_run(s);
}

/* Chooses between a run of pixels and pairs of them: see above. */
static void
find_neighbours(struct kr_render_sampler *s, int32_t left)
{
	const struct kr_render_axis *along = &s->place.along;
	uint32_t edge = (uint32_t)along->last, first, last;
	double step, start = start_of(along, &step);

	for (uint32_t i = 0; i < s->count; i++) {
		double place = start + (left + (int32_t)i) * step;
		uint32_t fixed = fixed_of(place, along->first, along->last);

		s->near[i] = fixed / KR_RENDER_ONE;
		s->weight[i] = (uint16_t)(fixed % KR_RENDER_ONE);
	}
	first = KR_MIN(s->near[0], s->near[s->count - 1]);
	last = KR_MAX(s->near[0], s->near[s->count - 1]) + 1;
	s->first = first;
	s->fetch = KR_MIN(last, edge) - first + 1;
	s->run = s->fetch <= 2 * s->count;
	if (s->run) {
		list_run(s);
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
kr_render_sampler_start(struct kr_render_sampler *s, const struct kr_render_layer *layer,
	const void *data, const struct kr_render_canvas *canvas, bool make_full, int32_t left,
	int32_t right)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(layer->buffer);
	enum kr_pixels_order order = canvas->order, own;
	int32_t space = kr_colour_resolve(layer->dataspace, canvas->dataspace);

	kr_render_place_find(layer, &s->place);
	s->rows = kr_render_best_rows();
	s->pixel_bytes = kr_format_bytes(info->desc.format);
	s->convert = kr_pixels_row(info->desc.format, order);
	s->converts = space != canvas->dataspace;
	s->xrgb = order == KR_PIXELS_XRGB;
	if (s->converts || canvas->wide_format)
		kr_colour_conversion_init(&s->conversion, info->desc.format, space,
			canvas->dataspace,
			!make_full && layer->blend == KR_RENDER_BLEND_PREMULTIPLIED);
	s->as_it_is = !s->converts && kr_render_order_of(info->desc.format, &own) && own == order;
	s->make_full = make_full;
	s->two_bits = info->desc.format == AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM;
	s->data = data;
	s->along_step = s->place.turned ? info->row_bytes : s->pixel_bytes;
	s->line_step = s->place.turned ? s->pixel_bytes : info->row_bytes;
	s->count = (uint32_t)(right - left);
	if (s->place.scaled)
		find_neighbours(s, left);
	else
		find_run(s, left, right);
	s->line_at[0] = s->line_at[1] = NO_LINE;
}

/* Pixels of a line that don't lie one after the other. */
static void
gather(struct kr_render_sampler *s, const uint8_t *line)
{
	uint8_t *raw = (uint8_t *)s->raw;
	size_t step = s->along_step;

	switch (s->pixel_bytes) {
	case 1:
		for (uint32_t i = 0; i < s->fetch; i++)
			raw[i] = line[s->wanted[i] * step];
		break;
	case 2:
		for (uint32_t i = 0; i < s->fetch; i++)
			memcpy(raw + (size_t)i * 2, line + s->wanted[i] * step, 2);
		break;
	case 4:
		for (uint32_t i = 0; i < s->fetch; i++)
			memcpy(raw + (size_t)i * 4, line + s->wanted[i] * step, 4);
		break;
	default:
		for (uint32_t i = 0; i < s->fetch; i++)
			memcpy(raw + (size_t)i * MAX_BYTES, line + s->wanted[i] * step, MAX_BYTES);
	}
}

/* Alpha of two bits, which converting rows leaves out. */
static void
add_two_bits(const uint8_t *raw, uint32_t *to, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t pixel;

		memcpy(&pixel, raw + (size_t)i * sizeof(pixel), sizeof(pixel));
		to[i] = (to[i] & ~KR_RENDER_ALPHA) | (pixel >> 30) * 0x55000000u;
	}
}

/* The pixels of a line that are needed, as the buffer has them, one after the other. */
static const uint8_t *
fetch(struct kr_render_sampler *s, uint32_t at)
{
	const uint8_t *line = s->data + at * s->line_step;

	if (s->run && s->along_step == s->pixel_bytes)
		return line + (size_t)s->first * s->pixel_bytes;
	gather(s, line);
	return (const uint8_t *)s->raw;
}

static void
convert(const struct kr_render_sampler *s, const uint8_t *raw, uint32_t *to)
{
	if (s->converts)
		kr_colour_to_words(&s->conversion, raw, to, s->fetch, s->xrgb);
	else
		s->convert(raw, to, s->fetch);
	if (s->make_full) {
		for (uint32_t i = 0; i < s->fetch; i++)
			to[i] |= KR_RENDER_ALPHA;
	} else if (s->two_bits && !s->converts) {
		add_two_bits(raw, to, s->fetch);
	}
}

/* A source line at the row's resolution, kept until another one of the same parity is needed. */
static const uint16_t *
line_for(struct kr_render_sampler *s, uint32_t at)
{
	uint16_t *line = s->line[at & 1];

	if (s->line_at[at & 1] == (int64_t)at)
		return line;
	s->line_at[at & 1] = at;
	convert(s, fetch(s, at), s->fetched);
	s->fetched[s->fetch] = s->fetched[s->fetch - 1]; /* the edge goes on */
	s->rows->between_pixels(line, s->fetched, s->near, s->weight, s->count);
	return line;
}

static void
reverse(uint32_t *restrict to, const uint32_t *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = from[count - 1 - i];
}

/*
 * A row of a turned layer is a column of the buffer, each pixel of it in another page: fewer rows
 * of the buffer at a time, so that their pages are at hand for the next column, and don't all have
 * to be faulted in at once.
 */
int32_t
kr_render_sampler_run(const struct kr_render_place *place)
{
	return place->turned ? TURNED_RUN : KR_RENDER_RUN;
}

const uint32_t *
kr_render_sampler_row(struct kr_render_sampler *s, int32_t y, uint32_t *to)
{
	const uint8_t *raw = fetch(s, exact_of(&s->place.down, y));
	const uint32_t *pixels = (const uint32_t *)(const void *)raw;
	bool as_it_is = s->as_it_is && !s->make_full;

	if (!s->place.along.reversed) {
		if (as_it_is)
			return pixels;
		convert(s, raw, to);
		return to;
	}
	if (!as_it_is) {
		convert(s, raw, s->fetched);
		pixels = s->fetched;
	}
	reverse(to, pixels, s->count);
	return to;
}

const uint16_t *
kr_render_sampler_wide_row(struct kr_render_sampler *s, int32_t y)
{
	const struct kr_render_axis *down = &s->place.down;
	double step, start = start_of(down, &step);
	uint32_t fixed = fixed_of(start + y * step, down->first, down->last);
	uint32_t at = fixed / KR_RENDER_ONE, weight = fixed % KR_RENDER_ONE;
	const uint16_t *a = line_for(s, at);

	if (!weight)
		return a;
	s->rows->between_rows(s->wide_row, a, line_for(s, at + 1), weight, s->count);
	return s->wide_row;
}

/* --- floats --- */

static void
convert_floats(const struct kr_render_sampler *s, const uint8_t *raw, float *to)
{
	kr_colour_to_floats(&s->conversion, raw, to, s->fetch);
	for (uint32_t i = 0; s->make_full && i < s->fetch; i++)
		to[i * KR_COLOUR_CHANNELS + 3] = 1;
}

static const float *
float_line_for(struct kr_render_sampler *s, struct kr_render_float_sampler *floats, uint32_t at)
{
	float *line = floats->line[at & 1], *end = floats->fetched + s->fetch * KR_COLOUR_CHANNELS;

	if (s->line_at[at & 1] == (int64_t)at)
		return line;
	s->line_at[at & 1] = at;
	convert_floats(s, fetch(s, at), floats->fetched);
	memcpy(end, end - KR_COLOUR_CHANNELS, KR_COLOUR_CHANNELS * sizeof(*end));
	for (uint32_t i = 0; i < s->count; i++) {
		const float *from = floats->fetched + s->near[i] * KR_COLOUR_CHANNELS;
		float part = (float)s->weight[i] / KR_RENDER_ONE;

		for (int k = 0; k < KR_COLOUR_CHANNELS; k++)
			line[i * KR_COLOUR_CHANNELS + k] =
				from[k] + part * (from[k + KR_COLOUR_CHANNELS] - from[k]);
	}
	return line;
}

static const float *
float_row_between(struct kr_render_sampler *s, struct kr_render_float_sampler *floats, int32_t y)
{
	const struct kr_render_axis *down = &s->place.down;
	double step, start = start_of(down, &step);
	uint32_t fixed = fixed_of(start + y * step, down->first, down->last);
	uint32_t at = fixed / KR_RENDER_ONE;
	float part = (float)(fixed % KR_RENDER_ONE) / KR_RENDER_ONE;
	const float *a = float_line_for(s, floats, at), *b;

	if (part <= 0)
		return a;
	b = float_line_for(s, floats, at + 1);
	for (uint32_t i = 0; i < s->count * KR_COLOUR_CHANNELS; i++)
		floats->row[i] = a[i] + part * (b[i] - a[i]);
	return floats->row;
}

const float *
kr_render_sampler_float_row(
	struct kr_render_sampler *s, struct kr_render_float_sampler *floats, int32_t y)
{
	if (s->place.scaled)
		return float_row_between(s, floats, y);
	convert_floats(s, fetch(s, exact_of(&s->place.down, y)), floats->fetched);
	if (!s->place.along.reversed)
		return floats->fetched;
	for (uint32_t i = 0; i < s->count; i++)
		memcpy(floats->row + i * KR_COLOUR_CHANNELS,
			floats->fetched + (s->count - 1 - i) * KR_COLOUR_CHANNELS,
			KR_COLOUR_CHANNELS * sizeof(float));
	return floats->row;
}
