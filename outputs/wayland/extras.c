/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of which a surface can have one, and the program might want its own: made when a frame
 * needs them, no earlier.
 */
#include "outputs/wayland/window.h"

#include <explicit-sync-client.h>
#include <tearing-control-client.h>

#include "util/fd.h"

void
wayland_say_tearing(struct wayland_window *w, bool tears)
{
	if (!w->tearing || tears == w->tearing_said)
		return;
	if (!w->tears)
		w->tears = wp_tearing_control_manager_v1_get_tearing_control(
			w->tearing, w->link.surface);
	if (!w->tears)
		return;
	wp_tearing_control_v1_set_presentation_hint(w->tears,
		tears ? WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC
		      : WP_TEARING_CONTROL_V1_PRESENTATION_HINT_VSYNC);
	w->tearing_said = tears;
}

/* The protocol promises them for dma-bufs. */
bool
wayland_has_fences(const struct wayland_window *w, const struct wayland_slot *slot)
{
	return w->explicit && slot->way == WAYLAND_DMABUF;
}

void
wayland_say_fence(struct wayland_window *w, struct wayland_slot *slot,
	const struct zwp_linux_buffer_release_v1_listener *listener)
{
	if (!w->fences)
		w->fences = zwp_linux_explicit_synchronization_v1_get_synchronization(
			w->explicit, w->link.surface);
	if (!w->fences)
		return;
	if (slot->frame.acquire_fence >= 0)
		zwp_linux_surface_synchronization_v1_set_acquire_fence(
			w->fences, slot->frame.acquire_fence);
	/* Of a commit before, of a shared buffer: this one's end is the later. */
	if (slot->release)
		zwp_linux_buffer_release_v1_destroy(slot->release);
	slot->release = zwp_linux_surface_synchronization_v1_get_release(w->fences);
	if (slot->release)
		zwp_linux_buffer_release_v1_add_listener(slot->release, listener, slot);
}

void
wayland_extras_forget(struct wayland_window *w)
{
	if (w->fences)
		zwp_linux_surface_synchronization_v1_destroy(w->fences);
	if (w->tears)
		wp_tearing_control_v1_destroy(w->tears);
}
