/* SPDX-License-Identifier: Apache-2.0 */
/* The connection to the compositor, and what it has. */
#include "outputs/display/wayland/pane.h"

#include <linux-dmabuf-client.h>
#include <presentation-time-client.h>
#include <xdg-shell-client.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "outputs/display/log.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/fd.h"

/* How long a compositor may take to tell what it has. */
#define ANSWER_NS (5 * KR_NSEC_PER_SEC)
/* From 3 on modifiers are told; from 4 on they are told by tables in shared memory. */
#define DMABUF_VERSION 3
/* DRM's four letters, and its two modifiers that stand for rows one after the other. */
#define FOURCC_XRGB UINT32_C(0x34325258)
#define FOURCC_XBGR UINT32_C(0x34324258)

int
pane_lose(struct pane *pane, const char *why)
{
	if (!pane->broken)
		display_log(pane->host, pane->opened ? KR_LOG_WARN : KR_LOG_ERROR,
			"Wayland output: %s: %s%s", pane->server, why,
			pane->opened ? "; the run goes on without this output" : "");
	pane->broken = true;
	return -EPIPE;
}

static int
lose_connection(struct pane *pane)
{
	int error = wl_display_get_error(pane->display);

	return pane_lose(pane,
		error == EPROTO ? "the compositor says that krafla broke a rule of its protocol"
				: "the connection to the compositor broke");
}

/* Waits until the deadline at most for something to read. */
static int
listen_until(struct pane *pane, int64_t deadline)
{
	struct pollfd fd = {.fd = wl_display_get_fd(pane->display), .events = POLLIN};
	int ready;

	if (pane->broken)
		return -EPIPE;
	while (wl_display_prepare_read(pane->display) != 0) {
		if (wl_display_dispatch_pending(pane->display) < 0)
			return lose_connection(pane);
	}
	pane->full = wl_display_flush(pane->display) < 0 && errno == EAGAIN;
	/* Why a socket was closed is read from it. */
	ready = kr_fd_poll(&fd, 1, deadline);
	if (ready <= 0)
		wl_display_cancel_read(pane->display);
	if (ready < 0 || (ready && wl_display_read_events(pane->display) < 0))
		return lose_connection(pane);
	return wl_display_dispatch_pending(pane->display) < 0 ? lose_connection(pane) : 0;
}

int
pane_listen(struct pane *pane)
{
	return listen_until(pane, 0);
}

static void
handle_ping(void *data, struct xdg_wm_base *wm_base, uint32_t serial)
{
	xdg_wm_base_pong(wm_base, serial);
}

static const struct xdg_wm_base_listener wm_base_listener = {.ping = handle_ping};

static void
handle_clock(void *data, struct wp_presentation *presentation, uint32_t clock)
{
	((struct pane *)data)->clock_is_ours = clock == CLOCK_MONOTONIC;
}

static const struct wp_presentation_listener presentation_listener = {.clock_id = handle_clock};

/* Said again with its modifiers. */
static void
handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
}

