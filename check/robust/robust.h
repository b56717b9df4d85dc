/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What drivers do with much, with many, and at ends: groups, threads, queues, lost devices, other
 * processes, memory, sizes, leaks.
 */
#ifndef KR_CHECK_ROBUST_ROBUST_H
#define KR_CHECK_ROBUST_ROBUST_H

#include "check/rig/check.h"

extern const struct check_table check_table_robust;

extern const struct check_rows check_robust_groups;
extern const struct check_rows check_robust_threads;
extern const struct check_rows check_robust_queues;
extern const struct check_rows check_robust_loss;
extern const struct check_rows check_robust_processes;
extern const struct check_rows check_robust_memory;
extern const struct check_rows check_robust_limits;
extern const struct check_rows check_robust_leaks;

/* So long a right driver may take for anything, on a slow machine. */
#define ROBUST_PATIENCE_MS 5000

/* The colour of a frame. */
void robust_colour(unsigned number, float rgba[4]);
VkSemaphore robust_semaphore(struct check *c, const struct check_device *device);
/*
 * A frame: acquired with take_fd, cleared on queues[queue] behind the semaphore, released there.
 * The release fence is the caller's.
 */
int robust_frame(struct check *c, struct check_device *device, struct check_image *image,
	uint32_t queue, VkSemaphore semaphore, unsigned number, int take_fd);
/* Until a release fence has signalled; closes it. */
void robust_end(struct check *c, int take_fd);
/* A frame without a fence to wait for, all of whose pixels are looked at. */
void robust_whole_frame(struct check *c, struct check_device *device, struct check_image *image,
	uint32_t queue, VkSemaphore semaphore, unsigned number);
/* Whether vkAcquireImageANDROID itself waits for a pending fence; it costs a frame. */
bool robust_waits_inside(struct check *c, struct check_device *device, struct check_image *image);

#endif
