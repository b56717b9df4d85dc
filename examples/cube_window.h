/* SPDX-License-Identifier: Apache-2.0 */
/* Where the cube is shown: three kinds of windows, one way to use them. */
#ifndef CUBE_WINDOW_H
#define CUBE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

enum window_kind {
	WINDOW_ANDROID,  /* an ANativeWindow on a Krafla display: krafla run, or KRAFLA_DISPLAY */
	WINDOW_HEADLESS, /* VK_EXT_headless_surface */
	WINDOW_XCB,
};

struct window;

/* The extension that an instance needs besides VK_KHR_surface. */
const char *window_extension(enum window_kind kind);
/* Opens a window; ends the program when that can't be done. */
struct window *window_open(enum window_kind kind, uint32_t width, uint32_t height);
VkSurfaceKHR window_create_surface(struct window *window, VkInstance instance);
/* Takes in events; false when the window was closed. */
bool window_dispatch(struct window *window);
void window_close(struct window *window);

#endif
