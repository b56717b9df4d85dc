/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creating and destroying swapchains. As Vulkan says, the old swapchain is retired even when the
 * new one can't be made; its acquired images remain presentable in form, with
 * VK_ERROR_OUT_OF_DATE_KHR.
 */
#include "wsi/swapchain.h"

#include <krafla/hardware_buffer.h>

#include "chain/chain.h"
#include "gen/tables.h"
#include "util/alloc.h"
#include "util/log.h"
#include "window/window.h"
#include "wsi/hdr.h"
#include "wsi/surface/abilities.h"
#include "wsi/surface/colour.h"
#include "wsi/surface/format.h"
#include "wsi/surface/modes.h"
#include "wsi/reuse.h"
#include "wsi/surface/swapchain_flags.h"
#include "wsi/usage.h"
#include "wsi/surface/transform.h"

static VkResult
refuse(const char *what)
{
	kr_error("vkCreateSwapchainKHR: %s", what);
	return VK_ERROR_INITIALIZATION_FAILED;
}

/* A creation under way. */
struct creation {
	const VkSwapchainCreateInfoKHR *info;
	const struct kr_wsi_swapchain *old; /* that it takes the place of, or NULL */
	struct kr_wsi_window_state state;
	struct kr_wsi_image_info image;
	struct kr_wsi_window_request window;
};

/* Flags as they are asked for: of extensions of this device, and of what there is for them. */
static VkResult
check_flags(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface,
	VkSwapchainCreateFlagsKHR flags)
{
	if (flags & VK_SWAPCHAIN_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT_KHR)
		return refuse("images live on one device");
	if (flags & ~(VkSwapchainCreateFlagsKHR)gpu->swapchain_flags)
		return refuse("the device has no extension for one of the flags");
	if ((flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR) && !kr_wsi_has_protected(gpu, surface))
		return refuse("device, buffers and window aren't protected");
	return VK_SUCCESS;
}

/* Images as they are asked for: format, usage, size. */
static VkResult
check_images(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface,
	const VkSwapchainCreateInfoKHR *info, const struct kr_wsi_image_info *image)
{
	VkSurfaceFormatKHR formats[KR_WSI_MAX_COLOURS];
	uint32_t count = kr_wsi_colours_list(gpu, surface, formats);
	bool format_found = false, found = false;
	VkImageFormatProperties limits;

	for (uint32_t i = 0; i < count; i++) {
		bool is_format = formats[i].format == info->imageFormat;

		format_found |= is_format;
		found |= is_format && formats[i].colorSpace == info->imageColorSpace;
	}
	if (!format_found)
		return refuse("the surface doesn't have this format");
	if (!found)
		return refuse("the surface doesn't have this color space in this format");
	if (!kr_wsi_image_info_usable(gpu, image, &limits))
		return refuse(
			"the device has no such images: format, usage, flags and compression don't go together");
	if (info->imageExtent.width == 0 || info->imageExtent.height == 0 ||
		info->imageExtent.width > limits.maxExtent.width ||
		info->imageExtent.height > limits.maxExtent.height)
		return refuse("the device has no images of this size");
	if (info->imageArrayLayers != 1)
		return refuse("images have one layer");
	return VK_SUCCESS;
}

/* What doesn't fit the window is shown as its far end can, or not at all. */
static bool
has_scaling(const struct kr_abilities *abilities, const VkSwapchainCreateInfoKHR *info)
{
	const VkSwapchainPresentScalingCreateInfoEXT *scaling = kr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT);
	VkPresentGravityFlagsEXT gravities;

	if (!scaling)
		return true;
	/* What is stretched has no place left to go to. */
	gravities = scaling->scalingBehavior == VK_PRESENT_SCALING_STRETCH_BIT_EXT
		? 0
		: scaling->presentGravityX | scaling->presentGravityY;
	return !(scaling->scalingBehavior & ~kr_wsi_scalings(abilities)) &&
		!(gravities & ~kr_wsi_gravities(abilities));
}

