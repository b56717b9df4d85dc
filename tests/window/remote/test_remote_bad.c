/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peers that break the display protocol: each is cut off, with a line in the log, and nothing
 * leaks.
 */
#include "help.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/remote/message.h"

#define MS KR_NSEC_PER_MSEC

static char logged[512];

static void
keep_log(void *data, uint32_t bits, const char *message)
{
	snprintf(logged, sizeof(logged), "%s", message);
}

/* --- a producer that lies: raw messages to a remote consumer --- */

struct liar {
	int socket;
	struct kr_consumer *consumer;
	struct kr_buffer *buffer;
};

static void
send_raw(struct liar *liar, const struct kr_dp_message *message, int fd)
{
	assert_int_equal(kr_remote_send(liar->socket, message, fd), 0);
}

static void
say_hello(struct liar *liar)
{
	struct kr_dp_message hello = {
		.type = KR_DP_HELLO, .hello = {.version = 1, .label = "li\nar\x1b"}};

	send_raw(liar, &hello, -1);
	assert_int_equal(kr_consumer_dispatch(liar->consumer), 0);
}

static void
start_with(struct liar *liar, const struct kr_remote_display *display)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	int pair[2];

	logged[0] = '\0';
	kr_log_set_sink(keep_log, NULL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	liar->socket = pair[0];
	assert_int_equal(
		kr_consumer_remote_create(pair[1], display, false, NULL, NULL, &liar->consumer), 0);
	assert_int_equal(kr_buffer_allocate(&desc, &liar->buffer), 0);
}

static void
start(struct liar *liar)
{
	start_with(liar, &help_display);
}

static void
finish(struct liar *liar)
{
	kr_fd_close(&liar->socket);
	kr_consumer_destroy(liar->consumer);
	kr_buffer_unref(liar->buffer);
	kr_log_set_sink(NULL, NULL);
}

/* The last message has the connection ended, for this reason. */
static void
expect_cut_off(struct liar *liar, const char *why)
{
	struct kr_dp_message message;
	int fd;

	assert_int_equal(help_pump_all(liar->consumer), -EPIPE);
	if (!strstr(logged, why))
		fail_msg("logged \"%s\", not \"%s\"", logged, why);
	/* The liar is told, after whatever it was sent before. */
	do
		assert_int_equal(kr_remote_receive(liar->socket, &message, &fd), 0);
	while (message.type != KR_DP_ERROR);
	assert_non_null(strstr(message.error.text, why));
	assert_int_equal(kr_remote_receive(liar->socket, &message, &fd), -EPIPE);
	finish(liar);
}

static struct kr_dp_message
buffer_message(const struct liar *liar, uint32_t slot)
{
	struct kr_dp_message message = {.type = KR_DP_BUFFER,
		.buffer = {.slot = slot, .id = kr_buffer_get_info(liar->buffer)->id}};

	memcpy(message.buffer.handle, kr_buffer_handle(liar->buffer)->data + 1,
		sizeof(message.buffer.handle));
	return message;
}

static void
announce(struct liar *liar, uint32_t slot)
{
	struct kr_dp_message message = buffer_message(liar, slot);

	send_raw(liar, &message, kr_buffer_get_info(liar->buffer)->fd);
}

static struct kr_dp_message
frame_message(uint32_t slot, uint64_t number)
{
	struct kr_dp_message message = {
		.type = KR_DP_FRAME, .frame = {.slot = slot, .number = number, .format = 1}};

	return message;
}

static void
a_decent_producer_is_served(void **state)
{
	struct kr_dp_message message;
	struct kr_frame frame;
	struct liar liar;

	start(&liar);
	say_hello(&liar);
	assert_string_equal(kr_consumer_label(liar.consumer), "li?ar?");
	announce(&liar, 63);
	message = frame_message(63, 5);
	send_raw(&liar, &message, -1);
	assert_int_equal(kr_consumer_dispatch(liar.consumer), 0);
	assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
	assert_int_equal(frame.slot, 63);
	finish(&liar);
}

