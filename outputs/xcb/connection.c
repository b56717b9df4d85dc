/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: another one to the same server, answers in bounded time, visuals. */
#include "outputs/xcb/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <xcb/xcbext.h>

#include "util/clock.h"
#include "util/fd.h"

#define SOCKET_PREFIX "/tmp/.X11-unix/X"
#define TCP_BASE      6000
/*
 * A thread that waits may sleep on the socket while another reads its answer from it; it looks
 * again after so long at the latest.
 */
#define SLICE_NS (10 * KR_NSEC_PER_MSEC)

/* The display's name as xcb_connect takes it; false when the peer isn't one that has a name. */
static bool
name_of_peer(int fd, char *name, size_t size)
{
	union {
		struct sockaddr any;
		struct sockaddr_un un;
		struct sockaddr_in in;
		struct sockaddr_storage storage;
	} peer;
	socklen_t length = sizeof(peer);
	char host[INET_ADDRSTRLEN];
	const char *path;

	memset(&peer, 0, sizeof(peer));
	if (getpeername(fd, &peer.any, &length))
		return false;
	if (peer.any.sa_family == AF_INET) {
		return inet_ntop(AF_INET, &peer.in.sin_addr, host, sizeof(host)) &&
			snprintf(name, size, "%s:%d", host, ntohs(peer.in.sin_port) - TCP_BASE) > 0;
	}
	if (peer.any.sa_family != AF_UNIX || length <= offsetof(struct sockaddr_un, sun_path))
		return false;
	/* An abstract name is the same behind a null byte. */
	path = peer.un.sun_path + (peer.un.sun_path[0] == '\0');
	if (!strncmp(path, SOCKET_PREFIX, strlen(SOCKET_PREFIX)))
		return snprintf(name, size, ":%s", path + strlen(SOCKET_PREFIX)) < (int)size;
	return snprintf(name, size, "unix:%s", path) < (int)size;
}

void
x_limit_tcp(xcb_connection_t *connection)
{
	unsigned ms = (unsigned)(X_ANSWER_NS / KR_NSEC_PER_MSEC);

	/* A unix socket has no such option, and needs none. */
	(void)setsockopt(xcb_get_file_descriptor(connection), IPPROTO_TCP, TCP_USER_TIMEOUT, &ms,
		sizeof(ms));
}

xcb_connection_t *
x_connect_again(xcb_connection_t *application)
{
	char name[sizeof(struct sockaddr_un) + 16];
	xcb_connection_t *connection;
	bool named = name_of_peer(xcb_get_file_descriptor(application), name, sizeof(name));

	connection = xcb_connect(named ? name : NULL, NULL);
	if (xcb_connection_has_error(connection)) {
		xcb_disconnect(connection);
		return NULL;
	}
	x_limit_tcp(connection);
	return connection;
}

void *
x_wait_reply(xcb_connection_t *connection, unsigned int cookie, xcb_generic_error_t **error)
{
	int64_t deadline = kr_deadline_in(X_ANSWER_NS);
	struct pollfd p = {.fd = xcb_get_file_descriptor(connection), .events = POLLIN};
	xcb_generic_error_t *failure = NULL;
	void *reply = NULL;

	xcb_flush(connection);
	while (!xcb_poll_for_reply(connection, cookie, &reply, &failure)) {
		if (xcb_connection_has_error(connection) || kr_clock_now() >= deadline)
			break;
		if (kr_fd_poll(&p, 1, KR_MIN(deadline, kr_clock_now() + SLICE_NS)) < 0)
			break;
	}
	if (error)
		*error = failure;
	else
		free(failure);
	return reply;
}

/*
 * A socket that says it can be written has three quarters of its buffer free (unix), so that
 * a quarter fits, whatever the kernel adds to it. Over TCP the rest of a piece may have to
 * wait: X_ANSWER_NS ends it.
 */
uint32_t
x_socket_room(xcb_connection_t *connection)
{
	int size = 0;
	socklen_t len = sizeof(size);

	if (getsockopt(xcb_get_file_descriptor(connection), SOL_SOCKET, SO_SNDBUF, &size, &len) ||
		size <= 0)
		return 0;
	return (uint32_t)size / 4;
}

int
x_wait_room(xcb_connection_t *connection)
{
	int64_t deadline = kr_deadline_in(X_ANSWER_NS);
	struct pollfd p = {.fd = xcb_get_file_descriptor(connection), .events = POLLOUT};

	int n;

	xcb_flush(connection);
	n = kr_fd_poll(&p, 1, deadline);
	if (n > 0)
		return p.revents & POLLOUT ? 0 : -EPIPE;
	return n ? n : -ETIMEDOUT;
}

int
x_check(xcb_connection_t *connection, xcb_void_cookie_t cookie)
{
	/* A request without reply is over when a later one has been answered. */
	unsigned int later = xcb_get_input_focus(connection).sequence;
	void *reply = x_wait_reply(connection, later, NULL);
	xcb_generic_error_t *error;
	int code;

	if (!reply) {
		xcb_discard_reply(connection, cookie.sequence);
		return -EPIPE;
	}
	free(reply);
	error = xcb_request_check(connection, cookie);
	code = error ? error->error_code : 0;
	free(error);
	return code;
}

static bool
depth_has_32_bits(const xcb_setup_t *setup, uint8_t depth)
{
	const xcb_format_t *formats = xcb_setup_pixmap_formats(setup);

	for (int i = 0; i < xcb_setup_pixmap_formats_length(setup); i++) {
		if (formats[i].depth == depth)
			return formats[i].bits_per_pixel == 32 && formats[i].scanline_pad == 32;
	}
	return false;
}

static bool
is_bgrx(const xcb_visualtype_t *visual)
{
	return (visual->_class == XCB_VISUAL_CLASS_TRUE_COLOR ||
		       visual->_class == XCB_VISUAL_CLASS_DIRECT_COLOR) &&
		visual->red_mask == 0xff0000 && visual->green_mask == 0xff00 &&
		visual->blue_mask == 0xff;
}

static const xcb_visualtype_t *
find_visual(const xcb_setup_t *setup, xcb_visualid_t id, uint8_t *depth)
{
	xcb_screen_iterator_t screen = xcb_setup_roots_iterator(setup);

	for (; screen.rem; xcb_screen_next(&screen)) {
		xcb_depth_iterator_t d = xcb_screen_allowed_depths_iterator(screen.data);

		for (; d.rem; xcb_depth_next(&d)) {
			xcb_visualtype_iterator_t v = xcb_depth_visuals_iterator(d.data);

			for (; v.rem; xcb_visualtype_next(&v)) {
				if (v.data->visual_id != id)
					continue;
				*depth = d.data->depth;
				return v.data;
			}
		}
	}
	return NULL;
}

bool
x_visual_fits(xcb_connection_t *connection, xcb_visualid_t visual, uint8_t *depth)
{
	const xcb_setup_t *setup = xcb_get_setup(connection);
	const xcb_visualtype_t *v = find_visual(setup, visual, depth);

	return v && is_bgrx(v) && (*depth == 24 || *depth == 32) &&
		depth_has_32_bits(setup, *depth) &&
		setup->image_byte_order == XCB_IMAGE_ORDER_LSB_FIRST;
}

void
x_close_unsent(xcb_connection_t *connection, int passed, int original)
{
	struct stat a, b;

	if (xcb_connection_has_error(connection) && !fstat(passed, &a) && !fstat(original, &b) &&
		a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		kr_fd_close(&passed);
}
