/* SPDX-License-Identifier: Apache-2.0 */
/* One frame of the cube as a file, drawn without any window system. */
#ifndef CUBE_OFFSCREEN_H
#define CUBE_OFFSCREEN_H

#include "cube_gpu.h"

/* Writes a binary PPM. Ends the program on errors. */
void offscreen_draw(uint32_t device_index, VkExtent2D size, uint64_t frame, const char *path);
/* An RGBA image that is in TRANSFER_SRC_OPTIMAL. */
void offscreen_write(const struct gpu *gpu, VkImage image, VkExtent2D size, const char *path);

#endif
