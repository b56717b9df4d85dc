/* SPDX-License-Identifier: Apache-2.0 */
/* Pixels of the wide formats, for tests that write them. */
#ifndef KR_TESTS_HALF_H
#define KR_TESTS_HALF_H

#include <stdint.h>

/* The 16-bit floating point number (IEEE 754 binary16) nearest to value / 255; value 0 to 255. */
static inline uint16_t
kr_test_half(uint32_t value)
{
	uint32_t exponent = 15, mantissa;

	if (!value)
		return 0;
	/* value / 255 = mantissa / 1024 * 2^(exponent - 15), 1024 <= mantissa < 2048 */
	while ((value << (15 - exponent)) < 255)
		exponent--;
	mantissa = ((value << (15 - exponent)) * 1024 + 127) / 255;
	return (uint16_t)((exponent << 10) + mantissa - 1024);
}

/* The pixel of R16G16B16A16_FLOAT, R in the lowest bits, of a colour 0xRRGGBB. */
static inline uint64_t
kr_test_half_pixel(uint32_t rgb)
{
	return (uint64_t)kr_test_half(rgb >> 16 & 0xff) |
		(uint64_t)kr_test_half(rgb >> 8 & 0xff) << 16 |
		(uint64_t)kr_test_half(rgb & 0xff) << 32 | UINT64_C(0x3c00) << 48;
}

/* The same of R10G10B10A2_UNORM. */
static inline uint32_t
kr_test_10_bit_pixel(uint32_t rgb)
{
	uint32_t r = ((rgb >> 16 & 0xff) * 1023 + 127) / 255;
	uint32_t g = ((rgb >> 8 & 0xff) * 1023 + 127) / 255;
	uint32_t b = ((rgb & 0xff) * 1023 + 127) / 255;

	return r | g << 10 | b << 20 | 3u << 30;
}

#endif
