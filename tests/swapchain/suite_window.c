/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of each kind for the suite. */
#include <krafla/window.h>
#include <stdio.h>
#include <string.h>
#include <wayland-client.h>
#include <X11/Xlib.h>
#include <xcb/xcb.h>
#include <xdg-shell-client.h>

#include "suite.h"

#include <vulkan/vulkan_android.h>
#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>

/* One window a process. */
static xcb_connection_t *xcb;
static Display *xlib;
static ANativeWindow *native;
static struct wl_display *wayland;
static struct wl_compositor *compositor;
static struct xdg_wm_base *shell;
static bool configured;

static const struct {
	const char *kind;
	const char *extension;
} kinds[] = {
	{"headless", VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME},
	{"xcb", VK_KHR_XCB_SURFACE_EXTENSION_NAME},
	{"xlib", VK_KHR_XLIB_SURFACE_EXTENSION_NAME},
	{"wayland", VK_KHR_WAYLAND_SURFACE_EXTENSION_NAME},
	{"android", VK_KHR_ANDROID_SURFACE_EXTENSION_NAME},
	{"display", VK_KHR_DISPLAY_EXTENSION_NAME},
};

const char *
suite_window_extension(const char *kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kinds[i].kind, kind))
			return kinds[i].extension;
	}
	return NULL;
}

#define LOAD(s, name) PFN_##name name = (PFN_##name)vkGetInstanceProcAddr((s)->instance, #name)

static const char *
done(struct suite *s, VkResult result)
{
	return result == VK_SUCCESS ? NULL : suite_fail(s, "the surface is made", result);
}

static const char *
create_headless(struct suite *s)
{
	const VkHeadlessSurfaceCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
	LOAD(s, vkCreateHeadlessSurfaceEXT);

	return done(s, vkCreateHeadlessSurfaceEXT(s->instance, &info, NULL, &s->surface));
}

static const char *
create_xcb(struct suite *s)
{
	VkXcbSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR};
	LOAD(s, vkCreateXcbSurfaceKHR);
	const xcb_screen_t *screen;

	xcb = xcb_connect(NULL, NULL);
	if (xcb_connection_has_error(xcb))
		return suite_fail(s, "an X server", 0);
	screen = xcb_setup_roots_iterator(xcb_get_setup(xcb)).data;
	info.connection = xcb;
	info.window = xcb_generate_id(xcb);
	xcb_create_window(xcb, XCB_COPY_FROM_PARENT, info.window, screen->root, 0, 0,
		SUITE_SIZE.width, SUITE_SIZE.height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
		screen->root_visual, 0, NULL);
	xcb_map_window(xcb, info.window);
	xcb_flush(xcb);
	return done(s, vkCreateXcbSurfaceKHR(s->instance, &info, NULL, &s->surface));
}

static const char *
create_xlib(struct suite *s)
{
	VkXlibSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR};
	LOAD(s, vkCreateXlibSurfaceKHR);

	xlib = XOpenDisplay(NULL);
	if (!xlib)
		return suite_fail(s, "an X server", 0);
	info.dpy = xlib;
	info.window = XCreateSimpleWindow(
		xlib, DefaultRootWindow(xlib), 0, 0, SUITE_SIZE.width, SUITE_SIZE.height, 0, 0, 0);
	XMapWindow(xlib, info.window);
	XSync(xlib, False);
	return done(s, vkCreateXlibSurfaceKHR(s->instance, &info, NULL, &s->surface));
}

static void
handle_ping(void *data, struct xdg_wm_base *base, uint32_t serial)
{
	xdg_wm_base_pong(base, serial);
}

static void
handle_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface,
	uint32_t version)
{
	static const struct xdg_wm_base_listener listener = {.ping = handle_ping};

	if (!strcmp(interface, wl_compositor_interface.name)) {
		compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
	} else if (!strcmp(interface, xdg_wm_base_interface.name)) {
		shell = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
		xdg_wm_base_add_listener(shell, &listener, NULL);
	}
}

