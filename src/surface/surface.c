/* SPDX-License-Identifier: Apache-2.0 */
/* Opening surfaces, by kind and by what KRAFLA_DISPLAY says. */
#include "surface/surface.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>

#include "surface/display.h"
#include "surface/native.h"
#include "util/env.h"
#include "window/queue/sink.h"
#include "window/window.h"

static const struct kr_wsi_surface_ops sizeless_ops = {.no_size = true};

const char *
kr_surface_display(void)
{
	return kr_env_get("KRAFLA_DISPLAY");
}

bool
kr_surface_wayland_support(void)
{
	return kr_surface_native_support(KR_WINDOW_SYSTEM_WAYLAND, NULL, 0, kr_surface_display());
}

VkBool32
kr_surface_xcb_support(xcb_connection_t *xcb, xcb_visualid_t visual)
{
	return kr_surface_native_support(KR_WINDOW_SYSTEM_XCB, xcb, visual, kr_surface_display());
}

VkBool32
kr_surface_xlib_support(Display *xlib, VisualID visual)
{
	return kr_surface_native_support(KR_WINDOW_SYSTEM_XLIB, xlib, visual, kr_surface_display());
}

/* A surface over a queue, whose reference it takes, also on failure. */
static VkResult
wrap_queue(struct kr_queue *take_queue, const struct kr_wsi_surface_ops *ops,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	ANativeWindow *window;
	VkResult result;
	int ret;

	ret = kr_window_create(take_queue, &window);
	kr_queue_unref(take_queue);
	if (ret)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = kr_wsi_surface_create(window, ops, NULL, allocator, surface);
	kr_window_unref(window);
	return result;
}

/* Frames to nowhere: the sink needs nothing of a buffer, and holds one frame only while it arrives. */
static VkResult
open_nowhere(const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	const struct kr_queue_config config = {
		.default_width = 1,
		.default_height = 1,
		.default_format = AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM,
		.max_acquired = 1,
	};
	struct kr_queue *queue;
	struct kr_sink *sink;

	if (kr_sink_null_create(&sink) || kr_queue_create(&config, sink, &queue))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	return wrap_queue(queue, &sizeless_ops, allocator, surface);
}

static VkResult
open_headless(const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	const char *display = kr_surface_display();
	struct kr_queue *queue;

	if (!display)
		return open_nowhere(allocator, surface);
	if (kr_surface_connect_display(display, NULL, 0, 0, &queue))
		return VK_ERROR_SURFACE_LOST_KHR;
	return wrap_queue(queue, NULL, allocator, surface);
}

static VkResult
open_native(const struct kr_native_window *native, const VkAllocationCallbacks *allocator,
	struct kr_wsi_surface **surface)
{
	return kr_surface_open_native(native, kr_surface_display(), allocator, surface);
}

VkResult
kr_surface_open(const struct kr_surface_request *request, const VkAllocationCallbacks *allocator,
	struct kr_wsi_surface **surface)
{
	struct kr_native_window native;

	switch (request->kind) {
	case KR_SURFACE_ANDROID:
		return kr_wsi_surface_create(request->window, NULL, NULL, allocator, surface);
	case KR_SURFACE_HEADLESS:
		return open_headless(allocator, surface);
	case KR_SURFACE_XCB:
		native = (struct kr_native_window){
			KR_WINDOW_SYSTEM_XCB, request->xcb, request->x_window};
		return open_native(&native, allocator, surface);
	case KR_SURFACE_XLIB:
		native = (struct kr_native_window){
			KR_WINDOW_SYSTEM_XLIB, request->xlib, request->x_window};
		return open_native(&native, allocator, surface);
	case KR_SURFACE_WAYLAND:
		native = (struct kr_native_window){KR_WINDOW_SYSTEM_WAYLAND, request->wayland,
			(uintptr_t)request->wayland_surface};
		return open_native(&native, allocator, surface);
	}
	return VK_ERROR_INITIALIZATION_FAILED;
}
