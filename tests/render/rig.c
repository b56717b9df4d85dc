/* SPDX-License-Identifier: Apache-2.0 */
/* See rig.h. */
#include "rig.h"

#include "half.h"

#include <string.h>

uint32_t
rig_random(struct rig_random *random, uint32_t below)
{
	random->state =
		random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((random->state >> 33) % below);
}

struct kr_buffer *
rig_buffer(uint32_t width, uint32_t height, uint32_t format)
{
	const struct kr_buffer_desc desc = {width, height, 1, format,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	return buffer;
}

/* Of 8 bits a channel, often at an end. */
static uint32_t
noise(struct rig_random *random)
{
	switch (rig_random(random, 6)) {
	case 0:
		return 0;
	case 1:
		return 255;
	default:
		return rig_random(random, 256);
	}
}

static uint64_t
pixel_of(struct rig_random *random, uint32_t format, bool premultiplied)
{
	uint32_t a = noise(random), top = premultiplied ? a : 255;
	uint32_t r = noise(random) * top / 255, g = noise(random) * top / 255;
	uint32_t b = noise(random) * top / 255;

	switch (format) {
	case HALF:
		return kr_test_half(r) | (uint64_t)kr_test_half(g) << 16 |
			(uint64_t)kr_test_half(b) << 32 | (uint64_t)kr_test_half(a) << 48;
	case RGB10:
		return (r << 2 | r >> 6) | (g << 2 | g >> 6) << 10 | (b << 2 | b >> 6) << 20 |
			a >> 6 << 30;
	default:
		return r | g << 8 | b << 16 | a << 24;
	}
}

void
rig_fill(struct rig_random *random, struct kr_buffer *buffer, const ARect *box, bool premultiplied)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	size_t bytes = kr_format_bytes(info->desc.format);
	uint8_t *data;

	assert_int_equal(kr_buffer_map(buffer, (void **)&data), 0);
	for (int32_t y = box->top; y < box->bottom; y++) {
		uint8_t *at = data + (size_t)y * info->row_bytes + (size_t)box->left * bytes;

		for (int32_t x = box->left; x < box->right; x++, at += bytes) {
			uint64_t pixel = pixel_of(random, info->desc.format, premultiplied);

			memcpy(at, &pixel, bytes);
		}
	}
}

struct kr_render_layer
rig_layer(struct kr_buffer *buffer, int32_t x, int32_t y)
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(buffer)->desc;

	return (struct kr_render_layer){
		.owner = buffer,
		.buffer = buffer,
		.frame = {x, y, x + (int32_t)desc->width, y + (int32_t)desc->height},
		.blend = KR_RENDER_BLEND_NONE,
		.alpha = 1,
	};
}

unsigned
rig_draw(struct kr_render_plan *plan, struct kr_render_canvas *canvas, uint64_t budget,
	uint64_t *written)
{
	const struct kr_render_layer *failed;
	unsigned calls = 0;
	int err;

	*written = 0;
	do {
		uint64_t left = budget;

		err = kr_render_draw(plan, canvas, &left, written, &failed);
		assert_in_range(err, 0, 1);
		assert_true(left <= budget);
		assert_true(++calls < 100000);
	} while (err == 1);
	assert_true(kr_render_plan_is_done(plan));
	return calls;
}
