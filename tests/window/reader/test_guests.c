/* SPDX-License-Identifier: Apache-2.0 */
/* Readers on sockets: who comes, who goes, and what those may do that mean no good. */
#include "reader/rig.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/remote/message.h"

/* Written by the thread that connects, too. */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char logged[512];

static void
keep_log(void *data, uint32_t bits, const char *message)
{
	pthread_mutex_lock(&log_lock);
	if (bits & KR_LOG_ERROR)
		snprintf(logged, sizeof(logged), "%s", message);
	pthread_mutex_unlock(&log_lock);
}

static void
two_producers(struct krafla_reader_config *config)
{
	config->max_producers = 2;
	config->max_images = 2;
}

static int
connect_raw(const struct rig *rig)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", rig->socket);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* The reader takes in what has come; there is no image. */
static void
serve(struct rig *rig)
{
	struct krafla_image image;

	assert_int_equal(krafla_reader_acquire_next(rig->reader, &image), -EAGAIN);
}

/* Serves until there is nothing to read on a socket but its end. */
static void
expect_end(struct rig *rig, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct krafla_image image;
	char bytes[512];

	for (;;) {
		struct pollfd both[2] = {
			p, {.fd = krafla_reader_get_fd(rig->reader), .events = POLLIN}};

		assert_true(poll(both, 2, 10000) > 0);
		if (both[0].revents && recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) <= 0)
			return;
		assert_true(krafla_reader_acquire_next(rig->reader, &image) < 0);
	}
}

/* A frame comes whatever the others do. */
static void
expect_served(struct rig *rig, ANativeWindow *window, uint32_t colour)
{
	struct krafla_image image;

	rig_frame(window, colour);
	rig_acquire(rig, &image);
	assert_int_equal(rig_colour(&image), colour);
	rig_release(rig, &image, -1);
}

/* ---- cases ---- */

/* What a producer queued outlives it; then its end is told, once by the descriptor. */
static void
the_last_producers_end_is_told(void **state)
{
	struct krafla_producer who = {.size = sizeof(who)};
	struct krafla_image image, last;
	ANativeWindow *window;
	struct rig rig;
	uint64_t first;

	rig_open(&rig, true, two_producers);
	window = rig_window_ahead(&rig, 2);
	rig_frame(window, 1);
	rig_frame(window, 2);
	rig_acquire(&rig, &image);
	ANativeWindow_release(window);
	rig_acquire(&rig, &last);
	assert_int_equal(last.number, 2);
	first = last.producer;
	assert_int_equal(rig_colour(&last), 2);
	rig_await(&rig, -EPIPE);
	assert_false(rig_readable(&rig));
	assert_int_equal(krafla_reader_acquire_next(rig.reader, &last), -EPIPE);
	/* Its images are there as long as they are held. */
	assert_int_equal(krafla_reader_get_producer(rig.reader, first, &who), 0);
	assert_int_equal(rig_colour(&image), 1);
	rig_release(&rig, &image, -1);
	rig_release(&rig, &last, -1);
	assert_int_equal(krafla_reader_release(rig.reader, &last, -1), -ESTALE);
	assert_int_equal(krafla_reader_get_producer(rig.reader, first, &who), -ENOENT);
	/* Another may come. */
	window = rig_window(&rig);
	rig_frame(window, 3);
	rig_acquire(&rig, &image);
	assert_int_equal(image.number, 1);
	assert_true(image.producer > first);
	rig_release(&rig, &image, -1);
	ANativeWindow_release(window);
	rig_close(&rig);
}

static void
one_producer_more_is_refused(void **state)
{
	ANativeWindow *window, *other;
	struct rig rig;

	rig_open(&rig, true, NULL);
	window = rig_window(&rig);
	kr_log_set_sink(keep_log, NULL);
	assert_int_equal(rig_try_window(&rig, &other), -EBUSY);
	kr_log_set_sink(NULL, NULL);
	expect_served(&rig, window, 1);
	/* Its place is free when it has gone. */
	ANativeWindow_release(window);
	rig_await(&rig, -EPIPE);
	window = rig_window(&rig);
	expect_served(&rig, window, 2);
	ANativeWindow_release(window);
	rig_close(&rig);
}