static void
hello_comes_first_and_once(void **state)
{
	struct kr_dp_message message = {.type = KR_DP_WAITING};
	struct liar liar;

	start(&liar);
	send_raw(&liar, &message, -1);
	expect_cut_off(&liar, "no hello");
	start(&liar);
	message = (struct kr_dp_message){.type = KR_DP_HELLO, .hello = {.version = 1}};
	say_hello(&liar);
	send_raw(&liar, &message, -1);
	expect_cut_off(&liar, "second hello");
	start(&liar);
	message.hello.version = KR_DP_VERSION + 1;
	send_raw(&liar, &message, -1);
	expect_cut_off(&liar, "version");
}

/* */
static void
garbage_is_no_message(void **state)
{
	static const char big[4096];
	struct liar liar;

	start(&liar);
	say_hello(&liar);
	assert_int_equal(send(liar.socket, "garbage", 7, 0), 7);
	expect_cut_off(&liar, "no message");
	start(&liar);
	assert_int_equal(send(liar.socket, big, sizeof(big), 0), sizeof(big));
	expect_cut_off(&liar, "no message");
	start(&liar);
	say_hello(&liar);
	send_raw(&liar, &(struct kr_dp_message){.type = KR_DP_PONG}, -1);
	expect_cut_off(&liar, "display's own");
}

static void
descriptors_where_none_belong_are_closed(void **state)
{
	struct kr_dp_message message = {.type = KR_DP_WAITING};
	struct liar liar;

	start(&liar);
	say_hello(&liar);
	send_raw(&liar, &message, liar.socket);
	expect_cut_off(&liar, "no message");
	start(&liar);
	say_hello(&liar);
	message = buffer_message(&liar, 0); /* and none where one belongs */
	send_raw(&liar, &message, -1);
	expect_cut_off(&liar, "no message");
}

/* */
static void
buffers_that_lie_are_refused(void **state)
{
	static const struct {
		int index, value;
	} lies[] = {{KR_HANDLE_INT_WIDTH, 65536}, {KR_HANDLE_INT_HEIGHT, 33},
		{KR_HANDLE_INT_STRIDE, 128}, {KR_HANDLE_INT_SIZE, 1 << 20},
		{KR_HANDLE_INT_BACKEND, 9}, {KR_HANDLE_INT_ID, 0}};
	struct kr_dp_message message;
	struct liar liar;
	int fd;

	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		start(&liar);
		say_hello(&liar);
		message = buffer_message(&liar, 0);
		message.buffer.handle[lies[i].index] = lies[i].value;
		send_raw(&liar, &message, kr_buffer_get_info(liar.buffer)->fd);
		expect_cut_off(&liar, "isn't what its handle says");
	}
	start(&liar);
	say_hello(&liar);
	message = buffer_message(&liar, 0);
	send_raw(&liar, &message, liar.socket); /* no memory at all */
	expect_cut_off(&liar, "isn't what its handle says");
	start(&liar);
	say_hello(&liar);
	fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(fd, (off_t)kr_buffer_get_info(liar.buffer)->size), 0);
	send_raw(&liar, &message, fd);
	expect_cut_off(&liar, "isn't sealed");
	close(fd);
	start(&liar);
	say_hello(&liar);
	fd = memfd_create("truncated", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	send_raw(&liar, &message, fd);
	expect_cut_off(&liar, "isn't what its handle says");
	close(fd);
}

/* */
static void
slots_are_checked(void **state)
{
	struct kr_dp_message gone = {.type = KR_DP_BUFFER_GONE, .buffer_gone = {.slot = 0}};
	struct kr_dp_message message;
	struct liar liar;

	start(&liar);
	say_hello(&liar);
	announce(&liar, 64);
	expect_cut_off(&liar, "slot");
	start(&liar);
	say_hello(&liar);
	announce(&liar, 0);
	announce(&liar, 0);
	expect_cut_off(&liar, "slot");
	start(&liar);
	say_hello(&liar);
	send_raw(&liar, &gone, -1);
	expect_cut_off(&liar, "takes away");
	start(&liar);
	say_hello(&liar);
	announce(&liar, 0);
	message = frame_message(0, 1);
	send_raw(&liar, &message, -1);
	send_raw(&liar, &gone, -1);
	expect_cut_off(&liar, "takes away");
	start(&liar);
	say_hello(&liar);
	announce(&liar, 0);
	send_raw(&liar, &gone, -1);
	announce(&liar, 0);
	assert_int_equal(kr_consumer_dispatch(liar.consumer), 0);
	finish(&liar);
}

