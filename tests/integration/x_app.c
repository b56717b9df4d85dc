/* SPDX-License-Identifier: Apache-2.0 */
/* An X window: see x_app.h. */
#include "x_app.h"

#define VK_USE_PLATFORM_XCB_KHR
#include <vulkan/vulkan_xcb.h>

bool
x_app_open(struct x_app *x, const char *display, uint16_t width, uint16_t height)
{
	const uint32_t events = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
	const xcb_screen_t *screen;

	x->connection = xcb_connect(display, NULL);
	if (xcb_connection_has_error(x->connection)) {
		x_app_close(x);
		return false;
	}
	screen = xcb_setup_roots_iterator(xcb_get_setup(x->connection)).data;
	x->window = xcb_generate_id(x->connection);
	xcb_create_window(x->connection, XCB_COPY_FROM_PARENT, x->window, screen->root, 0, 0, width,
		height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, XCB_CW_EVENT_MASK,
		&events);
	xcb_map_window(x->connection, x->window);
	xcb_flush(x->connection);
	return true;
}

VkResult
x_app_create_surface(const struct x_app *x, struct app *app)
{
	const VkXcbSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
		.connection = x->connection,
		.window = x->window,
	};
	PFN_vkCreateXcbSurfaceKHR create = (PFN_vkCreateXcbSurfaceKHR)vkGetInstanceProcAddr(
		app->instance, "vkCreateXcbSurfaceKHR");

	return create ? create(app->instance, &info, app->allocator, &app->surface)
		      : VK_ERROR_EXTENSION_NOT_PRESENT;
}

void
x_app_close(struct x_app *x)
{
	xcb_disconnect(x->connection);
	*x = (struct x_app){0};
}