static void
producers_take_turns(void **state)
{
	struct krafla_image image[2];
	ANativeWindow *window[2];
	struct rig rig;

	rig_open(&rig, true, two_producers);
	window[0] = rig_window_ahead(&rig, 3);
	window[1] = rig_window_ahead(&rig, 3);
	for (int i = 0; i < 3; i++) {
		rig_frame(window[0], 10);
		rig_frame(window[1], 20);
	}
	for (int i = 0; i < 3; i++) {
		rig_acquire(&rig, &image[0]);
		rig_acquire(&rig, &image[1]);
		assert_int_not_equal(image[0].producer, image[1].producer);
		assert_int_equal(image[0].number, i + 1);
		assert_int_equal(image[1].number, i + 1);
		assert_int_equal(rig_colour(&image[0]) + rig_colour(&image[1]), 30);
		rig_release(&rig, &image[1], -1);
		rig_release(&rig, &image[0], -1);
	}
	/* One that goes is none that all wait for. */
	ANativeWindow_release(window[0]);
	expect_served(&rig, window[1], 1);
	ANativeWindow_release(window[1]);
	rig_await(&rig, -EPIPE);
	rig_close(&rig);
}

static void
garbage_ends_its_connection_alone(void **state)
{
	static const uint8_t bytes[3][24] = {
		{70, 0, 0, 0, 8}, {1, 0, 0, 0, 15, 0, 0, 0, 9, 0, 0, 0, 1, 0, 'x'}, {0xff, 0xff}};
	static const size_t sizes[] = {8, 15, 24};
	ANativeWindow *window;
	struct rig rig;

	rig_open(&rig, true, NULL);
	window = rig_window(&rig);
	kr_log_set_sink(keep_log, NULL);
	for (size_t i = 0; i < 3; i++) {
		int raw = connect_raw(&rig);

		assert_int_equal(send(raw, bytes[i], sizes[i], 0), sizes[i]);
		expect_end(&rig, raw);
		close(raw);
	}
	kr_log_set_sink(NULL, NULL);
	expect_served(&rig, window, 1);
	ANativeWindow_release(window);
	rig_close(&rig);
}

/* They say nothing: so many are let in, nobody waits for them, and after 5 s they are sent away. */
static void
silent_crowds_are_sent_away(void **state)
{
	int raw[16];
	ANativeWindow *window;
	struct rig rig;

	rig_open(&rig, true, NULL);
	window = rig_window(&rig);
	kr_log_set_sink(keep_log, NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(raw); i++)
		raw[i] = connect_raw(&rig);
	serve(&rig);
	expect_served(&rig, window, 1);
	for (size_t i = 0; i < KR_ARRAY_LEN(raw); i++) {
		expect_end(&rig, raw[i]);
		close(raw[i]);
	}
	kr_log_set_sink(NULL, NULL);
	assert_non_null(strstr(logged, "there are too many"));
	expect_served(&rig, window, 2);
	ANativeWindow_release(window);
	window = NULL;
	rig_await(&rig, -EPIPE);
	window = rig_window(&rig);
	ANativeWindow_release(window);
	rig_close(&rig);
}

struct flood {
	int socket;
	atomic_bool stop;
};