/* Sends one frame in slot 0, spoilt in one way. */
static void
expect_bad_frame(const struct kr_dp_message *message, int fd, const char *why)
{
	struct liar liar;

	start(&liar);
	say_hello(&liar);
	announce(&liar, 0);
	send_raw(&liar, message, fd);
	expect_cut_off(&liar, why);
}

/* */
static void
frames_are_checked(void **state)
{
	struct kr_dp_message message = frame_message(1, 1);
	int fd = eventfd(0, EFD_CLOEXEC);

	expect_bad_frame(&message, -1, "without a buffer");
	message = frame_message(64, 1);
	expect_bad_frame(&message, -1, "without a buffer");
	message = frame_message(0, 0);
	expect_bad_frame(&message, -1, "don't grow");
	message = frame_message(0, 1);
	message.frame.has_fence = true;
	expect_bad_frame(&message, -1, "without its fence");
	expect_bad_frame(&message, fd, "without its fence"); /* an eventfd is no fence */
	message.frame.has_fence = false;
	expect_bad_frame(&message, fd, "without its fence");
	message = frame_message(0, 1);
	message.frame.format = 4;
	expect_bad_frame(&message, -1, "another format");
	message = frame_message(0, 1);
	message.frame.transform = 16;
	expect_bad_frame(&message, -1, "transform");
	message = frame_message(0, 1);
	message.frame.scaling_mode = -1;
	expect_bad_frame(&message, -1, "scaling mode");
	message = frame_message(0, 1);
	message.frame.crop_right = 65;
	message.frame.crop_bottom = 1;
	expect_bad_frame(&message, -1, "crop");
	message.frame.crop_right = INT32_MIN;
	expect_bad_frame(&message, -1, "crop");
	close(fd);
}

/* ---- version 3 ---- */

static struct kr_remote_display able;

static void
start_3(struct liar *liar)
{
	static const struct kr_dp_message hello = {
		.type = KR_DP_HELLO3, .hello3 = {.hello2 = {.hello = {.version = 3}}}};

	able = help_display;
	able.abilities = (struct kr_abilities){
		.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT) & ~KR_ABILITY(KR_PRESENT_MAILBOX),
		.transforms = KR_ABILITY(0) | KR_ABILITY(NATIVE_WINDOW_TRANSFORM_ROT_90),
		.scalings = KR_ABILITY(KR_SCALING_STRETCH),
		.gravities = KR_ABILITY(KR_GRAVITY_MIN),
		.tells_shown = true,
	};
	start_with(liar, &able);
	send_raw(liar, &hello, -1);
	announce(liar, 0);
	announce(liar, 1);
}

static struct kr_dp_message
frame3_message(uint32_t slot, uint64_t number, enum kr_present_mode mode)
{
	return (struct kr_dp_message){.type = KR_DP_FRAME3,
		.frame3 = {
			.frame2 = {.frame = {.slot = slot,
					   .number = number,
					   .droppable = kr_present_mode_drops(mode),
					   .format = 1}},
			.mode = (uint8_t)mode,
		}};
}

static void
expect_bad_frame3(const struct kr_dp_message *message, const char *why)
{
	struct liar liar;

	start_3(&liar);
	send_raw(&liar, message, -1);
	expect_cut_off(&liar, why);
}

/* */
static void
presentations_are_checked(void **state)
{
	struct kr_dp_message message = frame3_message(0, 1, KR_PRESENT_MODE_COUNT);

	expect_bad_frame3(&message, "wasn't offered");
	message.frame3.mode = 255;
	expect_bad_frame3(&message, "wasn't offered");
	message = frame3_message(0, 1, KR_PRESENT_MAILBOX);
	expect_bad_frame3(&message, "wasn't offered");
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	message.frame3.alpha = KR_ALPHA_STRAIGHT;
	expect_bad_frame3(&message, "wasn't offered");
	message.frame3.alpha = 200;
	expect_bad_frame3(&message, "wasn't offered");
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	message.frame3.scaling = KR_SCALING_ASPECT;
	expect_bad_frame3(&message, "wasn't offered");
	message.frame3.scaling = KR_SCALING_STRETCH;
	message.frame3.gravity_y = KR_GRAVITY_CENTRED;
	expect_bad_frame3(&message, "wasn't offered");
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	message.frame3.frame2.frame.transform = NATIVE_WINDOW_TRANSFORM_ROT_180;
	expect_bad_frame3(&message, "wasn't offered");
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	message.frame3.frame2.frame.droppable = true;
	expect_bad_frame3(&message, "droppable");
	message = frame3_message(0, 1, KR_PRESENT_IMMEDIATE);
	message.frame3.frame2.frame.droppable = false;
	expect_bad_frame3(&message, "droppable");
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	message.frame3.window_width = 1;
	expect_bad_frame3(&message, "no size");
	message.frame3.window_height = KR_WINDOW_MAX_EXTENT + 1;
	expect_bad_frame3(&message, "no size");
}

