/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions in double precision: see reference.h. */
#include "reference.h"

#include <math.h>

/* A plane of values from 0 to 1, with the edge's beyond it. */
struct plane {
	const uint16_t *values;
	uint32_t width, height;
	double most;
};

static double
fetch(const struct plane *plane, double x, double y)
{
	double column = fmin(fmax(x, 0), plane->width - 1);
	double row = fmin(fmax(y, 0), plane->height - 1);

	return plane->values[(size_t)row * plane->width + (size_t)column] / plane->most;
}

/* At unnormalised coordinates, whose pixels have their middle at a half. */
static double
filter(const struct plane *plane, double u, double v, bool linear)
{
	double x, y, across, down;

	if (!linear)
		return fetch(plane, floor(u), floor(v));
	x = floor(u - 0.5);
	y = floor(v - 0.5);
	across = u - 0.5 - x;
	down = v - 0.5 - y;
	return (1 - down) * ((1 - across) * fetch(plane, x, y) + across * fetch(plane, x + 1, y)) +
		down *
		((1 - across) * fetch(plane, x, y + 1) + across * fetch(plane, x + 1, y + 1));
}

/* Where chroma is read for a place of luma: the sample of an even pixel, or between two. */
static double
place(double luma, VkChromaLocation location)
{
	return location == VK_CHROMA_LOCATION_COSITED_EVEN ? (luma + 0.5) / 2 : luma / 2;
}

static double
chroma_at(const struct plane *chroma, const struct reference_conversion *c, double u, double v)
{
	double x = c->linear || c->located[0] ? place(u, c->x) : u / 2;
	double y = c->linear || c->located[1] ? place(v, c->y) : v / 2;

	return filter(chroma, x, y, c->linear);
}

/* Chroma of whole pixels of luma first, and of those what the filter says. */
static double
chroma_explicit(
	const struct plane *chroma, const struct reference_conversion *c, double u, double v)
{
	double x = floor(u - 0.5), y = floor(v - 0.5), across = u - 0.5 - x, down = v - 0.5 - y;
	double at[2][2];

	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < 2; j++) {
			double column = fmin(fmax(x + j, 0), 2 * chroma->width - 1);
			double row = fmin(fmax(y + i, 0), 2 * chroma->height - 1);

			at[i][j] = chroma_at(chroma, c, column + 0.5, row + 0.5);
		}
	}
	return (1 - down) * ((1 - across) * at[0][0] + across * at[0][1]) +
		down * ((1 - across) * at[1][0] + across * at[1][1]);
}

static double
swizzle(VkComponentSwizzle component, double own, double r, double g, double b, double a)
{
	switch (component) {
	case VK_COMPONENT_SWIZZLE_ZERO:
		return 0;
	case VK_COMPONENT_SWIZZLE_ONE:
		return 1;
	case VK_COMPONENT_SWIZZLE_R:
		return r;
	case VK_COMPONENT_SWIZZLE_G:
		return g;
	case VK_COMPONENT_SWIZZLE_B:
		return b;
	case VK_COMPONENT_SWIZZLE_A:
		return a;
	default:
		return own;
	}
}

static void
expand(const struct reference_picture *picture, VkSamplerYcbcrRange range, double *y, double *cb,
	double *cr)
{
	double most = (double)((1u << picture->bits) - 1);
	double unit = (double)(1u << (picture->bits - 8));

	if (range == VK_SAMPLER_YCBCR_RANGE_ITU_FULL) {
		double middle = (double)(1u << (picture->bits - 1)) / most;

		*cb -= middle;
		*cr -= middle;
		return;
	}
	*y = (*y * most - 16 * unit) / (219 * unit);
	*cb = (*cb * most - 128 * unit) / (224 * unit);
	*cr = (*cr * most - 128 * unit) / (224 * unit);
}

static void
convert(VkSamplerYcbcrModelConversion model, double y, double cb, double cr, double rgba[4])
{
	double kr = 0.299, kb = 0.114, kg;

	if (model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_IDENTITY) {
		rgba[0] = cr;
		rgba[1] = y;
		rgba[2] = cb;
		return;
	}
	if (model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709) {
		kr = 0.2126;
		kb = 0.0722;
	} else if (model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020) {
		kr = 0.2627;
		kb = 0.0593;
	}
	kg = 1 - kr - kb;
	rgba[0] = y + 2 * (1 - kr) * cr;
	rgba[1] = y - (2 * kb * (1 - kb) * cb + 2 * kr * (1 - kr) * cr) / kg;
	rgba[2] = y + 2 * (1 - kb) * cb;
}

void
reference_sample(const struct reference_picture *picture, const struct reference_conversion *c,
	uint32_t width, uint32_t height, uint32_t x, uint32_t y, double rgba[4])
{
	const double most = (double)((1u << picture->bits) - 1);
	const struct plane luma = {picture->y, picture->width, picture->height, most};
	const struct plane planes[] = {
		{picture->cb, picture->width / 2, picture->height / 2, most},
		{picture->cr, picture->width / 2, picture->height / 2, most},
	};
	double u = (x + 0.5) * picture->width / width, v = (y + 0.5) * picture->height / height;
	double read[3], l, cb, cr;

	read[0] = filter(&luma, u, v, c->linear);
	for (int i = 0; i < 2; i++)
		read[i + 1] = c->explicit_first && c->linear ? chroma_explicit(&planes[i], c, u, v)
							     : chroma_at(&planes[i], c, u, v);
	/* R is Cr, G is Y, B is Cb. */
	l = swizzle(c->components.g, read[0], read[2], read[0], read[1], 1);
	cb = swizzle(c->components.b, read[1], read[2], read[0], read[1], 1);
	cr = swizzle(c->components.r, read[2], read[2], read[0], read[1], 1);
	rgba[3] = swizzle(c->components.a, 1, read[2], read[0], read[1], 1);
	if (c->model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY) {
		rgba[0] = cr;
		rgba[1] = l;
		rgba[2] = cb;
		return;
	}
	expand(picture, c->range, &l, &cb, &cr);
	convert(c->model, l, cb, cr, rgba);
}
