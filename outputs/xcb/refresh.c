/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that puts a buffer into the window some sixty times a second, whoever draws into it
 * meanwhile. It has a connection, and all that belongs to one, of its own, so that nothing of the
 * window's is shared with it. Without an answer from the server it ends.
 */
#include "outputs/xcb/x_window.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

#define PERIOD_NS (KR_NSEC_PER_SEC / 60)

struct x_refresh {
	struct x_window *window;
	struct x_pixels pixels;
	struct kr_frame frame;
	pthread_t thread;
	pid_t pid; /* whose thread that is: a forked child has none */
	int stop;  /* eventfd */
};

/* The reply of a put says how large the window is now. 0 or -errno. */
static int
put(struct x_refresh *r)
{
	struct x_pending pending = {0};
	struct x_pixels *pixels = &r->pixels;
	xcb_get_geometry_reply_t *reply;
	int ret = KR_MIN(x_take_events(r->window), 0);

	if (ret)
		return ret;
	x_pixels_update(r->window, pixels);
	if (!x_is_plain(r->window, pixels, &r->frame))
		ret = x_compose(r->window, pixels, &r->frame, &pixels);
	if (!ret)
		ret = x_show_put(r->window, pixels, &pending);
	if (ret)
		return ret;
	reply = x_wait_reply(r->window->connection, pending.cookie, NULL);
	if (!reply)
		return -EPIPE;
	r->window->width = reply->width;
	r->window->height = reply->height;
	free(reply);
	return 0;
}

static void *
refresh_main(void *data)
{
	struct x_refresh *r = data;
	struct pollfd stop = {.fd = r->stop, .events = POLLIN};
	int64_t next = kr_clock_now();

	while (put(r) == 0) {
		next = KR_MAX(next + PERIOD_NS, kr_clock_now());
		if (kr_fd_poll(&stop, 1, next))
			break;
	}
	return NULL;
}

static int
start_thread(struct x_refresh *r)
{
	sigset_t all, before;
	int err;

	r->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->stop < 0)
		return -errno;
	/* Signals are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&r->thread, NULL, refresh_main, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return -err;
	pthread_setname_np(r->thread, "krafla-refresh");
	r->pid = getpid();
	return 0;
}

int
x_refresh_start(struct x_window *x, const struct kr_frame *frame, struct x_refresh **refresh)
{
	struct x_refresh *r = calloc(1, sizeof(*r));
	uint32_t width, height;
	int ret;

	if (!r)
		return -ENOMEM;
	r->stop = -1;
	r->frame = *frame;
	ret = x_window_open(x->host, x->connection, x->window, true, &r->window, &width, &height);
	if (!ret)
		ret = x_pixels_init(r->window, &r->pixels, &x->slots[frame->slot].info);
	if (!ret)
		ret = start_thread(r);
	if (ret)
		x_refresh_stop(r);
	else
		*refresh = r;
	return ret;
}

void
x_refresh_stop(struct x_refresh *refresh)
{
	if (!refresh)
		return;
	if (refresh->pid == getpid()) {
		(void)eventfd_write(refresh->stop, 1);
		pthread_join(refresh->thread, NULL);
	}
	kr_fd_close(&refresh->stop);
	if (refresh->window) {
		if (refresh->pixels.used)
			x_pixels_finish(refresh->window, &refresh->pixels);
		x_window_close(refresh->window);
	}
	free(refresh);
}