/* Presentation as it is asked for, and how many images the window is asked for. */
static VkResult
check_presentation(const struct kr_wsi_swapchain *s, struct creation *creation)
{
	const VkSwapchainCreateInfoKHR *info = creation->info;
	const struct kr_wsi_window_state *state = &creation->state;
	struct kr_wsi_window_request *window = &creation->window;
	uint32_t least, most;

	if (s->present.modes & ~kr_wsi_modes(&s->device->info.gpu, s->surface, state))
		return refuse("the surface doesn't have one of the present modes");
	if (!(info->preTransform &
		    (kr_wsi_transforms(&state->abilities) |
			    kr_wsi_transform_from_hint(state->transform_hint))))
		return refuse("the surface doesn't have this transform");
	if (!(info->compositeAlpha & kr_wsi_alphas(&state->abilities)))
		return refuse("the surface doesn't have this composite alpha mode");
	if (!has_scaling(&state->abilities, info))
		return refuse("the surface doesn't scale so, or has no such gravity");
	kr_wsi_mode_counts(state, (enum kr_present_mode)s->present.said.mode, &least, &most);
	window->shared = s->present.shared;
	window->buffers.drops = s->present.droppable;
	if (!window->shared && info->minImageCount > most)
		return refuse("more images than the surface has");
	window->buffers.count = window->shared ? 1 : KR_MAX(info->minImageCount, least);
	return VK_SUCCESS;
}

static VkResult
check(const struct kr_wsi_swapchain *s, struct creation *creation)
{
	const struct kr_wsi_device *device = s->device;
	const struct kr_wsi_gpu *gpu = &device->info.gpu;
	struct kr_wsi_surface *surface = s->surface;
	const VkSwapchainCreateInfoKHR *info = creation->info;
	VkResult result;

	result = kr_wsi_surface_ask(surface, &creation->state);
	if (result == VK_SUCCESS)
		result = check_flags(gpu, surface, info->flags);
	if (result == VK_SUCCESS)
		result = kr_wsi_image_info_init(
			&creation->image, info, device->info.compression_control);
	if (result == VK_SUCCESS)
		result = check_images(gpu, surface, info, &creation->image);
	if (result == VK_SUCCESS)
		result = check_presentation(s, creation);
	return result;
}

/* For summaries; a window that isn't one of ours doesn't know the operation, and needn't. */
static void
describe_device(const struct kr_wsi_gpu *gpu, ANativeWindow *window)
{
	VkPhysicalDeviceProperties properties;

	gpu->functions->GetPhysicalDeviceProperties(gpu->handle, &properties);
	properties.deviceName[sizeof(properties.deviceName) - 1] = '\0';
	(void)window->perform(window, KR_WINDOW_DESCRIBE_PRODUCER, properties.deviceName);
}

/* The buffers that it needs, beyond how many. */
static VkResult
choose_buffers(const struct kr_wsi_swapchain *s, struct creation *creation)
{
	const VkSwapchainCreateInfoKHR *info = creation->info;
	struct kr_wsi_buffers *buffers = &creation->window.buffers;
	VkResult result = kr_wsi_driver_usage(s->device, &creation->image, &buffers->usage);

	buffers->usage |= s->surface->consumer_usage;
	if (creation->image.protected_memory)
		buffers->usage |= AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;
	buffers->format = kr_wsi_format_native(info->imageFormat);
	buffers->dataspace = kr_wsi_dataspace(info->imageFormat, info->imageColorSpace);
	buffers->width = info->imageExtent.width;
	buffers->height = info->imageExtent.height;
	creation->window.reuses =
		!creation->window.shared && kr_wsi_can_reuse(creation->old, buffers);
	return result;
}

static VkResult
create_images(struct kr_wsi_swapchain *s, const struct creation *creation,
	const VkAllocationCallbacks *allocator)
{
	return creation->window.reuses
		? kr_wsi_images_reuse(s, creation->old, &creation->image, allocator)
		: kr_wsi_images_create(s, &creation->image, creation->window.count, allocator);
}

