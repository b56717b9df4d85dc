/* SPDX-License-Identifier: Apache-2.0 */
/* A surface with the loader, instance and device that go with it, for the children that present. */
#ifndef KR_BENCH_SURFACE_CHILD_H
#define KR_BENCH_SURFACE_CHILD_H

#include <stdbool.h>
#include <xcb/xcb.h>
#include "bench/vulkan_child.h"

struct surface_child {
	VkSurfaceKHR handle;
	xcb_connection_t *x; /* NULL: headless */
	xcb_window_t window;
};

/* In a window on X, or headless. 0, or 1 with a message; then the process is to end. */
int surface_child_open(struct surface_child *surface, struct vulkan_child *vk, const char *loader,
	bool xcb, VkExtent2D extent);
/* Closes all of it. */
void surface_child_close(struct surface_child *surface, struct vulkan_child *vk);

#endif
