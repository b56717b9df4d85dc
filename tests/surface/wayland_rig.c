/* SPDX-License-Identifier: Apache-2.0 */
#include "wayland_rig.h"

#include "harness.h"

#include <poll.h>
#include <string.h>
#include <xdg-shell-client.h>

#include "util/clock.h"
#include "util/macros.h"

static void
handle_ping(void *data, struct xdg_wm_base *shell, uint32_t serial)
{
	xdg_wm_base_pong(shell, serial);
}

static const struct xdg_wm_base_listener shell_listener = {.ping = handle_ping};

static void
handle_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface,
	uint32_t version)
{
	struct wayland_rig *rig = data;

	if (!strcmp(interface, wl_compositor_interface.name)) {
		rig->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
	} else if (!strcmp(interface, xdg_wm_base_interface.name)) {
		rig->shell = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
		xdg_wm_base_add_listener(rig->shell, &shell_listener, rig);
	} else if (!rig->output && !strcmp(interface, wl_output_interface.name)) {
		/* For enter and leave of the surface, which name it. */
		rig->output = wl_registry_bind(registry, name, &wl_output_interface, 1);
	}
}

static void
handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static void
handle_enter(void *data, struct wl_surface *surface, struct wl_output *output)
{
	((struct wayland_rig *)data)->enters++;
}

static void
handle_leave(void *data, struct wl_surface *surface, struct wl_output *output)
{
	((struct wayland_rig *)data)->leaves++;
}

static const struct wl_surface_listener surface_listener = {
	.enter = handle_enter,
	.leave = handle_leave,
};

static void
handle_configure(void *data, struct xdg_surface *surface, uint32_t serial)
{
	((struct wayland_rig *)data)->configured = true;
	xdg_surface_ack_configure(surface, serial);
}

static const struct xdg_surface_listener xdg_surface_listener = {.configure = handle_configure};

static void
handle_toplevel_configure(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
	struct wl_array *states)
{
}

static void
handle_close(void *data, struct xdg_toplevel *toplevel)
{
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = handle_toplevel_configure,
	.close = handle_close,
};

static void
start_program(struct wayland_rig *rig)
{
	rig->display = wl_display_connect(strchr(rig->server.display, '=') + 1);
	assert_non_null(rig->display);
	rig->registry = wl_display_get_registry(rig->display);
	wl_registry_add_listener(rig->registry, &registry_listener, rig);
	assert_true(wl_display_roundtrip(rig->display) >= 0);
	assert_non_null(rig->compositor);
	assert_non_null(rig->shell);
	rig->surface = wl_compositor_create_surface(rig->compositor);
	wl_surface_add_listener(rig->surface, &surface_listener, rig);
	rig->xdg_surface = xdg_wm_base_get_xdg_surface(rig->shell, rig->surface);
	xdg_surface_add_listener(rig->xdg_surface, &xdg_surface_listener, rig);
	rig->toplevel = xdg_surface_get_toplevel(rig->xdg_surface);
	xdg_toplevel_add_listener(rig->toplevel, &toplevel_listener, rig);
	wl_surface_commit(rig->surface);
	while (!rig->configured)
		assert_true(wl_display_dispatch(rig->display) >= 0);
}

void
wayland_rig_start(struct wayland_rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	kr_weston_start(&rig->server);
	start_program(rig);
}

void
wayland_rig_start_drawing(struct wayland_rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	kr_weston_start_drawing(&rig->server);
	start_program(rig);
}

void
wayland_rig_close_window(struct wayland_rig *rig)
{
	if (!rig->surface)
		return;
	xdg_toplevel_destroy(rig->toplevel);
	xdg_surface_destroy(rig->xdg_surface);
	wl_surface_destroy(rig->surface);
	rig->surface = NULL;
}

void
wayland_rig_stop(struct wayland_rig *rig)
{
	wayland_rig_close_window(rig);
	if (rig->output)
		wl_output_destroy(rig->output);
	xdg_wm_base_destroy(rig->shell);
	wl_compositor_destroy(rig->compositor);
	wl_registry_destroy(rig->registry);
	wl_display_disconnect(rig->display);
	kr_weston_stop(&rig->server);
}

static void
handle_frame(void *data, struct wl_callback *callback, uint32_t time)
{
	((struct wayland_rig *)data)->frames++;
	wl_callback_destroy(callback);
}

static const struct wl_callback_listener frame_listener = {.done = handle_frame};

void
wayland_rig_ask_for_frame(struct wayland_rig *rig)
{
	wl_callback_add_listener(wl_surface_frame(rig->surface), &frame_listener, rig);
}

void
wayland_rig_wait(struct wayland_rig *rig, const unsigned *counter, unsigned wanted)
{
	int64_t deadline = kr_deadline_in(10 * KR_NSEC_PER_SEC);
	struct pollfd fd = {.fd = wl_display_get_fd(rig->display), .events = POLLIN};

	while (*counter < wanted) {
		assert_true(kr_clock_now() < deadline);
		while (wl_display_prepare_read(rig->display))
			assert_true(wl_display_dispatch_pending(rig->display) >= 0);
		wl_display_flush(rig->display);
		if (poll(&fd, 1, 50) > 0)
			assert_int_equal(wl_display_read_events(rig->display), 0);
		else
			wl_display_cancel_read(rig->display);
		assert_true(wl_display_dispatch_pending(rig->display) >= 0);
	}
}