/* */
static void
answers_to_nothing_and_twice_asked_are_refused(void **state)
{
	static const struct kr_dp_message configured = {.type = KR_DP_CONFIGURED},
					  watch = {.type = KR_DP_WATCH_VBLANK};
	struct liar liar;

	start_3(&liar);
	send_raw(&liar, &configured, -1);
	expect_cut_off(&liar, "wasn't told");
	start_3(&liar);
	assert_int_equal(help_pump_all(liar.consumer), 0);
	kr_consumer_configure(liar.consumer, 7, 7, 0);
	send_raw(&liar, &configured, -1);
	send_raw(&liar, &configured, -1);
	expect_cut_off(&liar, "wasn't told");
	/* This display has no such counter. */
	start_3(&liar);
	send_raw(&liar, &watch, -1);
	expect_cut_off(&liar, "nobody counts");
	able = help_display;
	able.abilities.modes = 1;
	able.abilities.counters = KR_ABILITY_VBLANK;
	start_with(&liar, &able);
	send_raw(&liar,
		&(struct kr_dp_message){
			.type = KR_DP_HELLO3, .hello3 = {.hello2 = {.hello = {.version = 3}}}},
		-1);
	send_raw(&liar, &watch, -1);
	send_raw(&liar, &watch, -1);
	expect_cut_off(&liar, "twice");
}

/* A shared slot is queued again as long as it is the newest, and never a slot of its neighbours. */
static void
shared_slots_are_checked(void **state)
{
	struct kr_dp_message shared = frame3_message(0, 1, KR_PRESENT_SHARED_DEMAND),
			     other = frame3_message(1, 2, KR_PRESENT_FIFO), gone, message;
	struct kr_frame frame;
	struct liar liar;

	start_3(&liar);
	send_raw(&liar, &shared, -1);
	message = frame3_message(0, 2, KR_PRESENT_FIFO);
	send_raw(&liar, &message, -1);
	expect_cut_off(&liar, "wasn't released");
	start_3(&liar);
	message = frame3_message(0, 1, KR_PRESENT_FIFO);
	send_raw(&liar, &message, -1);
	message = frame3_message(0, 2, KR_PRESENT_SHARED_DEMAND);
	send_raw(&liar, &message, -1);
	expect_cut_off(&liar, "wasn't released");
	/* Queued, held, queued again: but not behind another. */
	start_3(&liar);
	send_raw(&liar, &shared, -1);
	send_raw(&liar, &other, -1);
	message = frame3_message(0, 3, KR_PRESENT_SHARED_DEMAND);
	send_raw(&liar, &message, -1);
	expect_cut_off(&liar, "wasn't released");
	start_3(&liar);
	send_raw(&liar, &shared, -1);
	assert_int_equal(help_pump_all(liar.consumer), 0);
	assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
	send_raw(&liar, &other, -1);
	send_raw(&liar, &message, -1);
	expect_cut_off(&liar, "wasn't released");
	/* Its buffer stays as long as it is held, whatever was queued of it. */
	start_3(&liar);
	for (uint64_t i = 1; i <= 500; i++) {
		message = frame3_message(0, i, KR_PRESENT_SHARED_CONTINUOUS);
		send_raw(&liar, &message, -1);
		assert_int_equal(help_pump_all(liar.consumer), 0);
		if (i % 3 == 0)
			assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
	}
	assert_int_equal(frame.number, 498);
	gone = (struct kr_dp_message){.type = KR_DP_BUFFER_GONE};
	send_raw(&liar, &gone, -1);
	expect_cut_off(&liar, "takes away");
}

