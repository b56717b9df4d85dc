/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queries about surfaces. Nothing here is a constant that a window or a GPU could know better:
 * counts, sizes and transform come from the window, formats, usages and limits from the device.
 */
#include "wsi/capabilities.h"

#include <string.h>

#include "gen/tables.h"
#include "util/enumerate.h"
#include "util/log.h"
#include "util/macros.h"
#include "wsi/format.h"

/* Beyond what the far end keeps: one to render to, one that waits to be shown. */
#define EXTRA_IMAGES 2
#define NO_SIZE      UINT32_MAX

VkResult
kr_wsi_surface_support(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t queue_family, VkBool32 *supported)
{
	const VkQueueFlags works =
		VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
	VkQueueFamilyProperties families[64];
	VkFormat formats[KR_WSI_MAX_FORMATS];
	uint32_t count = KR_ARRAY_LEN(families);

	*supported = VK_FALSE;
	if (!gpu->native_buffer)
		return VK_SUCCESS;
	gpu->functions->GetPhysicalDeviceQueueFamilyProperties(gpu->handle, &count, families);
	kr_enumeration_fit(families, KR_ARRAY_LEN(families), &count);
	if (queue_family < count && (families[queue_family].queueFlags & works) &&
		kr_wsi_formats_list(gpu, surface, formats) > 0)
		*supported = VK_TRUE;
	return VK_SUCCESS;
}

/* The usages that images of the surface's first format can have beside being rendered to. */
static VkImageUsageFlags
supported_usages(const struct kr_wsi_gpu *gpu, VkFormat format)
{
	static const VkImageUsageFlagBits candidates[] = {
		VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
		VK_IMAGE_USAGE_TRANSFER_DST_BIT,
		VK_IMAGE_USAGE_SAMPLED_BIT,
		VK_IMAGE_USAGE_STORAGE_BIT,
		VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
	};
	VkImageUsageFlags usages = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;

	for (size_t i = 0; i < KR_ARRAY_LEN(candidates); i++) {
		if (kr_wsi_format_usable(
			    gpu, format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | candidates[i], NULL))
			usages |= candidates[i];
	}
	return usages;
}

static VkExtent2D
extent_of(const struct kr_wsi_surface *surface, const struct kr_wsi_window_state *state)
{
	return surface->ops->no_size ? (VkExtent2D){NO_SIZE, NO_SIZE}
				     : (VkExtent2D){state->width, state->height};
}

static void
fill_extents(const struct kr_wsi_surface *surface, const struct kr_wsi_window_state *state,
	const VkImageFormatProperties *limits, VkSurfaceCapabilitiesKHR *caps)
{
	caps->minImageExtent = (VkExtent2D){1, 1};
	caps->maxImageExtent = (VkExtent2D){limits->maxExtent.width, limits->maxExtent.height};
	caps->currentExtent = extent_of(surface, state);
}

VkResult
kr_wsi_surface_capabilities(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	VkSurfaceCapabilitiesKHR *caps)
{
	VkFormat formats[KR_WSI_MAX_FORMATS];
	struct kr_wsi_window_state state;
	VkImageFormatProperties limits;
	VkResult result;

	result = kr_wsi_surface_ask(surface, &state);
	if (result != VK_SUCCESS)
		return result;
	if (!gpu->native_buffer || kr_wsi_formats_list(gpu, surface, formats) == 0 ||
		!kr_wsi_format_usable(
			gpu, formats[0], VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &limits)) {
		kr_error("window system: the device can't present to this surface");
		return VK_ERROR_UNKNOWN;
	}
	kr_wsi_surface_told(surface, &state);
	memset(caps, 0, sizeof(*caps));
	caps->minImageCount = KR_MIN(state.min_undequeued + EXTRA_IMAGES, state.max_buffers);
	caps->maxImageCount = state.max_buffers;
	fill_extents(surface, &state, &limits, caps);
	caps->maxImageArrayLayers = 1;
	caps->currentTransform = kr_wsi_transform_from_hint(state.transform_hint);
	caps->supportedTransforms = caps->currentTransform | VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR |
		VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR;
	caps->supportedCompositeAlpha =
		VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
	caps->supportedUsageFlags = supported_usages(gpu, formats[0]);
	return VK_SUCCESS;
}

