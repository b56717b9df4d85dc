/* SPDX-License-Identifier: Apache-2.0 */
/* The child that draws a triangle on a surface: what a frame takes, presented and not. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

#include "bench/triangle.h"
#include "util/macros.h"

struct window {
	xcb_connection_t *x;
	xcb_window_t id;
};

static int
open_window(struct window *window, uint32_t width, uint32_t height)
{
	xcb_screen_t *screen;

	window->x = xcb_connect(NULL, NULL);
	if (xcb_connection_has_error(window->x)) {
		fprintf(stderr, "krafla-bench: no X server\n");
		return 1;
	}
	screen = xcb_setup_roots_iterator(xcb_get_setup(window->x)).data;
	window->id = xcb_generate_id(window->x);
	xcb_create_window(window->x, XCB_COPY_FROM_PARENT, window->id, screen->root, 0, 0,
		(uint16_t)width, (uint16_t)height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
		screen->root_visual, 0, NULL);
	xcb_map_window(window->x, window->id);
	xcb_flush(window->x);
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

/*
 * Three ways of drawing the same frame, in turns, so that what else the machine does
 * meets all alike.
 */
enum { PRESENTED, HANDSHAKE, OFFSCREEN, WAYS };
#define TURNS 10

static int (*const ways[WAYS])(struct triangle *, unsigned) = {
	[PRESENTED] = triangle_frame,
	[HANDSHAKE] = triangle_handshake_frame,
	[OFFSCREEN] = triangle_offscreen_frame,
};

static int
add_frames(struct triangle *t, unsigned way, unsigned count, int64_t *sum)
{
	int64_t start = kr_bench_now();

	for (unsigned i = 0; i < count; i++) {
		if (ways[way](t, i))
			return 1;
	}
	*sum += kr_bench_now() - start;
	return 0;
}

static int
run_frames(struct triangle *t, unsigned count, const char *mode)
{
	int64_t warm_up = 0, sums[WAYS] = {0};

	if (add_frames(t, PRESENTED, 30, &warm_up))
		return 1;
	count = KR_MAX(count / TURNS, 1u);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		for (unsigned way = 0; way < WAYS; way++) {
			if (add_frames(t, way, count, &sums[way]))
				return 1;
		}
	}
	for (unsigned way = 0; way < WAYS; way++)
		printf("%.3f ", (double)sums[way] / (count * TURNS) / 1000);
	fputs(mode, stdout);
	return 0;
}

/* On a window, or without one on nothing. */
static int
create_surface(struct vulkan_child *vk, const struct window *window, VkSurfaceKHR *surface)
{
	VkXcbSurfaceCreateInfoKHR xcb = {
		.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
		.connection = window->x,
		.window = window->id,
	};
	VkHeadlessSurfaceCreateInfoEXT headless = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT,
	};

	if (window->x)
		return ((PFN_vkCreateXcbSurfaceKHR)vk->gipa(vk->instance, "vkCreateXcbSurfaceKHR"))(
			vk->instance, &xcb, NULL, surface);
	return ((PFN_vkCreateHeadlessSurfaceEXT)vk->gipa(vk->instance,
		"vkCreateHeadlessSurfaceEXT"))(vk->instance, &headless, NULL, surface);
}

static int
run_on_surface(const char *loader, struct window *window, struct triangle *t, unsigned count)
{
	static const char *const modes[] = {"IMMEDIATE", "MAILBOX", "FIFO"};
	struct vulkan_child vk;
	VkPresentModeKHR mode;
	VkSurfaceKHR surface;
	int ret;

	if (vulkan_child_open(&vk, loader) || create_instance(&vk, !window->x) ||
		vulkan_child_device(&vk, VK_KHR_SWAPCHAIN_EXTENSION_NAME) ||
		create_surface(&vk, window, &surface) || triangle_create(t, &vk, surface, &mode))
		return 1;
	ret = run_frames(t, count, mode < 3 ? modes[mode] : "?");
	triangle_destroy(t);
	((PFN_vkDestroySurfaceKHR)vk.gipa(vk.instance, "vkDestroySurfaceKHR"))(
		vk.instance, surface, NULL);
	vulkan_child_close(&vk);
	return ret;
}

/*
 * frames LOADER WIDTH HEIGHT COUNT xcb|headless: prints us a frame, us with the submits that
 * presenting takes, us without, and the present mode.
 */
int
kr_bench_child_frames(int argc, char **argv)
{
	struct window window = {0};
	struct triangle t = {0};
	int ret;

	if (argc < 5)
		return 2;
	t.extent.width = (uint32_t)atoi(argv[1]);
	t.extent.height = (uint32_t)atoi(argv[2]);
	if (!strcmp(argv[4], "xcb") && open_window(&window, t.extent.width, t.extent.height))
		return 1;
	ret = run_on_surface(argv[0], &window, &t, (unsigned)atoi(argv[3]));
	if (window.x)
		xcb_disconnect(window.x);
	return ret;
}
