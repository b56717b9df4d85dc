/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What krafla-painter makes of words that no composer of ours says: it ends, by itself and at once,
 * or says no; it never crashes.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "painter/message.h"
#include "painter/process.h"
#include "util/clock.h"
#include "util/fd.h"

#define SIZE    16
#define WAIT_MS 10000
#define BAD     2 /* its exit code */

struct talk {
	struct kr_painter_process process;
	int socket;
};

static void
say(const struct talk *talk, const struct kr_pp_message *message, int fd)
{
	const struct kr_painter_packet packet = {.message = *message, .fds = {fd, -1}};

	assert_int_equal(kr_painter_send(talk->socket, &packet), 0);
}

/* The next answer; false: it has ended. */
static bool
hear(const struct talk *talk, struct kr_pp_message *message)
{
	struct pollfd poll_fd = {.fd = talk->socket, .events = POLLIN};
	struct kr_painter_packet packet;

	assert_int_equal(
		kr_fd_poll(&poll_fd, 1, kr_deadline_in(WAIT_MS * (uint64_t)KR_NSEC_PER_MSEC)), 1);
	if (kr_painter_receive(talk->socket, &packet))
		return false;
	*message = packet.message;
	return true;
}

static void
start(struct talk *talk)
{
	struct kr_pp_message message = {.type = KR_PP_HELLO, .hello = {.version = KR_PP_VERSION}};

	rig_use(RIG_LAVAPIPE);
	assert_int_equal(kr_painter_process_start(&talk->process, &talk->socket), 0);
	say(talk, &message, -1);
	assert_true(hear(talk, &message));
	assert_int_equal(message.type, KR_PP_READY);
}

static void
expect_end(struct talk *talk, const char *what, int code)
{
	struct kr_pp_message message;
	int status;

	if (hear(talk, &message))
		fail_msg("%s: it goes on", what);
	assert_int_equal(waitpid(talk->process.pid, &status, 0), talk->process.pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != code)
		fail_msg("%s: status %x", what, (unsigned)status);
	close(talk->process.pidfd);
	close(talk->socket);
}

static void
stop(struct talk *talk)
{
	close(talk->socket);
	kr_painter_process_end(&talk->process);
}

