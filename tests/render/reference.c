/* SPDX-License-Identifier: Apache-2.0 */
/* See reference.h. */
#include "reference.h"

#include <math.h>
#include <string.h>

#include "gralloc/buffer.h"

enum {
	R,
	G,
	B,
	A,
	CHANNELS,
};

static double
round_off(double value)
{
	return floor(fmin(fmax(value, 0), 1) * 255 + 0.5);
}

static double
half(uint16_t bits)
{
	double sign = bits >> 15 ? -1 : 1, mantissa = bits & 0x3ff;
	int exponent = bits >> 10 & 0x1f;

	if (exponent == 31)
		return mantissa != 0 || sign < 0 ? 0 : 1;
	return sign * (exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24));
}

static void
decode(const struct kr_render_layer *layer, int32_t x, int32_t y, double pixel[CHANNELS])
{
	const struct kr_buffer_info *info = kr_buffer_get_info(layer->buffer);
	const uint8_t *at;
	uint16_t words[4];
	uint32_t word;
	void *data;

	if (kr_buffer_map(layer->buffer, &data))
		return;
	at = (const uint8_t *)data + (size_t)y * info->row_bytes +
		(size_t)x * kr_format_bytes(info->desc.format);
	memcpy(&word, at, 4 - (info->desc.format == AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM) * 2);
	pixel[A] = 255;
	switch (info->desc.format) {
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
		pixel[R] = at[0];
		pixel[G] = at[1];
		pixel[B] = at[2];
		pixel[A] = info->desc.format == AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM ? at[3] : 255;
		break;
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		pixel[B] = at[0];
		pixel[G] = at[1];
		pixel[R] = at[2];
		pixel[A] = at[3];
		break;
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
		/* The upper bits once more below. */
		pixel[R] = (word >> 11 & 31) << 3 | (word >> 13 & 7);
		pixel[G] = (word >> 5 & 63) << 2 | (word >> 9 & 3);
		pixel[B] = (word & 31) << 3 | (word >> 2 & 7);
		break;
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		pixel[R] = round_off((word & 1023) / 1023.0);
		pixel[G] = round_off((word >> 10 & 1023) / 1023.0);
		pixel[B] = round_off((word >> 20 & 1023) / 1023.0);
		pixel[A] = (word >> 30) * 85;
		break;
	default:
		memcpy(words, at, sizeof(words));
		for (int c = 0; c < CHANNELS; c++)
			pixel[c] = round_off(half(words[c]));
	}
}

/* From 0 to 1 along the frame; where that is in the crop, before the turn and the flips. */
static void
turn_back(int32_t transform, double *u, double *v)
{
	double swap = *u;

	if (transform & NATIVE_WINDOW_TRANSFORM_ROT_90) {
		*u = *v;
		*v = 1 - swap;
	}
	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_H)
		*u = 1 - *u;
	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_V)
		*v = 1 - *v;
}

static int32_t
clamp(double value, double low, double high)
{
	return (int32_t)fmin(fmax(value, low), high);
}

/* The layer's pixel at x, y of the canvas, not blended. Whether it is one of the buffer. */
static bool
sample(const struct kr_render_layer *layer, int32_t x, int32_t y, double pixel[CHANNELS])
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(layer->buffer)->desc;
	const ARect *frame = &layer->frame;
	double left = fmax((double)layer->crop.left, 0), top = fmax((double)layer->crop.top, 0);
	double right = fmin((double)layer->crop.right, desc->width);
	double bottom = fmin((double)layer->crop.bottom, desc->height);
	double u = (x + 0.5 - frame->left) / (frame->right - frame->left);
	double v = (y + 0.5 - frame->top) / (frame->bottom - frame->top);
	bool turned = layer->transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	double width, height, corner[2][2][CHANNELS];
	int32_t x0, y0, x1, y1;

	if (!(left < right && top < bottom)) {
		left = top = 0;
		right = desc->width;
		bottom = desc->height;
	}
	turn_back(layer->transform, &u, &v);
	u = left + u * (right - left) - 0.5;
	v = top + v * (bottom - top) - 0.5;
	width = turned ? frame->bottom - frame->top : frame->right - frame->left;
	height = turned ? frame->right - frame->left : frame->bottom - frame->top;
	if (right - left == width && bottom - top == height && left == floor(left) &&
		top == floor(top)) {
		decode(layer, (int32_t)floor(u + 0.5), (int32_t)floor(v + 0.5), pixel);
		return true;
	}
	x0 = clamp(floor(u), floor(left), ceil(right) - 1);
	x1 = clamp(floor(u) + 1, floor(left), ceil(right) - 1);
	y0 = clamp(floor(v), floor(top), ceil(bottom) - 1);
	y1 = clamp(floor(v) + 1, floor(top), ceil(bottom) - 1);
	decode(layer, x0, y0, corner[0][0]);
	decode(layer, x1, y0, corner[0][1]);
	decode(layer, x0, y1, corner[1][0]);
	decode(layer, x1, y1, corner[1][1]);
	for (int c = 0; c < CHANNELS; c++) {
		double upper =
			corner[0][0][c] + (corner[0][1][c] - corner[0][0][c]) * (u - floor(u));
		double lower =
			corner[1][0][c] + (corner[1][1][c] - corner[1][0][c]) * (u - floor(u));

		pixel[c] = upper + (lower - upper) * (v - floor(v));
	}
	return false;
}

static bool
covers(const struct kr_render_layer *layer, int32_t x, int32_t y)
{
	return x >= layer->frame.left && x < layer->frame.right && y >= layer->frame.top &&
		y < layer->frame.bottom;
}

static void
lay_over(struct reference_pixel *below, const struct kr_render_layer *layer, int32_t x, int32_t y)
{
	double pixel[CHANNELS] = {layer->color.r, layer->color.g, layer->color.b, layer->color.a};
	double alpha = (double)layer->alpha, part;
	bool exact = true, opaque_format = false, hides;

	if (layer->buffer) {
		uint32_t format = kr_buffer_get_info(layer->buffer)->desc.format;

		exact = sample(layer, x, y, pixel);
		opaque_format = format == AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM ||
			format == AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM;
	}
	if (layer->blend == KR_RENDER_BLEND_NONE || opaque_format)
		pixel[A] = 255;
	hides = alpha == 1 &&
		(layer->blend == KR_RENDER_BLEND_NONE || opaque_format ||
			(!layer->buffer && layer->color.a == 255));
	below->exact = exact && hides;
	below->kept &= !hides;
	if (layer->blend == KR_RENDER_BLEND_COVERAGE) {
		for (int c = R; c < A; c++)
			pixel[c] *= pixel[A] / 255;
	}
	part = 1 - pixel[A] / 255 * alpha;
	for (int c = 0; c < CHANNELS; c++)
		below->channel[c] = fmin(255, pixel[c] * alpha + below->channel[c] * part);
}

struct reference_pixel
reference_at(
	const struct kr_render_layer *layers, unsigned count, bool has_alpha, int32_t x, int32_t y)
{
	struct reference_pixel pixel = {.exact = true, .channel = {0, 0, 0, has_alpha ? 0 : 255}};

	for (unsigned i = count; i-- > 0;) {
		const struct kr_render_layer *layer = &layers[i];

		if (!covers(layer, x, y))
			continue;
		if (layer->no_content) {
			pixel = (struct reference_pixel){.kept = true};
		} else if (layer->hole) {
			pixel = (struct reference_pixel){.exact = true};
		} else if (layer->alpha > 0) {
			lay_over(&pixel, layer, x, y);
		}
	}
	return pixel;
}
