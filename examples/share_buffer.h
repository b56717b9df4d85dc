/* SPDX-License-Identifier: Apache-2.0 */
/* An AHardwareBuffer as an image of Vulkan, and a fence with a few bytes over a socket. */
#ifndef SHARE_BUFFER_H
#define SHARE_BUFFER_H

#include <krafla/hardware_buffer.h>

#include "cube_gpu.h"

/* The buffer's memory, not a copy of it. gpu_image_destroy gives it back; `usage`: of the image. */
struct gpu_image share_import(
	const struct gpu *gpu, AHardwareBuffer *buffer, VkImageUsageFlags usage);
/*
 * The image's content comes from another process, into this layout, or goes to it. Between the two
 * the image is this device's; a barrier alone waits for nobody: that is what fences are for.
 */
void share_take(const struct gpu *gpu, VkCommandBuffer commands, VkImage image, VkImageLayout to);
void share_give(const struct gpu *gpu, VkCommandBuffer commands, VkImage image, VkImageLayout from);

/* Ends the program if that is an error: -errno, or -1 with errno. */
void share_check(const char *what, int result);
void share_send_fence(int socket, int fence);
/* The caller's; -1 nobody sends any more. */
int share_receive_fence(int socket);

#endif
