/* SPDX-License-Identifier: Apache-2.0 */
/* An X window: see x_app.h. */
#include "x_app.h"

#include <X11/Xlib-xcb.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>

const char *
x_app_extension(bool xlib)
{
	return xlib ? VK_KHR_XLIB_SURFACE_EXTENSION_NAME : VK_KHR_XCB_SURFACE_EXTENSION_NAME;
}

bool
x_app_open_xlib(struct x_app *x, const char *display, uint16_t width, uint16_t height)
{
	*x = (struct x_app){.xlib = XOpenDisplay(display)};
	if (!x->xlib)
		return false;
	x->connection = XGetXCBConnection(x->xlib);
	x->window = (xcb_window_t)XCreateSimpleWindow(
		x->xlib, DefaultRootWindow(x->xlib), 0, 0, width, height, 0, 0, 0);
	XSelectInput(x->xlib, x->window, StructureNotifyMask);
	XMapWindow(x->xlib, x->window);
	return true;
}

static VkResult
create_xlib_surface(const struct x_app *x, struct app *app)
{
	const VkXlibSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR,
		.dpy = x->xlib,
		.window = x->window,
	};
	PFN_vkCreateXlibSurfaceKHR create = (PFN_vkCreateXlibSurfaceKHR)vkGetInstanceProcAddr(
		app->instance, "vkCreateXlibSurfaceKHR");

	return create ? create(app->instance, &info, app->allocator, &app->surface)
		      : VK_ERROR_EXTENSION_NOT_PRESENT;
}

VkBool32
x_app_can_present(const struct x_app *x, const struct app *app)
{
	const xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(x->connection)).data;

	if (x->xlib)
		return ((PFN_vkGetPhysicalDeviceXlibPresentationSupportKHR)vkGetInstanceProcAddr(
			app->instance, "vkGetPhysicalDeviceXlibPresentationSupportKHR"))(
			app->physical, 0, x->xlib, screen->root_visual);
	return ((PFN_vkGetPhysicalDeviceXcbPresentationSupportKHR)vkGetInstanceProcAddr(
		app->instance, "vkGetPhysicalDeviceXcbPresentationSupportKHR"))(
		app->physical, 0, x->connection, screen->root_visual);
}

bool
x_app_open(struct x_app *x, const char *display, uint16_t width, uint16_t height)
{
	const uint32_t events = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
	const xcb_screen_t *screen;

	*x = (struct x_app){.connection = xcb_connect(display, NULL)};
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

	if (x->xlib)
		return create_xlib_surface(x, app);
	return create ? create(app->instance, &info, app->allocator, &app->surface)
		      : VK_ERROR_EXTENSION_NOT_PRESENT;
}

void
x_app_close(struct x_app *x)
{
	if (x->xlib)
		XCloseDisplay(x->xlib);
	else
		xcb_disconnect(x->connection);
	*x = (struct x_app){0};
}
