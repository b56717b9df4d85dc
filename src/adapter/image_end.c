/* SPDX-License-Identifier: Apache-2.0 */
/* The end of an image, which may have been presented a moment ago. */
#include "adapter/image.h"

#include "adapter/flights.h"
#include "adapter/tuning.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"

void
kr_adapter_image_finish(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	kr_exported_destroy(device, image);
	kr_copy_commands_destroy(device, image);
	kr_staging_destroy(device, image);
	device->vk.DestroySemaphore(device->handle, image->handoff, device->allocator);
	image->handoff = VK_NULL_HANDLE;
	device->vk.DestroyFence(device->handle, image->copied, device->allocator);
	image->copied = VK_NULL_HANDLE;
	for (size_t i = 0; i < KR_IMAGE_GIVEN; i++) {
		device->vk.DestroyFence(device->handle, image->given[i].fence, device->allocator);
		image->given[i] = (struct kr_adapter_given){0};
	}
	device->vk.DestroyFence(device->handle, image->refreshed, device->allocator);
	image->refreshed = VK_NULL_HANDLE;
	if (!image->borrowed_memory)
		device->vk.FreeMemory(device->handle, image->memory, device->allocator);
	image->memory = VK_NULL_HANDLE;
}

static void
destroy(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	device->vk.DestroyImage(device->handle, image->handle, image->allocator);
	kr_adapter_image_finish(device, image);
	kr_buffer_unref(image->buffer);
	kr_object_free(image);
}

/* A driver that still uses it keeps it until the device goes: destroying it would be undefined. */
static void
keep(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
		"vkDestroyImage: the driver doesn't end what it was given to present: the image is kept until the device goes");
	kr_mutex_lock(&device->image_lock);
	image->next = device->kept;
	device->kept = image;
	kr_mutex_unlock(&device->image_lock);
}

/* The application can't wait for what a release of ours submitted, nor for what the CPU does. */
static bool
wait_done(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	uint64_t limit = kr_adapter_tuning.landing_limit_ns;

	if (image->copied_submitted &&
		device->vk.WaitForFences(device->handle, 1, &image->copied, VK_TRUE, limit) ==
			VK_TIMEOUT)
		return false;
	if (image->refreshing &&
		device->vk.WaitForFences(device->handle, 1, &image->refreshed, VK_TRUE, limit) ==
			VK_TIMEOUT)
		return false;
	for (size_t i = 0; i < KR_IMAGE_GIVEN; i++) {
		if (image->given[i].submitted &&
			device->vk.WaitForFences(device->handle, 1, &image->given[i].fence, VK_TRUE,
				limit) == VK_TIMEOUT)
			return false;
	}
	return kr_exported_settle(device, image) &&
		kr_flights_wait_image(device, image, kr_deadline_in(limit));
}

void
kr_adapter_image_end(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	kr_promises_forget_image(&device->promises, image);
	if (wait_done(device, image))
		destroy(device, image);
	else
		keep(device, image);
}

void
kr_adapter_kept_images_destroy(struct kr_adapter_device *device)
{
	struct kr_adapter_image *image, *next;

	kr_mutex_lock(&device->image_lock);
	image = device->kept;
	device->kept = NULL;
	kr_mutex_unlock(&device->image_lock);
	for (; image; image = next) {
		next = image->next;
		destroy(device, image);
	}
}
