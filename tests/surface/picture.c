/* SPDX-License-Identifier: Apache-2.0 */
/* See picture.h. */
#include "picture.h"

#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>

#include "half.h"

void
picture_pixel(void *row, uint32_t x, uint32_t format, uint32_t alpha, uint32_t rgb)
{
	uint32_t r = rgb >> 16, g = rgb >> 8 & 0xff, b = rgb & 0xff;

	if (format == AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM)
		((uint16_t *)row)[x] = (uint16_t)(r >> 3 << 11 | g >> 2 << 5 | b >> 3);
	else if (format == AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM)
		((uint32_t *)row)[x] = kr_test_10_bit_pixel(rgb);
	else if (format == AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT)
		((uint64_t *)row)[x] = kr_test_half_pixel(rgb);
	else if (format == AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM)
		((uint32_t *)row)[x] = alpha << 24 | rgb;
	else
		((uint32_t *)row)[x] = alpha << 24 | b << 16 | g << 8 | r;
}

unsigned
picture_place(unsigned quarter, int32_t transform)
{
	unsigned x = quarter & 1, y = quarter >> 1, t;

	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_H)
		x = !x;
	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_V)
		y = !y;
	if (transform & NATIVE_WINDOW_TRANSFORM_ROT_90) {
		t = x;
		x = !y;
		y = t;
	}
	return x + 2 * y;
}
