/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See plane.h. The surface is a window of the display that is stretched over it, in the size of the
 * images that were asked for; how it is blended was said with the surface.
 */
#include "surface/plane.h"

#include <errno.h>

#include "surface/display.h"
#include "util/log.h"
#include "window/window.h"

static const struct kr_wsi_surface_ops opaque = {
	.fills_window = true, .inherited_alpha = KR_ALPHA_OPAQUE};
static const struct kr_wsi_surface_ops straight = {
	.fills_window = true, .inherited_alpha = KR_ALPHA_STRAIGHT};
static const struct kr_wsi_surface_ops premultiplied = {
	.fills_window = true, .inherited_alpha = KR_ALPHA_PREMULTIPLIED};

/* NULL: one that no plane has. */
static const struct kr_wsi_surface_ops *
ops_of(VkDisplayPlaneAlphaFlagBitsKHR alpha)
{
	switch (alpha) {
	case VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR:
		return &opaque;
	case VK_DISPLAY_PLANE_ALPHA_PER_PIXEL_BIT_KHR:
		return &straight;
	case VK_DISPLAY_PLANE_ALPHA_PER_PIXEL_PREMULTIPLIED_BIT_KHR:
		return &premultiplied;
	default:
		return NULL;
	}
}

static VkResult
check(const VkDisplaySurfaceCreateInfoKHR *info)
{
	if (info->planeIndex || info->planeStackIndex)
		kr_error("surface: the display has one plane, and no plane %u in place %u",
			info->planeIndex, info->planeStackIndex);
	else if (info->transform != VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR)
		kr_error("surface: the display's plane doesn't turn images (transform %#x)",
			info->transform);
	else if (!ops_of(info->alphaMode))
		kr_error("surface: the display's plane has no alpha mode %#x", info->alphaMode);
	else if (!info->imageExtent.width || !info->imageExtent.height)
		kr_error("surface: a plane's images have a size");
	else
		return VK_SUCCESS;
	return VK_ERROR_INITIALIZATION_FAILED;
}

VkResult
kr_surface_open_plane(const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	const VkDisplaySurfaceCreateInfoKHR *info = &request->info.display;
	struct kr_queue *queue;
	ANativeWindow *window;
	VkResult result = check(info);
	int ret;

	if (result != VK_SUCCESS)
		return result;
	if (!display ||
		kr_surface_connect_display(
			display, NULL, info->imageExtent.width, info->imageExtent.height, &queue))
		return VK_ERROR_SURFACE_LOST_KHR;
	ret = kr_window_create(queue, &window);
	kr_queue_unref(queue);
	if (ret)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = kr_wsi_surface_create(window, ops_of(info->alphaMode), NULL, allocator, surface);
	kr_window_unref(window);
	return result;
}
