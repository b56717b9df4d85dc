/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of an old swapchain for the one that replaces it. */
#include "wsi/reuse.h"

#include "wsi/image.h"

static bool
is_same(const struct kr_wsi_buffers *a, const struct kr_wsi_buffers *b)
{
	return a->format == b->format && a->dataspace == b->dataspace && a->width == b->width &&
		a->height == b->height && a->usage == b->usage && a->count == b->count &&
		a->drops == b->drops;
}

bool
kr_wsi_can_reuse(const struct kr_wsi_swapchain *old, const struct kr_wsi_buffers *wanted)
{
	/* What the far end has of a buffer on the GPU is the old image's memory. */
	if (!old || !old->surface->connected || old->present.shared || old->out_of_date ||
		old->gpu_memory || !is_same(&old->buffers, wanted))
		return false;
	for (uint32_t i = 0; i < old->image_count; i++) {
		if (!old->images[i].buffer ||
			atomic_load(&old->images[i].state) != KR_WSI_IMAGE_FREE)
			return false;
	}
	return old->image_count > 0;
}

VkResult
kr_wsi_images_reuse(struct kr_wsi_swapchain *swapchain, const struct kr_wsi_swapchain *old,
	const struct kr_wsi_image_info *info, const VkAllocationCallbacks *allocator)
{
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < old->image_count && result == VK_SUCCESS; i++) {
		struct kr_wsi_image *image = &swapchain->images[i];

		image->fence = image->semaphore_fence = -1;
		image->buffer = old->images[i].buffer;
		image->buffer->common.incRef(&image->buffer->common);
		swapchain->image_count = i + 1;
		result = kr_wsi_image_create(swapchain, info, allocator, image);
	}
	return result;
}
