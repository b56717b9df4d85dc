/* SPDX-License-Identifier: Apache-2.0 */
/* krafla-output-display-wayland.so: its table, and an output's life. */
#include "outputs/display/wayland/pane.h"

#include <linux-dmabuf-client.h>
#include <presentation-time-client.h>
#include <xdg-shell-client.h>
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "outputs/display/log.h"
#include "util/clock.h"
#include "util/fd.h"

/* At the end, for pictures that are on their way. */
#define FINISH_NS KR_NSEC_PER_SEC

static const struct kr_display_output_impl impl;

static struct pane *
from_output(struct kr_display_output *output)
{
	assert(output->impl == &impl);
	return (struct pane *)output;
}

static int
show(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	struct pane *pane = from_output(output);
	int ret;

	if (pane->broken)
		return -EPIPE;
	ret = pane_take(pane, frame);
	if (ret)
		return pane_lose(pane, "no memory for a picture");
	ret = pane_send(pane);
	return ret ? ret : pane_listen(pane);
}

static unsigned
poll_fds(struct kr_display_output *output, struct pollfd *fds)
{
	struct pane *pane = from_output(output);

	fds[0] = (struct pollfd){
		.fd = wl_display_get_fd(pane->display),
		.events = (short)(POLLIN | (pane->full ? POLLOUT : 0)),
	};
	return 1;
}

static int
dispatch(struct kr_display_output *output, struct kr_display_output_events *events)
{
	struct pane *pane = from_output(output);
	int ret = pane_listen(pane);

	if (!ret)
		ret = pane_send(pane);
	if (!ret)
		ret = pane_listen(pane);
	events->closed = pane->closed;
	pane->closed = false;
	return ret;
}

static int
shown_fence(struct kr_display_output *output, uint64_t number)
{
	return slots_shown_fence(&from_output(output)->slots, number);
}

static int
shown_time(struct kr_display_output *output, uint64_t number, int64_t *time_ns)
{
	return slots_shown_time(&from_output(output)->slots, number, time_ns);
}

static void
timing(struct kr_display_output *output, struct kr_display_output_timing *at)
{
	const struct pane *pane = from_output(output);

	*at = (struct kr_display_output_timing){pane->refresh_ns, pane->period_ns};
}

static int
finish(struct kr_display_output *output, uint64_t *shown)
{
	struct pane *pane = from_output(output);
	int64_t deadline = kr_deadline_in(FINISH_NS);
	struct kr_display_output_events events;
	struct pollfd p;

	while (dispatch(output, &events) == 0 && !slots_settled(&pane->slots) &&
		kr_clock_now() < deadline) {
		poll_fds(output, &p);
		if (kr_fd_poll(&p, 1, deadline) < 0)
			break;
	}
	pane_forget_slots(pane);
	slots_resize(&pane->slots, 0, 0);
	*shown = pane->slots.shown;
	return 0;
}

static void
destroy(struct kr_display_output *output)
{
	struct pane *pane = from_output(output);

	pane_forget_slots(pane);
	pane_forget_imports(pane);
	slots_finish(&pane->slots);
	if (pane->frame)
		wl_callback_destroy(pane->frame);
	if (pane->toplevel)
		xdg_toplevel_destroy(pane->toplevel);
	if (pane->xdg_surface)
		xdg_surface_destroy(pane->xdg_surface);
	if (pane->surface)
		wl_surface_destroy(pane->surface);
	if (pane->dmabuf)
		zwp_linux_dmabuf_v1_destroy(pane->dmabuf);
	if (pane->presentation)
		wp_presentation_destroy(pane->presentation);
	if (pane->wm_base)
		xdg_wm_base_destroy(pane->wm_base);
	if (pane->shm)
		wl_shm_destroy(pane->shm);
	if (pane->compositor)
		wl_compositor_destroy(pane->compositor);
	if (pane->registry)
		wl_registry_destroy(pane->registry);
	if (pane->display)
		wl_display_disconnect(pane->display);
	free(pane->server);
	free(pane);
}

static const struct kr_display_output_impl impl = {
	.name = "wayland",
	.slow_ok = true,
	.show = show,
	.finish = finish,
	.destroy = destroy,
	.poll_fds = poll_fds,
	.dispatch = dispatch,
	.shown_fence = shown_fence,
	.timing = timing,
	.shown_time = shown_time,
};

static void
handle_configure(void *data, struct xdg_surface *surface, uint32_t serial)
{
	xdg_surface_ack_configure(surface, serial);
	((struct pane *)data)->configured = true;
}

static const struct xdg_surface_listener surface_listener = {.configure = handle_configure};

/* The window has its pictures' size, whatever is suggested. */
static void
handle_suggestion(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
	struct wl_array *states)
{
}

static void
handle_close(void *data, struct xdg_toplevel *toplevel)
{
	((struct pane *)data)->closed = true;
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = handle_suggestion,
	.close = handle_close,
};

/* Mapped by its first picture, after the first configure. */
static int
create_window(struct pane *pane, const char *title)
{
	pane->surface = wl_compositor_create_surface(pane->compositor);
	if (pane->surface)
		pane->xdg_surface = xdg_wm_base_get_xdg_surface(pane->wm_base, pane->surface);
	if (pane->xdg_surface)
		pane->toplevel = xdg_surface_get_toplevel(pane->xdg_surface);
	if (!pane->toplevel)
		return -ENOMEM;
	xdg_surface_add_listener(pane->xdg_surface, &surface_listener, pane);
	xdg_toplevel_add_listener(pane->toplevel, &toplevel_listener, pane);
	xdg_toplevel_set_title(pane->toplevel, title);
	xdg_toplevel_set_app_id(pane->toplevel, "krafla");
	wl_surface_commit(pane->surface);
	return pane_listen(pane);
}

static int
open_output(const struct kr_display_output_host *host,
	const struct kr_display_output_options *options, struct kr_display_output **output)
{
	struct pane *pane;
	int ret;

	if (host->abi != KR_DISPLAY_OUTPUT_ABI)
		return -EPROTO;
	pane = calloc(1, sizeof(*pane));
	if (!pane)
		return -ENOMEM;
	pane->base = (struct kr_display_output){.impl = &impl, .wanted = {.from = 1, .every = 1}};
	pane->host = host;
	slots_init(&pane->slots, host, &pane->base);
	pane_forget_slots(pane);
	ret = pane_connect(pane, options->argument);
	if (!ret)
		ret = create_window(pane, options->title);
	if (ret) {
		destroy(&pane->base);
		return ret;
	}
	pane->opened = true;
	*output = &pane->base;
	return 0;
}

extern const struct kr_display_output_module kr_display_output_module;
KR_EXPORT const struct kr_display_output_module kr_display_output_module = {
	.abi = KR_DISPLAY_OUTPUT_ABI,
	.name = "wayland",
	.open = open_output,
};
