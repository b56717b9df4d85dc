/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What others drew into a buffer whose image is copied, taken into the image by its next acquire
 * (W-13). Only for buffers that others may write to by the CPU, as their usage says: the adapter
 * asks for no such bit itself. An image that was never copied into its buffer has nothing that an
 * application may read.
 *
 * The acquire waits for it on the helper queue, as it waits for a fence: the image's command buffer
 * and fence are free again when it returns. Where it takes too long (the application's own work may
 * be before it, on a shared queue) they are waited for by the next.
 */
#include "adapter/image.h"

#include <krafla/hardware_buffer.h>
#include <string.h>

#include "adapter/flights.h"
#include "gpu/format.h"
#include "adapter/queue.h"
#include "adapter/tuning.h"
#include "util/clock.h"
#include "util/log.h"

bool
kr_adapter_image_may_be_stale(
	const struct kr_adapter_device *device, const struct kr_adapter_image *image)
{
	uint64_t usage = kr_buffer_get_info(image->buffer)->desc.usage;

	/* With several families the image may be another's: it isn't handed over for this. */
	return (usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK) && image->writable &&
		device->helper && (device->family_count == 1 || !device->can_always_transfer) &&
		kr_adapter_queue_family(device->helper)->transfer;
}

bool
kr_adapter_image_is_stale(const struct kr_adapter_image *image)
{
	return image->refresh && image->written;
}

/* Into the staging buffer, where that is the ICD's. */
static void
copy_from_pixels(const struct kr_adapter_image *image)
{
	const size_t row_bytes = kr_buffer_get_info(image->buffer)->row_bytes;
	const size_t used =
		(size_t)image->extent.width * kr_format_bytes(kr_gpu_buffer_format(image->format));

	for (uint32_t y = 0; y < image->extent.height; y++)
		memcpy((char *)image->staging_map + y * row_bytes,
			(const char *)image->pixels + y * row_bytes, used);
}

/* Until the last one of them is over. */
static VkResult
wait_refreshed(const struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	VkResult result;

	if (!image->refreshing)
		return VK_SUCCESS;
	result = device->vk.WaitForFences(
		device->handle, 1, &image->refreshed, VK_TRUE, kr_adapter_tuning.acquire_limit_ns);
	if (result == VK_TIMEOUT)
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkAcquireImageANDROID: what others wrote into the buffer isn't taken in time");
	if (result == VK_SUCCESS)
		result = device->vk.ResetFences(device->handle, 1, &image->refreshed);
	if (result == VK_SUCCESS)
		image->refreshing = false;
	return result;
}

/* What was released before is in the buffer. */
static VkResult
wait_copied(const struct kr_adapter_device *device, const struct kr_adapter_image *image)
{
	if (!kr_flights_wait_image(
		    device, image, kr_deadline_in(kr_adapter_tuning.acquire_limit_ns)))
		return VK_TIMEOUT;
	if (!image->copied_submitted)
		return VK_SUCCESS;
	return device->vk.WaitForFences(
		device->handle, 1, &image->copied, VK_TRUE, kr_adapter_tuning.acquire_limit_ns);
}

VkResult
kr_adapter_image_refresh(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	struct kr_batch batch = {.command_count = 0};
	VkResult result;

	result = wait_copied(device, image);
	if (result == VK_SUCCESS)
		result = wait_refreshed(device, image);
	if (result != VK_SUCCESS)
		return result;
	if (image->way == KR_IMAGE_COPY_MAPPED)
		copy_from_pixels(image);
	if (kr_exported_is_out(image)) {
		kr_promises_forget_image(&device->promises, image);
		batch.commands[batch.command_count++] = kr_exported_take(image, device->helper);
	}
	batch.commands[batch.command_count++] = image->refresh;
	result = kr_adapter_queue_submit(device->helper, &batch, image->refreshed);
	if (result != VK_SUCCESS && batch.command_count > 1)
		kr_exported_untake(image);
	if (result != VK_SUCCESS)
		return result;
	image->refreshing = true;
	return wait_refreshed(device, image);
}