static void
handle_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format, uint32_t high,
	uint32_t low)
{
	struct pane *pane = data;

	if (high || low)
		return; /* not linear */
	pane->takes_xrgb |= format == FOURCC_XRGB;
	pane->takes_xbgr |= format == FOURCC_XBGR;
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

static void *
bind_global(struct wl_registry *registry, uint32_t name, const struct wl_interface *interface,
	uint32_t version, uint32_t most)
{
	return wl_registry_bind(registry, name, interface, KR_MIN(version, most));
}

static void
handle_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface,
	uint32_t version)
{
	struct pane *pane = data;

	if (!pane->compositor && !strcmp(interface, wl_compositor_interface.name)) {
		pane->compositor =
			bind_global(registry, name, &wl_compositor_interface, version, 4);
	} else if (!pane->shm && !strcmp(interface, wl_shm_interface.name)) {
		pane->shm = bind_global(registry, name, &wl_shm_interface, version, 1);
	} else if (!pane->wm_base && !strcmp(interface, xdg_wm_base_interface.name)) {
		pane->wm_base = bind_global(registry, name, &xdg_wm_base_interface, version, 1);
		if (pane->wm_base)
			xdg_wm_base_add_listener(pane->wm_base, &wm_base_listener, pane);
	} else if (!pane->presentation && !strcmp(interface, wp_presentation_interface.name)) {
		pane->presentation =
			bind_global(registry, name, &wp_presentation_interface, version, 1);
		if (pane->presentation)
			wp_presentation_add_listener(
				pane->presentation, &presentation_listener, pane);
	} else if (!pane->dmabuf && version >= DMABUF_VERSION &&
		!strcmp(interface, zwp_linux_dmabuf_v1_interface.name)) {
		pane->dmabuf = bind_global(
			registry, name, &zwp_linux_dmabuf_v1_interface, version, DMABUF_VERSION);
		if (pane->dmabuf)
			zwp_linux_dmabuf_v1_add_listener(pane->dmabuf, &dmabuf_listener, pane);
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
handle_done(void *data, struct wl_callback *callback, uint32_t serial)
{
	*(bool *)data = true;
}

static const struct wl_callback_listener done_listener = {.done = handle_done};

/* The compositor has answered all that was sent before. 0, -EPIPE or -ETIMEDOUT (told). */
static int
wait_for_answer(struct pane *pane)
{
	struct wl_callback *sync = wl_display_sync(pane->display);
	int64_t deadline = kr_deadline_in(ANSWER_NS);
	bool done = false;
	int ret = 0;

	if (!sync)
		return -ENOMEM;
	wl_callback_add_listener(sync, &done_listener, &done);
	while (!ret && !done) {
		ret = kr_clock_now() >= deadline ? -ETIMEDOUT : listen_until(pane, deadline);
		if (ret == -ETIMEDOUT)
			display_log(pane->host, KR_LOG_ERROR,
				"Wayland output: the compositor %s doesn't answer", pane->server);
	}
	wl_callback_destroy(sync);
	return ret;
}

static int
find_globals(struct pane *pane)
{
	int ret;

	pane->registry = wl_display_get_registry(pane->display);
	if (!pane->registry)
		return -ENOMEM;
	wl_registry_add_listener(pane->registry, &registry_listener, pane);
	ret = wait_for_answer(pane);
	/* What the globals say when they are bound. */
	if (!ret)
		ret = wait_for_answer(pane);
	if (ret)
		return ret;
	if (pane->compositor && pane->shm && pane->wm_base)
		return 0;
	display_log(pane->host, KR_LOG_ERROR,
		"Wayland output: the compositor %s has no %s, which windows need", pane->server,
		!pane->compositor    ? "wl_compositor"
			: !pane->shm ? "wl_shm"
				     : "xdg_wm_base");
	return -ENODEV;
}

/* What the library has to say is told here in other words. */
static void
leave_out(const char *format, va_list arguments)
{
}

int
pane_connect(struct pane *pane, const char *argument)
{
	const char *said = argument && *argument ? argument : kr_env_get("WAYLAND_DISPLAY");

	pane->server = strdup(said ? said : "");
	if (!pane->server)
		return -ENOMEM;
	if (!said) {
		display_log(pane->host, KR_LOG_ERROR,
			"Wayland output: no compositor is named: set WAYLAND_DISPLAY, or say which one, as in --output wayland:wayland-0");
		return -ENOENT;
	}
	wl_log_set_handler_client(leave_out);
	pane->display = wl_display_connect(said);
	if (!pane->display) {
		display_log(pane->host, KR_LOG_ERROR,
			"Wayland output: can't reach the compositor '%s': %s; see that it runs%s",
			said, strerror(errno),
			said[0] == '/' || kr_env_get("XDG_RUNTIME_DIR")
				? ""
				: ", and set XDG_RUNTIME_DIR, where its socket is");
		return -ECONNREFUSED;
	}
	return find_globals(pane);
}
