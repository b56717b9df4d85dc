/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer's way to a display: connecting and the handshake, each within the caller's deadline.
 */
#include "window/consumer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/remote.h"

static int
say_hello(int socket, const char *label)
{
	struct kr_dp_message message = {.type = KR_DP_HELLO, .hello = {.version = KR_DP_VERSION}};

	snprintf(message.hello.label, sizeof(message.hello.label), "%s", label ? label : "");
	return kr_remote_send(socket, &message, -1);
}

/* The display's first message. -ETIMEDOUT, -EPROTO, -EPIPE. */
static int
await_welcome(int socket, int64_t deadline_ns, struct kr_dp_welcome *welcome)
{
	struct pollfd p = {.fd = socket, .events = POLLIN};
	struct kr_dp_message message;
	int fd = -1;
	int err;

	for (;;) {
		err = kr_remote_receive(socket, &message, &fd);
		if (err != -EAGAIN)
			break;
		if (kr_clock_now() >= deadline_ns)
			return -ETIMEDOUT;
		(void)poll(&p, 1, kr_deadline_poll_ms(deadline_ns));
	}
	kr_fd_close(&fd);
	if (err)
		return err == -EPIPE ? -EPIPE : -EPROTO;
	if (message.type == KR_DP_ERROR)
		kr_error("window: the display refuses: %s", message.error.text);
	if (message.type != KR_DP_WELCOME || message.welcome.version != KR_DP_VERSION)
		return -EPROTO;
	*welcome = message.welcome;
	return 0;
}

/* What the display said, if a queue can be made of it. */
static int
read_welcome(const struct kr_dp_welcome *welcome, struct kr_display_info *info)
{
	struct kr_buffer_desc desc = {
		.width = welcome->width,
		.height = welcome->height,
		.layers = 1,
		.format = welcome->format,
		.usage = welcome->consumer_usage,
	};

	if (kr_buffer_check(&desc) || welcome->refresh_ns < 0 || !welcome->max_acquired ||
		welcome->max_acquired > KR_QUEUE_SLOTS - 2)
		return -EPROTO;
	*info = (struct kr_display_info){
		.width = welcome->width,
		.height = welcome->height,
		.refresh_ns = welcome->refresh_ns,
		.virtual_clock = welcome->virtual_clock,
		.consumer_usage = welcome->consumer_usage,
		.max_acquired = welcome->max_acquired,
		.format = welcome->format,
	};
	return 0;
}

int
kr_sink_remote_attach(int take_socket, const char *label, int64_t deadline_ns,
	struct kr_sink **sink, struct kr_display_info *info)
{
	struct kr_display_info read;
	struct kr_dp_welcome welcome;
	int err = say_hello(take_socket, label);

	if (!err)
		err = await_welcome(take_socket, deadline_ns, &welcome);
	if (!err)
		err = read_welcome(&welcome, &read);
	if (err) {
		kr_fd_close(&take_socket);
		return err;
	}
	err = kr_sink_remote_create(take_socket, read.virtual_clock, sink);
	if (!err)
		*info = read;
	return err;
}

/* connect() waits while the display's backlog is full, as long as the socket's send timeout. */
static int
limit_connect(int socket, int64_t deadline_ns)
{
	int64_t left = KR_MAX(deadline_ns - kr_clock_now(), KR_NSEC_PER_MSEC);
	struct timeval limit = {
		.tv_sec = left / KR_NSEC_PER_SEC,
		.tv_usec = left % KR_NSEC_PER_SEC / 1000,
	};

	if (deadline_ns == KR_FOREVER)
		return 0;
	return setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ? -errno : 0;
}

int
kr_sink_remote_connect(const char *socket_path, const char *label, int64_t deadline_ns,
	struct kr_sink **sink, struct kr_display_info *info)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd, err;

	if (strlen(socket_path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, socket_path, strlen(socket_path));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	err = limit_connect(fd, deadline_ns);
	if (err)
		goto err_close;
	while (connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
		err = errno == EAGAIN ? -ETIMEDOUT : -errno;
		if (errno != EINTR)
			goto err_close;
	}
	return kr_sink_remote_attach(fd, label, deadline_ns, sink, info);

err_close:
	kr_fd_close(&fd);
	return err;
}
