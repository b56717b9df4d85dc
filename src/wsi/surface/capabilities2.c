/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked and told by chained structures of VK_KHR_get_surface_capabilities2. The EXT and KHR
 * names of VK_*_surface_maintenance1 are the same structures.
 */
#include "wsi/surface/capabilities.h"

#include "chain/chain.h"
#include "wsi/surface/abilities.h"
#include "wsi/surface/format.h"
#include "wsi/surface/modes.h"
#include "wsi/surface/present_mode.h"
#include "wsi/surface/surface.h"
#include "wsi/surface/swapchain_flags.h"
#include "wsi/surface/timing.h"
#include "wsi/surface/usage_flags2.h"

/* A question under way. */
struct question {
	const struct kr_wsi_gpu *gpu;
	const struct kr_wsi_surface *surface;    /* NULL: of all */
	const struct kr_wsi_window_state *state; /* likewise */
	const VkSurfaceCapabilitiesKHR *caps;    /* as they are told */
	uint32_t modes;                          /* that there are */
	bool has_mode;                           /* one is asked about */
	enum kr_present_mode mode;
};

/* Of the mode that is asked about: also one that there isn't gets numbers (android-platform 5). */
static void
fill_counts(const struct question *q, VkSurfaceCapabilitiesKHR *caps)
{
	if (!q->has_mode)
		return;
	if (q->state)
		kr_wsi_mode_counts(q->state, q->mode, &caps->minImageCount, &caps->maxImageCount);
	else if (kr_present_mode_is_shared(q->mode))
		caps->minImageCount = caps->maxImageCount = 1;
}

/* The mode itself comes first, so that it is there whatever the room. */
static void
fill_compatible(const struct question *q, VkSurfacePresentModeCompatibilityEXT *out)
{
	VkPresentModeKHR list[KR_PRESENT_MODE_COUNT];
	uint32_t count = 0;

	if (q->has_mode)
		count = kr_wsi_modes_compatible(q->modes, q->mode, q->state, list);
	if (!out->pPresentModes) {
		out->presentModeCount = count;
		return;
	}
	out->presentModeCount = KR_MIN(out->presentModeCount, count);
	for (uint32_t i = 0; i < out->presentModeCount; i++)
		out->pPresentModes[i] = list[i];
}

static void
fill_scaling(const struct question *q, VkSurfacePresentScalingCapabilitiesEXT *out)
{
	static const struct kr_abilities none;
	const struct kr_abilities *abilities = q->state ? &q->state->abilities : &none;

	out->supportedPresentScaling = kr_wsi_scalings(abilities);
	out->supportedPresentGravityX = kr_wsi_gravities(abilities);
	out->supportedPresentGravityY = kr_wsi_gravities(abilities);
	/* What doesn't fit the window is scaled by who shows it, whatever its size. */
	out->minScaledImageExtent = q->caps->minImageExtent;
	out->maxScaledImageExtent = q->caps->maxImageExtent;
}

/* Those of all formats: nothing says of which one they are told. */
static VkImageUsageFlags
shared_usages(const struct question *q)
{
	return q->modes & KR_ABILITY_SHARED ? kr_wsi_common_usages(q->gpu, q->surface) : 0;
}

static VkBool32
has_flag(const struct question *q, VkSwapchainCreateFlagBitsKHR flag)
{
	return q->gpu->swapchain_flags & flag ? VK_TRUE : VK_FALSE;
}

/* Without a surface nothing is known of anybody's time. */
static void
fill_timing(const struct question *q, VkPresentTimingSurfaceCapabilitiesEXT *out)
{
	struct kr_timing timing;
	int64_t refresh_ns;
	bool there = q->surface && has_flag(q, VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT) &&
		kr_wsi_window_timing(q->surface->window, &timing, &refresh_ns);

	out->presentStageQueries = there ? kr_wsi_present_stages(&timing) : 0;
	out->presentTimingSupported = out->presentStageQueries ? VK_TRUE : VK_FALSE;
	/* Where the far end can't, the queue does. */
	out->presentAtAbsoluteTimeSupported = out->presentAtRelativeTimeSupported =
		out->presentTimingSupported;
}

