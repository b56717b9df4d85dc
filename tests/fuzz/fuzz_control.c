/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the control socket of a run: the input is a list of packets, a byte of length and the
 * bytes, that a client sends; bit 0 of the first byte says hello in front. Every message that is
 * read is the same when it is written, and each answer is one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tools/run/control.h"
#include "util/fd.h"
#include "wire/packet.h"

#define MAX_PACKETS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_control: %s\n", what);
	abort();
}

static enum kr_layout
get_layout(void *data)
{
	return KR_LAYOUT_NATIVE;
}

static void
set_layout(void *data, enum kr_layout layout)
{
	check(kr_layout_name(layout) != NULL, "a layout that is none");
}

static void
get_screen(void *data, uint32_t *width, uint32_t *height, uint32_t *refresh_mhz, int32_t *transform)
{
	*width = 64;
	*height = 48;
	*refresh_mhz = 60000;
	*transform = 7;
}

static int
set_turn(void *data, int32_t transform)
{
	check(transform >= 0 && transform <= 7, "a turn that is none");
	return 0;
}

static int
set_size(void *data, uint32_t width, uint32_t height)
{
	return width && height ? 0 : -EINVAL;
}

static bool
get_program(void *data, uint32_t number, struct kr_cp_program *program)
{
	return number < 3;
}

static bool
get_window(void *data, uint64_t after, struct kr_cp_window2 *window)
{
	window->window.window = after + 1;
	return after < 3;
}

static int
place(const struct kr_layout_place *to)
{
	check(kr_layout_place_is_valid(to), "a place that is none");
	check(!(to->set & KR_PLACE_ALPHA) || (to->alpha >= 0 && to->alpha <= 1), "a bad alpha");
	return 0;
}

static int
place_program(void *data, uint32_t number, const struct kr_layout_place *to)
{
	check(number != 0, "program 0");
	return place(to);
}

static int
place_window(void *data, uint64_t id, const struct kr_layout_place *to)
{
	check(id != 0, "window 0");
	return place(to);
}

static const struct kr_control_host host = {get_layout, set_layout, get_screen, set_turn, set_size,
	get_program, get_window, place_program, place_window};

static void
check_codec(const uint8_t *data, size_t size)
{
	struct kr_cp_message message;
	uint8_t again[KR_CP_MAX_SIZE];

	if (!kr_cp_decode(data, size, 0, &message))
		check(kr_cp_encode(&message, again) == size && !memcmp(again, data, size),
			"a message isn't what it was read from");
}

static void
serve(struct kr_control *control)
{
	struct pollfd fds[KR_CONTROL_POLL];

	kr_control_poll(control, fds);
	check(poll(fds, KR_CONTROL_POLL, 0) >= 0, "poll");
	kr_control_dispatch(control, fds);
}

static void
feed(struct kr_control *control, int fd, const uint8_t *data, size_t size)
{
	struct kr_cp_message answer;

	for (int i = 0; i < MAX_PACKETS && size > 1; i++) {
		size_t length = KR_MIN((size_t)data[0], size - 1);
		int err;

		check_codec(data + 1, length);
		if (length && kr_packet_send(fd, data + 1, length, NULL, 0))
			return;
		serve(control);
		err = kr_control_receive(fd, &answer);
		check(err == 0 || err == -EAGAIN || err == -EPIPE || err == -ECONNRESET,
			"an answer that can't be read");
		data += 1 + length;
		size -= 1 + length;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kr_cp_message hello = {.type = KR_CP_HELLO, .hello = {.version = 2}};
	struct kr_control control;
	int pair[2];

	check(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair),
		"socketpair");
	kr_control_init(&control, &host, NULL);
	kr_control_add(&control, pair[1]);
	if (size && data[0] & 1)
		check(!kr_control_send(pair[0], &hello), "hello");
	if (size)
		feed(&control, pair[0], data + 1, size - 1);
	kr_fd_close(&pair[0]);
	kr_control_finish(&control);
	return 0;
}
