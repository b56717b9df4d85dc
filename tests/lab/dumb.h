/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer of a graphics driver with a picture in it. */
#ifndef KR_LAB_DUMB_H
#define KR_LAB_DUMB_H

#include <drm.h>
#include <krafla/hardware_buffer.h>
#include <stdint.h>

struct dumb {
	int card;
	struct drm_mode_create_dumb made;
	uint32_t *pixels; /* by the mapping of its driver */
	int dma_buf;
};

/* `flags`: of the dma-buf, O_RDWR or 0. Of vgem; or of another driver's card. */
void dumb_open(struct dumb *dumb, uint32_t (*pixel)(uint32_t x, uint32_t y), uint32_t width,
	uint32_t height, int flags);
void dumb_open_on(struct dumb *dumb, const char *driver, uint32_t (*pixel)(uint32_t x, uint32_t y),
	uint32_t width, uint32_t height, int flags);
void dumb_close(struct dumb *dumb);
/* As R8G8B8A8. */
struct krafla_dma_buf dumb_describe(const struct dumb *dumb, uint64_t usage);

#endif
