/* SPDX-License-Identifier: Apache-2.0 */
/* A painter that is asked for pictures one after the other. */
#ifndef KR_BENCH_PAINTER_MEASURE_H
#define KR_BENCH_PAINTER_MEASURE_H

#include <stdbool.h>
#include "painter/painter.h"

#define PAINTER_LAYERS 4

struct painter_scene {
	struct kr_render_layer layers[PAINTER_LAYERS];
	struct kr_buffer *buffers[PAINTER_LAYERS]; /* that the painter reads */
	unsigned count;
	uint32_t width, height;
	unsigned pictures;
	bool readback;
	bool changing; /* what the buffers hold is another thing in each picture */
};

struct painter_time {
	double picture_us; /* from picture to picture, two on their way */
	double device_us;  /* of it the device's, as it says */
};

/* -1: `reason` says why it can't be measured. */
int painter_measure(const struct painter_scene *scene, struct painter_time *time, char reason[192]);

#endif