static struct kr_buffer *
make_buffer(void)
{
	const struct kr_buffer_desc desc = {SIZE, SIZE, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	return buffer;
}

static struct kr_pp_message
buffer_message(const struct kr_buffer *buffer, uint64_t id)
{
	const native_handle_t *handle = kr_buffer_handle(buffer);
	struct kr_pp_message message = {
		.type = KR_PP_BUFFER, .buffer = {.id = id, .ints = (uint8_t)handle->numInts}};

	memcpy(message.buffer.handle, handle->data + handle->numFds,
		sizeof(int) * (size_t)handle->numInts);
	return message;
}

/* A picture that could be drawn, of one color. */
static struct kr_pp_message
draw_message(uint64_t number)
{
	return (struct kr_pp_message){
		.type = KR_PP_DRAW,
		.draw = {.number = number,
			.width = SIZE,
			.height = SIZE,
			.stale_count = 1,
			.stale = {{0, 0, SIZE, SIZE}},
			.layers_count = 1,
			.layers = {{.blend = 1,
				.kind = KR_PAINTER_LAYER_COLOR,
				.alpha = kr_painter_bits_of(1),
				.color = 0xff336699,
				.right = SIZE,
				.bottom = SIZE}}},
	};
}

static void
set_kind(struct kr_pp_draw *draw)
{
	draw->layers[0].kind = 200;
}

static void
set_blend(struct kr_pp_draw *draw)
{
	draw->layers[0].blend = 9;
}

static void
set_transform(struct kr_pp_draw *draw)
{
	draw->layers[0].transform = 255;
}

static void
set_alpha(struct kr_pp_draw *draw)
{
	draw->layers[0].alpha = kr_painter_bits_of(NAN);
}

static void
set_crop(struct kr_pp_draw *draw)
{
	draw->layers[0].crop_left = kr_painter_bits_of(NAN);
}

static void
set_frame(struct kr_pp_draw *draw)
{
	draw->layers[0].right = INT32_MAX;
}

static void
set_buffer(struct kr_pp_draw *draw)
{
	draw->layers[0].kind = KR_PAINTER_LAYER_BUFFER;
	draw->layers[0].buffer = 77;
}

static void
set_width(struct kr_pp_draw *draw)
{
	draw->width = 0;
}

static void
set_height(struct kr_pp_draw *draw)
{
	draw->height = UINT32_MAX;
}

static void
set_order(struct kr_pp_draw *draw)
{
	draw->order = 7;
}

static void
set_no_slot(struct kr_pp_draw *draw)
{
	draw->readback = true;
	draw->ring = 2;
}

static void
set_far_slot(struct kr_pp_draw *draw)
{
	draw->readback = true;
	draw->ring = 255;
}

static void
pictures_that_cant_be(void **state)
{
	static const struct {
		const char *what;
		void (*set)(struct kr_pp_draw *draw);
	} cases[] = {
		{"kind", set_kind},
		{"blend", set_blend},
		{"transform", set_transform},
		{"alpha", set_alpha},
		{"crop", set_crop},
		{"frame", set_frame},
		{"buffer", set_buffer},
		{"width", set_width},
		{"height", set_height},
		{"order", set_order},
		{"a slot without a buffer", set_no_slot},
		{"a slot that isn't there", set_far_slot},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct kr_pp_message message = draw_message(1);
		struct talk talk;

		start(&talk);
		cases[i].set(&message.draw);
		say(&talk, &message, -1);
		expect_end(&talk, cases[i].what, BAD);
	}
}

/* Where nothing is to be drawn nothing is, and sizes beyond the device are refused. */
static void
pictures_at_the_edge(void **state)
{
	struct kr_pp_message message = draw_message(1), answer;
	struct talk talk;

	start(&talk);
	message.draw.stale[0] = (struct kr_pp_rect){INT32_MIN, INT32_MAX, INT32_MAX, INT32_MIN};
	say(&talk, &message, -1);
	assert_true(hear(&talk, &answer));
	assert_int_equal(answer.drawn.error, 0);
	message = draw_message(2);
	message.draw.stale[0] = (struct kr_pp_rect){INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};
	message.draw.layers[0].left = -65536;
	message.draw.layers[0].bottom = 65536;
	say(&talk, &message, -1);
	assert_true(hear(&talk, &answer));
	assert_int_equal(answer.drawn.error, 0);
	/* A gigabyte is more than lavapipe's shaders reach. */
	message = draw_message(3);
	message.draw.width = message.draw.height = 16384;
	say(&talk, &message, -1);
	assert_true(hear(&talk, &answer));
	assert_int_equal(answer.drawn.number, 3);
	assert_int_equal(answer.drawn.error, -EOPNOTSUPP);
	stop(&talk);
}

static void
expect_refused(const struct talk *talk, const struct kr_pp_message *message, int fd)
{
	struct kr_pp_message answer;

	say(talk, message, fd);
	assert_true(hear(talk, &answer));
	assert_int_equal(answer.type, KR_PP_LOOKED);
	assert_int_equal(answer.looked.id, message->buffer.id);
	assert_true(answer.looked.error < 0);
}

static void
buffers_that_lie(void **state)
{
	struct kr_buffer *buffer = make_buffer();
	const int fd = kr_buffer_handle(buffer)->data[0];
	struct kr_pp_message message = buffer_message(buffer, 1), bent;
	struct talk talk;
	int pipe_fds[2];

	start(&talk);
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	expect_refused(&talk, &message, pipe_fds[0]);
	/* Each of its integers, bent. */
	for (unsigned i = 0; i < message.buffer.ints; i++) {
		bent = message;
		bent.buffer.id = 100 + i;
		bent.buffer.handle[i] ^= 0x41414141;
		say(&talk, &bent, fd);
		assert_true(hear(&talk, &bent));
	}
	bent = message;
	bent.buffer.ints = 0;
	expect_refused(&talk, &bent, fd);
	bent.buffer.ints = 255;
	expect_refused(&talk, &bent, fd);
	say(&talk, &message, fd);
	assert_true(hear(&talk, &bent));
	assert_int_equal(bent.looked.error, 0);
	/* One that is there already. */
	say(&talk, &message, fd);
	expect_end(&talk, "a number twice", BAD);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	kr_buffer_unref(buffer);
}

static void
words_of_nobody(void **state)
{
	const struct kr_pp_message hello = {
		.type = KR_PP_HELLO, .hello = {.version = KR_PP_VERSION}};
	const struct kr_pp_message wrong = {.type = KR_PP_DRAWN};
	static uint8_t rubbish[20000];
	struct talk talk;

	start(&talk);
	say(&talk, &hello, -1);
	expect_end(&talk, "hello again", BAD);
	start(&talk);
	say(&talk, &wrong, -1);
	expect_end(&talk, "an answer", BAD);
	for (size_t size = 1; size <= sizeof(rubbish); size *= 7) {
		start(&talk);
		memset(rubbish, (int)size, sizeof(rubbish));
		assert_int_equal(send(talk.socket, rubbish, size, MSG_NOSIGNAL), (ssize_t)size);
		expect_end(&talk, "rubbish", BAD);
	}
	start(&talk);
	shutdown(talk.socket, SHUT_WR);
	expect_end(&talk, "half closed", 0);
	assert_int_equal(kr_painter_process_start(&talk.process, &talk.socket), 0);
	say(&talk, &(struct kr_pp_message){.type = KR_PP_BUFFER_GONE}, -1);
	expect_end(&talk, "no hello", BAD);
}

/* The ring's buffers are the parent's: one that isn't memory ends it. */
static void
rings_that_lie(void **state)
{
	struct kr_pp_message message = {.type = KR_PP_RING};
	struct talk talk;
	int pipe_fds[2];

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	start(&talk);
	say(&talk, &message, pipe_fds[0]);
	expect_end(&talk, "no memory", BAD);
	start(&talk);
	message.ring.index = 9;
	say(&talk, &message, pipe_fds[0]);
	expect_end(&talk, "no such slot", BAD);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(pictures_that_cant_be, 0, 60),
	KR_TEST(pictures_at_the_edge),
	KR_TEST(buffers_that_lie),
	KR_TEST_SLOW(words_of_nobody, 0, 60),
	KR_TEST(rings_that_lie),
};
KR_TEST_MAIN(tests)
