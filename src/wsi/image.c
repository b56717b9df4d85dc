/* SPDX-License-Identifier: Apache-2.0 */
/* The images of a swapchain: one buffer of the window each, imported by the driver (W-04, W-05). */
#include "wsi/swapchain.h"

#include <errno.h>

#include "gen/tables.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

/* A split present whose GPU work doesn't end for so long holds up the swapchain's end no longer. */
#define SEMAPHORE_WAIT_NS (5 * KR_NSEC_PER_SEC)

VkResult
kr_wsi_image_claim(struct kr_wsi_swapchain *swapchain, uint32_t index, struct kr_wsi_image **image)
{
	int state = KR_WSI_IMAGE_ACQUIRED;

	if (atomic_load(&swapchain->device->lost))
		return VK_ERROR_DEVICE_LOST;
	if (index >= swapchain->image_count ||
		!atomic_compare_exchange_strong(
			&swapchain->images[index].state, &state, KR_WSI_IMAGE_PRESENTING)) {
		kr_error("vkQueuePresentKHR: image %u isn't acquired", index);
		return VK_ERROR_UNKNOWN;
	}
	*image = &swapchain->images[index];
	return VK_SUCCESS;
}

/*
 * Gralloc's usage in its older halves, for drivers up to version 8:
 * android_convertGralloc0To1Usage.
 */
static VkNativeBufferUsage2ANDROID
usage_halves(int usage)
{
	const uint64_t producer_mask = 0xC24222, consumer_mask = 0x959902;
	uint64_t u = (uint64_t)(int64_t)usage;
	VkNativeBufferUsage2ANDROID halves = {u & consumer_mask, u & producer_mask};

	if ((u & 0x3) == 0x3) {
		halves.consumer |= 0x6;
		halves.producer |= 0x6;
	}
	if ((u & 0x30) == 0x30)
		halves.producer |= 0x60;
	return halves;
}

void
kr_wsi_fill_native_buffer(const struct kr_wsi_image *image, VkNativeBufferANDROID *native)
{
	const ANativeWindowBuffer *buffer = image->buffer;

	*native = (VkNativeBufferANDROID){
		.sType = VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID,
		.handle = buffer->handle,
		.stride = buffer->stride,
		.format = buffer->format,
		.usage = (int)buffer->usage,
		.usage2 = usage_halves((int)buffer->usage),
		.usage3 = buffer->usage,
	};
}

/* W-05's structure isn't chained: no swapchain here has flags that need it. */
static VkResult
create_image(struct kr_wsi_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info,
	const VkAllocationCallbacks *allocator, struct kr_wsi_image *image)
{
	struct kr_wsi_device *device = swapchain->device;
	VkNativeBufferANDROID native;
	const VkImageCreateInfo create = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &native,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = info->imageFormat,
		.extent = {info->imageExtent.width, info->imageExtent.height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = info->imageUsage,
		.sharingMode = info->imageSharingMode,
		.queueFamilyIndexCount = info->queueFamilyIndexCount,
		.pQueueFamilyIndices = info->pQueueFamilyIndices,
		.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
	};
	VkResult result;

	kr_wsi_fill_native_buffer(image, &native);
	result = device->info.functions->CreateImage(
		device->info.device, &create, allocator, &image->handle);
	if (result == VK_SUCCESS)
		return VK_SUCCESS;
	image->handle = VK_NULL_HANDLE;
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "the driver makes no image of a window's buffer (%d)",
		result);
	switch (result) {
	case VK_ERROR_OUT_OF_HOST_MEMORY:
	case VK_ERROR_OUT_OF_DEVICE_MEMORY:
	case VK_ERROR_DEVICE_LOST:
		return kr_wsi_note_result(device, result);
	default:
		return VK_ERROR_INITIALIZATION_FAILED;
	}
}

static VkResult
dequeue_image(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image, int *fence)
{
	ANativeWindow *window = swapchain->window;
	ANativeWindowBuffer *buffer;
	int ret;

	ret = window->dequeueBuffer(window, &buffer, fence);
	if (ret) {
		kr_error("window system: the window gives no buffer (%d)", ret);
		return kr_wsi_result_from_window(ret);
	}
	buffer->common.incRef(&buffer->common);
	image->buffer = buffer;
	return VK_SUCCESS;
}

VkResult
kr_wsi_images_create(struct kr_wsi_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info,
	uint32_t count, const VkAllocationCallbacks *allocator)
{
	ANativeWindow *window = swapchain->window;
	int fences[KR_WSI_MAX_IMAGES];
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
		struct kr_wsi_image *image = &swapchain->images[i];

		fences[i] = -1;
		image->semaphore_fence = -1;
		image->fence = -1;
		swapchain->image_count = i + 1;
		result = dequeue_image(swapchain, image, &fences[i]);
		if (result == VK_SUCCESS)
			result = create_image(swapchain, info, allocator, image);
	}
	/*
	 * All are held until here, so that each image got another buffer; a shared one is held for
	 * good.
	 */
	for (uint32_t i = 0; i < swapchain->image_count; i++) {
		if (swapchain->present.shared && result == VK_SUCCESS)
			swapchain->images[i].fence = fences[i];
		else if (swapchain->images[i].buffer)
			(void)window->cancelBuffer(window, swapchain->images[i].buffer, fences[i]);
	}
	return result;
}

/* A driver that still waits for it keeps it: destroying it now would be undefined. */
static void
finish_semaphore(struct kr_wsi_device *device, const struct kr_wsi_image *image)
{
	char sentence[KR_FENCE_SENTENCE];

	if (kr_fence_wait(image->semaphore_fence, kr_deadline_in(SEMAPHORE_WAIT_NS)) != -ETIME) {
		kr_wsi_semaphore_destroy(device, image->semaphore);
		return;
	}
	kr_fence_sentence_of(image->semaphore_fence, sentence);
	kr_error(
		"vkDestroySwapchainKHR: the driver's present doesn't end: the fence %s hasn't signalled for %lld s; its semaphore is kept until the device goes",
		sentence, (long long)(SEMAPHORE_WAIT_NS / KR_NSEC_PER_SEC));
	kr_wsi_semaphore_abandon(device, image->semaphore);
}

void
kr_wsi_images_destroy(struct kr_wsi_swapchain *swapchain, const VkAllocationCallbacks *allocator)
{
	struct kr_wsi_device *device = swapchain->device;

	for (uint32_t i = 0; i < swapchain->image_count; i++) {
		struct kr_wsi_image *image = &swapchain->images[i];

		kr_wsi_image_give_back(swapchain, image);
		finish_semaphore(device, image);
		kr_fd_close(&image->semaphore_fence);
		kr_fd_close(&image->fence);
		if (image->handle)
			device->info.functions->DestroyImage(
				device->info.device, image->handle, allocator);
		if (image->buffer)
			image->buffer->common.decRef(&image->buffer->common);
	}
	swapchain->image_count = 0;
}
