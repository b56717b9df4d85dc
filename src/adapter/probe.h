/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ICD can share: asked of its feature bits, never read off a VkResult. Lavapipe 22.3.6
 * says VK_SUCCESS for images in dma-bufs, with features of 0.
 */
#ifndef KR_ADAPTER_PROBE_H
#define KR_ADAPTER_PROBE_H

#include <stdbool.h>
#include "adapter/extensions.h"
#include "adapter/instance.h"

struct kr_adapter_device;

/* SYNC_FD both imports and exports. `enabled`: the extension is there. */
bool kr_adapter_has_sync_fd_semaphore(const struct kr_adapter_gpu *gpu);
bool kr_adapter_has_sync_fd_fence(const struct kr_adapter_gpu *gpu);
/* Both, with the extensions that are enabled: acquires only import. */
bool kr_adapter_can_import(const struct kr_adapter_gpu *gpu, const struct kr_enabled *enabled);
/* Alignment of imported host memory. */
VkDeviceSize kr_adapter_host_alignment(const struct kr_adapter_gpu *gpu);

/*
 * Asks the ICD about an image as it would be made, with what its chain says of formats and
 * compression; with `host` over imported host memory.
 */
VkResult kr_adapter_ask_image(const struct kr_adapter_gpu *gpu, const VkImageCreateInfo *info,
	bool host, VkImageFormatProperties2 *properties) KR_MUST_CHECK;
/*
 * Whether an image can be made so; with `host` over imported host memory, and then a
 * LINEAR one must be able to do for its usage what an OPTIMAL one does, since the
 * application asked about that.
 */
bool kr_adapter_image_possible(
	const struct kr_adapter_gpu *gpu, const VkImageCreateInfo *info, bool host);
/* For its usage, that is: with the views that its chain speaks of. */
bool kr_adapter_linear_does_the_same(
	const struct kr_adapter_gpu *gpu, const VkImageCreateInfo *info);
/* Whether an image, or a buffer that is copied to, can be made over imported host memory. */
enum kr_said {
	KR_SAID_NO,
	KR_SAID_YES,
	KR_SAID_NOTHING, /* it knows no such memory, though it offers the extension */
};
enum kr_said kr_adapter_host_image_said(
	const struct kr_adapter_gpu *gpu, const VkImageCreateInfo *info);
enum kr_said kr_adapter_host_buffer_said(const struct kr_adapter_gpu *gpu);

/* Fills in what a new device can do with the extensions that were enabled. */
void kr_adapter_probe(struct kr_adapter_device *device, const struct kr_enabled *enabled);

#endif
