/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Displays that break the display protocol, by raw messages to a remote sink: each is given up,
 * with a line in the log, and nothing leaks.
 */
#include "remote/liar.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

#define MS KR_NSEC_PER_MSEC

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

static const struct kr_dp_message good_welcome = {.type = KR_DP_WELCOME6,
	.welcome6.max_buffers = 64,
	.welcome6.welcome5.welcome4.welcome3 = {.modes = 0x7f,
		.counters = 1,
		.tells_shown = true,
		.welcome2 = {.welcome = {.version = KR_DP_VERSION,
				     .width = 64,
				     .height = 32,
				     .refresh_ns = 1,
				     .consumer_usage = 3,
				     .max_acquired = 1,
				     .format = 1},
			.wants_every = 1}},
	.welcome6.welcome5.events = 1 << KR_EVENT_LATCH | 1 << KR_EVENT_SHOWN};

static void
a_welcome_that_makes_no_sense_is_eproto(void **state)
{
	struct kr_dp_message bad[20];
	struct kr_sink *sink = NULL;
	int peer;

	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++)
		bad[i] = good_welcome;
	bad[0].welcome6.welcome5.welcome4.welcome3.welcome2.welcome.version = 3;
	bad[1].welcome6.welcome5.welcome4.welcome3.welcome2.welcome.width = 0;
	bad[2].welcome6.welcome5.welcome4.welcome3.welcome2.welcome.format =
		AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM;
	bad[3].welcome6.welcome5.welcome4.welcome3.welcome2.welcome.max_acquired = 0;
	bad[4].welcome6.welcome5.welcome4.welcome3.welcome2.welcome.max_acquired = 63;
	bad[5].welcome6.welcome5.welcome4.welcome3.welcome2.welcome.consumer_usage =
		AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;
	bad[6].type = KR_DP_BYE;
	bad[7].type = KR_DP_WELCOME; /* of another version, which it wasn't asked for */
	bad[8].type = KR_DP_WELCOME2;
	bad[9].welcome6.welcome5.welcome4.welcome3.modes = 0x7e; /* without FIFO */
	bad[10].welcome6.welcome5.welcome4.welcome3.transform_hint = 8;
	bad[11].type = KR_DP_WELCOME3;
	bad[11].welcome3 = good_welcome.welcome6.welcome5.welcome4.welcome3;
	bad[12].type = KR_DP_WELCOME4;
	bad[12].welcome4 = good_welcome.welcome6.welcome5.welcome4;
	bad[13].welcome6.welcome5.phase_ns = -1;
	bad[14].welcome6.welcome5.latency_ns = -1;
	bad[15].welcome6.welcome5.latency_ns = INT64_MAX;
	bad[16].welcome6.welcome5.welcome4.welcome3.welcome2.welcome.refresh_ns = INT64_MAX;
	bad[17].type = KR_DP_WELCOME5;
	bad[17].welcome5 = good_welcome.welcome6.welcome5;
	bad[18].welcome6.max_buffers = 65;
	bad[19].welcome6.max_buffers = 1; /* the display's own, and none for the producer */
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

	liar_logged[0] = '\0';
	kr_log_set_sink(liar_keep_log, NULL);
	assert_int_equal(attach_with(&good_welcome, &bad->socket, &sink), 0);
	bad->queue = help_queue(sink);
	help_frame(bad->queue);
}

static void
expect_display_given_up(struct bad_display *bad, const char *why)
{
	assert_false(kr_queue_alive(bad->queue));
	assert_int_equal(help_try_dequeue(bad->queue, 0), -ENODEV);
	if (!strstr(liar_logged, why))
		fail_msg("logged \"%s\", not \"%s\"", liar_logged, why);
	kr_queue_unref(bad->queue);
	close(bad->socket);
	kr_log_set_sink(NULL, NULL);
}

/* The packets that lie there; all but the first of a frame are said to be none. */
static unsigned
count_packets(int socket, uint64_t *number, uint32_t *slot)
{
	struct kr_dp_message message;
	unsigned count = 0;
	int fd;

	while (recv(socket, &fd, sizeof(fd), MSG_PEEK | MSG_DONTWAIT) > 0) {
		assert_int_equal(kr_remote_receive(socket, &message, &fd), 0);
		kr_fd_close(&fd);
		count++;
		if (message.type != KR_DP_FRAME4)
			continue;
		*number = message.frame4.frame3.frame2.frame.number;
		*slot = message.frame4.frame3.frame2.frame.slot;
	}
	return count;
}

