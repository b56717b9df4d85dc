/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer's way to a display: connecting and the handshake, each within the caller's deadline.
 */
#include "window/remote/remote.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/remote/message.h"
#include "wire/connect.h"

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
		err = kr_fd_poll(&p, 1, deadline_ns);
		if (err <= 0)
			return err ? err : -ETIMEDOUT;
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
read_welcome(const struct kr_dp_welcome *welcome, struct kr_remote_display *info)
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
	*info = (struct kr_remote_display){
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
	struct kr_sink **sink, struct kr_remote_display *info)
{
	struct kr_remote_display read;
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

int
kr_sink_remote_connect(const char *socket_path, const char *label, int64_t deadline_ns,
	struct kr_sink **sink, struct kr_remote_display *info)
{
	int socket, err = kr_packet_connect(socket_path, deadline_ns, &socket);

	return err ? err : kr_sink_remote_attach(socket, label, deadline_ns, sink, info);
}
