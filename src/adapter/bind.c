/* SPDX-License-Identifier: Apache-2.0 */
/* vkBindImageMemory2: images of swapchains that the application made itself (W-06). */
#include "adapter/image.h"

#include "chain/chain.h"
#include "util/log.h"

enum bind_kind {
	BIND_DRIVER, /* none of our business */
	BIND_NATIVE, /* a buffer */
	BIND_LOST,   /* a swapchain of ours without its buffer */
};

static enum bind_kind
kind_of(const struct kr_adapter_device *device, const VkBindImageMemoryInfo *info)
{
	const VkBindImageMemorySwapchainInfoKHR *swapchain;

	if (kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID))
		return BIND_NATIVE;
	swapchain =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
	if (swapchain && (!swapchain->swapchain || !device->gpu->instance->options.keep_driver_wsi))
		return BIND_LOST;
	return BIND_DRIVER;
}

/* The memory of the image that the swapchain has for this buffer. */
static VkResult
share_memory(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const struct kr_adapter_image *other)
{
	if ((image->way == KR_IMAGE_HOST) != (other->way == KR_IMAGE_HOST) ||
		image->exportable != other->exportable) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkBindImageMemory2: the image isn't made as those of its swapchain are");
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	}
	if (other->exportable && other->description.dedicated) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkBindImageMemory2: the driver gives each exported image memory of its own, which no other can have");
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	}
	image->memory = other->memory;
	image->borrowed_memory = true;
	return device->vk.BindImageMemory(device->handle, image->handle, image->memory, 0);
}

static VkResult
attach(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	const struct kr_adapter_image *other = kr_adapter_image_same_buffer(device, image);

	if (image->way == KR_IMAGE_HOST &&
		image->row_bytes != kr_buffer_get_info(image->buffer)->row_bytes) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkBindImageMemory2: the buffer's rows aren't as the image has them");
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	}
	if (other)
		return share_memory(device, image, other);
	if (image->way == KR_IMAGE_HOST)
		return kr_host_image_bind(device, image);
	return kr_copy_image_bind(device, image);
}

static VkResult
bind_native(struct kr_adapter_device *device, const VkBindImageMemoryInfo *info)
{
	const VkNativeBufferANDROID *native =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID);
	struct kr_adapter_image *image = kr_adapter_image_from_handle(device, info->image);
	struct kr_adapter_image bound;
	VkResult result;

	if (!image || image->buffer) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkBindImageMemory2: the image wasn't made for a swapchain, or is bound already");
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	}
	bound = *image;
	result = kr_adapter_image_set_buffer(&bound, native);
	if (result != VK_SUCCESS)
		return result;
	result = attach(device, &bound);
	if (result != VK_SUCCESS) {
		kr_adapter_image_finish(device, &bound);
		kr_buffer_unref(bound.buffer);
		return result;
	}
	kr_adapter_image_complete(device, image, &bound);
	return VK_SUCCESS;
}

static VkResult
bind_driver(struct kr_adapter_device *device, uint32_t count, const VkBindImageMemoryInfo *infos)
{
	if (!count)
		return VK_SUCCESS;
	if (device->vk.BindImageMemory2)
		return device->vk.BindImageMemory2(device->handle, count, infos);
	return device->vk.BindImageMemory2KHR(device->handle, count, infos);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_BindImageMemory2(
	VkDevice device, uint32_t bindInfoCount, const VkBindImageMemoryInfo *pBindInfos)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	VkResult result = VK_SUCCESS;
	uint32_t first = 0;

	/* Runs of the driver's own go to it as they are. */
	for (uint32_t i = 0; i < bindInfoCount && result == VK_SUCCESS; i++) {
		enum bind_kind kind = state->engaged ? kind_of(state, &pBindInfos[i]) : BIND_DRIVER;

		if (kind == BIND_DRIVER)
			continue;
		result = bind_driver(state, i - first, &pBindInfos[first]);
		first = i + 1;
		if (result != VK_SUCCESS)
			break;
		if (kind == BIND_NATIVE) {
			result = bind_native(state, &pBindInfos[i]);
			continue;
		}
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkBindImageMemory2: a swapchain of the platform came without its buffer");
		result = VK_ERROR_INVALID_EXTERNAL_HANDLE;
	}
	if (result == VK_SUCCESS)
		result = bind_driver(state, bindInfoCount - first, &pBindInfos[first]);
	return result;
}