/* Fences of a shared slot: one that is queued and one that may be held, never more. */
static void
fences_of_a_shared_slot_are_few(void **state)
{
	struct kr_frame frame;
	struct liar liar;
	int before;

	start_3(&liar);
	assert_int_equal(help_pump_all(liar.consumer), 0);
	before = kr_test_count_fds();
	for (uint64_t i = 1; i <= 100; i++) {
		struct kr_dp_message message = frame3_message(0, i, KR_PRESENT_SHARED_DEMAND);
		int fence;

		message.frame3.frame2.frame.has_fence = true;
		assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
		send_raw(&liar, &message, fence);
		kr_fd_close(&fence);
		assert_int_equal(help_pump_all(liar.consumer), 0);
		assert_true(kr_test_count_fds() <= before + 1);
		if (i % 2) {
			assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
			kr_fd_close(&frame.acquire_fence);
		}
	}
	assert_int_equal(kr_consumer_release(liar.consumer, &frame, -1), 0);
	finish(&liar);
}

static void
a_slot_is_queued_once_and_numbers_grow(void **state)
{
	struct kr_dp_message message = frame_message(0, 7);
	struct kr_frame frame;
	struct liar liar;

	start(&liar);
	say_hello(&liar);
	announce(&liar, 0);
	announce(&liar, 1);
	send_raw(&liar, &message, -1);
	message.frame.number = 8;
	send_raw(&liar, &message, -1);
	expect_cut_off(&liar, "wasn't released");
	start(&liar);
	say_hello(&liar);
	announce(&liar, 0);
	announce(&liar, 1);
	message.frame.number = 7;
	send_raw(&liar, &message, -1);
	assert_int_equal(kr_consumer_dispatch(liar.consumer), 0);
	assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
	message.frame.slot = 1;
	send_raw(&liar, &message, -1);
	expect_cut_off(&liar, "don't grow");
}

/* */
static void
damage_from_outside_is_clipped(void **state)
{
	struct kr_dp_message message = frame_message(0, 1);
	struct kr_frame frame;
	struct liar liar;

	start(&liar);
	say_hello(&liar);
	announce(&liar, 0);
	message.frame.damage_count = 2;
	message.frame.damage[0] = (struct kr_dp_rect){INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};
	message.frame.damage[1] = (struct kr_dp_rect){9, 9, -9, -9};
	send_raw(&liar, &message, -1);
	assert_int_equal(kr_consumer_dispatch(liar.consumer), 0);
	assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
	assert_int_equal(frame.damage_count, 1);
	assert_int_equal(frame.damage[0].left, 0);
	assert_int_equal(frame.damage[0].right, 64);
	finish(&liar);
}

static void
too_much_memory_is_refused(void **state)
{
	struct kr_buffer_desc desc = {32768, 16384, 1, 1, 3}; /* 2 GiB, never touched */
	struct kr_dp_message gone = {.type = KR_DP_BUFFER_GONE, .buffer_gone = {.slot = 0}};
	struct liar liar;

	start(&liar);
	kr_buffer_unref(liar.buffer);
	assert_int_equal(kr_buffer_allocate(&desc, &liar.buffer), 0);
	say_hello(&liar);
	/* What is gone doesn't count. */
	for (int i = 0; i < 4; i++) {
		announce(&liar, 0);
		send_raw(&liar, &gone, -1);
	}
	announce(&liar, 0);
	announce(&liar, 1);
	assert_int_equal(kr_consumer_dispatch(liar.consumer), 0);
	announce(&liar, 2);
	expect_cut_off(&liar, "more memory");
}

static void
a_producer_that_doesnt_read_is_cut_off(void **state)
{
	struct kr_dp_message ping = {.type = KR_DP_PING};
	struct liar liar;
	int err = 0;

	start(&liar);
	say_hello(&liar);
	for (int i = 0; i < 100000 && !err; i++) {
		send_raw(&liar, &ping, -1);
		err = kr_consumer_dispatch(liar.consumer);
	}
	assert_int_equal(err, -EPIPE);
	assert_non_null(strstr(logged, "doesn't read"));
	finish(&liar);
}

/* --- a display that lies: raw messages to a remote sink --- */

