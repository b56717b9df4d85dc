/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images of native buffers whose memory others look at, as a display that composes on the same GPU
 * (T1, util/native_memory.h).
 *
 *   ours --release: give--> out --acquire: promised--> out --take, in front of who waits--> ours
 *
 * From when its memory was first asked for on, each release gives the image to
 * VK_QUEUE_FAMILY_EXTERNAL, behind the copy into the buffer, if that is wanted. An acquire promises
 * that it is taken back before anybody goes on who waits for its semaphore (promises.h). Where
 * that can't be, as for a fence, the helper takes it back before the signal. An image that goes out
 * without having been back (nobody drew into it) is taken and given by the same release.
 *
 * Before its first release an image was never out, and has no content to be kept: nothing is done
 * for it.
 */
#ifndef KR_ADAPTER_EXPORTED_H
#define KR_ADAPTER_EXPORTED_H

#include <stdatomic.h>
#include <stdbool.h>
#include "adapter/device.h"
#include "adapter/export/commands.h"

struct kr_adapter_image;

struct kr_exported {
	atomic_bool out; /* since its last release, and not taken back */
	bool helped;     /* the helper was given something of it that no fence of ours ends */
	VkFence drained; /* of the helper, when it is waited for */
	bool draining;   /* ... and wasn't done in time */
	struct kr_export_commands commands[]; /* for each of device->families */
};

/* Its memory is exported, and it was released since it was taken back. */
bool kr_exported_is_out(const struct kr_adapter_image *image);
/*
 * What takes it back on that queue, which is submitted next; NULL where the queue's family can't.
 * Should the submission fail, it is out still.
 */
VkCommandBuffer kr_exported_take(struct kr_adapter_image *image, struct kr_adapter_queue *queue);
void kr_exported_untake(struct kr_adapter_image *image);
/*
 * Taken back by the helper, which then signals both; with neither it is waited for. The image is
 * out.
 */
VkResult kr_exported_take_by_helper(struct kr_adapter_device *device,
	struct kr_adapter_image *image, VkSemaphore semaphore, VkFence fence) KR_MUST_CHECK;
/* What a release on that queue submits for it, last. NULL where the queue's family can't. */
VkCommandBuffer kr_exported_give(
	const struct kr_adapter_image *image, const struct kr_adapter_queue *queue, bool copied);
/* The release was submitted. */
void kr_exported_given(struct kr_adapter_image *image);
/* Waits for what the helper was given of it. False: not in time. */
bool kr_exported_settle(struct kr_adapter_device *device, struct kr_adapter_image *image);
void kr_exported_destroy(struct kr_adapter_device *device, struct kr_adapter_image *image);

#endif
