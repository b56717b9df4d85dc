/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with a window on a Weston of its own, by xdg-shell: configured, nothing
 * committed to it yet.
 */
#ifndef KR_TESTS_SURFACE_WAYLAND_RIG_H
#define KR_TESTS_SURFACE_WAYLAND_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <wayland-client.h>
#include "surface/surface.h"
#include "weston.h"

struct wayland_rig {
	struct kr_weston server;
	struct wl_display *display;
	struct wl_registry *registry;
	struct wl_compositor *compositor;
	struct wl_output *output;
	struct xdg_wm_base *shell;
	struct wl_surface *surface;
	struct xdg_surface *xdg_surface;
	struct xdg_toplevel *toplevel;
	bool configured;
	unsigned enters; /* the window came to the screen: it is mapped */
	unsigned leaves;
	unsigned frames; /* callbacks that came */
};

void wayland_rig_start(struct wayland_rig *rig);
/* On one that draws. */
void wayland_rig_start_drawing(struct wayland_rig *rig);
void wayland_rig_stop(struct wayland_rig *rig);
/* Destroys the window, no more. */
void wayland_rig_close_window(struct wayland_rig *rig);
/* For kr_surface_open. In here, so that programs without src/surface can have the rest. */
static inline struct kr_surface_request
wayland_rig_request(const struct wayland_rig *rig)
{
	return (struct kr_surface_request){
		.kind = &kr_surface_kinds[KR_SURFACE_WAYLAND],
		.info.wayland = {.display = rig->display, .surface = rig->surface},
	};
}
/* The program asks to be told when its next commit is shown. */
void wayland_rig_ask_for_frame(struct wayland_rig *rig);
/*
 * Dispatches the program's own events until *counter is at least `wanted`; fails the
 * case after 10 s.
 */
void wayland_rig_wait(struct wayland_rig *rig, const unsigned *counter, unsigned wanted);

#endif
