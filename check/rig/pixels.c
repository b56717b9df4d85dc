/* SPDX-License-Identifier: Apache-2.0 */
/* What a consumer reads in a buffer, by the CPU. */
#include "check/rig/state.h"

#include <errno.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "util/clock.h"

#define READ_NS (INT64_C(5) * KR_NSEC_PER_SEC)

/* Around reading; the fences that a driver left in a dma-buf are waited for. */
static const uint8_t *
begin(struct check *c, struct check_image *image)
{
	void *data = NULL;
	int ret = kr_buffer_lock(
		image->buffer, KR_DMA_BUF_READ, kr_deadline_in((uint64_t)READ_NS), &data);

	CHECK(c, ret != -ETIME, "what the driver writes to the buffer isn't done within 5 s");
	if (ret)
		check_skip(c, "the buffer can't be mapped: %s", strerror(-ret));
	return data;
}

static void
end(struct check_image *image)
{
	(void)!kr_buffer_unlock(image->buffer);
}

static uint32_t
read_pixel(const struct kr_buffer_info *info, const uint8_t *data, uint32_t x, uint32_t y)
{
	uint32_t pixel;

	memcpy(&pixel, data + (size_t)y * info->row_bytes + (size_t)x * sizeof(pixel),
		sizeof(pixel));
	return pixel;
}

uint32_t
check_pixel(struct check *c, struct check_image *image, uint32_t x, uint32_t y)
{
	uint32_t pixel = read_pixel(kr_buffer_get_info(image->buffer), begin(c, image), x, y);

	end(image);
	return pixel;
}

static int
byte_of(float value)
{
	return (int)(value * 255.0f + 0.5f);
}

void
check_pixels(struct check *c, struct check_image *image, const float rgba[4])
{
	const struct kr_buffer_info *info = kr_buffer_get_info(image->buffer);
	bool swapped = image->format == VK_FORMAT_B8G8R8A8_UNORM;
	const int want[4] = {byte_of(rgba[swapped ? 2 : 0]), byte_of(rgba[1]),
		byte_of(rgba[swapped ? 0 : 2]), byte_of(rgba[3])};
	const uint8_t *data = begin(c, image);

	for (uint32_t y = 0; y < image->height; y++) {
		for (uint32_t x = 0; x < image->width; x++) {
			uint32_t pixel = read_pixel(info, data, x, y);
			const uint8_t *is = (const uint8_t *)&pixel;

			for (int i = 0; i < 4; i++)
				CHECK(c, is[i] >= want[i] - 1 && is[i] <= want[i] + 1,
					"pixel %u,%u is %02x %02x %02x %02x in memory, where %02x %02x %02x %02x was drawn",
					x, y, is[0], is[1], is[2], is[3], want[0], want[1], want[2],
					want[3]);
		}
	}
	end(image);
}
