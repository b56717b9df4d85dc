/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The application's connection and surface, as what is ours uses them: by a queue of our own, on
 * which events of our own objects alone come. The application's are never dispatched here, but read
 * from the socket with ours: that is how libwayland shares one.
 *
 * libwayland-client is the application's: the module names it by its soname, under which it is
 * loaded already, because somebody has made the connection with it.
 */
#ifndef KR_OUTPUTS_WAYLAND_LINK_H
#define KR_OUTPUTS_WAYLAND_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <wayland-client.h>
#include "util/macros.h"
#include "surface/output_module.h"

struct wayland_link {
	const struct kr_output_host *host;
	struct wl_display *display;   /* the application's */
	struct wl_event_queue *queue; /* ours */
	/* Wrappers of the application's objects, so that what is made by them is on our queue. */
	struct wl_display *on_queue;
	struct wl_surface *surface;
	bool lost;
};

/* 0 or -ENOMEM; finish it in any case. */
int wayland_link_init(struct wayland_link *link, const struct kr_output_host *host,
	const struct kr_native_window *native) KR_MUST_CHECK;
/* All that was made on the queue must be destroyed before. */
void wayland_link_finish(struct wayland_link *link);

/* The connection has ended: told once. -EPIPE. */
int wayland_link_lose(struct wayland_link *link);
/*
 * Sends what there is, waits up to `timeout_ms` for something to read, and takes in what has come.
 * 0 or -EPIPE (told).
 */
int wayland_link_listen(struct wayland_link *link, int timeout_ms) KR_MUST_CHECK;
/*
 * Finds the compositor's globals, which the listener binds, and waits for what they say then. 0,
 * -ETIMEDOUT, -EPIPE, -ENOMEM (told).
 */
int wayland_link_find_globals(struct wayland_link *link,
	const struct wl_registry_listener *listener, void *data) KR_MUST_CHECK;
/*
 * Listens until *done, which a listener sets. 0, -ETIMEDOUT after 5 s, -EPIPE (told).
 */
int wayland_link_wait(struct wayland_link *link, const bool *done) KR_MUST_CHECK;

#endif
