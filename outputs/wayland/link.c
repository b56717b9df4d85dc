/* SPDX-License-Identifier: Apache-2.0 */
/* See link.h. */
#include "outputs/wayland/link.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "outputs/log.h"
#include "util/clock.h"
#include "util/fd.h"

/* How long a compositor may take to tell what it has. */
#define ANSWER_NS (5 * KR_NSEC_PER_SEC)
/* Another thread may read what this one polls for; then this one looks again after so long. */
#define SLICE_MS 10

int
wayland_link_init(struct wayland_link *link, const struct kr_output_host *host,
	const struct kr_native_window *native)
{
	link->host = host;
	link->display = native->connection;
	link->queue = wl_display_create_queue(link->display);
	link->on_queue = wl_proxy_create_wrapper(link->display);
	link->surface = wl_proxy_create_wrapper((void *)native->window);
	if (!link->queue || !link->on_queue || !link->surface)
		return -ENOMEM;
	wl_proxy_set_queue((struct wl_proxy *)link->on_queue, link->queue);
	wl_proxy_set_queue((struct wl_proxy *)link->surface, link->queue);
	return 0;
}

void
wayland_link_finish(struct wayland_link *link)
{
	if (link->surface)
		wl_proxy_wrapper_destroy(link->surface);
	if (link->on_queue)
		wl_proxy_wrapper_destroy(link->on_queue);
	if (link->queue)
		wl_event_queue_destroy(link->queue);
	if (!link->lost)
		(void)wl_display_flush(link->display);
}

int
wayland_link_lose(struct wayland_link *link)
{
	int error = wl_display_get_error(link->display);

	if (!link->lost)
		output_log(link->host, KR_LOG_ERROR,
			"Wayland: the application's connection to the compositor has ended: %s",
			strerror(error ? error : EPIPE));
	link->lost = true;
	return -EPIPE;
}

/*
 * Where several threads read, the last one that has announced it does it for all; all of them poll
 * the same socket, so all wake.
 */
int
wayland_link_listen(struct wayland_link *link, int timeout_ms)
{
	struct pollfd fd = {.fd = wl_display_get_fd(link->display), .events = POLLIN};

	if (link->lost)
		return -EPIPE;
	/*
	 * A full socket keeps the rest for the next time; why a socket was closed is read from it.
	 */
	if (wl_display_flush(link->display) < 0 && errno != EAGAIN && errno != EPIPE)
		return wayland_link_lose(link);
	/* Refused while our queue has events: then there is no need to read. */
	if (wl_display_prepare_read_queue(link->display, link->queue) == 0) {
		int ready = kr_fd_poll(&fd, 1, kr_clock_now() + timeout_ms * KR_NSEC_PER_MSEC);

		if (ready <= 0)
			wl_display_cancel_read(link->display);
		if (ready < 0 || (ready && wl_display_read_events(link->display) < 0))
			return wayland_link_lose(link);
	}
	return wl_display_dispatch_queue_pending(link->display, link->queue) < 0
		? wayland_link_lose(link)
		: 0;
}

int
wayland_link_wait(struct wayland_link *link, const bool *done)
{
	int64_t deadline = kr_deadline_in(ANSWER_NS);
	int ret = 0;

	while (!ret && !*done) {
		if (kr_clock_now() >= deadline)
			ret = -ETIMEDOUT;
		else
			ret = wayland_link_listen(
				link, KR_MIN(kr_deadline_poll_ms(deadline), SLICE_MS));
	}
	if (ret == -ETIMEDOUT)
		output_log(link->host, KR_LOG_ERROR, "Wayland: the compositor doesn't answer");
	return ret;
}

static void
handle_done(void *data, struct wl_callback *callback, uint32_t serial)
{
	*(bool *)data = true;
}

static const struct wl_callback_listener done_listener = {.done = handle_done};

/* The compositor has taken all that was sent before. */
static int
wait_for_answer(struct wayland_link *link)
{
	struct wl_callback *sync = wl_display_sync(link->on_queue);
	bool done = false;
	int ret;

	if (!sync)
		return -ENOMEM;
	wl_callback_add_listener(sync, &done_listener, &done);
	ret = wayland_link_wait(link, &done);
	wl_callback_destroy(sync);
	return ret;
}

int
wayland_link_find_globals(
	struct wayland_link *link, const struct wl_registry_listener *listener, void *data)
{
	struct wl_registry *registry = wl_display_get_registry(link->on_queue);
	int ret;

	if (!registry)
		return -ENOMEM;
	wl_registry_add_listener(registry, listener, data);
	ret = wait_for_answer(link);
	if (!ret)
		ret = wait_for_answer(link);
	wl_registry_destroy(registry);
	return ret;
}
