/* SPDX-License-Identifier: Apache-2.0 */
/* A Wayland window: see wayland_app.h. */
#include "wayland_app.h"

#include <vulkan/vulkan_wayland.h>

VkResult
wayland_app_create_surface(struct app *app, struct wl_display *display, struct wl_surface *surface)
{
	const VkWaylandSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR,
		.display = display,
		.surface = surface,
	};
	PFN_vkCreateWaylandSurfaceKHR create = (PFN_vkCreateWaylandSurfaceKHR)vkGetInstanceProcAddr(
		app->instance, "vkCreateWaylandSurfaceKHR");

	return create ? create(app->instance, &info, app->allocator, &app->surface)
		      : VK_ERROR_EXTENSION_NOT_PRESENT;
}
