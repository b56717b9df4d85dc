/* SPDX-License-Identifier: Apache-2.0 */
/* Pixels in a layout of the driver's own: own_layout.h has the idea. */
#include "null/own_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"

#define KEY UINT32_C(0x5A3CC3A5)

int
null_own_layout_create(struct kr_buffer *buffer, uint32_t width, uint32_t height, bool shared,
	struct null_own_layout **out)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct null_own_layout *layout;
	void *pixels;
	int ret = kr_buffer_map(buffer, &pixels);

	if (ret)
		return ret;
	layout = malloc(sizeof(*layout));
	if (!layout)
		return -ENOMEM;
	*layout = (struct null_own_layout){
		.users = 1,
		.buffer = kr_buffer_ref(buffer),
		.pixels = pixels,
		.width = width,
		.height = height,
		.row = info->row_bytes / sizeof(uint32_t),
		.rows = info->desc.height,
		.shared = shared,
	};
	*out = layout;
	return 0;
}

struct null_own_layout *
null_own_layout_ref(struct null_own_layout *layout)
{
	layout->users++;
	return layout;
}

void
null_own_layout_unref(struct null_own_layout *layout)
{
	if (!layout || --layout->users)
		return;
	kr_buffer_unref(layout->buffer);
	free(layout);
}

static size_t
words(const struct null_own_layout *layout)
{
	return (size_t)layout->row * layout->rows;
}

static uint64_t
sum(const struct null_own_layout *layout)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < words(layout); i++)
		value = (value ^ layout->pixels[i]) * UINT64_C(0x100000001b3);
	return value;
}

static void
flip(const struct null_own_layout *layout)
{
	for (size_t i = 0; i < words(layout); i++)
		layout->pixels[i] ^= KEY;
}

static void
fill(const struct null_own_layout *layout, uint32_t word)
{
	for (size_t i = 0; i < words(layout); i++)
		layout->pixels[i] = word;
}

bool
null_own_layout_acquire(struct null_own_layout *layout)
{
	bool changed;

	if (layout->shared || layout->acquired)
		return false;
	changed = layout->was_left && sum(layout) != layout->left;
	if (changed)
		layout->has_colour = false;
	flip(layout);
	layout->acquired = true;
	return changed;
}

void
null_own_layout_release(struct null_own_layout *layout)
{
	if (!layout->acquired)
		return;
	if (layout->has_colour)
		fill(layout, layout->colour);
	else
		flip(layout);
	layout->acquired = false;
	layout->was_left = true;
	layout->left = sum(layout);
}

void
null_own_layout_fill(struct null_own_layout *layout, uint32_t colour)
{
	if (layout->shared) {
		fill(layout, colour);
		return;
	}
	layout->has_colour = true;
	layout->colour = colour;
}

void
null_own_layout_write(struct null_own_layout *layout, uint32_t x, uint32_t y, uint32_t pixel)
{
	if (layout->has_colour)
		fill(layout, layout->colour ^ KEY);
	layout->has_colour = false;
	layout->pixels[(size_t)y * layout->row + x] = layout->shared ? pixel : pixel ^ KEY;
}

uint32_t
null_own_layout_read(const struct null_own_layout *layout, uint32_t x, uint32_t y)
{
	uint32_t word = layout->pixels[(size_t)y * layout->row + x];

	if (layout->has_colour)
		return layout->colour;
	return layout->shared ? word : word ^ KEY;
}

void
null_own_layout_clear(struct null_own_layout *layout, const uint8_t *pixel, uint32_t size)
{
	uint32_t words_of_pixel[2];

	if (!layout->shared && !layout->acquired)
		return;
	for (uint32_t i = 0; i < sizeof(words_of_pixel); i++)
		((uint8_t *)words_of_pixel)[i] = pixel[i % size];
	if (size <= sizeof(uint32_t)) {
		null_own_layout_fill(layout, words_of_pixel[0]);
		return;
	}
	layout->has_colour = false;
	for (size_t i = 0; i < words(layout); i++)
		layout->pixels[i] = words_of_pixel[i % 2] ^ (layout->shared ? 0 : KEY);
}

void
null_own_layout_copy(const struct null_own_layout *layout, size_t at, uint8_t *to, uint32_t size)
{
	const uint32_t key = layout->acquired ? KEY : 0;

	for (uint32_t i = 0; i < size; i++) {
		uint32_t shift = (at + i) % sizeof(uint32_t) * 8;
		uint32_t word = layout->pixels[(at + i) / sizeof(uint32_t)] ^ key;

		to[i] = (uint8_t)((layout->has_colour ? layout->colour : word) >> shift);
	}
}