/* A structure in the chain that we don't fill stays as it is: its extension isn't offered. */
static void
fill_chain(VkBaseOutStructure *chain)
{
	for (; chain; chain = chain->pNext) {
		if (chain->sType == VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR)
			((VkSurfaceProtectedCapabilitiesKHR *)chain)->supportsProtected = VK_FALSE;
	}
}

VkResult
kr_wsi_surface_capabilities2(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceCapabilities2KHR *caps)
{
	VkResult result = kr_wsi_surface_capabilities(gpu, surface, &caps->surfaceCapabilities);

	if (result == VK_SUCCESS)
		fill_chain(caps->pNext);
	return result;
}

VkResult
kr_wsi_surface_formats(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t *count, VkSurfaceFormatKHR *formats)
{
	VkFormat list[KR_WSI_MAX_FORMATS];
	uint32_t total = kr_wsi_formats_list(gpu, surface, list);

	if (!formats) {
		*count = total;
		return VK_SUCCESS;
	}
	*count = KR_MIN(*count, total);
	for (uint32_t i = 0; i < *count; i++)
		formats[i] = (VkSurfaceFormatKHR){list[i], VK_COLOR_SPACE_SRGB_NONLINEAR_KHR};
	return *count < total ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult
kr_wsi_surface_formats2(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t *count, VkSurfaceFormat2KHR *formats)
{
	VkSurfaceFormatKHR list[KR_WSI_MAX_FORMATS];
	uint32_t n = formats ? KR_MIN(*count, KR_WSI_MAX_FORMATS) : 0;
	VkResult result =
		kr_wsi_surface_formats(gpu, surface, formats ? &n : count, formats ? list : NULL);

	if (!formats)
		return result;
	for (uint32_t i = 0; i < n; i++)
		formats[i].surfaceFormat = list[i];
	*count = n;
	return result;
}

uint32_t
kr_wsi_present_modes_list(const struct kr_wsi_surface *surface,
	const struct kr_wsi_window_state *state, VkPresentModeKHR modes[KR_WSI_MAX_PRESENT_MODES])
{
	static const VkPresentModeKHR more[] = {
		VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};
	uint32_t count = 0;

	modes[count++] = VK_PRESENT_MODE_FIFO_KHR;
	/* A queue that drops frames needs one buffer more than one that doesn't. */
	if (state->min_undequeued + 1 >= state->max_buffers)
		return count;
	for (size_t i = 0; i < KR_ARRAY_LEN(more); i++) {
		if (!surface->ops->has_present_mode ||
			surface->ops->has_present_mode(surface->data, more[i]))
			modes[count++] = more[i];
	}
	return count;
}

VkResult
kr_wsi_surface_present_modes(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t *count, VkPresentModeKHR *modes)
{
	VkPresentModeKHR list[KR_WSI_MAX_PRESENT_MODES];
	struct kr_wsi_window_state state;
	VkResult result;
	uint32_t total;

	result = kr_wsi_surface_ask(surface, &state);
	if (result != VK_SUCCESS)
		return result;
	total = kr_wsi_present_modes_list(surface, &state, list);
	if (!modes) {
		*count = total;
		return VK_SUCCESS;
	}
	*count = KR_MIN(*count, total);
	memcpy(modes, list, *count * sizeof(*modes));
	return *count < total ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult
kr_wsi_surface_rectangles(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t *count, VkRect2D *rectangles)
{
	struct kr_wsi_window_state state;
	VkResult result;

	result = kr_wsi_surface_ask(surface, &state);
	if (result != VK_SUCCESS)
		return result;
	if (!rectangles) {
		*count = 1;
		return VK_SUCCESS;
	}
	if (*count == 0)
		return VK_INCOMPLETE;
	/* Without a size of its own: whatever is presented. */
	rectangles[0] = (VkRect2D){{0, 0}, extent_of(surface, &state)};
	*count = 1;
	return VK_SUCCESS;
}
