/* SPDX-License-Identifier: Apache-2.0 */
#include "null/pixel.h"

#include <stdbool.h>
#include <string.h>

#include "null/mutants.h"
#include "util/macros.h"

/* A pixel is one little-endian word of channels, red to alpha. */
static const struct layout {
	VkFormat format;
	uint8_t size;
	uint8_t bits[4];
	uint8_t shift[4];
	bool srgb;     /* all but alpha */
	bool is_float; /* of 16 bits */
} layouts[] = {
	{VK_FORMAT_R8G8B8A8_UNORM, 4, {8, 8, 8, 8}, {0, 8, 16, 24}, false, false},
	{VK_FORMAT_R8G8B8A8_SRGB, 4, {8, 8, 8, 8}, {0, 8, 16, 24}, true, false},
	{VK_FORMAT_B8G8R8A8_UNORM, 4, {8, 8, 8, 8}, {16, 8, 0, 24}, false, false},
	{VK_FORMAT_B8G8R8A8_SRGB, 4, {8, 8, 8, 8}, {16, 8, 0, 24}, true, false},
	{VK_FORMAT_A8B8G8R8_UNORM_PACK32, 4, {8, 8, 8, 8}, {0, 8, 16, 24}, false, false},
	{VK_FORMAT_A8B8G8R8_SRGB_PACK32, 4, {8, 8, 8, 8}, {0, 8, 16, 24}, true, false},
	{VK_FORMAT_R5G6B5_UNORM_PACK16, 2, {5, 6, 5, 0}, {11, 5, 0, 0}, false, false},
	{VK_FORMAT_B5G6R5_UNORM_PACK16, 2, {5, 6, 5, 0}, {0, 5, 11, 0}, false, false},
	{VK_FORMAT_A2R10G10B10_UNORM_PACK32, 4, {10, 10, 10, 2}, {20, 10, 0, 30}, false, false},
	{VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, {10, 10, 10, 2}, {0, 10, 20, 30}, false, false},
	{VK_FORMAT_R16G16B16A16_UNORM, 8, {16, 16, 16, 16}, {0, 16, 32, 48}, false, false},
	{VK_FORMAT_R16G16B16A16_SFLOAT, 8, {16, 16, 16, 16}, {0, 16, 32, 48}, false, true},
};

/*
 * The curve of sRGB at 0 to 255, by Newton's method for the power 1/2.4: no library of mathematics
 * is needed for what happens once in a clear.
 */
static double
to_srgb(double linear)
{
	double x = 1.0, wanted = linear * linear * linear * linear * linear; /* x^12 = linear^5 */

	if (linear <= 0.0031308)
		return 12.92 * linear;
	for (unsigned i = 0; i < 64; i++) {
		double x2 = x * x, x4 = x2 * x2, x11 = x4 * x4 * x2 * x;

		x -= (x11 * x - wanted) / (12.0 * x11);
	}
	return 1.055 * x - 0.055;
}

static uint64_t
encode_unorm(float value, uint32_t bits, bool srgb)
{
	uint64_t most = (UINT64_C(1) << bits) - 1;
	double v = value;

	/* What is no number becomes 0, too. */
	if (!(v > 0.0))
		return 0;
	if (v >= 1.0)
		return most;
	if (srgb)
		v = to_srgb(v);
	return (uint64_t)(v * (double)most + 0.5);
}

/* Nearest, ties to even, as the conversions of hardware do it. */
static uint64_t
encode_half(float value)
{
	uint32_t word, sign, mantissa, dropped, half;
	int exponent;
	unsigned shift = 13;

	memcpy(&word, &value, sizeof(word));
	sign = word >> 16 & 0x8000;
	exponent = (int)(word >> 23 & 0xff) - 127 + 15;
	mantissa = word & 0x7fffff;
	if ((word & 0x7fffffff) > 0x7f800000)
		return sign | 0x7e00;
	if (exponent >= 31)
		return sign | 0x7c00;
	if (exponent < -10)
		return sign;
	if (exponent <= 0) {
		mantissa |= 0x800000;
		shift = (unsigned)(14 - exponent);
		exponent = 0;
	}
	half = (uint32_t)exponent << 10 | mantissa >> shift;
	dropped = mantissa & ((1u << shift) - 1);
	if (dropped > 1u << (shift - 1) || (dropped == 1u << (shift - 1) && (half & 1)))
		half++;
	return sign | half;
}

/* What a wrong driver takes the format for. */
static VkFormat
mistake(VkFormat format)
{
	const struct {
		bool happens;
		VkFormat from, to;
	} mistakes[] = {
		{null_has_fault(rgba_lies_as_bgra), VK_FORMAT_R8G8B8A8_UNORM,
			VK_FORMAT_B8G8R8A8_UNORM},
		{null_has_fault(bgra_lies_as_rgba), VK_FORMAT_B8G8R8A8_UNORM,
			VK_FORMAT_R8G8B8A8_UNORM},
		{null_has_fault(srgb_is_linear), VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_UNORM},
		{null_has_fault(srgb_bgra_lies_as_rgba), VK_FORMAT_B8G8R8A8_SRGB,
			VK_FORMAT_R8G8B8A8_SRGB},
		{null_has_fault(rgb565_lies_as_bgr), VK_FORMAT_R5G6B5_UNORM_PACK16,
			VK_FORMAT_B5G6R5_UNORM_PACK16},
		{null_has_fault(ten_bits_lie_as_bgr), VK_FORMAT_A2B10G10R10_UNORM_PACK32,
			VK_FORMAT_A2R10G10B10_UNORM_PACK32},
		{null_has_fault(floats_are_whole), VK_FORMAT_R16G16B16A16_SFLOAT,
			VK_FORMAT_R16G16B16A16_UNORM},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(mistakes); i++) {
		if (mistakes[i].happens && mistakes[i].from == format)
			return mistakes[i].to;
	}
	return format;
}

uint32_t
null_pixel_encode(VkFormat format, const VkClearColorValue *colour, uint8_t bytes[NULL_PIXEL_MAX])
{
	const struct layout *layout = NULL;
	uint64_t word = 0;

	for (size_t i = 0; i < KR_ARRAY_LEN(layouts); i++) {
		if (layouts[i].format == mistake(format))
			layout = &layouts[i];
	}
	if (!layout)
		return 0;
	for (unsigned i = 0; i < 4; i++) {
		uint64_t channel = layout->is_float
			? encode_half(colour->float32[i])
			: encode_unorm(colour->float32[i], layout->bits[i], layout->srgb && i < 3);

		word |= channel << layout->shift[i];
	}
	for (unsigned i = 0; i < layout->size; i++)
		bytes[i] = (uint8_t)(word >> 8 * i);
	return layout->size;
}
