/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of krafla-output-*.so: outputs that need libraries, loaded on demand (DESIGN 3). A
 * window system is a module, by a folder of outputs/, and its row in surface.c.
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

#define KR_OUTPUT_MODULE_ABI    7
#define KR_OUTPUT_MODULE_SYMBOL "kr_output_module"

/* What a module may call in its host. */
struct kr_output_host {
	uint32_t abi;
	int (*queue_release)(
		struct kr_queue *queue, uint32_t slot, uint64_t number, int take_fence);
	void (*queue_abandon)(struct kr_queue *queue);
	void (*queue_shown)(struct kr_queue *queue, uint64_t number, int64_t time_ns);
	void (*queue_configure)(
		struct kr_queue *queue, uint32_t width, uint32_t height, uint32_t transform_hint);
	/*
	 * The buffer's handle and its checked description (gralloc/buffer.h: struct
	 * kr_buffer_info).
	 */
	const native_handle_t *(*buffer_handle)(const struct kr_buffer *buffer);
	void (*log)(uint32_t bits, const char *message);
};

/* The window systems that modules know. Numbers are the interface's: new ones come last. */
enum kr_output_system {
	KR_OUTPUT_SYSTEM_XCB,
	KR_OUTPUT_SYSTEM_XLIB,
	KR_OUTPUT_SYSTEM_WAYLAND,
};

/* A window of the application's, as it names it to Vulkan. */
struct kr_native_window {
	enum kr_output_system system;
	void *connection; /* xcb_connection_t *, Display *, struct wl_display * */
	uintptr_t window; /* xcb_window_t, Window, struct wl_surface * */
};

struct kr_output_window;

/* Each may be missing where a window system has nothing to do for it; else it says so. */
struct kr_output_window_impl {
	/*
	 * Required of windows with a size of their own: which it is now, asked from the server.
	 * -ENODEV when the window is gone. May be called while another thread is in the sink.
	 */
	int (*get_size)(struct kr_output_window *window, uint32_t *width, uint32_t *height);
	/*
	 * With each frame that goes elsewhere: the window gets its size, and what the
	 * application has asked for takes effect. Waits for nothing. -EPIPE when the connection
	 * has ended (logged once).
	 */
	int (*presented)(struct kr_output_window *window, uint32_t width, uint32_t height);
	/* Required. Of a window without a sink; one with a sink ends with that. */
	void (*close)(struct kr_output_window *window);
};

/* First member of every window of a module. */
struct kr_output_window {
	const struct kr_output_window_impl *impl;
	struct kr_sink *sink; /* shows a queue's frames in it; NULL: they go elsewhere */
};

struct kr_output_module {
	uint32_t abi;
	const char *name;
	/*
	 * Opens a window of the application's, whose connection and window must outlive what is
	 * opened. With `config` frames shall be shown in it: then it gets a sink, and *config says
	 * what the queue shall be made with, and what the window can show (abilities). NULL: frames
	 * go elsewhere, of windows that needn't be ones that could show them. A server is waited
	 * for here, up to 5 s. 0; -EOPNOTSUPP for a window that can't show frames, -ENOENT when the
	 * connection isn't one that can be used, -ENODEV, -ETIMEDOUT, -EPIPE, ... (logged).
	 */
	int (*open)(const struct kr_output_host *host, const struct kr_native_window *native,
		struct kr_queue_config *config, struct kr_output_window **window);
	/* Whether frames can be shown in windows of this visual. NULL: in none. */
	bool (*supports)(const struct kr_output_host *host, enum kr_output_system system,
		void *connection, uintptr_t visual);
};

#endif
