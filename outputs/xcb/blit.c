/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion to what X windows are made of: B, G, R, X in memory. */
#include "outputs/xcb/x_window.h"

#include <krafla/hardware_buffer.h>
#include <string.h>

/* The other byte order of red and blue; what fills the last byte is X's to ignore. */
static void
swizzle_row(const uint32_t *source, uint32_t *target, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++) {
		uint32_t p = source[x];

		target[x] = (p & 0xff00ff00) | (p & 0xff) << 16 | (p >> 16 & 0xff);
	}
}

static void
expand_row(const uint16_t *source, uint32_t *target, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++) {
		uint32_t r = source[x] >> 11, g = source[x] >> 5 & 0x3f, b = source[x] & 0x1f;

		target[x] = 0xff000000 | (r << 3 | r >> 2) << 16 | (g << 2 | g >> 4) << 8 |
			(b << 3 | b >> 2);
	}
}

void
x_blit(const struct kr_buffer_info *info, const void *source, void *target,
	uint32_t target_row_bytes)
{
	for (uint32_t y = 0; y < info->desc.height; y++) {
		const void *from = (const char *)source + (size_t)y * info->row_bytes;
		void *to = (char *)target + (size_t)y * target_row_bytes;

		if (info->desc.format == AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM)
			memcpy(to, from, (size_t)info->desc.width * 4);
		else if (info->desc.format == AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM)
			expand_row(from, to, info->desc.width);
		else
			swizzle_row(from, to, info->desc.width);
	}
}
