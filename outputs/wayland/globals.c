/* SPDX-License-Identifier: Apache-2.0 */
/* What the compositor has that a window is shown with. */
#include "outputs/wayland/window.h"

#include <explicit-sync-client.h>
#include <linux-dmabuf-client.h>
#include <presentation-time-client.h>
#include <tearing-control-client.h>
#include <errno.h>
#include <string.h>

#include "outputs/log.h"

/* From 3 on modifiers are told; from 4 on they are told by tables in shared memory. */
#define DMABUF_VERSION 3

static void
handle_shm_format(void *data, struct wl_shm *shm, uint32_t format)
{
	struct wayland_window *w = data;

	wayland_formats_add(&w->shm_formats, wayland_fourcc_of_shm(format));
}

static const struct wl_shm_listener shm_listener = {.format = handle_shm_format};

/* Said again with its modifiers. */
static void
handle_dmabuf_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
}

/* Ours have rows one after the other, which is modifier 0. */
static void
handle_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format, uint32_t high,
	uint32_t low)
{
	struct wayland_window *w = data;

	if (!high && !low)
		wayland_formats_add(&w->dmabuf_formats, format);
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_dmabuf_format,
	.modifier = handle_modifier,
};

static void
handle_clock(void *data, struct wp_presentation *presentation, uint32_t clock)
{
	((struct wayland_window *)data)->clock = clock;
}

static const struct wp_presentation_listener presentation_listener = {.clock_id = handle_clock};

/* What is not needed to show a frame. */
static void
handle_extra(struct wayland_window *w, struct wl_registry *registry, uint32_t name,
	const char *interface)
{
	if (!w->presentation && !strcmp(interface, wp_presentation_interface.name)) {
		w->presentation = wl_registry_bind(registry, name, &wp_presentation_interface, 1);
		if (w->presentation)
			wp_presentation_add_listener(w->presentation, &presentation_listener, w);
	} else if (!w->tearing &&
		!strcmp(interface, wp_tearing_control_manager_v1_interface.name)) {
		w->tearing = wl_registry_bind(
			registry, name, &wp_tearing_control_manager_v1_interface, 1);
	} else if (!w->explicit &&
		!strcmp(interface, zwp_linux_explicit_synchronization_v1_interface.name)) {
		w->explicit = wl_registry_bind(
			registry, name, &zwp_linux_explicit_synchronization_v1_interface, 1);
	}
}

static void
handle_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface,
	uint32_t version)
{
	struct wayland_window *w = data;

	if (!w->shm && !strcmp(interface, wl_shm_interface.name)) {
		w->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
		if (w->shm)
			wl_shm_add_listener(w->shm, &shm_listener, w);
	} else if (!w->dmabuf && version >= DMABUF_VERSION &&
		!strcmp(interface, zwp_linux_dmabuf_v1_interface.name)) {
		w->dmabuf = wl_registry_bind(
			registry, name, &zwp_linux_dmabuf_v1_interface, DMABUF_VERSION);
		if (w->dmabuf)
			zwp_linux_dmabuf_v1_add_listener(w->dmabuf, &dmabuf_listener, w);
	} else {
		handle_extra(w, registry, name, interface);
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

int
wayland_globals_find(struct wayland_window *w)
{
	int ret = wayland_link_find_globals(&w->link, &registry_listener, w);

	if (ret || w->shm)
		return ret;
	output_log(w->link.host, KR_LOG_ERROR, "Wayland: the compositor has no wl_shm");
	return -ENODEV;
}

void
wayland_globals_forget(struct wayland_window *w)
{
	if (w->explicit)
		zwp_linux_explicit_synchronization_v1_destroy(w->explicit);
	if (w->tearing)
		wp_tearing_control_manager_v1_destroy(w->tearing);
	if (w->presentation)
		wp_presentation_destroy(w->presentation);
	if (w->dmabuf)
		zwp_linux_dmabuf_v1_destroy(w->dmabuf);
	if (w->shm)
		wl_shm_destroy(w->shm);
}
