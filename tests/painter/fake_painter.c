/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A painter that was taken over: says what FAKE_PAINTER wants, in the place of the real one. Its
 * steps are letters, done in order; the last one is done again and again.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "painter/message.h"
#include "painter/process.h"
#include "util/fd.h"

static uint64_t last_id, last_number;

static void
say(const struct kr_pp_message *message)
{
	const struct kr_painter_packet packet = {.message = *message, .fds = {-1, -1}};

	while (kr_painter_send(KR_PAINTER_SOCKET, &packet) == -EAGAIN)
		poll(&(struct pollfd){KR_PAINTER_SOCKET, POLLOUT, 0}, 1, 100);
}

static void
hear(void)
{
	struct kr_painter_packet packet;
	struct pollfd poll_fd = {.fd = KR_PAINTER_SOCKET, .events = POLLIN};

	if (poll(&poll_fd, 1, 20000) <= 0 || kr_painter_receive(KR_PAINTER_SOCKET, &packet))
		_exit(0);
	if (packet.message.type == KR_PP_BUFFER)
		last_id = packet.message.buffer.id;
	if (packet.message.type == KR_PP_DRAW)
		last_number = packet.message.draw.number;
	kr_painter_packet_close(&packet);
}

static void
say_ready(uint32_t version, uint32_t max_size)
{
	struct kr_pp_message message = {.type = KR_PP_READY};

	message.ready.version = version;
	message.ready.max_size = max_size;
	memset(message.ready.device, '\033', sizeof(message.ready.device) - 1);
	say(&message);
}

static void
say_rubbish(size_t size)
{
	uint8_t bytes[20000];

	memset(bytes, 0xa5, sizeof(bytes));
	(void)!send(KR_PAINTER_SOCKET, bytes, size, MSG_NOSIGNAL);
}

static void
say_with_descriptors(void)
{
	const struct kr_painter_packet packet = {
		.message = {.type = KR_PP_LOOKED, .looked = {.id = last_id}}, .fds = {0, 2}};

	(void)!kr_painter_send(KR_PAINTER_SOCKET, &packet);
}

/* What a painter gets of its parent: the socket, where errors are told, no more. */
static bool
is_alone(void)
{
	static const char *const hidden[] = {"DISPLAY", "WAYLAND_DISPLAY", "KRAFLA_DISPLAY",
		"KRAFLA_REPORT", "VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE", "VK_LAYER_PATH",
		"LD_PRELOAD"};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		if (getenv(hidden[i]))
			return false;
	}
	for (int fd = KR_PAINTER_SOCKET + 1; fd < 256; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			return false;
	}
	return getsid(0) == getpid() && getenv("FAKE_PAINTER");
}

static void
step(char letter)
{
	switch (letter) {
	case 'h': /* hears a message */
		hear();
		break;
	case 'r':
		say_ready(KR_PP_VERSION, UINT32_MAX);
		break;
	case 'v':
		say_ready(KR_PP_VERSION + 1, 16384);
		break;
	case 'z':
		say_ready(KR_PP_VERSION, 0);
		break;
	case 'g': /* says that a buffer is good */
		say(&(struct kr_pp_message){.type = KR_PP_LOOKED, .looked = {.id = last_id}});
		break;
	case 'G': /* of one that nobody asked for */
		say(&(struct kr_pp_message){.type = KR_PP_LOOKED, .looked = {.id = last_id + 7}});
		break;
	case 'd':
		say(&(struct kr_pp_message){
			.type = KR_PP_DRAWN, .drawn = {.number = last_number, .error = 5}});
		break;
	case 'D':
		say(&(struct kr_pp_message){
			.type = KR_PP_DRAWN, .drawn = {.number = last_number + 1}});
		break;
	case 'n':
		say(&(struct kr_pp_message){.type = KR_PP_REFUSED, .refused = {-19, "no"}});
		break;
	case 'p': /* words of the other end */
		say(&(struct kr_pp_message){.type = KR_PP_BUFFER_GONE});
		break;
	case 'b':
		say_rubbish(64);
		break;
	case 'B':
		say_rubbish(20000);
		break;
	case 'f':
		say_with_descriptors();
		break;
	case 'w':
		shutdown(KR_PAINTER_SOCKET, SHUT_WR);
		break;
	case 's':
		usleep(100 * 1000);
		break;
	case 'e':
		if (!is_alone())
			_exit(1);
		break;
	case 'x':
		_exit(1);
	default:
		raise(SIGKILL);
	}
}

int
main(void)
{
	const char *steps = getenv("FAKE_PAINTER");

	/* It goes when its parent does. */
	alarm(60);
	while (steps && *steps) {
		step(*steps);
		if (steps[1])
			steps++;
	}
	return 0;
}
