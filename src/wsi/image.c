/* SPDX-License-Identifier: Apache-2.0 */
/* The images of a swapchain: one buffer of the window each, imported by the driver (W-04, W-05). */
#include "wsi/swapchain.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>

#include "gen/tables.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "wsi/gpu_memory.h"
#include "wsi/image.h"
#include "wsi/image_deferred.h"
#include "wsi/native_buffer.h"

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
 * Behind what says whose memory it is (`memory`, the head of a chain): W-05, and what the swapchain
 * asks for beside plain images.
 */
static VkResult
create_image(struct kr_wsi_swapchain *swapchain, const struct kr_wsi_image_info *info,
	VkBaseOutStructure *memory, const VkAllocationCallbacks *allocator,
	struct kr_wsi_image *image)
{
	struct kr_wsi_device *device = swapchain->device;
	const VkSwapchainImageCreateInfoANDROID usage = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID,
		.pNext = info->create.pNext,
		.usage = info->shared ? VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID
				      : KR_SWAPCHAIN_IMAGE_GPU_MEMORY,
	};
	VkImageCreateInfo create = info->create;
	VkResult result;

	create.pNext = memory;
	memory->pNext = (void *)(uintptr_t)(info->shared || kr_wsi_wants_gpu_memory(swapchain)
			? &usage
			: info->create.pNext);
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

VkResult
kr_wsi_image_create(struct kr_wsi_swapchain *swapchain, const struct kr_wsi_image_info *info,
	const VkAllocationCallbacks *allocator, struct kr_wsi_image *image)
{
	struct kr_wsi_native_buffer native;
	VkResult result;

	if (info->protected_memory &&
		!(image->buffer->usage & AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT)) {
		kr_error("window system: the window's buffers aren't protected, the swapchain is");
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	kr_wsi_native_buffer_init(
		&native, image->buffer, swapchain->device->info.gpu.native_buffer_version);
	result = create_image(
		swapchain, info, (VkBaseOutStructure *)&native.native, allocator, image);
	kr_wsi_native_buffer_finish(&native);
	if (result == VK_SUCCESS)
		kr_wsi_image_give_memory(swapchain, image);
	return result;
}

/* Of one that it gets when it is acquired first (image_deferred.h). */
static VkResult
create_without_buffer(struct kr_wsi_swapchain *swapchain, const struct kr_wsi_image_info *info,
	const VkAllocationCallbacks *allocator, struct kr_wsi_image *image)
{
	VkImageSwapchainCreateInfoKHR later = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR};

	return create_image(swapchain, info, (VkBaseOutStructure *)&later, allocator, image);
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

static VkResult
create_deferred(struct kr_wsi_swapchain *swapchain, const struct kr_wsi_image_info *info,
	uint32_t count, const VkAllocationCallbacks *allocator)
{
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
		swapchain->images[i].fence = swapchain->images[i].semaphore_fence = -1;
		swapchain->image_count = i + 1;
		result = create_without_buffer(swapchain, info, allocator, &swapchain->images[i]);
	}
	return result;
}

VkResult
kr_wsi_images_create(struct kr_wsi_swapchain *swapchain, const struct kr_wsi_image_info *info,
	uint32_t count, const VkAllocationCallbacks *allocator)
{
	ANativeWindow *window = swapchain->window;
	int fences[KR_WSI_MAX_IMAGES];
	VkResult result = VK_SUCCESS;

	if (kr_wsi_images_may_wait(swapchain->device, info))
		return create_deferred(swapchain, info, count, allocator);
	for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
		struct kr_wsi_image *image = &swapchain->images[i];

		fences[i] = -1;
		image->semaphore_fence = -1;
		image->fence = -1;
		swapchain->image_count = i + 1;
		result = dequeue_image(swapchain, image, &fences[i]);
		if (result == VK_SUCCESS)
			result = kr_wsi_image_create(swapchain, info, allocator, image);
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
