/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application with an X window, and the output module's sink behind a queue. With
 * KRAFLA_TEST_X=xlib it is a program of Xlib: the window's requests are in Xlib's own buffer, and
 * surfaces are asked for by its Display.
 */
#ifndef KR_TESTS_SURFACE_X_RIG_H
#define KR_TESTS_SURFACE_X_RIG_H

#include <stdint.h>
#include <xcb/xcb.h>
#include "surface/surface.h"
#include "util/vulkan.h"
#include "surface/output_module.h"
#include "window/queue/queue.h"
#include "xvfb.h"

struct x_rig {
	struct kr_xvfb server;
	xcb_connection_t *app; /* also below a Display */
	Display *xlib;         /* NULL: a program of libxcb */
	xcb_window_t window;
	uint32_t visual;
	const struct kr_output_module *module;
	struct kr_queue *queue;
	struct kr_output_window *output;
	struct kr_queue_input input; /* what frames are queued with */
	uint16_t width;
	uint16_t height;
};

/* A server and an application with a mapped window, nothing of ours yet. */
void x_rig_start(struct x_rig *rig, const char *screen, const char *arg1, const char *arg2,
	uint16_t width, uint16_t height);
/* For kr_surface_open. */
struct kr_surface_request x_rig_request(const struct x_rig *rig);
/* kr_surface_support. */
bool x_rig_support(const struct x_rig *rig, uint32_t visual);
/* A window of the application's server, by the module. */
int x_rig_open_window(struct x_rig *rig, xcb_window_t window, struct kr_queue_config *config,
	struct kr_output_window **output);
/* The module's sink and a connected queue; the mode is that of the frames to come. */
void x_rig_open(struct x_rig *rig, uint8_t mode);
void x_rig_stop(struct x_rig *rig);

struct x_buffer {
	uint32_t slot;
	struct kr_buffer *buffer;
};
/* A buffer of a size and format, ready to be written; -errno. */
int x_rig_dequeue(struct x_rig *rig, uint32_t width, uint32_t height, uint32_t format,
	int64_t timeout_ns, struct x_buffer *buffer);
/* Pixel (x, y) of a pattern, as 0xRRGGBB, exact in every format. */
uint32_t x_pattern(uint32_t x, uint32_t y, uint32_t seed);
void x_fill(struct x_buffer *buffer, uint32_t seed);
int x_rig_queue(struct x_rig *rig, struct x_buffer *buffer, int take_fence);
/* dequeue, fill, queue in the window's size. */
int x_rig_frame(struct x_rig *rig, uint32_t format, uint32_t seed);
/* Waits until all buffers are back. */
void x_rig_settle(struct x_rig *rig);
/* Fails unless the window shows the pattern. */
void x_rig_expect(struct x_rig *rig, uint32_t seed);
/* Whether the window shows it just now. */
int x_rig_shows(struct x_rig *rig, uint32_t seed);
/* Whether the server has this inode mapped. */
int x_rig_server_maps(const struct x_rig *rig, uint64_t inode);

#endif
