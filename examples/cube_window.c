/* SPDX-License-Identifier: Apache-2.0 */
/* The three kinds of windows. */
#include "cube_window.h"

#include <errno.h>
#include <krafla/window.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

#define VK_USE_PLATFORM_ANDROID_KHR
#define VK_USE_PLATFORM_XCB_KHR
#include <vulkan/vulkan_android.h>
#include <vulkan/vulkan_xcb.h>

#include "cube_gpu.h"

struct window {
	enum window_kind kind;
	ANativeWindow *native;
	xcb_connection_t *xcb;
	xcb_window_t id;
	xcb_atom_t delete_atom; /* what a window manager sends instead of destroying the window */
};

const char *
window_extension(enum window_kind kind)
{
	switch (kind) {
	case WINDOW_ANDROID:
		return VK_KHR_ANDROID_SURFACE_EXTENSION_NAME;
	case WINDOW_XCB:
		return VK_KHR_XCB_SURFACE_EXTENSION_NAME;
	default:
		return VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME;
	}
}

static void
open_android(struct window *window, uint32_t width, uint32_t height)
{
	int err = krafla_window_open(
		NULL, program_invocation_short_name, width, height, &window->native);

	if (err < 0)
		die("can't open a window on a Krafla display (%s): use `krafla run -- %s`%s",
			strerror(-err), program_invocation_short_name,
			strcmp(program_invocation_short_name, "krafla-cube") != 0
				? ""
				: ", or --surface headless or xcb");
}

static xcb_atom_t
intern(xcb_connection_t *xcb, const char *name)
{
	xcb_intern_atom_cookie_t cookie = xcb_intern_atom(xcb, 0, (uint16_t)strlen(name), name);
	xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(xcb, cookie, NULL);
	xcb_atom_t atom = reply ? reply->atom : XCB_ATOM_NONE;

	free(reply);
	return atom;
}

static void
open_xcb(struct window *window, uint32_t width, uint32_t height)
{
	const uint32_t events = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
	const char title[] = "Krafla's cube";
	xcb_screen_t *screen;
	int number;

	window->xcb = xcb_connect(NULL, &number);
	if (xcb_connection_has_error(window->xcb))
		die("can't connect to the X server (DISPLAY is '%s')",
			getenv("DISPLAY") ? getenv("DISPLAY") : "");
	xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(window->xcb));
	for (int i = 0; i < number; i++)
		xcb_screen_next(&screens);
	screen = screens.data;
	window->id = xcb_generate_id(window->xcb);
	xcb_create_window(window->xcb, XCB_COPY_FROM_PARENT, window->id, screen->root, 0, 0,
		(uint16_t)width, (uint16_t)height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
		screen->root_visual, XCB_CW_EVENT_MASK, &events);
	xcb_change_property(window->xcb, XCB_PROP_MODE_REPLACE, window->id, XCB_ATOM_WM_NAME,
		XCB_ATOM_STRING, 8, sizeof(title) - 1, title);
	window->delete_atom = intern(window->xcb, "WM_DELETE_WINDOW");
	xcb_change_property(window->xcb, XCB_PROP_MODE_REPLACE, window->id,
		intern(window->xcb, "WM_PROTOCOLS"), XCB_ATOM_ATOM, 32, 1, &window->delete_atom);
	xcb_map_window(window->xcb, window->id);
	xcb_flush(window->xcb);
}

struct window *
window_open(enum window_kind kind, uint32_t width, uint32_t height)
{
	struct window *window = calloc(1, sizeof(*window));

	if (!window)
		die("out of memory");
	window->kind = kind;
	if (kind == WINDOW_ANDROID)
		open_android(window, width, height);
	else if (kind == WINDOW_XCB)
		open_xcb(window, width, height);
	return window;
}

/* Surface functions are extensions: they are asked for rather than linked. */
static PFN_vkVoidFunction
load(VkInstance instance, const char *name)
{
	PFN_vkVoidFunction function = vkGetInstanceProcAddr(instance, name);

	if (!function)
		die("this Vulkan loader has no %s", name);
	return function;
}

VkSurfaceKHR
window_create_surface(struct window *window, VkInstance instance)
{
	const VkAndroidSurfaceCreateInfoKHR android = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_SURFACE_CREATE_INFO_KHR,
		.window = window->native,
	};
	const VkXcbSurfaceCreateInfoKHR xcb = {
		.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
		.connection = window->xcb,
		.window = window->id,
	};
	const VkHeadlessSurfaceCreateInfoEXT headless = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT,
	};
	VkSurfaceKHR surface;

	if (window->kind == WINDOW_ANDROID)
		check(((PFN_vkCreateAndroidSurfaceKHR)load(instance, "vkCreateAndroidSurfaceKHR"))(
			      instance, &android, NULL, &surface),
			"vkCreateAndroidSurfaceKHR");
	else if (window->kind == WINDOW_XCB)
		check(((PFN_vkCreateXcbSurfaceKHR)load(instance, "vkCreateXcbSurfaceKHR"))(
			      instance, &xcb, NULL, &surface),
			"vkCreateXcbSurfaceKHR");
	else
		check(((PFN_vkCreateHeadlessSurfaceEXT)load(instance,
			      "vkCreateHeadlessSurfaceEXT"))(instance, &headless, NULL, &surface),
			"vkCreateHeadlessSurfaceEXT");
	return surface;
}

bool
window_dispatch(struct window *window)
{
	xcb_generic_event_t *event;
	bool open = true;

	if (window->kind != WINDOW_XCB)
		return true;
	while ((event = xcb_poll_for_event(window->xcb))) {
		const xcb_client_message_event_t *message = (const void *)event;
		uint8_t type = event->response_type & 0x7f;

		if (type == XCB_DESTROY_NOTIFY ||
			(type == XCB_CLIENT_MESSAGE &&
				message->data.data32[0] == window->delete_atom))
			open = false;
		free(event);
	}
	return open && !xcb_connection_has_error(window->xcb);
}

void
window_close(struct window *window)
{
	if (window->native)
		window->native->common.decRef(&window->native->common);
	if (window->xcb)
		xcb_disconnect(window->xcb);
	free(window);
}
