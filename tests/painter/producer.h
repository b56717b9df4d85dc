/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that have images in memory of lavapipe's, and hand them out. */
#ifndef KR_TESTS_PAINTER_PRODUCER_H
#define KR_TESTS_PAINTER_PRODUCER_H

#include <stdbool.h>
#include <krafla/hardware_buffer.h>
#include <sys/types.h>
#include "gralloc/buffer.h"

struct producer {
	pid_t pid;
	int socket;
};

/* One with an image of that picture (tests/gpu/rig.h), and that as a buffer of this process. */
struct kr_buffer *producer_start(
	struct producer *producer, uint32_t width, uint32_t height, uint32_t seed);
/* Whether the picture is still there, for its owner; ends it. */
bool producer_ends_well(struct producer *producer);

#endif
