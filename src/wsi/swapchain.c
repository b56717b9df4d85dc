/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creating and destroying swapchains. As Vulkan says, the old swapchain is retired even when the
 * new one can't be made; its acquired images remain presentable in form, with
 * VK_ERROR_OUT_OF_DATE_KHR.
 */
#include "wsi/swapchain.h"

#include "gen/tables.h"
#include "util/alloc.h"
#include "util/log.h"
#include "window/window.h"
#include "wsi/capabilities.h"
#include "wsi/format.h"

static VkResult
refuse(const char *what)
{
	kr_error("vkCreateSwapchainKHR: %s", what);
	return VK_ERROR_INITIALIZATION_FAILED;
}

/* Images as they are asked for: format, usage, size. */
static VkResult
check_images(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface,
	const VkSwapchainCreateInfoKHR *info)
{
	VkFormat formats[KR_WSI_MAX_FORMATS];
	uint32_t count = kr_wsi_formats_list(gpu, surface, formats);
	VkImageFormatProperties limits;
	bool found = false;

	for (uint32_t i = 0; i < count; i++)
		found |= formats[i] == info->imageFormat;
	if (!found)
		return refuse("the surface doesn't have this format");
	if (info->imageColorSpace != VK_COLOR_SPACE_SRGB_NONLINEAR_KHR)
		return refuse("the surface doesn't have this color space");
	if (!kr_wsi_format_usable(gpu, info->imageFormat, info->imageUsage, &limits))
		return refuse("the device has no such images: format and usage don't go together");
	if (info->imageExtent.width == 0 || info->imageExtent.height == 0 ||
		info->imageExtent.width > limits.maxExtent.width ||
		info->imageExtent.height > limits.maxExtent.height)
		return refuse("the device has no images of this size");
	if (info->imageArrayLayers != 1)
		return refuse("images have one layer");
	return VK_SUCCESS;
}

/* Presentation as it is asked for; *count becomes the number of images to ask the window for. */
static VkResult
check_presentation(
	struct kr_wsi_surface *surface, const VkSwapchainCreateInfoKHR *info, uint32_t *count)
{
	const VkCompositeAlphaFlagsKHR alphas =
		VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
	VkPresentModeKHR modes[KR_WSI_MAX_PRESENT_MODES];
	struct kr_wsi_window_state state;
	VkSurfaceTransformFlagsKHR transforms;
	bool found = false;
	VkResult result;
	uint32_t n;

	result = kr_wsi_surface_ask(surface, &state);
	if (result != VK_SUCCESS)
		return result;
	n = kr_wsi_present_modes_list(surface, &state, modes);
	for (uint32_t i = 0; i < n; i++)
		found |= modes[i] == info->presentMode;
	if (!found)
		return refuse("the surface doesn't have this present mode");
	transforms = kr_wsi_transform_from_hint(state.transform_hint) |
		VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR | VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR;
	if (!(info->preTransform & transforms))
		return refuse("the surface doesn't have this transform");
	if (!(info->compositeAlpha & alphas))
		return refuse("the surface doesn't have this composite alpha mode");
	if (info->flags)
		return refuse("no swapchain flag is supported");
	if (info->minImageCount > state.max_buffers)
		return refuse("more images than the surface has");
	*count = KR_MAX(info->minImageCount, KR_MIN(state.min_undequeued + 2, state.max_buffers));
	return VK_SUCCESS;
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

static VkResult
fill_swapchain(struct kr_wsi_swapchain *s, const VkSwapchainCreateInfoKHR *info,
	const VkAllocationCallbacks *allocator)
{
	struct kr_wsi_device *device = s->device;
	uint32_t count;
	uint64_t usage;
	VkResult result;

	result = kr_wsi_present_state_init(&s->present, info);
	if (result == VK_SUCCESS)
		result = check_images(&device->info.gpu, s->surface, info);
	if (result == VK_SUCCESS)
		result = check_presentation(s->surface, info, &count);
	if (result == VK_SUCCESS)
		result = kr_wsi_driver_usage(device, info, &usage);
	if (result == VK_SUCCESS)
		result = kr_wsi_window_configure(
			s->surface, info, usage | s->surface->consumer_usage, &count);
	if (result == VK_SUCCESS)
		result = kr_wsi_images_create(s, info, count, allocator);
	if (result != VK_SUCCESS)
		return result;
	result = kr_wsi_present_state_begin(&s->present, s->window);
	if (result != VK_SUCCESS)
		return result;
	kr_wsi_status_begin(s);
	describe_device(&device->info.gpu, s->window);
	return VK_SUCCESS;
}

static void
free_swapchain(struct kr_wsi_swapchain *s)
{
	kr_wsi_images_destroy(s, kr_object_allocator(s));
	kr_wsi_present_ids_finish(&s->ids);
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
	struct kr_wsi_swapchain *old = kr_wsi_swapchain_from_handle(info->oldSwapchain), *s;
	VkResult result;

	if (surface->current && surface->current != old) {
		kr_error("vkCreateSwapchainKHR: the surface has another swapchain");
		return VK_ERROR_NATIVE_WINDOW_IN_USE_KHR;
	}
	if (surface->current) {
		atomic_store(&old->retired, true);
		surface->current = NULL;
	}
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
	result = fill_swapchain(s, info, allocator);
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