/* Of util/vulkan_newer.h and usage_flags2.h. */
static void
fill_newer(const struct question *q, VkBaseOutStructure *s)
{
	switch ((int)s->sType) {
	case KR_IMAGE_USAGE_FLAGS_2:
		((struct kr_wsi_usage_flags2 *)s)->usage = q->caps->supportedUsageFlags;
		break;
	case KR_SHARED_PRESENT_CAPABILITIES_2:
		((struct kr_wsi_usage_flags2 *)s)->usage = shared_usages(q);
		break;
	case VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_ID_2_KHR:
		((VkSurfaceCapabilitiesPresentId2KHR *)s)->presentId2Supported =
			has_flag(q, VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR);
		break;
	case VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_WAIT_2_KHR:
		((VkSurfaceCapabilitiesPresentWait2KHR *)s)->presentWait2Supported =
			has_flag(q, VK_SWAPCHAIN_CREATE_PRESENT_WAIT_2_BIT_KHR);
		break;
	case VK_STRUCTURE_TYPE_PRESENT_TIMING_SURFACE_CAPABILITIES_EXT:
		fill_timing(q, (VkPresentTimingSurfaceCapabilitiesEXT *)(void *)s);
		break;
	case VK_STRUCTURE_TYPE_SWAPCHAIN_FLAGS_SURFACE_CAPABILITIES_EXT:
		((VkSwapchainFlagsSurfaceCapabilitiesEXT *)s)->swapchainSupportedFlags =
			kr_wsi_swapchain_flags(q->gpu, q->surface);
		break;
	default:
		break;
	}
}

/* A structure in the chain that we don't know stays as it is: its extension isn't offered. */
static void
fill_chain(const struct question *q, VkBaseOutStructure *chain)
{
	for (VkBaseOutStructure *s = chain; s; s = s->pNext) {
		switch (s->sType) {
		case VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR:
			((VkSurfaceProtectedCapabilitiesKHR *)s)->supportsProtected =
				kr_wsi_has_protected(q->gpu, q->surface);
			break;
		case VK_STRUCTURE_TYPE_SHARED_PRESENT_SURFACE_CAPABILITIES_KHR:
			((VkSharedPresentSurfaceCapabilitiesKHR *)s)
				->sharedPresentSupportedUsageFlags = shared_usages(q);
			break;
		case VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT:
			fill_compatible(q, (VkSurfacePresentModeCompatibilityEXT *)s);
			break;
		case VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT:
			fill_scaling(q, (VkSurfacePresentScalingCapabilitiesEXT *)s);
			break;
		default:
			fill_newer(q, s);
			break;
		}
	}
}

VkResult
kr_wsi_surface_capabilities2(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceCapabilities2KHR *caps)
{
	const VkSurfacePresentModeEXT *mode =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT);
	struct kr_wsi_window_state state;
	struct question q = {.gpu = gpu, .surface = surface, .caps = &caps->surfaceCapabilities};
	VkResult result = VK_SUCCESS;

	if (surface)
		result = kr_wsi_surface_ask(surface, &state);
	if (result != VK_SUCCESS)
		return result;
	q.state = surface ? &state : NULL;
	result = kr_wsi_capabilities(gpu, surface, q.state, &caps->surfaceCapabilities);
	if (result != VK_SUCCESS)
		return result;
	q.modes = kr_wsi_modes(gpu, surface, q.state);
	q.has_mode = mode && kr_wsi_present_mode_from_vulkan(mode->presentMode, &q.mode);
	fill_counts(&q, &caps->surfaceCapabilities);
	fill_chain(&q, caps->pNext);
	return VK_SUCCESS;
}