/* A frame costs one packet each way, once its buffers are known. */
static void
a_frame_is_one_packet_each_way(void **state)
{
	struct kr_dp_message release = {.type = KR_DP_RELEASE};
	struct bad_display display;
	uint64_t number = 0;
	uint32_t slot = 0;

	open_bad_display(&display);
	for (unsigned i = 0; i < 50; i++) {
		unsigned count = count_packets(display.socket, &number, &slot);

		assert_int_equal(number, i + 1);
		if (i > 2)
			assert_int_equal(count, 1);
		release.release.slot = slot;
		release.release.number = number;
		assert_int_equal(kr_remote_send(display.socket, &release, -1), 0);
		help_frame(display.queue);
	}
	kr_queue_unref(display.queue);
	close(display.socket);
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

/* One that makes sense, but for what is said. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#define A_CONFIGURE(...)                                                                           \
	{                                                                                          \
		.type = KR_DP_CONFIGURE2, .configure2 = {                                          \
			.configure = {.width = 1, .height = 1},                                    \
			.format = 1,                                                               \
			.consumer_usage = 3,                                                       \
			.max_acquired = 1,                                                         \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

/* */
static void
what_a_display_tells_is_checked(void **state)
{
	const struct kr_dp_message lies[] = {
		{.type = KR_DP_SHOWN, .shown = {.number = 0}},
		{.type = KR_DP_SHOWN, .shown = {.number = 2}},
		{.type = KR_DP_SHOWN, .shown = {.number = 1, .time_ns = INT64_MIN}},
		{.type = KR_DP_VBLANK},
		{.type = KR_DP_CONFIGURE, .configure = {.width = 1, .height = 1}},
		A_CONFIGURE(.configure = {.width = 0, .height = 1}),
		A_CONFIGURE(.configure = {.width = 1, .height = 32769}),
		A_CONFIGURE(.configure = {.width = 1, .height = 1, .transform_hint = 8}),
		A_CONFIGURE(.format = AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM),
		A_CONFIGURE(.consumer_usage = AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT),
		A_CONFIGURE(.max_acquired = 0),
		A_CONFIGURE(.max_acquired = 63),
		A_CONFIGURE(.refresh_ns = -1),
		A_CONFIGURE(.refresh_ns = INT64_MAX),
		A_CONFIGURE(.phase_ns = -1),
		{.type = KR_DP_CONFIGURED},
		/* Of no frame, one that is still to come, what it didn't say that it tells. */
		{.type = KR_DP_EVENTS, .events = {.number = 0, .known = 1}},
		{.type = KR_DP_EVENTS, .events = {.number = 2, .known = 1}},
		{.type = KR_DP_EVENTS, .events = {.number = UINT64_MAX, .known = 1}},
		{.type = KR_DP_EVENTS, .events = {.number = 1, .known = 1 << KR_EVENT_READY}},
		{.type = KR_DP_EVENTS, .events = {.number = 1, .known = 1 << KR_EVENT_COUNT}},
		{.type = KR_DP_RELEASE2,
			.release2 = {.release = {.number = 1}, .known = 1 << KR_EVENT_READY}},
		{.type = KR_DP_RELEASE2,
			.release2 = {.release = {.slot = 1, .number = 1}, .known = 1}},
		/* Nothing is "not known yet" when it is told. */
		{.type = KR_DP_EVENTS,
			.events = {.number = 1, .known = 1, .latch_ns = KR_TIME_PENDING}},
		{.type = KR_DP_EVENTS, .events = {.number = 1, .known = 1, .latch_ns = INT64_MIN}},
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

/* A buffer of its own that a display gives, with a descriptor to go along. */
static struct kr_dp_message
an_attach(const struct kr_buffer *buffer, uint32_t serial)
{
	struct kr_dp_message message = {.type = KR_DP_ATTACH,
		.attach = {.serial = serial, .id = kr_buffer_get_info(buffer)->id}};

	memcpy(message.attach.handle, kr_buffer_handle(buffer)->data + 1,
		sizeof(message.attach.handle));
	return message;
}

/* of what a display takes and gives. */
static void
what_a_display_exchanges_is_checked(void **state)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	const struct kr_dp_message lies[] = {
		/* A frame that there isn't yet, another slot's, none at all. */
		{.type = KR_DP_DETACH, .detach = {.slot = 0, .number = 2}},
		{.type = KR_DP_DETACH, .detach = {.slot = 1, .number = 1}},
		{.type = KR_DP_DETACH, .detach = {.slot = 64, .number = 1}},
		{.type = KR_DP_DETACH, .detach = {.slot = 0, .number = 0}},
		{.type = KR_DP_DETACH, .detach = {.slot = 0, .number = UINT64_MAX}},
		{.type = KR_DP_FREE, .free = {.serial = 0}},
		{.type = KR_DP_FREE, .free = {.serial = 64}},
		{.type = KR_DP_FREE, .free = {.serial = UINT32_MAX, .detached = true}},
	};
	struct kr_dp_message bad[6], good, detach = {.type = KR_DP_DETACH, .detach = {.number = 1}};
	struct kr_dp_message done = {.type = KR_DP_FREE};
	struct kr_buffer *buffer;
	struct bad_display display;
	int fd, empty = memfd_create("none of it", MFD_CLOEXEC);

	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		open_bad_display(&display);
		assert_int_equal(kr_remote_send(display.socket, &lies[i], -1), 0);
		expect_display_given_up(&display, "broke the protocol");
	}
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	good = an_attach(buffer, 3);
	fd = kr_buffer_get_info(buffer)->fd >= 0 ? kr_buffer_get_info(buffer)->fd
						 : kr_buffer_handle(buffer)->data[0];
	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++)
		bad[i] = good;
	bad[0].attach.serial = 64;
	bad[1].attach.id++;
	bad[2].attach.handle[KR_HANDLE_INT_WIDTH] = 65536;
	bad[3].attach.handle[KR_HANDLE_INT_SIZE] *= 2;
	bad[4].attach.handle[KR_HANDLE_INT_BACKEND] = 9;
	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		open_bad_display(&display);
		/* The last is a file of no size, without seals. */
		assert_int_equal(kr_remote_send(display.socket, &bad[i], i == 5 ? empty : fd), 0);
		expect_display_given_up(&display, "broke the protocol");
	}
	/* Twice the same serial; twice done with; twice kept. */
	open_bad_display(&display);
	assert_int_equal(kr_remote_send(display.socket, &good, fd), 0);
	assert_true(kr_queue_alive(display.queue));
	assert_int_equal(kr_remote_send(display.socket, &good, fd), 0);
	expect_display_given_up(&display, "in use");
	done.free.serial = 3;
	open_bad_display(&display);
	assert_int_equal(kr_remote_send(display.socket, &good, fd), 0);
	assert_int_equal(kr_remote_send(display.socket, &done, -1), 0);
	assert_true(kr_queue_alive(display.queue));
	assert_int_equal(kr_remote_send(display.socket, &done, -1), 0);
	expect_display_given_up(&display, "hasn't attached");
	open_bad_display(&display);
	assert_int_equal(kr_remote_send(display.socket, &detach, -1), 0);
	assert_true(kr_queue_alive(display.queue));
	assert_int_equal(kr_remote_send(display.socket, &detach, -1), 0);
	expect_display_given_up(&display, "doesn't have");
	/* A fence that there isn't, and one that is none. */
	done.free.has_fence = true;
	open_bad_display(&display);
	assert_int_equal(kr_remote_send(display.socket, &good, fd), 0);
	assert_int_equal(kr_remote_send(display.socket, &done, -1), 0);
	expect_display_given_up(&display, "without its fence");
	open_bad_display(&display);
	assert_int_equal(kr_remote_send(display.socket, &good, fd), 0);
	assert_int_equal(kr_remote_send(display.socket, &done, empty), 0);
	expect_display_given_up(&display, "without its fence");
	close(empty);
	kr_buffer_unref(buffer);
}

