/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends of the display protocol of different releases: what the other end says is typed out in
 * bytes, as the release that it stands for said it.
 */
#include "help.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/native_memory.h"
#include "window/remote/account.h"
#include "window/remote/message.h"

#define WAIT_NS (10 * KR_NSEC_PER_SEC)

/* clang-format off */
static const uint8_t hello_1[] = {1, 0, 0, 0, 15, 0, 0, 0, 1, 0, 0, 0, 1, 0, 'x'};
static const uint8_t hello_2[] = {
	9, 0, 0, 0, 23, 0, 0, 0, 2, 0, 0, 0, 1, 0, 'x', 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t hello_3[] = {
	11, 0, 0, 0, 24, 0, 0, 0, 3, 0, 0, 0, 1, 0, 'x', 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t hello_4[] = {
	15, 0, 0, 0, 24, 0, 0, 0, 4, 0, 0, 0, 1, 0, 'x', 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t hello_5[] = {
	17, 0, 0, 0, 24, 0, 0, 0, 5, 0, 0, 0, 1, 0, 'x', 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t hello_6[] = {
	19, 0, 0, 0, 24, 0, 0, 0, 6, 0, 0, 0, 1, 0, 'x', 0, 0, 0, 0, 0, 0, 0, 0, 0};
/* 64x32 RGBA, 60 Hz, usage 3, max_acquired 1: help_display. */
static const uint8_t welcome_1[] = {
	64, 0, 0, 0, 45, 0, 0, 0, 1, 0, 0, 0, 64, 0, 0, 0, 32, 0, 0, 0,
	0x2b, 0x50, 0xfe, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
/* The same, and frame 3 and then every second one is wanted. */
static const uint8_t welcome_2[] = {
	68, 0, 0, 0, 61, 0, 0, 0, 2, 0, 0, 0, 64, 0, 0, 0, 32, 0, 0, 0,
	0x2b, 0x50, 0xfe, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
	3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
/*
 * The same; it tells what it has shown, can the modes 0 to 4, all transforms, opaque pixels, scales
 * as the window says, counts vertical blanks, hangs turned by 90 degrees, and is called "out":
 * 600 x 340 mm at 59.94 Hz.
 */
static const uint8_t welcome_3[] = {
	70, 0, 0, 0, 0x6b, 0, 0, 0, 3, 0, 0, 0, 64, 0, 0, 0, 32, 0, 0, 0, 43, 80, 0xfe, 0, 0,
	0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2,
	0, 0, 0, 0, 0, 0, 0, 1, 31, 0, 0, 0, 0xff, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0x6f, 0x75, 0x74, 88, 2, 0, 0, 84, 1, 0, 0, 36, 0xea, 0,
	0};
/* The same, and it looks at memory of a GPU. */
static const uint8_t welcome_4[] = {
	74, 0, 0, 0, 0x6b, 0, 0, 0, 4, 0, 0, 0, 64, 0, 0, 0, 32, 0, 0, 0, 43, 80, 0xfe, 0, 0,
	0, 0, 0, 0, 3, 0, 0, 0, 0, 0x80, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2,
	0, 0, 0, 0, 0, 0, 0, 1, 31, 0, 0, 0, 0xff, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0x6f, 0x75, 0x74, 88, 2, 0, 0, 84, 1, 0, 0, 36, 0xea, 0,
	0};
/*
 * The same; it shows sRGB and Display P3, honours timestamps and relative times itself, tells of
 * latches and of what was shown, had a refresh at 9 ns, and shows a latch 258 ns later.
 */
static const uint8_t welcome_5[] = {
	75, 0, 0, 0, 0x87, 0, 0, 0, 5, 0, 0, 0, 64, 0, 0, 0, 32, 0, 0, 0, 43, 80, 0xfe, 0, 0,
	0, 0, 0, 0, 3, 0, 0, 0, 0, 0x80, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2,
	0, 0, 0, 0, 0, 0, 0, 1, 31, 0, 0, 0, 0xff, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0x6f, 0x75, 0x74, 88, 2, 0, 0, 84, 1, 0, 0, 36, 0xea, 0,
	0,
	3, 0, 0, 0, 0x0b, 0, 0, 0, 0x21, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0};
/*
 * What a display says that can what one of version 2 could, with all the buffers that there can be.
 */
static const uint8_t welcome_6_plain[] = {
	78, 0, 0, 0, 0x90, 0, 0, 0, 6, 0, 0, 0, 64, 0, 0, 0, 32, 0, 0, 0, 43, 80, 0xfe, 0, 0,
	0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2,
	0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0xff, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0};
/* Of version 6: of slot 0, of nobody, 60 Hz, the 258th, of serial 0. */
static const uint8_t detached_0[] = {20, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t disconnected[] = {21, 0, 0, 0, 8, 0, 0, 0};
static const uint8_t frame_rate[] = {22, 0, 0, 0, 14, 0, 0, 0, 0, 0, 0x70, 0x42, 0, 0};
static const uint8_t generation[] = {23, 0, 0, 0, 12, 0, 0, 0, 2, 1, 0, 0};
static const uint8_t attached[] = {
	25, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
/* "a packet that is no message", which is what displays make of newer hellos. */
static const uint8_t error_1[] = {
	66, 0, 0, 0, 41, 0, 0, 0, 1, 0, 0, 0, 27, 0, 'a', ' ', 'p', 'a', 'c', 'k', 'e', 't', ' ',
	't', 'h', 'a', 't', ' ', 'i', 's', ' ', 'n', 'o', ' ', 'm', 'e', 's', 's', 'a', 'g', 'e'};
/* "full", for want of resources. */
static const uint8_t error_full[] = {
	66, 0, 0, 0, 18, 0, 0, 0, 3, 0, 0, 0, 4, 0, 'f', 'u', 'l', 'l'};
/* Nothing from frame 5 on. */
static const uint8_t wants[] = {
	69, 0, 0, 0, 24, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
/* Frame 1 of slot 0 in RGBA, as soon as it can be shown; queued at 9 ns. */
/* Shown: up to frame 1, at 9 ns. */
static const uint8_t shown[] = {
	72, 0, 0, 0, 24, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0};
/* 320x200, not turned. */
static const uint8_t configure[] = {
	71, 0, 0, 0, 20, 0, 0, 0, 64, 1, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t configured[] = {14, 0, 0, 0, 8, 0, 0, 0};
static const uint8_t watch_vblank[] = {13, 0, 0, 0, 8, 0, 0, 0};
/* The 258th, at 9 ns. */
static const uint8_t vblank[] = {
	73, 0, 0, 0, 24, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0};
#define FRAME                                                                                      \
	0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  \
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80,                 \
	9, 0, 0, 0, 0, 0, 0, 0, 0, 0
static const uint8_t frame_1[] = {4, 0, 0, 0, 72, 0, 0, 0, FRAME};
static const uint8_t frame_2[] = {10, 0, 0, 0, 73, 0, 0, 0, FRAME, 1};
/* RELAXED; somebody waits for it; in a window of 320x200. */
static const uint8_t frame_3[] = {
	12, 0, 0, 0, 87, 0, 0, 0, FRAME, 1, 3, 0, 0, 0, 0, 1, 64, 1, 0, 0, 200, 0, 0, 0};
/* Of no HDR metadata. */
#define WORDS_12                                                                                   \
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  \
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
/*
 * The same; somebody asks for its times, and it is for the refresh nearest to 258 ns after the
 * frame before.
 */
static const uint8_t frame_4[] = {
	18, 0, 0, 0, 150, 0, 0, 0, FRAME, 1, 3, 0, 0, 0, 0, 1, 64, 1, 0, 0, 200, 0, 0, 0,
	1, 3, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, WORDS_12};
/* Frame 1 was latched at 9 ns and will not be shown. */
static const uint8_t events[] = {
	76, 0, 0, 0, 68, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x21, 0, 0, 0,
	9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255};
/* clang-format on */
#define QUEUED_AT 62 /* of queued_ns in a frame */

static void
say(int socket, const uint8_t *bytes, size_t size)
{
	assert_int_equal(send(socket, bytes, size, MSG_NOSIGNAL), size);
}

/* The next packet, whole; what travels with it is dropped. */
static size_t
hear(int socket, uint8_t bytes[512])
{
	struct pollfd p = {.fd = socket, .events = POLLIN};
	ssize_t size;

	assert_int_equal(poll(&p, 1, (int)(WAIT_NS / KR_NSEC_PER_MSEC)), 1);
	size = recv(socket, bytes, 512, 0);
	assert_true(size >= 0);
	return (size_t)size;
}

static void
expect(int socket, const uint8_t *expected, size_t size)
{
	uint8_t bytes[512];

	assert_int_equal(hear(socket, bytes), size);
	assert_memory_equal(bytes, expected, size);
}

#define SAY(socket, bytes)    say(socket, bytes, sizeof(bytes))
#define EXPECT(socket, bytes) expect(socket, bytes, sizeof(bytes))

/* ---- a display of this release, and producers of all ---- */

/* Announces slot 0; only the id of the memory isn't the same each time. */
static void
announce(int socket)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	struct kr_dp_message message = {.type = KR_DP_BUFFER};
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	message.buffer.id = kr_buffer_get_info(buffer)->id;
	memcpy(message.buffer.handle, kr_buffer_handle(buffer)->data + 1,
		sizeof(message.buffer.handle));
	assert_int_equal(kr_remote_send(socket, &message, kr_buffer_get_info(buffer)->fd), 0);
	kr_buffer_unref(buffer);
}

static struct kr_consumer *
open_consumer(int *socket, struct help_seen *seen)
{
	struct kr_consumer *consumer;
	int pair[2];

	memset(seen, 0, sizeof(*seen));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(kr_consumer_remote_create(
				 pair[1], &help_display, true, &help_events, seen, &consumer),
		0);
	*socket = pair[0];
	return consumer;
}

static void
a_producer_of_version_1_is_served_as_ever(void **state)
{
	const struct kr_wants nothing = {0};
	struct kr_consumer *consumer;
	struct help_seen seen;
	struct kr_frame frame;
	uint64_t queued = 1;
	int socket;

	consumer = open_consumer(&socket, &seen);
	assert_false(kr_consumer_remote_greeted(consumer, &queued));
	SAY(socket, hello_1);
	assert_int_equal(help_pump_all(consumer), 0);
	EXPECT(socket, welcome_1);
	assert_true(kr_consumer_remote_greeted(consumer, &queued));
	assert_int_equal(queued, 0);
	/* It can't be told, and has pixels. */
	assert_int_equal(kr_consumer_set_wants(consumer, &nothing), 0);
	announce(socket);
	SAY(socket, frame_1);
	assert_int_equal(help_pump_all(consumer), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_false(frame.no_pixels);
	assert_int_equal(frame.number, 1);
	assert_int_equal(frame.timestamp_ns, INT64_MIN);
	assert_int_equal(frame.queued_ns, 9);
	assert_int_equal(recv(socket, &queued, sizeof(queued), MSG_DONTWAIT), -1);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	close(socket);
	kr_consumer_destroy(consumer);
}

static void
a_producer_of_version_2_is_told_what_is_wanted(void **state)
{
	const struct kr_wants second = {.from = 3, .every = 2}, nothing = {.from = 5};
	struct kr_consumer *consumer;
	struct help_seen seen;
	struct kr_frame frame;
	uint8_t hello[sizeof(hello_2)];
	uint64_t queued = 1;
	int socket;

	consumer = open_consumer(&socket, &seen);
	memcpy(hello, hello_2, sizeof(hello));
	hello[15] = 44; /* and 256: 300 frames on its other windows */
	hello[16] = 1;
	assert_int_equal(kr_consumer_set_wants(consumer, &second), 0);
	SAY(socket, hello);
	assert_int_equal(help_pump_all(consumer), 0);
	EXPECT(socket, welcome_2);
	assert_true(kr_consumer_remote_greeted(consumer, &queued));
	assert_int_equal(queued, 300);
	assert_int_equal(kr_consumer_set_wants(consumer, &nothing), 0);
	EXPECT(socket, wants);
	/* Nothing is said when nothing has changed. */
	assert_int_equal(kr_consumer_set_wants(consumer, &nothing), 0);
	assert_int_equal(recv(socket, &queued, sizeof(queued), MSG_DONTWAIT), -1);
	announce(socket);
	SAY(socket, frame_2);
	assert_int_equal(help_pump_all(consumer), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_true(frame.no_pixels);
	assert_int_equal(frame.queued_ns, 9);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	close(socket);
	kr_consumer_destroy(consumer);
}

static void
a_producer_of_version_3_is_told_what_is_shown(void **state)
{
	struct kr_remote_display info = help_display;
	const struct kr_wants second = {.from = 3, .every = 2};
	struct kr_consumer *consumer;
	struct help_seen seen = {0};
	struct kr_frame frame;
	uint64_t queued;
	int pair[2], socket;

	info.abilities = (struct kr_abilities){.modes = 0x1f,
		.transforms = 0xff,
		.alphas = 3,
		.scalings = 1,
		.counters = 1,
		.tells_shown = true};
	info.transform_hint = 4;
	strcpy(info.name, "out");
	info.width_mm = 600;
	info.height_mm = 340;
	info.refresh_mhz = 59940;
	info.consumer_usage |= KR_USAGE_GPU_MEMORY; /* which it knows nothing of */
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	socket = pair[0];
	assert_int_equal(
		kr_consumer_remote_create(pair[1], &info, true, &help_events, &seen, &consumer), 0);
	assert_int_equal(kr_consumer_set_wants(consumer, &second), 0);
	SAY(socket, hello_3);
	assert_int_equal(help_pump_all(consumer), 0);
	EXPECT(socket, welcome_3);
	announce(socket);
	SAY(socket, frame_3);
	assert_int_equal(help_pump_all(consumer), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_true(frame.no_pixels);
	assert_int_equal(frame.presentation.mode, KR_PRESENT_FIFO_RELAXED);
	assert_true(frame.presentation.tell_shown);
	assert_int_equal(frame.window_width, 320);
	assert_int_equal(frame.window_height, 200);
	kr_consumer_shown(consumer, 1, 9);
	EXPECT(socket, shown);
	/* Nobody asked for more. */
	kr_consumer_shown(consumer, 1, 10);
	kr_consumer_shown(consumer, 2, 11);
	kr_consumer_vblank(consumer, 1, 1);
	assert_int_equal(recv(socket, &queued, sizeof(queued), MSG_DONTWAIT), -1);
	kr_consumer_configure(consumer, 320, 200, 0);
	EXPECT(socket, configure);
	SAY(socket, configured);
	SAY(socket, watch_vblank);
	assert_int_equal(help_pump_all(consumer), 0);
	assert_int_equal(seen.watched, 1);
	kr_consumer_vblank(consumer, 258, 9);
	assert_int_equal(seen.watched, 0);
	EXPECT(socket, vblank);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	close(socket);
	kr_consumer_destroy(consumer);
}

/* What welcome_4 and _5 say. */
static struct kr_remote_display
whole_display(void)
{
	struct kr_remote_display info = help_display;

	info.abilities = (struct kr_abilities){.modes = 0x1f,
		.transforms = 0xff,
		.alphas = 3,
		.scalings = 1,
		.counters = 1,
		.colours = 3,
		.tells_shown = true};
	info.timing = (struct kr_timing){
		.targets = 0x0b, .events = 0x21, .phase_ns = 9, .latency_ns = 258};
	info.transform_hint = 4;
	strcpy(info.name, "out");
	info.width_mm = 600;
	info.height_mm = 340;
	info.refresh_mhz = 59940;
	info.consumer_usage |= KR_USAGE_GPU_MEMORY;
	return info;
}

/* Its window, and a frame of its that was acquired. */
static struct kr_consumer *
serve(int pair[2], struct help_seen *seen, const uint8_t *hello, size_t hello_size,
	const uint8_t *welcome, size_t welcome_size)
{
	const struct kr_remote_display info = whole_display();
	const struct kr_wants second = {.from = 3, .every = 2};
	struct kr_consumer *consumer;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(
		kr_consumer_remote_create(pair[1], &info, true, &help_events, seen, &consumer), 0);
	assert_int_equal(kr_consumer_set_wants(consumer, &second), 0);
	say(pair[0], hello, hello_size);
	assert_int_equal(help_pump_all(consumer), 0);
	expect(pair[0], welcome, welcome_size);
	announce(pair[0]);
	return consumer;
}

static void
a_producer_of_version_4_hears_who_looks_at_gpus(void **state)
{
	const struct kr_frame_events told = {.number = 1, .known = 1};
	struct kr_consumer *consumer;
	struct help_seen seen = {0};
	struct kr_frame frame;
	uint8_t byte;
	int pair[2];

	consumer = serve(pair, &seen, hello_4, sizeof(hello_4), welcome_4, sizeof(welcome_4));
	SAY(pair[0], frame_3);
	assert_int_equal(help_pump_all(consumer), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(frame.presentation.mode, KR_PRESENT_FIFO_RELAXED);
	assert_false(frame.presentation.tell_events);
	assert_int_equal(frame.target.kind, KR_TARGET_NONE);
	/* It knows no word for it. */
	kr_consumer_tell_events(consumer, &told);
	assert_int_equal(recv(pair[0], &byte, 1, MSG_DONTWAIT), -1);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	close(pair[0]);
	kr_consumer_destroy(consumer);
}

static void
a_producer_of_version_5_says_when_and_hears_when(void **state)
{
	/* What the display didn't say that it tells stays untold. */
	const struct kr_frame_events told = {.number = 1,
		.known = 0x23,
		.time_ns = {[KR_EVENT_LATCH] = 9, [KR_EVENT_SHOWN] = KR_TIME_INVALID}};
	struct kr_consumer *consumer;
	struct help_seen seen = {0};
	struct kr_frame frame;
	int pair[2];

	consumer = serve(pair, &seen, hello_5, sizeof(hello_5), welcome_5, sizeof(welcome_5));
	SAY(pair[0], frame_4);
	assert_int_equal(help_pump_all(consumer), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(frame.presentation.mode, KR_PRESENT_FIFO_RELAXED);
	assert_true(frame.presentation.tell_events);
	assert_int_equal(frame.target.kind, KR_TARGET_RELATIVE);
	assert_true(frame.target.nearest);
	assert_int_equal(frame.target.time_ns, 258);
	kr_consumer_tell_events(consumer, &told);
	EXPECT(pair[0], events);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	close(pair[0]);
	kr_consumer_destroy(consumer);
}

/* The last of these messages is not one of the version that was agreed on. */
static void
expect_refused(const uint8_t *hello, size_t hello_size, const uint8_t *frame, size_t frame_size)
{
	struct kr_consumer *consumer;
	struct help_seen seen;
	uint8_t bytes[512];
	int socket;

	consumer = open_consumer(&socket, &seen);
	say(socket, hello, hello_size);
	announce(socket);
	say(socket, frame, frame_size);
	assert_int_equal(help_pump_all(consumer), -EPIPE);
	hear(socket, bytes); /* the welcome */
	hear(socket, bytes);
	assert_int_equal(bytes[0], KR_DP_ERROR);
	assert_int_equal(bytes[8], KR_REMOTE_ERROR_PROTOCOL);
	assert_int_equal(seen.available, 0);
	close(socket);
	kr_consumer_destroy(consumer);
}

/* */
static void
a_connection_has_one_version(void **state)
{
	expect_refused(hello_1, sizeof(hello_1), frame_2, sizeof(frame_2));
	expect_refused(hello_2, sizeof(hello_2), frame_1, sizeof(frame_1));
	expect_refused(hello_1, sizeof(hello_1), hello_2, sizeof(hello_2));
	expect_refused(hello_2, sizeof(hello_2), hello_1, sizeof(hello_1));
	expect_refused(hello_2, sizeof(hello_2), wants, sizeof(wants));
	expect_refused(hello_2, sizeof(hello_2), welcome_2, sizeof(welcome_2));
	expect_refused(hello_3, sizeof(hello_3), frame_2, sizeof(frame_2));
	expect_refused(hello_2, sizeof(hello_2), frame_3, sizeof(frame_3));
	expect_refused(hello_3, sizeof(hello_3), hello_2, sizeof(hello_2));
	expect_refused(hello_2, sizeof(hello_2), watch_vblank, sizeof(watch_vblank));
	expect_refused(hello_2, sizeof(hello_2), configured, sizeof(configured));
	expect_refused(hello_4, sizeof(hello_4), frame_2, sizeof(frame_2));
	expect_refused(hello_4, sizeof(hello_4), hello_3, sizeof(hello_3));
	expect_refused(hello_4, sizeof(hello_4), frame_4, sizeof(frame_4));
	expect_refused(hello_5, sizeof(hello_5), frame_3, sizeof(frame_3));
	expect_refused(hello_5, sizeof(hello_5), hello_4, sizeof(hello_4));
	expect_refused(hello_5, sizeof(hello_5), events, sizeof(events));
	expect_refused(hello_6, sizeof(hello_6), frame_3, sizeof(frame_3));
	expect_refused(hello_6, sizeof(hello_6), hello_5, sizeof(hello_5));
	expect_refused(hello_5, sizeof(hello_5), detached_0, sizeof(detached_0));
	expect_refused(hello_5, sizeof(hello_5), disconnected, sizeof(disconnected));
	expect_refused(hello_5, sizeof(hello_5), frame_rate, sizeof(frame_rate));
	expect_refused(hello_5, sizeof(hello_5), generation, sizeof(generation));
	expect_refused(hello_5, sizeof(hello_5), attached, sizeof(attached));
}

/* ---- producers of this release, and displays of all ---- */

struct display {
	char path[100];
	int listener;
	pthread_t thread;
	struct kr_queue *queue; /* of the producer, on its thread */
	struct kr_remote_display info;
	int err;
};

static int
take(const struct display *display)
{
	struct pollfd p = {.fd = display->listener, .events = POLLIN};
	int fd;

	assert_int_equal(poll(&p, 1, (int)(WAIT_NS / KR_NSEC_PER_MSEC)), 1);
	fd = accept4(display->listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void *
connect_producer(void *data)
{
	struct display *display = data;
	struct kr_queue_config config = help_config;
	struct kr_sink *sink;

	display->err = kr_sink_remote_connect(
		display->path, "x", kr_clock_now() + WAIT_NS, &sink, &display->info);
	if (display->err)
		return NULL;
	config.abilities = display->info.abilities;
	config.transform_hint = display->info.transform_hint;
	config.timing = display->info.timing;
	assert_int_equal(kr_queue_create(&config, sink, &display->queue), 0);
	assert_int_equal(kr_queue_connect(display->queue, NATIVE_WINDOW_API_EGL), 0);
	return NULL;
}

static void
start_display(struct display *display)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	memset(display, 0, sizeof(*display));
	snprintf(display->path, sizeof(display->path), "%s", kr_test_path("display"));
	unlink(display->path);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", display->path);
	display->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(display->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(display->listener, 4), 0);
}

static void
begin_connect(struct display *display)
{
	assert_int_equal(pthread_create(&display->thread, NULL, connect_producer, display), 0);
}

static int
end_connect(struct display *display)
{
	assert_int_equal(pthread_join(display->thread, NULL), 0);
	return display->err;
}

/* A frame without pixels, as the display gets it: the frozen bytes, but for the time. */
static void
expect_frame(const struct display *display, int socket, const uint8_t *frame, size_t size)
{
	struct kr_queue_input input = help_input;
	uint8_t bytes[512];

	input.no_pixels = true;
	input.timestamp_ns = INT64_MIN;
	assert_int_equal(
		kr_queue_queue(display->queue, help_dequeue(display->queue), &input, -1, NULL), 0);
	hear(socket, bytes);
	assert_int_equal(bytes[0], KR_DP_BUFFER);
	assert_int_equal(hear(socket, bytes), size);
	memset(bytes + QUEUED_AT, 0, 8);
	bytes[QUEUED_AT] = 9;
	assert_memory_equal(bytes, frame, size);
}

/* One that doesn't know this hello answers with an error and closes: the producer comes again. */
static void
refuse(const struct display *display, const uint8_t *hello, size_t size)
{
	int socket = take(display);

	expect(socket, hello, size);
	SAY(socket, error_1);
	close(socket);
}

/* What windows could before displays said what they can. */
static void
expect_old_abilities(const struct display *display)
{
	struct kr_queue_config config;

	kr_queue_get_config(display->queue, &config);
	assert_int_equal(config.abilities.modes, 7);
	assert_int_equal(config.abilities.transforms, 0xff);
	assert_int_equal(config.abilities.alphas, 3);
	assert_int_equal(config.abilities.scalings, 1);
	assert_false(config.abilities.tells_shown);
	assert_int_equal(kr_queue_set_shared(display->queue, true), -EOPNOTSUPP);
}

/*
 * What a buffer says of its usage, as the display gets it: bits that the allocator knows nothing of
 * are no lie to one of version 3 alone (W-13).
 */
static void
expect_usage(const struct display *display, int socket, uint64_t told)
{
	const struct kr_queue_request request = {
		.usage = UINT64_C(0x8000000100000000) | 1 << 28 | 1 << 9,
		.deadline_ns = kr_clock_now() + WAIT_NS,
	};
	struct kr_dp_message message;
	struct kr_buffer *buffer;
	uint8_t bytes[512];
	uint32_t slot;
	int fence;

	assert_int_equal(kr_queue_dequeue(display->queue, &request, &slot, &buffer, &fence), 0);
	assert_true(kr_buffer_get_info(buffer)->desc.usage == (request.usage | 3));
	do
		assert_int_equal(kr_dp_decode(bytes, hear(socket, bytes), 1, &message), 0);
	while (message.type != KR_DP_BUFFER);
	assert_true(((uint64_t)(uint32_t)message.buffer.handle[KR_HANDLE_INT_USAGE + 1] << 32 |
			    (uint32_t)message.buffer.handle[KR_HANDLE_INT_USAGE]) == told);
	assert_int_equal(kr_queue_cancel(display->queue, slot, -1), 0);
}

static void
a_display_of_version_1_is_spoken_with(void **state)
{
	struct display display;
	int socket;

	start_display(&display);
	begin_connect(&display);
	refuse(&display, hello_6, sizeof(hello_6));
	refuse(&display, hello_5, sizeof(hello_5));
	refuse(&display, hello_4, sizeof(hello_4));
	refuse(&display, hello_3, sizeof(hello_3));
	refuse(&display, hello_2, sizeof(hello_2));
	socket = take(&display);
	EXPECT(socket, hello_1);
	SAY(socket, welcome_1);
	assert_int_equal(end_connect(&display), 0);
	assert_true(kr_queue_next_wanted(display.queue));
	expect_old_abilities(&display);
	expect_frame(&display, socket, frame_1, sizeof(frame_1));
	/* It counts as shown when it was sent. */
	assert_int_equal(kr_queue_last_shown(display.queue), 1);
	/* It knows no wants: this is somebody else. */
	SAY(socket, wants);
	assert_false(kr_queue_alive(display.queue));
	kr_queue_unref(display.queue);
	close(socket);
	close(display.listener);
}

static void
a_display_of_version_2_says_what_it_wants(void **state)
{
	struct display display;
	int socket;

	start_display(&display);
	begin_connect(&display);
	refuse(&display, hello_6, sizeof(hello_6));
	refuse(&display, hello_5, sizeof(hello_5));
	refuse(&display, hello_4, sizeof(hello_4));
	refuse(&display, hello_3, sizeof(hello_3));
	socket = take(&display);
	EXPECT(socket, hello_2);
	SAY(socket, welcome_2);
	assert_int_equal(end_connect(&display), 0);
	assert_false(kr_queue_next_wanted(display.queue)); /* frame 1 */
	expect_old_abilities(&display);
	expect_usage(&display, socket, 0x203);
	kr_queue_unref(display.queue);
	close(socket);
	begin_connect(&display);
	refuse(&display, hello_6, sizeof(hello_6));
	refuse(&display, hello_5, sizeof(hello_5));
	refuse(&display, hello_4, sizeof(hello_4));
	refuse(&display, hello_3, sizeof(hello_3));
	socket = take(&display);
	EXPECT(socket, hello_2);
	SAY(socket, welcome_2);
	assert_int_equal(end_connect(&display), 0);
	expect_frame(&display, socket, frame_2, sizeof(frame_2));
	help_frame(display.queue);
	assert_true(kr_queue_next_wanted(display.queue)); /* frame 3 */
	SAY(socket, wants);
	assert_true(kr_queue_alive(display.queue));
	assert_true(kr_queue_next_wanted(display.queue));
	/* It doesn't say what it has shown: this is somebody else. */
	SAY(socket, shown);
	assert_false(kr_queue_alive(display.queue));
	kr_queue_unref(display.queue);
	close(socket);
	close(display.listener);
}

static void
a_display_of_version_3_says_what_it_can(void **state)
{
	struct kr_queue_config config;
	struct display display;
	uint64_t count;
	int64_t time_ns;
	int socket;

	start_display(&display);
	begin_connect(&display);
	refuse(&display, hello_6, sizeof(hello_6));
	refuse(&display, hello_5, sizeof(hello_5));
	refuse(&display, hello_4, sizeof(hello_4));
	socket = take(&display);
	EXPECT(socket, hello_3);
	SAY(socket, welcome_3);
	assert_int_equal(end_connect(&display), 0);
	assert_int_equal(display.info.transform_hint, 4);
	assert_string_equal(display.info.name, "out");
	assert_int_equal(display.info.width_mm, 600);
	assert_int_equal(display.info.height_mm, 340);
	assert_int_equal(display.info.refresh_mhz, 59940);
	kr_queue_get_config(display.queue, &config);
	assert_int_equal(config.abilities.modes, 0x1f);
	assert_true(config.abilities.tells_shown);
	help_input.presentation.mode = KR_PRESENT_FIFO_RELAXED;
	help_input.presentation.tell_shown = true;
	help_input.window_width = 320;
	help_input.window_height = 200;
	expect_frame(&display, socket, frame_3, sizeof(frame_3));
	assert_int_equal(kr_queue_last_shown(display.queue), 0);
	SAY(socket, shown);
	assert_int_equal(kr_queue_wait_shown(display.queue, 1, kr_clock_now() + WAIT_NS), 0);
	SAY(socket, configure);
	assert_true(kr_queue_alive(display.queue));
	EXPECT(socket, configured);
	kr_queue_get_config(display.queue, &config);
	assert_int_equal(config.default_width, 320);
	assert_int_equal(config.transform_hint, 0);
	assert_int_equal(kr_queue_wait_vblank(display.queue, &count, &time_ns, 0), -ETIMEDOUT);
	EXPECT(socket, watch_vblank);
	SAY(socket, vblank);
	assert_true(kr_queue_alive(display.queue));
	assert_int_equal(kr_queue_set_buffer_count(display.queue, 3), 0);
	expect_usage(&display, socket, UINT64_C(0x8000000110000203));
	/* One answer to one question. */
	SAY(socket, vblank);
	assert_false(kr_queue_alive(display.queue));
	kr_queue_unref(display.queue);
	close(socket);
	close(display.listener);
}

static void
a_display_of_version_4_says_that_it_looks_at_gpus(void **state)
{
	struct display display;
	int socket;

	start_display(&display);
	begin_connect(&display);
	refuse(&display, hello_6, sizeof(hello_6));
	refuse(&display, hello_5, sizeof(hello_5));
	socket = take(&display);
	EXPECT(socket, hello_4);
	SAY(socket, welcome_4);
	assert_int_equal(end_connect(&display), 0);
	assert_true(display.info.consumer_usage == (KR_USAGE_GPU_MEMORY | 3));
	help_input.presentation.mode = KR_PRESENT_FIFO_RELAXED;
	help_input.presentation.tell_shown = true;
	help_input.window_width = 320;
	help_input.window_height = 200;
	expect_frame(&display, socket, frame_3, sizeof(frame_3));
	SAY(socket, events);
	assert_false(kr_queue_alive(display.queue));
	kr_queue_unref(display.queue);
	close(socket);
	close(display.listener);
}

static void
a_display_of_version_5_says_what_it_knows_of_time(void **state)
{
	struct kr_queue_config config;
	struct kr_frame_times times;
	struct display display;
	int socket;

	start_display(&display);
	begin_connect(&display);
	refuse(&display, hello_6, sizeof(hello_6));
	socket = take(&display);
	EXPECT(socket, hello_5);
	SAY(socket, welcome_5);
	assert_int_equal(end_connect(&display), 0);
	kr_queue_get_config(display.queue, &config);
	assert_int_equal(config.abilities.colours, 3);
	assert_false(config.timing.virtual_clock);
	assert_int_equal(config.timing.targets, 0x0b);
	assert_int_equal(config.timing.events, 0x21);
	assert_int_equal(config.timing.phase_ns, 9);
	assert_int_equal(config.timing.latency_ns, 258);
	help_input.presentation.mode = KR_PRESENT_FIFO_RELAXED;
	help_input.presentation.tell_shown = true;
	help_input.presentation.tell_events = true;
	help_input.target = (struct kr_frame_target){KR_TARGET_RELATIVE, true, 258};
	help_input.window_width = 320;
	help_input.window_height = 200;
	expect_frame(&display, socket, frame_4, sizeof(frame_4));
	assert_int_equal(kr_queue_frame_times(display.queue, 1, &times), 0);
	assert_int_equal(times.requested_ns, 258);
	assert_int_equal(times.time_ns[KR_EVENT_LATCH], KR_TIME_PENDING);
	assert_int_equal(times.time_ns[KR_EVENT_READY], KR_TIME_INVALID);
	assert_false(times.complete);
	SAY(socket, events);
	assert_int_equal(kr_queue_frame_times(display.queue, 1, &times), 0);
	assert_int_equal(times.time_ns[KR_EVENT_LATCH], 9);
	assert_int_equal(times.time_ns[KR_EVENT_SHOWN], KR_TIME_INVALID);
	assert_true(times.complete);
	assert_int_equal(kr_queue_frame_times(display.queue, 2, &times), -ENOENT);
	kr_queue_unref(display.queue);
	close(socket);
	close(display.listener);
}

static void *
ask(void *data)
{
	struct display *display = data;

	display->err = kr_remote_ask(display->path, kr_clock_now() + WAIT_NS, &display->info);
	return NULL;
}

/* A question isn't a window: nobody is told of it, and it ends with the answer. */
static void
a_display_is_asked_what_it_is(void **state)
{
	struct kr_consumer *consumer;
	struct help_seen seen = {0};
	struct display display;
	uint64_t queued;
	uint8_t bytes[512];
	int socket;

	start_display(&display);
	assert_int_equal(pthread_create(&display.thread, NULL, ask, &display), 0);
	socket = take(&display);
	assert_int_equal(kr_consumer_remote_create(
				 socket, &help_display, false, &help_events, &seen, &consumer),
		0);
	assert_int_equal(help_pump_all(consumer), -EPIPE);
	assert_int_equal(end_connect(&display), 0);
	assert_int_equal(display.info.width, help_display.width);
	assert_int_equal(display.info.abilities.modes, 7);
	assert_false(kr_consumer_remote_greeted(consumer, &queued));
	assert_string_equal(kr_consumer_label(consumer), "");
	assert_int_equal(seen.disconnected, 1);
	kr_consumer_destroy(consumer);
	/* Older ones as well. */
	assert_int_equal(pthread_create(&display.thread, NULL, ask, &display), 0);
	socket = take(&display);
	for (int i = 0; i < 4; i++) {
		static const enum kr_dp_type hellos[] = {
			KR_DP_HELLO6, KR_DP_HELLO5, KR_DP_HELLO4, KR_DP_HELLO3};

		hear(socket, bytes);
		assert_int_equal(bytes[0], hellos[i]);
		assert_int_equal(bytes[22], 1);
		SAY(socket, error_1);
		close(socket);
		socket = take(&display);
	}
	hear(socket, bytes);
	assert_int_equal(bytes[0], KR_DP_HELLO2);
	SAY(socket, welcome_2);
	assert_int_equal(end_connect(&display), 0);
	close(socket);
	close(display.listener);
}

/* Once more, and not for ever; and what isn't a matter of versions isn't tried again. */
static void
no_display_is_asked_more_than_six_times(void **state)
{
	struct display display;
	struct pollfd p;
	uint8_t bytes[512];
	int socket;

	start_display(&display);
	begin_connect(&display);
	for (int i = 0; i < 6; i++) {
		socket = take(&display);
		hear(socket, bytes);
		SAY(socket, error_1);
		close(socket);
	}
	assert_int_equal(end_connect(&display), -EPROTO);
	begin_connect(&display);
	socket = take(&display);
	hear(socket, bytes);
	SAY(socket, error_full);
	close(socket);
	assert_int_equal(end_connect(&display), -EBUSY);
	begin_connect(&display);
	socket = take(&display);
	hear(socket, bytes);
	close(socket);
	assert_int_equal(end_connect(&display), -EPIPE);
	p = (struct pollfd){.fd = display.listener, .events = POLLIN};
	assert_int_equal(poll(&p, 1, 0), 0);
	close(display.listener);
}

/* ---- what hello says of the other windows ---- */

static void
hello_says_what_was_queued_before(void **state)
{
	uint8_t hello[sizeof(hello_6)];
	struct display first, second;
	struct kr_queue *queue;
	int sockets[2];

	start_display(&first);
	begin_connect(&first);
	sockets[0] = take(&first);
	EXPECT(sockets[0], hello_6);
	SAY(sockets[0], welcome_6_plain);
	assert_int_equal(end_connect(&first), 0);
	queue = first.queue;
	help_frame(queue);
	help_frame(queue);
	memcpy(hello, hello_6, sizeof(hello));
	hello[15] = 2;
	/* Also when the other window is gone: its frames may still wait. */
	for (int i = 0; i < 2; i++) {
		begin_connect(&first);
		sockets[1] = take(&first);
		EXPECT(sockets[1], hello);
		SAY(sockets[1], welcome_6_plain);
		assert_int_equal(end_connect(&first), 0);
		kr_queue_unref(first.queue);
		close(sockets[1]);
		if (i == 0)
			kr_queue_unref(queue);
	}
	close(sockets[0]);
	close(first.listener);
	/* Another display at the same place is another one. */
	start_display(&second);
	begin_connect(&second);
	sockets[0] = take(&second);
	EXPECT(sockets[0], hello_6);
	close(sockets[0]);
	assert_int_equal(end_connect(&second), -EPIPE);
	close(second.listener);
}

static void
accounts_are_a_processes_own_and_bounded(void **state)
{
	struct kr_account *accounts[KR_ACCOUNT_DISPLAYS], *again;
	char name[16];
	int status;
	pid_t pid;

	for (int i = 0; i < KR_ACCOUNT_DISPLAYS; i++) {
		snprintf(name, sizeof(name), "account %d", i);
		kr_test_file(name, "");
		accounts[i] = kr_account_open(kr_test_path(name));
		assert_non_null(accounts[i]);
		assert_int_equal(kr_account_frames(accounts[i]), 0);
		kr_account_add(accounts[i]);
	}
	assert_null(kr_account_open(kr_test_file("account one more", "")));
	assert_null(kr_account_open("/nonexistent"));
	again = kr_account_open(kr_test_path("account 3"));
	assert_ptr_equal(again, accounts[3]);
	assert_int_equal(kr_account_frames(again), 1);
	pid = fork();
	if (!pid) {
		again = kr_account_open(kr_test_path("account 3"));
		_exit(again && !kr_account_frames(again) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	kr_account_close(again);
	for (int i = 0; i < KR_ACCOUNT_DISPLAYS; i++)
		kr_account_close(accounts[i]);
	/* What nobody uses any more makes room. */
	again = kr_account_open(kr_test_file("account one more", ""));
	assert_non_null(again);
	assert_int_equal(kr_account_frames(again), 0);
	kr_account_close(again);
	kr_account_add(NULL);
	kr_account_close(NULL);
	assert_int_equal(kr_account_frames(NULL), 0);
}

#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(a_producer_of_version_1_is_served_as_ever, KEEPS),
	KR_TEST_FLAGS(a_producer_of_version_2_is_told_what_is_wanted, KEEPS),
	KR_TEST_FLAGS(a_producer_of_version_3_is_told_what_is_shown, KEEPS),
	KR_TEST_FLAGS(a_producer_of_version_4_hears_who_looks_at_gpus, KEEPS),
	KR_TEST_FLAGS(a_producer_of_version_5_says_when_and_hears_when, KEEPS),
	KR_TEST_FLAGS(a_connection_has_one_version, KEEPS),
	KR_TEST_FLAGS(a_display_of_version_1_is_spoken_with, KEEPS),
	KR_TEST_FLAGS(a_display_of_version_2_says_what_it_wants, KEEPS),
	KR_TEST_FLAGS(a_display_of_version_3_says_what_it_can, KEEPS),
	KR_TEST_FLAGS(a_display_of_version_4_says_that_it_looks_at_gpus, KEEPS),
	KR_TEST_FLAGS(a_display_of_version_5_says_what_it_knows_of_time, KEEPS),
	KR_TEST_FLAGS(a_display_is_asked_what_it_is, KEEPS),
	KR_TEST_FLAGS(no_display_is_asked_more_than_six_times, KEEPS),
	KR_TEST_FLAGS(hello_says_what_was_queued_before, KEEPS),
	KR_TEST(accounts_are_a_processes_own_and_bounded),
};

KR_TEST_MAIN(tests)