static void *
flood_main(void *data)
{
	const struct kr_dp_message ping = {.type = KR_DP_PING};
	struct flood *flood = data;
	char bytes[64];

	while (!atomic_load(&flood->stop)) {
		int err = kr_remote_send(flood->socket, &ping, -1);

		if (err && err != -EAGAIN)
			break;
		while (recv(flood->socket, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
			continue;
	}
	return NULL;
}

/* One that sends without end gets its answers, and keeps nobody. */
static void
a_flood_keeps_nobody(void **state)
{
	const struct kr_dp_message hello = {
		.type = KR_DP_HELLO, .hello = {.version = 1, .label = "flood"}};
	struct flood flood = {0};
	ANativeWindow *window;
	pthread_t thread;
	struct rig rig;

	rig_open(&rig, true, two_producers);
	window = rig_window(&rig);
	flood.socket = connect_raw(&rig);
	assert_int_equal(kr_remote_send(flood.socket, &hello, -1), 0);
	assert_int_equal(pthread_create(&thread, NULL, flood_main, &flood), 0);
	for (uint32_t i = 1; i <= 50; i++)
		expect_served(&rig, window, i);
	atomic_store(&flood.stop, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	close(flood.socket);
	ANativeWindow_release(window);
	rig_close(&rig);
}

/* It is killed while one image of it is out and one is queued. */
static void
a_killed_producer_leaves(void **state)
{
	struct krafla_image image, next;
	ANativeWindow *window;
	struct rig rig;
	pid_t child;
	int fence;

	rig_open(&rig, true, two_producers);
	child = fork();
	if (child == 0) {
		if (krafla_window_open(rig.socket, NULL, 0, 0, &window))
			_exit(1);
		window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU);
		ANativeWindow_setUsage(window, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN);
		for (;;)
			rig_frame(window, 7);
	}
	rig_acquire(&rig, &image);
	assert_int_equal(rig_colour(&image), 7);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	while (krafla_reader_acquire_next(rig.reader, &next) == 0) {
		assert_int_equal(rig_colour(&next), 7);
		rig_release(&rig, &next, -1);
	}
	rig_await(&rig, -EPIPE);
	assert_int_equal(rig_colour(&image), 7);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	rig_release(&rig, &image, fence);
	window = rig_window(&rig);
	expect_served(&rig, window, 1);
	ANativeWindow_release(window);
	rig_close(&rig);
}

/* --- a producer of version 1, typed out --- */

/* clang-format off */
static const uint8_t hello_1[] = {1, 0, 0, 0, 15, 0, 0, 0, 1, 0, 0, 0, 1, 0, 'x'};
/* 64x32 RGBA, 60 Hz, usage 3, max_acquired 1. */
static const uint8_t welcome_1[] = {
	64, 0, 0, 0, 45, 0, 0, 0, 1, 0, 0, 0, 64, 0, 0, 0, 32, 0, 0, 0,
	0x2a, 0x50, 0xfe, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
/* Frame 1 of slot 0 in RGBA, as soon as it can be shown; queued at 9 ns. */
static const uint8_t frame_1[] = {
	4, 0, 0, 0, 72, 0, 0, 0,
	0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80,
	9, 0, 0, 0, 0, 0, 0, 0, 0, 0};
/* Slot 0, frame 1, no fence. */
static const uint8_t release_1[] = {
	65, 0, 0, 0, 21, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
/* clang-format on */

static void
expect_bytes(int fd, const uint8_t *expected, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint8_t bytes[128];

	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_int_equal(recv(fd, bytes, sizeof(bytes), 0), size);
	assert_memory_equal(bytes, expected, size);
}

static void
producers_of_version_1_are_served(void **state)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	struct kr_dp_message message = {.type = KR_DP_BUFFER};
	struct krafla_image image;
	struct kr_buffer *buffer;
	struct rig rig;
	void *pixels;
	int raw;

	rig_open(&rig, true, NULL);
	raw = connect_raw(&rig);
	assert_int_equal(send(raw, hello_1, sizeof(hello_1), 0), sizeof(hello_1));
	serve(&rig);
	expect_bytes(raw, welcome_1, sizeof(welcome_1));
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	assert_int_equal(kr_buffer_map(buffer, &pixels), 0);
	*(uint32_t *)pixels = 0xabcdef;
	message.buffer.id = kr_buffer_get_info(buffer)->id;
	memcpy(message.buffer.handle, kr_buffer_handle(buffer)->data + KR_HANDLE_FDS,
		sizeof(message.buffer.handle));
	assert_int_equal(kr_remote_send(raw, &message, kr_buffer_get_info(buffer)->fd), 0);
	assert_int_equal(send(raw, frame_1, sizeof(frame_1), 0), sizeof(frame_1));
	rig_acquire(&rig, &image);
	assert_int_equal(image.number, 1);
	assert_int_equal(image.timestamp_ns, 9);
	assert_int_equal(rig_colour(&image), 0xabcdef);
	rig_release(&rig, &image, -1);
	expect_bytes(raw, release_1, sizeof(release_1));
	close(raw);
	kr_buffer_unref(buffer);
	rig_close(&rig);
}

/* It doesn't read what it gets: it is cut off, and nobody has waited for it. */
static void
one_that_does_not_read_is_cut_off(void **state)
{
	const struct kr_dp_message hello = {
		.type = KR_DP_HELLO, .hello = {.version = 1, .label = "deaf"}};
	const struct kr_dp_message ping = {.type = KR_DP_PING};
	struct krafla_image image;
	struct rig rig;
	int raw, err;

	rig_open(&rig, true, NULL);
	raw = connect_raw(&rig);
	assert_int_equal(kr_remote_send(raw, &hello, -1), 0);
	kr_log_set_sink(keep_log, NULL);
	do {
		err = kr_remote_send(raw, &ping, -1);
		(void)krafla_reader_acquire_next(rig.reader, &image);
	} while (!err || err == -EAGAIN);
	assert_int_equal(err, -EPIPE);
	kr_log_set_sink(NULL, NULL);
	assert_non_null(strstr(logged, "it doesn't read what it is sent"));
	close(raw);
	rig_await(&rig, -EPIPE);
	rig_close(&rig);
}

static void
without_descriptors_somebody_is_refused(void **state)
{
	ANativeWindow *window;
	struct rig rig;
	int raw;

	rig_open(&rig, true, NULL);
	window = rig_window(&rig);
	raw = connect_raw(&rig);
	kr_log_set_sink(keep_log, NULL);
	kr_test_limit_fds(0);
	serve(&rig);
	kr_test_end_fd_limit();
	kr_log_set_sink(NULL, NULL);
	expect_end(&rig, raw);
	close(raw);
	expect_served(&rig, window, 1);
	ANativeWindow_release(window);
	rig_close(&rig);
}

static void
paths_are_checked(void **state)
{
	struct krafla_reader_config config = {.size = sizeof(config), .width = 8, .height = 8};
	struct krafla_reader *reader, *other;
	char path[200];

	config.socket = kr_test_file("a file", "text");
	assert_int_equal(krafla_reader_open(&config, &reader), -EADDRINUSE);
	assert_int_equal(access(config.socket, F_OK), 0);
	config.socket = kr_test_path("no folder/reader");
	assert_int_equal(krafla_reader_open(&config, &reader), -ENOENT);
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	config.socket = path;
	assert_int_equal(krafla_reader_open(&config, &reader), -ENAMETOOLONG);
	config.socket = kr_test_path("reader");
	assert_int_equal(krafla_reader_open(&config, &reader), 0);
	assert_int_equal(krafla_reader_open(&config, &other), -EADDRINUSE);
	for (int more = 0; more < 5; more++) {
		config.socket = kr_test_path("another");
		kr_test_limit_fds(more);
		assert_int_equal(krafla_reader_open(&config, &other), -EMFILE);
		kr_test_end_fd_limit();
		assert_int_equal(access(config.socket, F_OK), -1);
	}
	krafla_reader_close(reader);
}

static void
sharing(struct krafla_reader_config *config)
{
	config->flags = KRAFLA_READER_SHARED;
}

/* Its producer, which draws and says nothing, hears of the frame once, and isn't cut off for it. */
static void
what_is_shown_anew_is_told_once(void **state)
{
	const struct krafla_acquire again = {.size = sizeof(again), .flags = KRAFLA_ACQUIRE_AGAIN};
	struct krafla_image image;
	ANativeWindow *window;
	struct rig rig;

	rig_open(&rig, true, sharing);
	window = rig_window(&rig);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_SHARED_BUFFER_MODE, 1), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_AUTO_REFRESH, 1), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_ENABLE_FRAME_TIMESTAMPS, 1), 0);
	rig_frame(window, 1);
	rig_acquire(&rig, &image);
	for (int i = 0; i < 5000; i++) {
		assert_int_equal(krafla_reader_acquire_at(rig.reader, &again, &image), 0);
		assert_int_equal(image.number, 1);
	}
	rig_frame(window, 2);
	rig_acquire(&rig, &image);
	assert_int_equal(image.number, 2);
	rig_release(&rig, &image, -1);
	ANativeWindow_release(window);
	rig_close(&rig);
}

