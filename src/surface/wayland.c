/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wayland windows. Frames go to a display; the window itself gets something black of their size with each
 * frame, by krafla-output-wayland.so, so that its compositor tells the program what it waits for. A window
 * of Wayland has no size of its own: it is as large as what is presented to it.
 */
#include "surface/wayland.h"

#include <errno.h>
#include <stdlib.h>

#include "surface/display.h"
#include "surface/output.h"
#include "util/log.h"
#include "window/window.h"

struct wayland_surface {
	const struct kr_output_module *module;
	struct kr_output_placeholder *placeholder; /* NULL without the module */
	struct kr_queue *queue;                    /* one reference */
};

static VkResult
presented(void *data, VkExtent2D extent)
{
	struct wayland_surface *w = data;

	if (!w->placeholder)
		return VK_SUCCESS;
	return w->module->show_placeholder(w->placeholder, extent.width, extent.height)
		? VK_ERROR_SURFACE_LOST_KHR
		: VK_SUCCESS;
}

static void
destroy(void *data)
{
	struct wayland_surface *w = data;

	kr_queue_unref(w->queue);
	if (w->placeholder)
		w->module->close_placeholder(w->placeholder);
	free(w);
}

static const struct kr_wsi_surface_ops ops = {
	.presented = presented,
	.destroy = destroy,
	.no_size = true,
};

/* Without the module the frames are shown all the same. */
static int
open_placeholder(struct wayland_surface *w, const struct kr_surface_request *request)
{
	if (kr_output_load("wayland", &w->module)) {
		kr_warn("surface: nothing keeps the Wayland window mapped: a program that waits "
			"for "
			"its compositor may stand still");
		return 0;
	}
	return w->module->open_placeholder(
		&kr_output_host, request->wayland, request->wayland_surface, &w->placeholder);
}

VkResult
kr_surface_open_wayland(const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	struct wayland_surface *w = calloc(1, sizeof(*w));
	VkResult result = VK_ERROR_SURFACE_LOST_KHR;
	ANativeWindow *window;
	int ret;

	if (!w)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	ret = open_placeholder(w, request);
	if (!ret)
		ret = kr_surface_connect_display(display, NULL, 0, 0, &w->queue);
	if (!ret)
		ret = kr_window_create(w->queue, &window);
	if (!ret) {
		result = kr_wsi_surface_create(window, &ops, w, allocator, surface);
		kr_window_unref(window);
	} else if (ret == -ENOMEM) {
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (result != VK_SUCCESS)
		destroy(w);
	return result;
}