struct bad_display {
	int socket;
	struct kr_queue *queue;
};

static int
attach_with(const struct kr_dp_message *welcome, int *peer, struct kr_sink **sink)
{
	struct kr_remote_display info;
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	if (welcome)
		assert_int_equal(kr_remote_send(pair[1], welcome, -1), 0);
	else
		shutdown(pair[1], SHUT_WR);
	*peer = pair[1];
	return kr_sink_remote_attach(pair[0], "unit", kr_clock_now() + 100 * MS, sink, &info);
}

static const struct kr_dp_message good_welcome = {.type = KR_DP_WELCOME3,
	.welcome3 = {.modes = 0x7f,
		.counters = 1,
		.tells_shown = true,
		.welcome2 = {.welcome = {.version = KR_DP_VERSION,
				     .width = 64,
				     .height = 32,
				     .refresh_ns = 1,
				     .consumer_usage = 3,
				     .max_acquired = 1,
				     .format = 1},
			.wants_every = 1}}};

static void
a_welcome_that_makes_no_sense_is_eproto(void **state)
{
	struct kr_dp_message bad[11];
	struct kr_sink *sink = NULL;
	int peer;

	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++)
		bad[i] = good_welcome;
	bad[0].welcome3.welcome2.welcome.version = 4;
	bad[1].welcome3.welcome2.welcome.width = 0;
	bad[2].welcome3.welcome2.welcome.format = AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM;
	bad[3].welcome3.welcome2.welcome.max_acquired = 0;
	bad[4].welcome3.welcome2.welcome.max_acquired = 63;
	bad[5].welcome3.welcome2.welcome.consumer_usage = AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;
	bad[6].type = KR_DP_BYE;
	bad[7].type = KR_DP_WELCOME; /* of another version, which it wasn't asked for */
	bad[8].type = KR_DP_WELCOME2;
	bad[9].welcome3.modes = 0x7e; /* without FIFO */
	bad[10].welcome3.transform_hint = 8;
	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		assert_int_equal(attach_with(&bad[i], &peer, &sink), -EPROTO);
		close(peer);
	}
	assert_int_equal(attach_with(NULL, &peer, &sink), -EPIPE);
	close(peer);
	assert_null(sink);
}

static void
open_bad_display(struct bad_display *bad)
{
	struct kr_sink *sink;

	logged[0] = '\0';
	kr_log_set_sink(keep_log, NULL);
	assert_int_equal(attach_with(&good_welcome, &bad->socket, &sink), 0);
	bad->queue = help_queue(sink);
	help_frame(bad->queue);
}

static void
expect_display_given_up(struct bad_display *bad, const char *why)
{
	assert_false(kr_queue_alive(bad->queue));
	assert_int_equal(help_try_dequeue(bad->queue, 0), -ENODEV);
	if (!strstr(logged, why))
		fail_msg("logged \"%s\", not \"%s\"", logged, why);
	kr_queue_unref(bad->queue);
	close(bad->socket);
	kr_log_set_sink(NULL, NULL);
}

static void
releases_that_lie_end_the_connection(void **state)
{
	struct kr_dp_message message = {.type = KR_DP_RELEASE, .release = {.slot = 0, .number = 1}};
	struct bad_display bad;
	int fd = eventfd(0, EFD_CLOEXEC);

	open_bad_display(&bad);
	assert_int_equal(kr_remote_send(bad.socket, &message, -1), 0);
	assert_true(kr_queue_alive(bad.queue));
	assert_int_equal(kr_remote_send(bad.socket, &message, -1), 0); /* twice */
	expect_display_given_up(&bad, "doesn't have");
	open_bad_display(&bad);
	message.release.slot = 64;
	assert_int_equal(kr_remote_send(bad.socket, &message, -1), 0);
	expect_display_given_up(&bad, "doesn't have");
	open_bad_display(&bad);
	message.release.slot = 0;
	message.release.has_fence = true;
	assert_int_equal(kr_remote_send(bad.socket, &message, fd), 0);
	expect_display_given_up(&bad, "without its fence");
	open_bad_display(&bad);
	assert_int_equal(send(bad.socket, "junk", 4, 0), 4);
	expect_display_given_up(&bad, "broke the protocol");
	open_bad_display(&bad);
	message = (struct kr_dp_message){.type = KR_DP_ERROR, .error = {.text = "go away"}};
	assert_int_equal(kr_remote_send(bad.socket, &message, -1), 0);
	expect_display_given_up(&bad, "go away");
	/* It has hung up already when the next frame comes: the reason is still heard. */
	open_bad_display(&bad);
	assert_int_equal(kr_remote_send(bad.socket, &message, -1), 0);
	shutdown(bad.socket, SHUT_RDWR);
	assert_int_equal(help_try_dequeue(bad.queue, 0), -ENODEV); /* a new buffer to announce */
	expect_display_given_up(&bad, "go away");
	open_bad_display(&bad);
	assert_int_equal(kr_remote_send(bad.socket, &good_welcome, -1), 0);
	expect_display_given_up(&bad, "welcome");
	close(fd);
}

