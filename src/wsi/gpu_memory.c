/* SPDX-License-Identifier: Apache-2.0 */
/* See gpu_memory.h. */
#include "wsi/gpu_memory.h"

#include <errno.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "util/log.h"

bool
kr_wsi_wants_gpu_memory(const struct kr_wsi_swapchain *swapchain)
{
	return swapchain->device->native.memory && !swapchain->present.shared &&
		(swapchain->surface->consumer_usage & KR_USAGE_GPU_MEMORY);
}

/* Once a swapchain: its images are alike. */
static void
tell(struct kr_wsi_swapchain *swapchain, const char *what, int error)
{
	if (!swapchain->gpu_memory_failed)
		kr_warn("window system: the display can't look at the images on the GPU: %s (%d)",
			what, error);
	swapchain->gpu_memory_failed = true;
}

void
kr_wsi_image_give_memory(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image)
{
	struct kr_wsi_device *device = swapchain->device;
	struct kr_gpu_memory memory;
	VkResult result;
	int fd = -1;
	int err;

	if (!kr_wsi_wants_gpu_memory(swapchain))
		return;
	result = device->native.memory(device->info.device, image->handle, &memory, &fd);
	if (result == VK_ERROR_FEATURE_NOT_PRESENT) {
		kr_debug("window system: the driver exports no memory of such images");
		return;
	}
	if (result != VK_SUCCESS) {
		tell(swapchain, "the driver doesn't export their memory",
			kr_wsi_note_result(device, result));
		return;
	}
	swapchain->gpu_memory = true;
	err = kr_buffer_any_attach_gpu(image->buffer, &memory, fd);
	if (err)
		tell(swapchain, "the window's buffers don't take their memory", err);
}