/* One that is slow to read is told of a slot before it hears of the frame in it. */
static void
an_answer_that_found_no_room_comes_first(void **state)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	const struct kr_dp_message ping = {.type = KR_DP_PING};
	const struct kr_dp_message done = {.type = KR_DP_FREE, .free = {.serial = 3}};
	struct kr_dp_message give, message;
	struct pollfd fds[KR_SINK_MAX_POLL];
	struct kr_buffer *buffer;
	struct kr_queue *queue;
	struct kr_sink *sink;
	int display, fd;

	assert_int_equal(attach_with(&good_welcome, &display, &sink), 0);
	assert_int_equal(sink->impl->poll_fds(sink, fds), 1);
	queue = help_queue(sink);
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	give = an_attach(buffer, 3);
	while (!kr_remote_send(fds[0].fd, &ping, -1))
		continue;
	assert_int_equal(kr_remote_send(display, &give, kr_buffer_handle(buffer)->data[0]), 0);
	assert_int_equal(kr_remote_send(display, &done, -1), 0);
	assert_true(kr_queue_alive(queue));
	do
		fd = -1;
	while (!kr_remote_receive(display, &message, &fd));
	help_frame(queue);
	assert_int_equal(kr_remote_receive(display, &message, &fd), 0);
	assert_int_equal(message.type, KR_DP_ATTACHED);
	assert_int_equal(message.attached.serial, 3);
	assert_int_equal(message.attached.error, 0);
	assert_int_equal(kr_remote_receive(display, &message, &fd), 0);
	assert_int_equal(message.type, KR_DP_FRAME4);
	kr_queue_unref(queue);
	close(display);
	kr_buffer_unref(buffer);
}