static VkResult
fill_swapchain(struct kr_wsi_swapchain *s, const VkSwapchainCreateInfoKHR *info,
	const struct kr_wsi_swapchain *old, const VkAllocationCallbacks *allocator)
{
	struct creation creation = {.info = info, .old = old, .window.info = info};
	VkResult result;

	result = kr_wsi_present_state_init(&s->present, info);
	if (s->present.said.alpha == KR_ALPHA_INHERIT)
		s->present.said.alpha = s->surface->ops->inherited_alpha;
	if (result == VK_SUCCESS)
		result = check(s, &creation);
	if (result == VK_SUCCESS)
		result = choose_buffers(s, &creation);
	if (result == VK_SUCCESS)
		result = kr_wsi_window_configure(s->surface, &creation.window);
	if (result == VK_SUCCESS)
		result = create_images(s, &creation, allocator);
	if (result == VK_SUCCESS)
		result = kr_wsi_present_state_begin(&s->present, s->window);
	if (result != VK_SUCCESS)
		return result;
	s->buffers = creation.window.buffers;
	kr_wsi_hdr_begin(s, old);
	kr_wsi_status_begin(s);
	describe_device(&s->device->info.gpu, s->window);
	return VK_SUCCESS;
}

static void
free_swapchain(struct kr_wsi_swapchain *s)
{
	kr_wsi_images_destroy(s, kr_object_allocator(s));
	kr_wsi_present_ids_finish(&s->ids);
	kr_wsi_timings_finish(&s->timings);
	s->window->common.decRef(&s->window->common);
	kr_object_free(s);
}

static void
publish(struct kr_wsi_swapchain *s)
{
	struct kr_wsi_device *device = s->device;

	s->surface->current = s;
	kr_mutex_lock(&device->lock);
	kr_list_append(&device->swapchains, &s->link);
	atomic_fetch_add(&device->swapchain_count, 1);
	kr_mutex_unlock(&device->lock);
}

VkResult
kr_wsi_create_swapchain(struct kr_wsi_device *device, struct kr_wsi_surface *surface,
	const VkSwapchainCreateInfoKHR *info, const VkAllocationCallbacks *allocator,
	VkSwapchainKHR *swapchain)
{
	struct kr_wsi_swapchain *old = surface->current, *s;
	VkResult result;

	if (old && old != kr_wsi_swapchain_from_handle(info->oldSwapchain)) {
		kr_error("vkCreateSwapchainKHR: the surface has another swapchain");
		return VK_ERROR_NATIVE_WINDOW_IN_USE_KHR;
	}
	if (old)
		atomic_store(&old->retired, true);
	surface->current = NULL;
	if (atomic_load(&device->lost))
		return VK_ERROR_DEVICE_LOST;
	s = kr_object_alloc(allocator, sizeof(*s), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_list_init(&s->link);
	s->device = device;
	s->surface = surface;
	s->window = surface->window;
	s->window->common.incRef(&s->window->common);
	s->extent = info->imageExtent;
	s->transform = info->preTransform;
	s->dequeue_timeout = INT64_MIN;
	kr_wsi_present_ids_init(&s->ids, s->window);
	kr_wsi_timings_init(&s->timings, s->window, kr_object_allocator(s));
	result = fill_swapchain(s, info, old, allocator);
	if (result != VK_SUCCESS) {
		free_swapchain(s);
		return result;
	}
	publish(s);
	*swapchain = (VkSwapchainKHR)(uintptr_t)s;
	return VK_SUCCESS;
}

void
kr_wsi_destroy_swapchain(struct kr_wsi_device *device, VkSwapchainKHR swapchain)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(swapchain);

	if (!s)
		return;
	kr_mutex_lock(&device->lock);
	kr_list_remove(&s->link);
	atomic_fetch_sub(&device->swapchain_count, 1);
	kr_free(device->allocator, s->values);
	s->values = NULL;
	kr_mutex_unlock(&device->lock);
	if (s->surface->current == s)
		s->surface->current = NULL;
	free_swapchain(s);
}

VkResult
kr_wsi_get_swapchain_images(
	struct kr_wsi_device *device, VkSwapchainKHR swapchain, uint32_t *count, VkImage *images)
{
	const struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(swapchain);

	if (!images) {
		*count = s->image_count;
		return VK_SUCCESS;
	}
	*count = KR_MIN(*count, s->image_count);
	for (uint32_t i = 0; i < *count; i++)
		images[i] = s->images[i].handle;
	return *count < s->image_count ? VK_INCOMPLETE : VK_SUCCESS;
}