/* */
static void
what_a_display_tells_is_checked(void **state)
{
	const struct kr_dp_message lies[] = {
		{.type = KR_DP_SHOWN, .shown = {.number = 0}},
		{.type = KR_DP_SHOWN, .shown = {.number = 2}},
		{.type = KR_DP_VBLANK},
		{.type = KR_DP_CONFIGURE, .configure = {.width = 0, .height = 1}},
		{.type = KR_DP_CONFIGURE, .configure = {.width = 1, .height = 32769}},
		{.type = KR_DP_CONFIGURE,
			.configure = {.width = 1, .height = 1, .transform_hint = 8}},
		{.type = KR_DP_CONFIGURED},
	};
	struct kr_dp_message shown = {.type = KR_DP_SHOWN, .shown = {.number = 1}};
	struct bad_display bad;

	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		open_bad_display(&bad);
		assert_int_equal(kr_remote_send(bad.socket, &lies[i], -1), 0);
		expect_display_given_up(&bad, "broke the protocol");
	}
	open_bad_display(&bad);
	assert_int_equal(kr_remote_send(bad.socket, &shown, -1), 0);
	assert_int_equal(kr_remote_send(bad.socket, &shown, -1), 0); /* twice */
	expect_display_given_up(&bad, "broke the protocol");
}

static void
a_display_that_doesnt_read_is_given_up(void **state)
{
	struct kr_dp_message message = {.type = KR_DP_RELEASE};
	struct bad_display bad;
	uint64_t number = 1;
	int64_t start;
	uint32_t slot = 0;

	kr_sink_set_answer_ns(200 * MS);
	open_bad_display(&bad);
	start = kr_clock_now();
	/* It gives every frame back, but never reads one: the socket fills up. */
	for (int i = 0; i < 100000; i++) {
		message.release.slot = slot;
		message.release.number = number;
		assert_int_equal(kr_remote_send(bad.socket, &message, -1), 0);
		slot = help_dequeue(bad.queue);
		start = kr_clock_now();
		if (kr_queue_queue(bad.queue, slot, &help_input, -1, &number))
			break;
	}
	assert_true(kr_clock_now() - start >= 190 * MS);
	expect_display_given_up(&bad, "doesn't read");
}

static const struct kr_test tests[] = {
	KR_TEST(a_decent_producer_is_served),
	KR_TEST(hello_comes_first_and_once),
	KR_TEST(garbage_is_no_message),
	KR_TEST(descriptors_where_none_belong_are_closed),
	KR_TEST(buffers_that_lie_are_refused),
	KR_TEST(slots_are_checked),
	KR_TEST(frames_are_checked),
	KR_TEST(presentations_are_checked),
	KR_TEST(answers_to_nothing_and_twice_asked_are_refused),
	KR_TEST(shared_slots_are_checked),
	KR_TEST(fences_of_a_shared_slot_are_few),
	KR_TEST(a_slot_is_queued_once_and_numbers_grow),
	KR_TEST(damage_from_outside_is_clipped),
	KR_TEST(too_much_memory_is_refused),
	KR_TEST(a_producer_that_doesnt_read_is_cut_off),
	KR_TEST(a_welcome_that_makes_no_sense_is_eproto),
	KR_TEST(releases_that_lie_end_the_connection),
	KR_TEST(what_a_display_tells_is_checked),
	KR_TEST(a_display_that_doesnt_read_is_given_up),
};

KR_TEST_MAIN(tests)
