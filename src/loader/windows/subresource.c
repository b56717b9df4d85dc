/* SPDX-License-Identifier: Apache-2.0 */
/* vkGetDeviceImageSubresourceLayout without our swapchains' handles. */
#include "loader/windows/subresource.h"

#include <string.h>

#include "chain/chain.h"
#include "loader/handles/handles.h"

#define CORE "vkGetDeviceImageSubresourceLayout"
#define KHR  "vkGetDeviceImageSubresourceLayoutKHR"

/* VkDeviceImageSubresourceInfo. */
struct subresource_info {
	VkStructureType type;
	const void *next;
	const VkImageCreateInfo *image;
	const void *subresource;
};

typedef void(VKAPI_PTR *get_layout_fn)(VkDevice device, const void *info, void *layout);

static bool
is_of_swapchain(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR;
}

/* Without the structure the driver answers for an image of its own, made the same way. */
static void
get_layout(VkDevice handle, const struct subresource_info *info, void *layout, const char *name)
{
	const struct kr_device *device = kr_device_from_dispatchable(handle);
	get_layout_fn get = (get_layout_fn)device->get_device_proc_addr(handle, name);
	VkImageCreateInfo image = *info->image;
	struct subresource_info translated = *info;
	struct kr_arena arena;

	kr_arena_init(&arena, device->allocator);
	translated.image = &image;
	if (kr_chain_strip(&arena, image.pNext, is_of_swapchain, name, &image.pNext) == VK_SUCCESS)
		get(handle, &translated, layout);
	kr_arena_finish(&arena);
}

static VKAPI_ATTR void VKAPI_CALL
get_layout_core(VkDevice device, const struct subresource_info *info, void *layout)
{
	get_layout(device, info, layout, CORE);
}

static VKAPI_ATTR void VKAPI_CALL
get_layout_khr(VkDevice device, const struct subresource_info *info, void *layout)
{
	get_layout(device, info, layout, KHR);
}

PFN_vkVoidFunction
kr_subresource_hook(const char *name)
{
	if (!strcmp(name, CORE))
		return (PFN_vkVoidFunction)get_layout_core;
	if (!strcmp(name, KHR))
		return (PFN_vkVoidFunction)get_layout_khr;
	return NULL;
}
