/* SPDX-License-Identifier: Apache-2.0 */
/* The application's connection, used on a queue of our own: see placeholder.h. */
#include "outputs/wayland/placeholder.h"

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

static int
lose(struct placeholder *p)
{
	int error = wl_display_get_error(p->display);

	if (!p->lost)
		output_log(p->host, KR_LOG_ERROR,
			"Wayland: the application's connection to the compositor has ended: %s",
			strerror(error ? error : EPIPE));
	p->lost = true;
	return -EPIPE;
}

/*
 * Waits up to `timeout_ms` for something to read. Where several threads read, the last one that has
 * announced it does it for all; all of them poll the same socket, so all wake.
 */
static int
listen_for(struct placeholder *p, int timeout_ms)
{
	struct pollfd fd = {.fd = wl_display_get_fd(p->display), .events = POLLIN};

	if (p->lost)
		return -EPIPE;
	/*
	 * A full socket keeps the rest for the next time; why a socket was closed is read from it.
	 */
	if (wl_display_flush(p->display) < 0 && errno != EAGAIN && errno != EPIPE)
		return lose(p);
	/* Refused while our queue has events: then there is no need to read. */
	if (wl_display_prepare_read_queue(p->display, p->queue) == 0) {
		int ready = kr_fd_poll(&fd, 1, kr_clock_now() + timeout_ms * KR_NSEC_PER_MSEC);

		if (ready <= 0)
			wl_display_cancel_read(p->display);
		if (ready < 0 || (ready && wl_display_read_events(p->display) < 0))
			return lose(p);
	}
	return wl_display_dispatch_queue_pending(p->display, p->queue) < 0 ? lose(p) : 0;
}

int
placeholder_listen(struct placeholder *p)
{
	return listen_for(p, 0);
}

static void
handle_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface,
	uint32_t version)
{
	struct placeholder *p = data;

	if (!p->shm && !strcmp(interface, wl_shm_interface.name))
		p->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
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

int
placeholder_find_globals(struct placeholder *p)
{
	struct wl_registry *registry = wl_display_get_registry(p->on_queue);
	struct wl_callback *sync = wl_display_sync(p->on_queue);
	int64_t deadline = kr_deadline_in(ANSWER_NS);
	bool done = false;
	int ret = registry && sync ? 0 : -ENOMEM;

	if (registry)
		wl_registry_add_listener(registry, &registry_listener, p);
	if (sync)
		wl_callback_add_listener(sync, &done_listener, &done);
	while (!ret && !done) {
		if (kr_clock_now() >= deadline)
			ret = -ETIMEDOUT;
		else
			ret = listen_for(p, KR_MIN(kr_deadline_poll_ms(deadline), SLICE_MS));
	}
	if (sync)
		wl_callback_destroy(sync);
	if (registry)
		wl_registry_destroy(registry);
	if (ret == -ETIMEDOUT)
		output_log(p->host, KR_LOG_ERROR, "Wayland: the compositor doesn't answer");
	if (!ret && !p->shm) {
		output_log(p->host, KR_LOG_ERROR, "Wayland: the compositor has no wl_shm");
		ret = -ENODEV;
	}
	return ret;
}
