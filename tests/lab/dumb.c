/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lab/dumb.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "harness.h"
#include "tests/lab/card.h"

static uint32_t *
map_dumb(const struct dumb *dumb)
{
	struct drm_mode_map_dumb map = {.handle = dumb->made.handle};
	void *pixels;

	assert_int_equal(drmIoctl(dumb->card, DRM_IOCTL_MODE_MAP_DUMB, &map), 0);
	pixels = mmap(NULL, dumb->made.size, PROT_READ | PROT_WRITE, MAP_SHARED, dumb->card,
		(off_t)map.offset);
	assert_ptr_not_equal(pixels, MAP_FAILED);
	return pixels;
}

void
dumb_open(struct dumb *dumb, uint32_t (*pixel)(uint32_t x, uint32_t y), uint32_t width,
	uint32_t height, int flags)
{
	dumb_open_on(dumb, "vgem", pixel, width, height, flags);
}

void
dumb_open_on(struct dumb *dumb, const char *driver, uint32_t (*pixel)(uint32_t x, uint32_t y),
	uint32_t width, uint32_t height, int flags)
{
	*dumb = (struct dumb){
		.card = card_open(driver),
		.made = {.width = width, .height = height, .bpp = 32},
	};
	assert_int_equal(drmIoctl(dumb->card, DRM_IOCTL_MODE_CREATE_DUMB, &dumb->made), 0);
	dumb->pixels = map_dumb(dumb);
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++)
			dumb->pixels[y * dumb->made.pitch / 4 + x] = pixel(x, y);
	}
	assert_int_equal(drmPrimeHandleToFD(dumb->card, dumb->made.handle,
				 DRM_CLOEXEC | (uint32_t)flags, &dumb->dma_buf),
		0);
}

void
dumb_close(struct dumb *dumb)
{
	munmap(dumb->pixels, dumb->made.size);
	close(dumb->dma_buf);
	close(dumb->card);
}

struct krafla_dma_buf
dumb_describe(const struct dumb *dumb, uint64_t usage)
{
	return (struct krafla_dma_buf){
		.size = sizeof(struct krafla_dma_buf),
		.width = dumb->made.width,
		.height = dumb->made.height,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = usage,
		.plane_count = 1,
		.planes = {{dumb->dma_buf, 0, dumb->made.pitch}},
	};
}
