/* SPDX-License-Identifier: Apache-2.0 */
/* See surface_child.h. */
#include "bench/surface_child.h"

#include <stdio.h>

static int
open_window(struct surface_child *surface, VkExtent2D extent)
{
	xcb_screen_t *screen;

	surface->x = xcb_connect(NULL, NULL);
	if (xcb_connection_has_error(surface->x)) {
		fprintf(stderr, "krafla-bench: no X server\n");
		return 1;
	}
	screen = xcb_setup_roots_iterator(xcb_get_setup(surface->x)).data;
	surface->window = xcb_generate_id(surface->x);
	xcb_create_window(surface->x, XCB_COPY_FROM_PARENT, surface->window, screen->root, 0, 0,
		(uint16_t)extent.width, (uint16_t)extent.height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
		screen->root_visual, 0, NULL);
	xcb_map_window(surface->x, surface->window);
	xcb_flush(surface->x);
	return 0;
}

static int
create_instance(struct vulkan_child *vk, bool headless)
{
	const char *const extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME,
		headless ? VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME
			 : VK_KHR_XCB_SURFACE_EXTENSION_NAME};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.enabledExtensionCount = 2,
		.ppEnabledExtensionNames = extensions,
	};

	vulkan_child_close(vk);
	vk->instance = NULL;
	if (((PFN_vkCreateInstance)vk->gipa(NULL, "vkCreateInstance"))(&info, NULL, &vk->instance))
		return 1;
	vk->gdpa = (PFN_vkGetDeviceProcAddr)vk->gipa(vk->instance, "vkGetDeviceProcAddr");
	return 0;
}

/* On a window, or without one on nothing. */
static int
create_surface(struct surface_child *surface, struct vulkan_child *vk)
{
	VkXcbSurfaceCreateInfoKHR xcb = {
		.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
		.connection = surface->x,
		.window = surface->window,
	};
	VkHeadlessSurfaceCreateInfoEXT headless = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT,
	};

	if (surface->x)
		return ((PFN_vkCreateXcbSurfaceKHR)vk->gipa(vk->instance, "vkCreateXcbSurfaceKHR"))(
			vk->instance, &xcb, NULL, &surface->handle);
	return ((PFN_vkCreateHeadlessSurfaceEXT)vk->gipa(vk->instance,
		"vkCreateHeadlessSurfaceEXT"))(vk->instance, &headless, NULL, &surface->handle);
}

int
surface_child_open(struct surface_child *surface, struct vulkan_child *vk, const char *loader,
	bool xcb, VkExtent2D extent)
{
	*surface = (struct surface_child){0};
	return (xcb && open_window(surface, extent)) || vulkan_child_open(vk, loader) ||
		create_instance(vk, !xcb) ||
		vulkan_child_device(vk, VK_KHR_SWAPCHAIN_EXTENSION_NAME) ||
		create_surface(surface, vk);
}

void
surface_child_close(struct surface_child *surface, struct vulkan_child *vk)
{
	((PFN_vkDestroySurfaceKHR)vk->gipa(vk->instance, "vkDestroySurfaceKHR"))(
		vk->instance, surface->handle, NULL);
	vulkan_child_close(vk);
	if (surface->x)
		xcb_disconnect(surface->x);
}
