/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queries about surfaces. Nothing here is a constant that a window or a GPU could know better:
 * counts, sizes, transforms and alphas come from the window, usages and limits from the device.
 * Without a surface (VK_GOOGLE_surfaceless_query) what a window would know is told as unknown.
 */
#include "wsi/surface/capabilities.h"

#include <string.h>

#include "gen/tables.h"
#include "util/enumerate.h"
#include "util/log.h"
#include "wsi/surface/abilities.h"
#include "wsi/surface/format.h"
#include "wsi/surface/modes.h"
#include "wsi/surface/present_mode.h"
#include "wsi/surface/transform.h"

#define UNKNOWN UINT32_MAX

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

/* What images of each format may be. False: there are no images. */
static bool
largest_extent(
	const struct kr_wsi_gpu *gpu, const VkFormat *formats, uint32_t count, VkExtent2D *extent)
{
	/* As large as buffers are. */
	*extent = (VkExtent2D){KR_WINDOW_MAX_EXTENT, KR_WINDOW_MAX_EXTENT};
	for (uint32_t i = 0; i < count; i++) {
		VkImageFormatProperties limits;

		if (!kr_wsi_format_usable(
			    gpu, formats[i], VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &limits))
			return false;
		extent->width = KR_MIN(extent->width, limits.maxExtent.width);
		extent->height = KR_MIN(extent->height, limits.maxExtent.height);
	}
	return count > 0;
}

static VkExtent2D
extent_of(const struct kr_wsi_surface *surface, const struct kr_wsi_window_state *state)
{
	return !surface || surface->ops->no_size ? (VkExtent2D){UNKNOWN, UNKNOWN}
						 : (VkExtent2D){state->width, state->height};
}

/* What the window knows. */
static void
fill_window(const struct kr_wsi_window_state *state, VkSurfaceCapabilitiesKHR *caps)
{
	caps->currentTransform = kr_wsi_transform_from_hint(state->transform_hint);
	caps->supportedTransforms = kr_wsi_transforms(&state->abilities) | caps->currentTransform;
	caps->supportedCompositeAlpha = kr_wsi_alphas(&state->abilities);
	kr_wsi_mode_counts(state, KR_PRESENT_FIFO, &caps->minImageCount, &caps->maxImageCount);
}

/* VK_GOOGLE_surfaceless_query: what any window has; of one's own there is nothing to be told. */
static void
fill_no_window(VkSurfaceCapabilitiesKHR *caps)
{
	const struct kr_abilities any = {
		.modes = KR_ABILITY(KR_PRESENT_FIFO),
		.transforms = KR_ABILITY_TRANSFORMS,
		.alphas = KR_ABILITY(KR_ALPHA_INHERIT),
	};

	caps->currentTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
	caps->supportedTransforms = kr_wsi_transforms(&any);
	caps->supportedCompositeAlpha = kr_wsi_alphas(&any);
	caps->minImageCount = caps->maxImageCount = UNKNOWN;
}

VkResult
kr_wsi_capabilities(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	const struct kr_wsi_window_state *state, VkSurfaceCapabilitiesKHR *caps)
{
	VkFormat formats[KR_WSI_MAX_FORMATS];
	VkExtent2D largest;
	uint32_t count = gpu->native_buffer ? kr_wsi_formats_list(gpu, surface, formats) : 0;

	if (!largest_extent(gpu, formats, count, &largest)) {
		kr_error("window system: the device can't present to this surface");
		return VK_ERROR_UNKNOWN;
	}
	memset(caps, 0, sizeof(*caps));
	if (surface) {
		kr_wsi_surface_told(surface, state);
		fill_window(state, caps);
	} else {
		fill_no_window(caps);
	}
	caps->currentExtent = extent_of(surface, state);
	caps->minImageExtent = (VkExtent2D){1, 1};
	caps->maxImageExtent = largest;
	caps->maxImageArrayLayers = 1;
	/* Of whatever format: programs, conformance tests too, ask for all of these in each. */
	caps->supportedUsageFlags = kr_wsi_common_usages(gpu, surface);
	return VK_SUCCESS;
}

VkResult
kr_wsi_surface_capabilities(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	VkSurfaceCapabilitiesKHR *caps)
{
	struct kr_wsi_window_state state;
	VkResult result = VK_SUCCESS;

	if (surface)
		result = kr_wsi_surface_ask(surface, &state);
	if (result != VK_SUCCESS)
		return result;
	return kr_wsi_capabilities(gpu, surface, surface ? &state : NULL, caps);
}

VkResult
kr_wsi_surface_present_modes(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t *count, VkPresentModeKHR *modes)
{
	VkPresentModeKHR list[KR_PRESENT_MODE_COUNT];
	struct kr_wsi_window_state state;
	VkResult result = VK_SUCCESS;
	uint32_t bits, total = 0;

	if (surface)
		result = kr_wsi_surface_ask(surface, &state);
	if (result != VK_SUCCESS)
		return result;
	bits = kr_wsi_modes(gpu, surface, surface ? &state : NULL);
	for (uint32_t i = 0; i < KR_PRESENT_MODE_COUNT; i++) {
		if (bits & KR_ABILITY(i))
			list[total++] = kr_wsi_present_mode_to_vulkan((enum kr_present_mode)i);
	}
	if (!modes) {
		*count = total;
		return VK_SUCCESS;
	}
	*count = KR_MIN(*count, total);
	memcpy(modes, list, *count * sizeof(*modes));
	return *count < total ? VK_INCOMPLETE : VK_SUCCESS;
}

VkSurfaceCounterFlagsEXT
kr_wsi_surface_counters(const struct kr_wsi_surface *surface)
{
	struct kr_abilities abilities;

	(void)kr_wsi_window_abilities(surface->window, &abilities);
	return abilities.counters & KR_ABILITY_VBLANK ? VK_SURFACE_COUNTER_VBLANK_BIT_EXT : 0;
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