static void
many_images(struct krafla_reader_config *config)
{
	config->max_images = 40;
}

/* One that does nothing for a while doesn't lose its window by what it is given meanwhile. */
static void
an_idle_producer_is_given_no_more_than_it_takes_in(void **state)
{
	static const AHardwareBuffer_Desc desc = {64, 32, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, 0, 0,
		0};
	struct krafla_image images[40];
	unsigned given, all = 0;
	ANativeWindow *window;
	struct rig rig;

	rig_open(&rig, true, many_images);
	window = rig_window_ahead(&rig, 2);
	expect_served(&rig, window, 1);
	for (int round = 0; round < 3; round++) {
		int err = 0;

		for (given = 0; given < KR_ARRAY_LEN(images) && !err; given += !err) {
			AHardwareBuffer *buffer;

			assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
			err = krafla_reader_attach(rig.reader, 1, buffer, &images[given]);
			AHardwareBuffer_release(buffer);
		}
		assert_true(!err || err == -ENOMEM);
		all += given;
		while (given--) {
			int fence;

			assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
			rig_release(&rig, &images[given], fence);
		}
	}
	assert_true(all >= 8);
	expect_served(&rig, window, 2);
	ANativeWindow_release(window);
	rig_close(&rig);
}

#define KEEPS KR_TEST_KEEPS_MEMORY
/* One of version 6 that has sent so many pings, and never reads. */
static int
open_deaf(struct rig *rig, unsigned pings, unsigned *answered)
{
	const struct kr_dp_message hello = {
		.type = KR_DP_HELLO6, .hello6.hello5.hello4.hello3.hello2.hello = {.version = 6}};
	const struct kr_dp_message ping = {.type = KR_DP_PING};
	struct krafla_image image;
	int raw = connect_raw(rig);

	assert_int_equal(kr_remote_send(raw, &hello, -1), 0);
	assert_int_equal(krafla_reader_acquire_next(rig->reader, &image), -EAGAIN);
	for (*answered = 0; *answered < pings; ++*answered) {
		assert_int_equal(kr_remote_send(raw, &ping, -1), 0);
		if (krafla_reader_acquire_next(rig->reader, &image) == -EPIPE)
			break;
	}
	return raw;
}