/* It attaches without end and reads no answer: no more is held than there are serials. */
static void
answers_that_nobody_reads_are_bounded(void **state)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	struct kr_dp_message give, done = {.type = KR_DP_FREE};
	struct bad_display display;
	struct kr_buffer *buffer;
	int fds;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	give = an_attach(buffer, 0);
	kr_sink_set_answer_ns(200 * MS);
	open_bad_display(&display);
	assert_int_equal(kr_queue_set_max_dequeued(display.queue, 40), 0);
	fds = kr_test_count_fds();
	for (uint32_t i = 0; i < 20000; i++) {
		give.attach.serial = done.free.serial = i % 64;
		if (kr_remote_send(display.socket, &give, kr_buffer_handle(buffer)->data[0]) ||
			!kr_queue_alive(display.queue) ||
			kr_remote_send(display.socket, &done, -1) || !kr_queue_alive(display.queue))
			break;
		assert_in_range(kr_test_count_fds(), 0, fds + 128);
	}
	expect_display_given_up(&display, "doesn't read");
	kr_buffer_unref(buffer);
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

/* A display that sends something without end, from a thread. */
struct flood {
	int socket;
	struct kr_dp_message messages[2]; /* in turn */
	atomic_bool stops;
};

static void *
flood_main(void *data)
{
	struct flood *flood = data;
	char bytes[1024];

	for (unsigned i = 0; !atomic_load(&flood->stops); i++) {
		int err = kr_remote_send(flood->socket, &flood->messages[i % 2], -1);

		if (err && err != -EAGAIN)
			break;
		while (recv(flood->socket, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
			continue;
	}
	return NULL;
}

/* Nobody is kept by it: not who looks, nor who waits, beyond his time. */
static void
a_flood_keeps_nobody(void **state)
{
	const struct kr_dp_message pong = {.type = KR_DP_PONG};
	const struct kr_dp_message configures[] = {
		A_CONFIGURE(.max_acquired = 1), A_CONFIGURE(.max_acquired = 2)};
	struct bad_display display;
	struct flood flood = {0};
	pthread_t threads[3];

	for (int changes = 0; changes < 2; changes++) {
		int64_t start = kr_clock_now();

		open_bad_display(&display);
		atomic_store(&flood.stops, false);
		flood.socket = display.socket;
		for (int i = 0; i < 2; i++)
			flood.messages[i] = changes ? configures[i] : pong;
		for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
			assert_int_equal(pthread_create(&threads[i], NULL, flood_main, &flood), 0);
		assert_int_equal(kr_queue_set_timeout(display.queue, -1), 0);
		while (kr_clock_now() - start < 300 * MS) {
			assert_true(kr_queue_alive(display.queue));
			(void)help_try_dequeue(display.queue, 10 * MS);
			assert_int_equal(kr_queue_wait_shown(display.queue, UINT64_MAX,
						 kr_clock_now() + 10 * MS),
				-ETIMEDOUT);
		}
		atomic_store(&flood.stops, true);
		for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
			assert_int_equal(pthread_join(threads[i], NULL), 0);
		kr_queue_unref(display.queue);
		close(display.socket);
		assert_true(kr_clock_now() - start < 3000 * MS);
	}
	kr_log_set_sink(NULL, NULL);
}

#pragma GCC diagnostic pop

static const struct kr_test tests[] = {
	KR_TEST(a_welcome_that_makes_no_sense_is_eproto),
	KR_TEST(a_frame_is_one_packet_each_way),
	KR_TEST(releases_that_lie_end_the_connection),
	KR_TEST(what_a_display_tells_is_checked),
	KR_TEST(what_a_display_exchanges_is_checked),
	KR_TEST(an_answer_that_found_no_room_comes_first),
	KR_TEST(answers_that_nobody_reads_are_bounded),
	KR_TEST(a_display_that_doesnt_read_is_given_up),
	KR_TEST_FLAGS(a_flood_keeps_nobody, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
