/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images of the application over buffers of a swapchain (W-06). Our swapchain's handle
 * never reaches the driver: in copied chains VK_NULL_HANDLE, which Vulkan allows
 * there, stands in its place.
 */
#include "wsi/swapchain.h"

#include <string.h>

#include "chain/chain.h"
#include "gen/tables.h"
#include "util/log.h"

VkResult
kr_wsi_create_image(struct kr_wsi_device *device, const VkImageCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkImage *image)
{
	const VkImageSwapchainCreateInfoKHR *of =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
	VkImageCreateInfo create = *info;
	struct kr_arena arena;
	void *found = NULL;
	VkResult result;

	if (!of || !of->swapchain || !kr_wsi_owns_swapchain(device, of->swapchain))
		return device->info.functions->CreateImage(
			device->info.device, info, allocator, image);
	kr_arena_init(&arena, device->allocator);
	result = kr_chain_copy_until(&arena, info->pNext,
		VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR, "vkCreateImage", &create.pNext,
		&found);
	if (result == VK_SUCCESS) {
		((VkImageSwapchainCreateInfoKHR *)found)->swapchain = VK_NULL_HANDLE;
		result = device->info.functions->CreateImage(
			device->info.device, &create, allocator, image);
	}
	kr_arena_finish(&arena);
	return kr_wsi_note_result(device, result);
}

static const VkBindImageMemorySwapchainInfoKHR *
find_ours(struct kr_wsi_device *device, const VkBindImageMemoryInfo *info)
{
	const VkBindImageMemorySwapchainInfoKHR *of =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);

	return of && of->swapchain && kr_wsi_owns_swapchain(device, of->swapchain) ? of : NULL;
}

/* Puts the native buffer in front of the chain of one bind. */
static VkResult
rewrite_bind(struct kr_arena *arena, const VkBindImageMemorySwapchainInfoKHR *of,
	VkBindImageMemoryInfo *bind)
{
	const struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(of->swapchain);
	uint32_t version = s->device->info.gpu.native_buffer_version;
	VkNativeBufferANDROID *native;
	void *found = NULL;
	VkResult result;

	/* An older driver would bind it to no memory at all. */
	if (version < KR_WSI_NATIVE_BUFFER_BINDS) {
		kr_error(
			"vkBindImageMemory2: images of swapchains can't be bound: the driver has VK_ANDROID_native_buffer %u, and %u is needed",
			version, KR_WSI_NATIVE_BUFFER_BINDS);
		return VK_ERROR_UNKNOWN;
	}
	if (of->imageIndex >= s->image_count) {
		kr_error("vkBindImageMemory2: the swapchain has no image %u", of->imageIndex);
		return VK_ERROR_UNKNOWN;
	}
	native = kr_arena_alloc(arena, 1, sizeof(*native));
	if (!native)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_wsi_fill_native_buffer(&s->images[of->imageIndex], native);
	result = kr_chain_copy_until(arena, bind->pNext,
		VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR, "vkBindImageMemory2",
		&native->pNext, &found);
	if (result != VK_SUCCESS)
		return result;
	((VkBindImageMemorySwapchainInfoKHR *)found)->swapchain = VK_NULL_HANDLE;
	bind->pNext = native;
	bind->memory = VK_NULL_HANDLE;
	return VK_SUCCESS;
}

static VkResult
bind(struct kr_wsi_device *device, uint32_t count, const VkBindImageMemoryInfo *infos)
{
	const struct kr_device_table *functions = device->info.functions;

	if (functions->BindImageMemory2)
		return functions->BindImageMemory2(device->info.device, count, infos);
	if (functions->BindImageMemory2KHR)
		return functions->BindImageMemory2KHR(device->info.device, count, infos);
	return VK_ERROR_EXTENSION_NOT_PRESENT;
}

VkResult
kr_wsi_bind_image_memory2(
	struct kr_wsi_device *device, uint32_t count, const VkBindImageMemoryInfo *infos)
{
	VkBindImageMemoryInfo *copies = NULL;
	struct kr_arena arena;
	VkResult result = VK_SUCCESS;

	kr_arena_init(&arena, device->allocator);
	for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
		const VkBindImageMemorySwapchainInfoKHR *of = find_ours(device, &infos[i]);

		if (!of)
			continue;
		if (!copies) {
			copies = kr_arena_alloc(&arena, count, sizeof(*copies));
			if (copies)
				memcpy(copies, infos, count * sizeof(*copies));
		}
		result =
			copies ? rewrite_bind(&arena, of, &copies[i]) : VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (result == VK_SUCCESS)
		result = bind(device, count, copies ? copies : infos);
	kr_arena_finish(&arena);
	return kr_wsi_note_result(device, result);
}
