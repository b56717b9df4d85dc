/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trials: what an ICD doesn't say is seen by doing it, on a device of our own, whose one queue
 * writes into a buffer; the buffer is then looked at as another process would. No queue of the
 * application is touched, and nobody has to wait for what it has submitted.
 */
#ifndef KR_ADAPTER_TRIAL_H
#define KR_ADAPTER_TRIAL_H

#include "adapter/image.h"

#define KR_TRIAL_SIDE 64u /* of the picture: 16 KiB */

struct kr_trial;

struct kr_trial_kind {
	/* Makes what the commands need. */
	VkResult (*prepare)(struct kr_trial *trial);
	void (*record)(const struct kr_trial *trial, VkCommandBuffer commands);
	/* The pixel that has to be there then. */
	uint32_t (*expected)(uint32_t x, uint32_t y);
	/* Takes apart what was made, as far as it was. */
	void (*finish)(struct kr_trial *trial);
};

struct kr_trial {
	const struct kr_trial_kind *kind;
	struct kr_adapter_device *device;
	struct kr_adapter_image image; /* only what an import looks at; the buffer is there */
	VkImageView view;              /* for the kinds; null at first */
	VkRenderPass render_pass;
	VkFramebuffer framebuffer;
	VkCommandPool pool;
	VkCommandBuffer commands;
	VkFence fence;
	bool pending; /* the driver may still be at it: nothing may be freed */
};

/* A picture of RGBA8888 was seen as it was expected. Takes up to a second. */
bool kr_trial_run(const struct kr_adapter_gpu *gpu, const struct kr_trial_kind *kind);

/* A picture's image, and making it in the buffer's memory, or VK_ERROR_FORMAT_NOT_SUPPORTED. */
VkImageCreateInfo kr_trial_image_info(VkImageUsageFlags usage);
VkResult kr_trial_image_create(struct kr_trial *trial, VkImageUsageFlags usage);

/* For record(): all that was done to the picture so far is seen by what comes. */
void kr_trial_barrier(const struct kr_trial *trial, VkCommandBuffer commands,
	VkImageLayout from_layout, VkImageLayout to_layout, uint32_t from_family,
	uint32_t to_family);

#endif
