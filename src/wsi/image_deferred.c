/* SPDX-License-Identifier: Apache-2.0 */
/* Images whose buffers come later. */
#include "wsi/image_deferred.h"

#include "gen/tables.h"
#include "util/log.h"
#include "wsi/gpu_memory.h"
#include "wsi/native_buffer.h"

static PFN_vkBindImageMemory2
find_bind(const struct kr_wsi_device *device)
{
	const struct kr_device_table *functions = device->info.functions;

	return functions->BindImageMemory2 ? functions->BindImageMemory2
					   : functions->BindImageMemory2KHR;
}

bool
kr_wsi_images_may_wait(const struct kr_wsi_device *device, const struct kr_wsi_image_info *info)
{
	return info->deferred && !info->shared && !info->protected_memory && find_bind(device) &&
		device->info.gpu.native_buffer_version >= KR_WSI_NATIVE_BUFFER_BINDS;
}

static VkResult
bind(struct kr_wsi_device *device, VkImage image, uint32_t index, ANativeWindowBuffer *buffer)
{
	/* Of no swapchain that a driver could know (W-02): the native buffer says which memory. */
	const VkBindImageMemorySwapchainInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR,
		.imageIndex = index,
	};
	VkBindImageMemoryInfo info = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .image = image};
	struct kr_wsi_native_buffer native;
	VkResult result;

	kr_wsi_native_buffer_init(&native, buffer, device->info.gpu.native_buffer_version);
	native.native.pNext = &of;
	info.pNext = &native.native;
	result = find_bind(device)(device->info.device, 1, &info);
	kr_wsi_native_buffer_finish(&native);
	return kr_wsi_note_result(device, result);
}

VkResult
kr_wsi_image_adopt(struct kr_wsi_swapchain *swapchain, ANativeWindowBuffer *buffer,
	struct kr_wsi_image **image)
{
	for (uint32_t i = 0; i < swapchain->image_count; i++) {
		struct kr_wsi_image *candidate = &swapchain->images[i];
		VkResult result;

		if (candidate->buffer)
			continue;
		result = bind(swapchain->device, candidate->handle, i, buffer);
		if (result != VK_SUCCESS) {
			kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
				"the driver binds no image to a window's buffer (%d)", result);
			return result;
		}
		buffer->common.incRef(&buffer->common);
		candidate->buffer = buffer;
		kr_wsi_image_give_memory(swapchain, candidate);
		*image = candidate;
		return VK_SUCCESS;
	}
	return VK_ERROR_OUT_OF_DATE_KHR;
}
