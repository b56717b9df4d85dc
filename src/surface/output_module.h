/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of krafla-output-*.so: outputs that need libraries, loaded on demand (DESIGN 3).
 * The module and its host each have their own copy of the platform, so everything that crosses goes
 * through these two tables.
 */
#ifndef KR_SURFACE_OUTPUT_MODULE_H
#define KR_SURFACE_OUTPUT_MODULE_H

#include <stdbool.h>
#include <stdint.h>
#include "window/queue/frame.h"
#include "window/queue/queue.h"
#include "window/queue/sink.h"

#define KR_OUTPUT_MODULE_ABI    2
#define KR_OUTPUT_MODULE_SYMBOL "kr_output_module"

/* What a module may call in its host. */
struct kr_output_host {
	uint32_t abi;
	int (*queue_release)(
		struct kr_queue *queue, uint32_t slot, uint64_t number, int take_fence);
	void (*queue_abandon)(struct kr_queue *queue);
	void (*queue_set_default_size)(struct kr_queue *queue, uint32_t width, uint32_t height);
	/*
	 * The buffer's handle and its checked description (gralloc/buffer.h: struct
	 * kr_buffer_info).
	 */
	const native_handle_t *(*buffer_handle)(const struct kr_buffer *buffer);
	int (*fence_wait)(int fence, int64_t deadline_ns);
	void (*log)(uint32_t bits, const char *message);
};

enum kr_output_mode {
	KR_OUTPUT_FIFO,
	KR_OUTPUT_MAILBOX,
	KR_OUTPUT_IMMEDIATE,
};

struct kr_output_placeholder;

/* A module has what its window system is asked for, and NULL elsewhere. */
struct kr_output_module {
	uint32_t abi;
	const char *name;
	/*
	 * A sink that shows frames in an X window, over a connection of its own to the same server.
	 * Of *config it says what the queue shall be made with; NULL: no frame will come, the sink
	 * is only asked for the window's size (of any visual) and gets no queue. 0 or -errno. `xcb`
	 * is the application's connection: one round trip on it, nothing else.
	 */
	int (*open_xcb)(const struct kr_output_host *host, void *xcb, uint32_t window,
		struct kr_queue_config *config, struct kr_sink **sink);
	/* The window's present size, asked from the server. -ENODEV when it is gone. */
	int (*get_size)(struct kr_sink *sink, uint32_t *width, uint32_t *height);
	void (*set_mode)(struct kr_sink *sink, enum kr_output_mode mode);
	/* Whether a window of this visual can be shown. */
	bool (*supports_visual)(void *xcb, uint32_t visual);
	/*
	 * The connection of libxcb below an Xlib Display, for the functions above; it is the
	 * Display's. NULL when it isn't known (logged).
	 */
	void *(*connection_of_xlib)(const struct kr_output_host *host, void *display);
	/*
	 * What keeps a wl_surface of the application's mapped while its frames go elsewhere
	 * (outputs/wayland/placeholder.h). A compositor is waited for when it is opened alone, up to
	 * 5 s. 0, -ETIMEDOUT, -EPIPE, ... (logged). `display` and `surface` must outlive it.
	 */
	int (*open_placeholder)(const struct kr_output_host *host, void *display, void *surface,
		struct kr_output_placeholder **placeholder);
	/*
	 * With each frame: the window gets that size, and what the application has asked for takes
	 * effect. Waits for nothing. -EPIPE when the connection has ended (logged once).
	 */
	int (*show_placeholder)(
		struct kr_output_placeholder *placeholder, uint32_t width, uint32_t height);
	void (*close_placeholder)(struct kr_output_placeholder *placeholder);
};

#endif
