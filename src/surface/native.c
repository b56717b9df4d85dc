/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of the application's. Whoever speaks with their window system is an output module; what
 * stands here joins it to a queue. With a display the frames go there, and the module does what
 * programs expect of their window all the same: it tells its size, because they look at it to know
 * how large to draw, or keeps it mapped, because they wait for their compositor.
 */
#include "surface/native.h"

#include <errno.h>
#include <stdlib.h>

#include "surface/display.h"
#include "surface/output.h"
#include "util/log.h"
#include "window/window.h"

struct native {
	struct kr_wsi_surface_ops ops;
	struct kr_output_window *window; /* NULL: no module speaks with it */
	struct kr_queue *queue;          /* one reference */
	ANativeWindow
		*beside; /* the surface's, when a display shows it: told how large n->window is */
};

/* Scaling on a display is to the size that the window has on its own server. */
static void
tell_size(struct native *n, uint32_t width, uint32_t height)
{
	kr_queue_configure(n->queue, width, height, KR_HINT_SAME);
	if (n->beside && n->beside->perform(n->beside, KR_WINDOW_SET_WINDOW_SIZE, width, height))
		kr_debug("surface: the window takes no size");
}

static void
refresh(void *data)
{
	struct native *n = data;
	uint32_t width, height;

	if (!n->window)
		return;
	if (n->window->impl->get_size(n->window, &width, &height))
		kr_queue_abandon(n->queue);
	else
		tell_size(n, width, height);
	/*
	 * Asking has read from the connection, and what came with the answer no longer wakes a
	 * thread that polls for a buffer: take it in.
	 */
	(void)kr_queue_alive(n->queue);
}

static VkResult
presented(void *data, VkExtent2D extent)
{
	struct native *n = data;

	return n->window->impl->presented(n->window, extent.width, extent.height)
		? VK_ERROR_SURFACE_LOST_KHR
		: VK_SUCCESS;
}

static void
destroy(void *data)
{
	struct native *n = data;
	/* One with a sink is the queue's. */
	struct kr_output_window *ours = n->window && !n->window->sink ? n->window : NULL;

	kr_queue_unref(n->queue);
	if (ours)
		ours->impl->close(ours);
	free(n);
}

static void
choose_ops(struct native *n, const struct kr_surface_system *system)
{
	const struct kr_output_window_impl *impl = n->window ? n->window->impl : NULL;

	n->ops = (struct kr_wsi_surface_ops){
		.refresh = system->sized ? refresh : NULL,
		.presented = impl && impl->presented ? presented : NULL,
		.destroy = destroy,
		.no_size = !system->sized,
	};
}

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

/* The window as the far end of its own queue. */
static VkResult
open_shown(struct native *n, const struct kr_native_window *native,
	const struct kr_output_module *module)
{
	struct kr_output_window *window;
	struct kr_queue_config config;
	int ret;

	ret = module->open(&kr_output_host, native, &config, &window);
	if (ret)
		return result_from_errno(ret);
	ret = kr_queue_create(&config, window->sink, &n->queue);
	if (ret)
		return result_from_errno(ret);
	n->window = window;
	return VK_SUCCESS;
}

/* The display as the far end, in the window's size if it has one. */
static VkResult
open_beside(struct native *n, const struct kr_surface_system *system,
	const struct kr_native_window *native, const struct kr_output_module *module,
	const char *display)
{
	uint32_t width = 0, height = 0;
	int ret = module ? module->open(&kr_output_host, native, NULL, &n->window) : -ENOENT;

	if (ret == -ENOENT) {
		kr_warn("surface: %s", system->without);
		ret = 0;
	} else if (!ret && system->sized) {
		ret = n->window->impl->get_size(n->window, &width, &height);
	}
	if (ret)
		return result_from_errno(ret);
	ret = kr_surface_connect_display(display, NULL, width, height, &n->queue);
	if (ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	return ret ? VK_ERROR_SURFACE_LOST_KHR : VK_SUCCESS;
}

static VkResult
open_parts(struct native *n, const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	const struct kr_surface_system *system = request->kind->system;
	struct kr_native_window native = {.system = system->number};
	const struct kr_output_module *module = NULL;
	int ret = kr_output_load(system->module, &module);
	ANativeWindow *window;
	VkResult result;

	system->name_window(&request->info, &native);
	if (display)
		result = open_beside(n, system, &native, module, display);
	else
		result = ret ? result_from_errno(ret) : open_shown(n, &native, module);
	if (result != VK_SUCCESS)
		return result;
	ret = kr_window_create(n->queue, &window);
	if (ret)
		return result_from_errno(ret);
	choose_ops(n, system);
	if (display && system->sized && n->window)
		n->beside = window;
	result = kr_wsi_surface_create(window, &n->ops, n, allocator, surface);
	kr_window_unref(window);
	return result;
}

VkResult
kr_surface_open_native(const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	struct native *n;
	VkResult result;

	n = calloc(1, sizeof(*n));
	if (!n)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = open_parts(n, request, display, allocator, surface);
	if (result != VK_SUCCESS)
		destroy(n);
	return result;
}

bool
kr_surface_native_support(const struct kr_surface_system *system, void *connection,
	uintptr_t visual, const char *display)
{
	const struct kr_output_module *module;

	/* Frames go to the display, whatever the window's pixels look like. */
	if (display)
		return true;
	if (kr_output_load(system->module, &module))
		return false;
	return module->supports &&
		module->supports(&kr_output_host, system->number, connection, visual);
}
