/* SPDX-License-Identifier: Apache-2.0 */
/*
 * X windows, of libxcb and of Xlib. Whoever speaks X is krafla-output-xcb.so, on a connection of its own; what stands here
 * joins it to a queue. With a display the frames go there, and the module is asked for the window's
 * size alone, because programs look at their window to know how large to draw.
 */
#include "surface/xcb.h"

#include <errno.h>
#include <stdlib.h>

#include "surface/display.h"
#include "surface/output.h"
#include "util/log.h"
#include "window/window.h"

struct xcb_surface {
	const struct kr_output_module *module;
	xcb_connection_t *application; /* its own, or the one below its Xlib Display */
	struct kr_queue *queue;        /* one reference */
	struct kr_sink *sink;          /* the X window */
	bool owns_sink;                /* else the queue does */
};

static void
set_present_mode(void *data, VkPresentModeKHR mode)
{
	struct xcb_surface *x = data;

	x->module->set_mode(x->sink,
		mode == VK_PRESENT_MODE_IMMEDIATE_KHR         ? KR_OUTPUT_IMMEDIATE
			: mode == VK_PRESENT_MODE_MAILBOX_KHR ? KR_OUTPUT_MAILBOX
							      : KR_OUTPUT_FIFO);
}

static void
refresh(void *data)
{
	struct xcb_surface *x = data;
	uint32_t width, height;

	if (!x->sink)
		return;
	if (x->module->get_size(x->sink, &width, &height))
		kr_queue_abandon(x->queue);
	else
		kr_queue_set_default_size(x->queue, width, height);
	/*
	 * Asking has read from the connection, and what came with the answer no longer wakes a thread
	 * that polls for a buffer: take it in.
	 */
	(void)kr_queue_alive(x->queue);
}

static void
destroy(void *data)
{
	struct xcb_surface *x = data;

	kr_queue_unref(x->queue);
	if (x->owns_sink)
		x->sink->impl->destroy(x->sink);
	free(x);
}

static const struct kr_wsi_surface_ops window_ops = {
	.set_present_mode = set_present_mode,
	.refresh = refresh,
	.destroy = destroy,
};

static const struct kr_wsi_surface_ops display_ops = {
	.refresh = refresh,
	.destroy = destroy,
};

static VkResult
result_from_errno(int error)
{
	switch (error) {
	case -ENOMEM:
	case -EMFILE:
	case -ENFILE:
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	case -ENOENT:
	case -EPROTO:
	case -EOPNOTSUPP:
		return VK_ERROR_INITIALIZATION_FAILED;
	default:
		return VK_ERROR_SURFACE_LOST_KHR;
	}
}

/* The X window as the far end of its own queue. */
static int
open_window(struct xcb_surface *x, const struct kr_surface_request *request)
{
	struct kr_queue_config config;
	struct kr_sink *sink;
	int ret;

	ret = x->module->open_xcb(
		&kr_output_host, x->application, request->x_window, &config, &sink);
	if (ret)
		return ret;
	ret = kr_queue_create(&config, sink, &x->queue);
	if (!ret)
		x->sink = sink;
	return ret;
}

/* The display as the far end, in the X window's size. */
static int
open_display(struct xcb_surface *x, const struct kr_surface_request *request, const char *display)
{
	uint32_t width = 0, height = 0;
	int ret;

	if (!x->application) {
		kr_warn("surface: the X window's size isn't known, the display's is used");
		return kr_surface_connect_display(display, NULL, 0, 0, &x->queue);
	}
	ret = x->module->open_xcb(
		&kr_output_host, x->application, request->x_window, NULL, &x->sink);
	if (ret)
		return ret;
	x->owns_sink = true;
	ret = x->module->get_size(x->sink, &width, &height);
	if (ret)
		return ret;
	return kr_surface_connect_display(display, NULL, width, height, &x->queue);
}

/* Whom to speak X with, and by whom. */
static int
find_application(struct xcb_surface *x, const struct kr_surface_request *request)
{
	int ret = kr_output_load("xcb", &x->module);

	if (ret)
		return ret;
	x->application = request->kind == KR_SURFACE_XLIB
		? x->module->connection_of_xlib(&kr_output_host, request->xlib)
		: request->xcb;
	return x->application ? 0 : -ENOENT;
}

static VkResult
open_parts(struct xcb_surface *x, const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	ANativeWindow *window;
	VkResult result;
	int ret;

	ret = find_application(x, request);
	if (display)
		ret = open_display(x, request, display);
	else if (!ret)
		ret = open_window(x, request);
	if (!ret)
		ret = kr_window_create(x->queue, &window);
	if (ret)
		return result_from_errno(ret);
	result = kr_wsi_surface_create(
		window, display ? &display_ops : &window_ops, x, allocator, surface);
	kr_window_unref(window);
	return result;
}

VkResult
kr_surface_open_xcb(const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	struct xcb_surface *x = calloc(1, sizeof(*x));
	VkResult result;

	if (!x)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = open_parts(x, request, display, allocator, surface);
	if (result != VK_SUCCESS)
		destroy(x);
	return result;
}

VkBool32
kr_surface_xcb_support(xcb_connection_t *xcb, xcb_visualid_t visual)
{
	const struct kr_output_module *module;

	/* Frames go to the display, whatever the window's pixels look like. */
	if (kr_surface_display())
		return VK_TRUE;
	if (kr_output_load("xcb", &module))
		return VK_FALSE;
	return module->supports_visual(xcb, visual);
}

VkBool32
kr_surface_xlib_support(Display *xlib, VisualID visual)
{
	const struct kr_output_module *module;
	xcb_connection_t *xcb;

	if (kr_surface_display())
		return VK_TRUE;
	if (kr_output_load("xcb", &module))
		return VK_FALSE;
	xcb = module->connection_of_xlib(&kr_output_host, xlib);
	return xcb && module->supports_visual(xcb, (uint32_t)visual);
}