/* By whatever call: who polls for it is woken. */
static void
an_end_that_a_call_brings_is_told(void **state)
{
	struct krafla_image image;
	unsigned room, answered;
	struct rig rig;
	int raw;

	rig_open(&rig, true, NULL);
	kr_log_set_sink(keep_log, NULL);
	raw = open_deaf(&rig, 100000, &room);
	close(raw);
	for (int i = 0; i < 2; i++) {
		raw = open_deaf(&rig, room, &answered);
		assert_int_equal(answered, room);
		assert_false(rig_readable(&rig));
		rig.config.width++;
		if (i)
			assert_int_equal(krafla_reader_discard_free(rig.reader), 0);
		else
			assert_int_equal(krafla_reader_configure(rig.reader, &rig.config), 0);
		assert_true(rig_readable(&rig));
		assert_int_equal(krafla_reader_acquire_next(rig.reader, &image), -EPIPE);
		assert_false(rig_readable(&rig));
		close(raw);
	}
	kr_log_set_sink(NULL, NULL);
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(the_last_producers_end_is_told, KEEPS),
	KR_TEST_FLAGS(one_producer_more_is_refused, KEEPS),
	KR_TEST_FLAGS(producers_take_turns, KEEPS),
	KR_TEST_FLAGS(garbage_ends_its_connection_alone, KEEPS),
	KR_TEST_SLOW(silent_crowds_are_sent_away, KEEPS, 30),
	KR_TEST_FLAGS(a_flood_keeps_nobody, KEEPS),
	KR_TEST_FLAGS(a_killed_producer_leaves, KEEPS),
	KR_TEST_FLAGS(producers_of_version_1_are_served, KEEPS),
	KR_TEST_FLAGS(an_end_that_a_call_brings_is_told, KEEPS),
	KR_TEST_FLAGS(one_that_does_not_read_is_cut_off, KEEPS),
	KR_TEST_FLAGS(what_is_shown_anew_is_told_once, KEEPS),
	KR_TEST_FLAGS(an_idle_producer_is_given_no_more_than_it_takes_in, KEEPS),
	KR_TEST_FLAGS(without_descriptors_somebody_is_refused, KEEPS),
	KR_TEST_FLAGS(paths_are_checked, KEEPS),
};

KR_TEST_MAIN(tests)
