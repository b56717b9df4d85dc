/* SPDX-License-Identifier: Apache-2.0 */
/* A program that shows frames on a surface, with an image in memory that its driver shares. */
#ifndef KR_TESTS_OUTSIDE_H
#define KR_TESTS_OUTSIDE_H

#include "app.h"

#define OUTSIDE_LIMIT  UINT64_C(5000000000)
#define OUTSIDE_WIDTH  70
#define OUTSIDE_HEIGHT 45
#define OUTSIDE_PIXELS ((size_t)OUTSIDE_WIDTH * OUTSIDE_HEIGHT)

struct outside {
	struct app app;
	VkExternalMemoryHandleTypeFlagBits type;
	VkImage image;
	VkDeviceMemory memory;
	VkBuffer staging;
	VkDeviceMemory staging_memory;
	uint32_t *pixels;
};

/* What fails ends the case. */
bool outside_offers(VkPhysicalDevice device, const char *name);
/* With a frame on a headless surface, so that the window system is what serves the device. */
void outside_open(struct outside *program, VkExternalMemoryHandleTypeFlagBits type);
/* Whether the driver says of itself that such an image goes out and comes in. */
bool outside_can_share(const struct outside *program);
void outside_create_staging(struct outside *program);
/* The image in memory that goes out, or, with a descriptor, which is taken, in that. */
void outside_create_image(struct outside *program, int take_fd);
/* Staging to the image, or back; `semaphore`: waited for by a reader, signalled by a writer. */
void outside_copy(struct outside *program, bool writes, VkSemaphore semaphore);
void outside_close(struct outside *program);

#endif
