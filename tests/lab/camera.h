/* SPDX-License-Identifier: Apache-2.0 */
/* The lab's camera, vivid: one picture of it in memory of its own, as a dma-buf. */
#ifndef KR_LAB_CAMERA_H
#define KR_LAB_CAMERA_H

#include <stdint.h>

struct camera {
	int device;
	uint32_t width;
	uint32_t height;
	uint32_t pitch; /* of its rows, as it says */
	uint32_t size;  /* bytes of a picture */
	void *pixels;   /* as the driver maps them: what others see has to be the same */
	uint32_t mapped;
	int dma_buf;
};

/* A picture in that format of V4L2 (four letters); fails the case when there is none. */
void camera_open(struct camera *camera, uint32_t fourcc, uint32_t width, uint32_t height);
void camera_close(struct camera *camera);

#endif