static void
handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static void
handle_configure(void *data, struct xdg_surface *surface, uint32_t serial)
{
	xdg_surface_ack_configure(surface, serial);
	configured = true;
}

static void
handle_toplevel_configure(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
	struct wl_array *states)
{
}

static void
handle_close(void *data, struct xdg_toplevel *toplevel)
{
}

static const char *
create_wayland(struct suite *s)
{
	static const struct wl_registry_listener registry_listener = {
		handle_global, handle_global_remove};
	static const struct xdg_surface_listener surface_listener = {handle_configure};
	static const struct xdg_toplevel_listener toplevel_listener = {
		.configure = handle_toplevel_configure, .close = handle_close};
	VkWaylandSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR};
	LOAD(s, vkCreateWaylandSurfaceKHR);
	struct xdg_surface *xdg;

	wayland = wl_display_connect(NULL);
	if (!wayland)
		return suite_fail(s, "a Wayland compositor", 0);
	wl_registry_add_listener(wl_display_get_registry(wayland), &registry_listener, NULL);
	wl_display_roundtrip(wayland);
	if (!compositor || !shell)
		return suite_fail(s, "xdg-shell", 0);
	info.display = wayland;
	info.surface = wl_compositor_create_surface(compositor);
	xdg = xdg_wm_base_get_xdg_surface(shell, info.surface);
	xdg_surface_add_listener(xdg, &surface_listener, NULL);
	xdg_toplevel_add_listener(xdg_surface_get_toplevel(xdg), &toplevel_listener, NULL);
	wl_surface_commit(info.surface);
	while (!configured) {
		if (wl_display_dispatch(wayland) < 0)
			return suite_fail(s, "a configured window", 0);
	}
	return done(s, vkCreateWaylandSurfaceKHR(s->instance, &info, NULL, &s->surface));
}

static const char *
create_android(struct suite *s)
{
	VkAndroidSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_SURFACE_CREATE_INFO_KHR};
	LOAD(s, vkCreateAndroidSurfaceKHR);
	int ret = krafla_window_open(NULL, "suite", SUITE_SIZE.width, SUITE_SIZE.height, &native);

	if (ret)
		return suite_fail(s, "a window on the display", ret);
	info.window = native;
	return done(s, vkCreateAndroidSurfaceKHR(s->instance, &info, NULL, &s->surface));
}

static const char *
create_display(struct suite *s)
{
	VkDisplaySurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR,
		.transform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.alphaMode = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR,
		.globalAlpha = 1,
	};
	VkDisplayModePropertiesKHR mode;
	VkDisplayPropertiesKHR display;
	uint32_t count = 1;
	LOAD(s, vkGetPhysicalDeviceDisplayPropertiesKHR);
	LOAD(s, vkGetDisplayModePropertiesKHR);
	LOAD(s, vkCreateDisplayPlaneSurfaceKHR);

	if (vkGetPhysicalDeviceDisplayPropertiesKHR(s->physical, &count, &display) < 0 || !count)
		return suite_skip(s, "the device has no display");
	count = 1;
	if (vkGetDisplayModePropertiesKHR(s->physical, display.display, &count, &mode) < 0 ||
		!count)
		return suite_fail(s, "a mode of the display", 0);
	info.displayMode = mode.displayMode;
	info.imageExtent = mode.parameters.visibleRegion;
	return done(s, vkCreateDisplayPlaneSurfaceKHR(s->instance, &info, NULL, &s->surface));
}

const char *
suite_window_create(struct suite *s, const char *kind)
{
	if (!strcmp(kind, "headless"))
		return create_headless(s);
	if (!strcmp(kind, "xcb"))
		return create_xcb(s);
	if (!strcmp(kind, "xlib"))
		return create_xlib(s);
	if (!strcmp(kind, "wayland"))
		return create_wayland(s);
	return !strcmp(kind, "android") ? create_android(s) : create_display(s);
}

void
suite_window_close(void)
{
	if (xcb)
		xcb_disconnect(xcb);
	if (xlib)
		XCloseDisplay(xlib);
	if (native)
		native->common.decRef(&native->common);
	if (wayland)
		wl_display_disconnect(wayland);
}
