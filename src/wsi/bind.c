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
#include "wsi/gpu_memory.h"
#include "wsi/native_buffer.h"

VkResult
kr_wsi_create_image(struct kr_wsi_device *device, const VkImageCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkImage *image)
{
	const VkImageSwapchainCreateInfoKHR *of =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
	VkSwapchainImageCreateInfoANDROID usage = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID,
		.usage = KR_SWAPCHAIN_IMAGE_GPU_MEMORY,
	};
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
		usage.pNext = create.pNext;
		/* As the swapchain's own are made. */
		if (kr_wsi_wants_gpu_memory(kr_wsi_swapchain_from_handle(of->swapchain)))
			create.pNext = &usage;
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

/* Binds under way: what the driver is given in place of the application's. */
struct binds {
	struct kr_arena arena;
	VkBindImageMemoryInfo *infos; /* NULL: none is ours */
	struct kr_wsi_native_buffer *natives;
	uint32_t native_count;
};

static VkResult
copy_binds(struct binds *binds, uint32_t count, const VkBindImageMemoryInfo *infos)
{
	if (binds->infos)
		return VK_SUCCESS;
	binds->natives = kr_arena_alloc(&binds->arena, count, sizeof(*binds->natives));
	binds->infos = kr_arena_alloc(&binds->arena, count, sizeof(*binds->infos));
	if (!binds->natives || !binds->infos)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	memcpy(binds->infos, infos, count * sizeof(*infos));
	return VK_SUCCESS;
}

/* Whether the driver can be given that image's buffer. */
static bool
is_bindable(const struct kr_wsi_swapchain *s, uint32_t index)
{
	uint32_t version = s->device->info.gpu.native_buffer_version;

	/* An older driver would bind it to no memory at all. */
	if (version < KR_WSI_NATIVE_BUFFER_BINDS) {
		kr_error(
			"vkBindImageMemory2: images of swapchains can't be bound: the driver has VK_ANDROID_native_buffer %u, and %u is needed",
			version, KR_WSI_NATIVE_BUFFER_BINDS);
		return false;
	}
	if (index >= s->image_count) {
		kr_error("vkBindImageMemory2: the swapchain has no image %u", index);
		return false;
	}
	/* Memory that is to come later is there from the first acquire on, as Vulkan words it. */
	if (!s->images[index].buffer) {
		kr_error(
			"vkBindImageMemory2: image %u of the swapchain has never been acquired, and has no memory yet [VUID-VkBindImageMemorySwapchainInfoKHR-swapchain-07756]",
			index);
		return false;
	}
	return true;
}

/* Puts the native buffer in front of the chain of one bind. */
static VkResult
rewrite_bind(struct binds *binds, const VkBindImageMemorySwapchainInfoKHR *of,
	VkBindImageMemoryInfo *bind)
{
	const struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(of->swapchain);
	struct kr_wsi_native_buffer *native = &binds->natives[binds->native_count];
	void *found = NULL;
	VkResult result;

	if (!is_bindable(s, of->imageIndex))
		return VK_ERROR_UNKNOWN;
	kr_wsi_native_buffer_init(native, s->images[of->imageIndex].buffer,
		s->device->info.gpu.native_buffer_version);
	binds->native_count++;
	result = kr_chain_copy_until(&binds->arena, bind->pNext,
		VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR, "vkBindImageMemory2",
		&native->native.pNext, &found);
	if (result != VK_SUCCESS)
		return result;
	((VkBindImageMemorySwapchainInfoKHR *)found)->swapchain = VK_NULL_HANDLE;
	bind->pNext = &native->native;
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
	struct binds binds = {0};
	VkResult result = VK_SUCCESS;

	kr_arena_init(&binds.arena, device->allocator);
	for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
		const VkBindImageMemorySwapchainInfoKHR *of = find_ours(device, &infos[i]);

		if (!of)
			continue;
		result = copy_binds(&binds, count, infos);
		if (result == VK_SUCCESS)
			result = rewrite_bind(&binds, of, &binds.infos[i]);
	}
	if (result == VK_SUCCESS)
		result = bind(device, count, binds.infos ? binds.infos : infos);
	for (uint32_t i = 0; i < binds.native_count; i++)
		kr_wsi_native_buffer_finish(&binds.natives[i]);
	kr_arena_finish(&binds.arena);
	return kr_wsi_note_result(device, result);
}
