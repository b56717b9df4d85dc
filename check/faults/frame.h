/* SPDX-License-Identifier: Apache-2.0 */
/* Frames whose acquire fence is somebody's who fails. */
#ifndef KR_CHECK_FAULTS_FRAME_H
#define KR_CHECK_FAULTS_FRAME_H

#include "check/faults/faults.h"

#define FAULTS_IMAGES 3
/* So long a right driver may take for anything, on a slow machine. */
#define FAULTS_PATIENCE_MS 5000

struct faults_rig {
	struct check_device device;
	struct check_image images[FAULTS_IMAGES];
	VkSemaphore semaphores[FAULTS_IMAGES]; /* of the image's acquire */
	VkFence fence;
};
void faults_rig_make(struct check *c, struct faults_rig *rig);

/* The acquire fence of a frame, which the driver is given, and what is known of it. */
struct faults_fence {
	int fd;
	struct check_mark mark; /* whether the driver has closed it */
	int watch;              /* a duplicate: whether it is over; -1: of none */
};
struct faults_fence faults_fence_of(struct check *c, int take_fd);
/* The driver has closed the descriptor, at once or soon; ends the watching. */
void faults_fence_is_closed(struct check *c, struct faults_fence *fence);

/* vkAcquireImageANDROID with the image's semaphore. */
VkResult faults_acquire(
	struct check *c, struct faults_rig *rig, unsigned image, const struct faults_fence *fence);
/*
 * Whether vkAcquireImageANDROID itself waits for a pending fence, as drivers do that can't wait on
 * their device. With a frame of image 0.
 */
bool faults_waits_inside(struct check *c, struct faults_rig *rig);
/* Clears behind that semaphore, and releases: the release fence, which is the caller's. */
int faults_draw(struct check *c, struct faults_rig *rig, unsigned image, const float rgba[4]);
/* Until a release fence is over, however it ends, and closes it. */
void faults_end(struct check *c, int take_fd, const char *after);
/* A frame as it should be, after what was wrong with those before: it is exact. */
void faults_clean_frame(struct check *c, struct faults_rig *rig, unsigned image);

extern const float faults_red[4], faults_blue[4];

#endif
