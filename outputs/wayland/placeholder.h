/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in an application's Wayland window while its frames go to a display of ours: black,
 * of the frames' size. The compositor so keeps the window mapped, says when its frames would have
 * been shown, and configures it, for programs that wait for that.
 *
 * The connection and the surface are the application's. What is ours on them:
 *
 *   requests   one attach, damage and commit a frame, on the thread that presents, as each driver's
 *              window system does it. A commit applies what the application has asked for since the
 *              last one (a frame callback, a size): that is what it waits for
 *   events     of our own objects alone, on a queue of our own. The application's are never
 *              dispatched here, but read from the socket: programs leave that to whoever presents
 *
 * A compositor that takes nothing must neither block the program nor break its
 * connection, which libwayland does when it has no room left for requests: after
 * MAX_UNANSWERED frames without an answer nothing more is asked of it until one comes.
 * The display doesn't care, and shows the frames.
 *
 * The buffer has the frames' size, because it is the buffer's size that makes the window's. (A
 * wp_viewport would save it, but a surface has only one, and an application with one of its own
 * would lose its connection.) It is a memfd that is never written: what takes memory is what
 * the compositor reads of it.
 */
#ifndef KR_OUTPUTS_WAYLAND_PLACEHOLDER_H
#define KR_OUTPUTS_WAYLAND_PLACEHOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <wayland-client.h>
#include "util/macros.h"
#include "surface/output_module.h"

#define MAX_UNANSWERED 64

/* External synchronisation, as Vulkan has it of a surface's swapchains. */
struct placeholder {
	struct kr_output_window base; /* first */
	const struct kr_output_host *host;
	struct wl_display *display;   /* the application's */
	struct wl_event_queue *queue; /* ours */
	/* Wrappers of the application's objects, so that what is made by them is on our queue. */
	struct wl_display *on_queue;
	struct wl_surface *surface;
	struct wl_shm *shm;
	struct wl_buffer *buffer; /* NULL: none yet, or none can be had */
	uint32_t width, height;   /* of the last frame */
	struct wl_callback *sync; /* NULL: nothing is asked */
	uint64_t sent;            /* commits */
	uint64_t asked;           /* of these when sync was sent */
	uint64_t answered;
	bool lost;
};

/*
 * connection.c: sends what there is and takes in what has come, without waiting. 0 or
 * -EPIPE (logged).
 */
int placeholder_listen(struct placeholder *p) KR_MUST_CHECK;
/* Finds the compositor's globals. 0, -ETIMEDOUT, -EPIPE, -ENOMEM, -ENODEV (logged). */
int placeholder_find_globals(struct placeholder *p) KR_MUST_CHECK;

#endif
