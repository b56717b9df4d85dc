/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that reads the connection while somebody waits for what comes by it: a frame for its
 * turn, or a producer for a buffer. Whoever polls for a buffer polls `heard` and the queue's own
 * descriptor: the connection's socket may be read by another thread of the program in between, and
 * would then say nothing.
 *
 * Reading is announced before the poll, so that nobody reads behind the thread's back; whoever else
 * wants to read waits for the thread to read or cancel, and polls the same socket.
 */
#include "outputs/wayland/window.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

static bool
has_to_read(const struct wayland_window *w)
{
	return !w->link.lost && (wayland_has_due(w) || w->starving);
}

/* Announces to read. Under the lock; false: there was something to take in already. */
static bool
announce(struct wayland_window *w, struct pollfd *fd)
{
	if (wl_display_prepare_read_queue(w->link.display, w->link.queue))
		return false;
	fd->events = POLLIN;
	if (wl_display_flush(w->link.display) < 0 && errno == EAGAIN)
		fd->events = POLLIN | POLLOUT;
	return true;
}

/* Without the lock, until something comes, `until`, or the end. 0 or -EPIPE. */
static int
read_some(struct wayland_window *w, struct pollfd fds[2], int64_t until)
{
	int ready = kr_fd_poll(fds, 2, until);

	if (ready > 0 && fds[0].revents & ~POLLOUT)
		return wl_display_read_events(w->link.display) < 0 ? -EPIPE : 0;
	wl_display_cancel_read(w->link.display);
	return ready < 0 ? -EPIPE : 0;
}

/* Under the lock; what was read. */
static void
take_in(struct wayland_window *w, int ret)
{
	unsigned came = w->came;

	if (!ret && wl_display_dispatch_queue_pending(w->link.display, w->link.queue) < 0)
		ret = -EPIPE;
	if (!ret && wayland_due(w) <= kr_clock_now())
		wayland_handle_due(w);
	if (!ret)
		ret = wayland_show(w);
	if (ret)
		(void)wayland_lose(w);
	else if (w->came != came)
		(void)eventfd_write(w->heard, 1);
}

static void *
thread_main(void *data)
{
	struct wayland_window *w = data;
	struct pollfd fds[2] = {
		{.fd = wl_display_get_fd(w->link.display)},
		{.fd = w->wake, .events = POLLIN},
	};

	kr_mutex_lock(&w->lock);
	while (!w->ending) {
		int64_t until = w->sync ? KR_FOREVER : wayland_due(w);
		int ret = 0;

		if (!has_to_read(w)) {
			kr_cond_wait_until(&w->needed, &w->lock, KR_FOREVER);
			continue;
		}
		if (announce(w, &fds[0])) {
			kr_mutex_unlock(&w->lock);
			ret = read_some(w, fds, until);
			kr_mutex_lock(&w->lock);
		}
		take_in(w, ret);
	}
	kr_mutex_unlock(&w->lock);
	return NULL;
}

int
wayland_thread_start(struct wayland_window *w)
{
	sigset_t all, before;
	int err;

	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->heard = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->wake < 0 || w->heard < 0)
		return -errno;
	/* Signals are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&w->thread, NULL, thread_main, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return -ENOMEM;
	pthread_setname_np(w->thread, "krafla-wayland");
	w->pid = getpid();
	return 0;
}

bool
wayland_thread_end(struct wayland_window *w)
{
	bool ours = w->pid == getpid();

	if (ours) {
		kr_mutex_lock(&w->lock);
		w->ending = true;
		kr_cond_broadcast(&w->needed);
		kr_mutex_unlock(&w->lock);
		(void)eventfd_write(w->wake, 1);
		pthread_join(w->thread, NULL);
	}
	kr_fd_close(&w->wake);
	kr_fd_close(&w->heard);
	return ours || !w->pid;
}

void
wayland_thread_nudge(struct wayland_window *w)
{
	if (has_to_read(w))
		kr_cond_broadcast(&w->needed);
}
