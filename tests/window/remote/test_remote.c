/* SPDX-License-Identifier: Apache-2.0 */
/* A producer and a display in two processes (or two ends of one): frames, fences, death. */
#include "help.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"

#define MS     KR_NSEC_PER_MSEC
#define FRAMES 60

static int
deadline_attach(int socket, struct kr_sink **sink, int64_t ns)
{
	struct kr_remote_display info;

	return kr_sink_remote_attach(socket, "unit", kr_clock_now() + ns, sink, &info);
}

static void
paint(struct kr_buffer *buffer, uint8_t value)
{
	void *pixels;

	assert_int_equal(kr_buffer_map(buffer, &pixels), 0);
	memset(pixels, value, kr_buffer_get_info(buffer)->size);
}

static int
check_paint(struct kr_buffer *buffer, uint8_t value)
{
	uint8_t *pixels;
	void *data;

	if (kr_buffer_map(buffer, &data))
		return 1;
	pixels = data;
	for (uint64_t i = 0; i < kr_buffer_get_info(buffer)->size; i++) {
		if (pixels[i] != value)
			return 2;
	}
	return 0;
}

/* --- a display in a process of its own --- */

enum display_way {
	SHOW_ALL,
	DIE_AT_ONCE,       /* after the handshake */
	DIE_WITH_A_FRAME,  /* while it holds one */
	STOP_WITH_A_FRAME, /* SIGSTOP itself */
	NEVER_GREET,
};

static int
show_frames(struct kr_consumer *consumer, enum display_way way)
{
	uint64_t expected = 1;

	for (;;) {
		struct pollfd p = {.fd = kr_consumer_fd(consumer), .events = POLLIN};
		struct kr_frame frame;
		int gone, err;

		if (poll(&p, 1, 15000) != 1)
			return 10;
		gone = kr_consumer_dispatch(consumer);
		while (!(err = kr_consumer_acquire(consumer, &frame))) {
			if (way == DIE_WITH_A_FRAME)
				raise(SIGKILL);
			if (way == STOP_WITH_A_FRAME)
				raise(SIGSTOP);
			if (frame.number != expected++)
				return 11;
			if (kr_fence_wait(frame.acquire_fence, kr_clock_now() + 5000 * MS))
				return 12;
			kr_fd_close(&frame.acquire_fence);
			if (check_paint(frame.buffer, (uint8_t)frame.number))
				return 13;
			err = kr_consumer_release(consumer, &frame, -1);
			if (err && err != -EPIPE)
				return 14;
		}
		if (gone)
			return err == -EPIPE && expected == FRAMES + 1 ? 0 : 15;
	}
}

static int
run_display(int socket, enum display_way way)
{
	struct kr_consumer *consumer;
	struct pollfd p = {.fd = socket, .events = POLLIN};
	int status;

	if (way == NEVER_GREET)
		pause();
	if (kr_consumer_remote_create(socket, &help_display, false, NULL, NULL, &consumer))
		return 20;
	if (way == DIE_AT_ONCE) {
		if (poll(&p, 1, 15000) != 1 || kr_consumer_dispatch(consumer))
			return 21;
		raise(SIGKILL);
	}
	status = show_frames(consumer, way);
	kr_consumer_destroy(consumer);
	return status;
}

static pid_t
fork_display(enum display_way way, int *socket)
{
	int pair[2];
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pair[0]);
		_exit(run_display(pair[1], way));
	}
	close(pair[1]);
	*socket = pair[0];
	return pid;
}

static int
reap(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* One frame, painted with its number; the fence signals only after it was queued. */
static int
produce_frame(struct kr_queue *queue)
{
	struct kr_queue_request request = {.deadline_ns = kr_clock_now() + 15000 * MS};
	struct kr_buffer *buffer;
	uint64_t number = kr_queue_next_frame(queue);
	int release, producer, fence;
	uint32_t slot;
	int err = kr_queue_dequeue(queue, &request, &slot, &buffer, &release);

	if (err)
		return err;
	kr_fd_close(&release);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	err = kr_queue_queue(queue, slot, &help_input, fence, NULL);
	if (!err)
		paint(buffer, (uint8_t)number);
	kr_fence_signal(producer, 1);
	return err;
}

static void
pixels_arrive_in_another_process(void **state)
{
	struct kr_sink *sink;
	struct kr_queue *queue;
	int socket;
	pid_t pid = fork_display(SHOW_ALL, &socket);

	assert_int_equal(deadline_attach(socket, &sink, 10000 * MS), 0);
	queue = help_queue(sink);
	for (int i = 0; i < FRAMES; i++)
		assert_int_equal(produce_frame(queue), 0);
	kr_queue_unref(queue);
	assert_int_equal(reap(pid), 0);
}

/* Renders until it fails: the error, which must come soon. */
static int
produce_until_it_fails(enum display_way way)
{
	struct kr_sink *sink;
	struct kr_queue *queue;
	int64_t start = kr_clock_now();
	int socket, err;
	pid_t pid = fork_display(way, &socket);

	assert_int_equal(deadline_attach(socket, &sink, 10000 * MS), 0);
	queue = help_queue(sink);
	do
		err = produce_frame(queue);
	while (!err);
	assert_false(kr_queue_alive(queue));
	assert_true(kr_clock_now() - start < 8000 * MS);
	kr_queue_unref(queue);
	kill(pid, SIGKILL);
	assert_int_equal(reap(pid), -SIGKILL);
	return err;
}

static void
a_display_that_dies_is_enodev(void **state)
{
	assert_int_equal(produce_until_it_fails(DIE_AT_ONCE), -ENODEV);
	assert_int_equal(produce_until_it_fails(DIE_WITH_A_FRAME), -ENODEV);
}

/* DESIGN rule 7. */
static void
a_display_that_stops_is_enodev_within_the_bound(void **state)
{
	kr_sink_set_answer_ns(300 * MS);
	assert_int_equal(produce_until_it_fails(STOP_WITH_A_FRAME), -ENODEV);
}

static void
a_display_that_doesnt_answer_hello_is_etimedout(void **state)
{
	struct kr_sink *sink = NULL;
	int socket;
	pid_t pid = fork_display(NEVER_GREET, &socket);

	assert_int_equal(deadline_attach(socket, &sink, 50 * MS), -ETIMEDOUT);
	assert_null(sink);
	kill(pid, SIGKILL);
	assert_int_equal(reap(pid), -SIGKILL);
}

/* --- both ends in this process --- */

static void
what_was_said_of_a_frame_arrives(void **state)
{
	struct kr_queue_input input = {
		.dataspace = 0x08810000,
		.transform = NATIVE_WINDOW_TRANSFORM_ROT_90,
		.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW,
		.crop = {1, 2, 30, 31},
		.timestamp_ns = 123456789,
		.damage_count = 2,
		.damage = {{0, 0, 5, 5}, {10, 10, 64, 32}},
	};
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_frame frame;
	struct help_seen seen = {0};
	int producer, fence;

	help_connect(&queue, &consumer, false, &help_events, &seen);
	assert_string_equal(kr_consumer_label(consumer), "a test");
	assert_int_equal(kr_consumer_pid(consumer), getpid());
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	assert_int_equal(kr_queue_queue(queue, help_dequeue(queue), &input, fence, NULL), 0);
	assert_int_equal(help_pump(consumer), 0);
	assert_int_equal(seen.available, 1);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(frame.number, 1);
	assert_int_equal(frame.dataspace, input.dataspace);
	assert_int_equal(frame.transform, input.transform);
	assert_int_equal(frame.scaling_mode, input.scaling_mode);
	assert_memory_equal(&frame.crop, &input.crop, sizeof(frame.crop));
	assert_int_equal(frame.timestamp_ns, input.timestamp_ns);
	assert_int_equal(frame.damage_count, 2);
	assert_memory_equal(frame.damage, input.damage, sizeof(frame.damage[0]) * 2);
	assert_int_equal(kr_buffer_get_info(frame.buffer)->desc.width, 64);
	assert_int_equal(kr_fence_status(frame.acquire_fence), 0);
	kr_fence_signal(producer, 1);
	assert_int_equal(kr_fence_status(frame.acquire_fence), 1);
	close(frame.acquire_fence);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	kr_queue_unref(queue);
	assert_int_equal(help_pump(consumer), -EPIPE);
	assert_int_equal(seen.disconnected, 1);
	assert_int_equal(kr_consumer_dispatch(consumer), -EPIPE);
	assert_int_equal(seen.disconnected, 1);
	kr_consumer_destroy(consumer);
}

/* H-02, H-05 */
static void
the_release_fence_crosses_back(void **state)
{
	struct kr_queue_request request = {0};
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_buffer *buffer;
	struct kr_frame frame;
	uint32_t slot;
	int producer, fence, got;

	help_connect(&queue, &consumer, false, NULL, NULL);
	help_frame(queue);
	help_frame(queue);
	assert_int_equal(help_pump(consumer), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	assert_int_equal(kr_consumer_release(consumer, &frame, fence), 0);
	request.deadline_ns = kr_clock_now() + 5000 * MS;
	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &got), 0);
	assert_int_equal(slot, frame.slot);
	assert_int_equal(kr_fence_status(got), 0);
	kr_fence_signal(producer, 1);
	assert_int_equal(kr_fence_wait(got, kr_clock_now() + 5000 * MS), 0);
	close(got);
	kr_queue_unref(queue);
	kr_consumer_destroy(consumer);
}

static void
a_producer_that_dies_leaves_its_frames(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_frame frame, second;
	struct help_seen seen = {0};

	help_connect(&queue, &consumer, false, &help_events, &seen);
	help_frame(queue);
	help_frame(queue);
	kr_queue_unref(queue);
	assert_int_equal(help_pump_all(consumer), -EPIPE);
	assert_int_equal(seen.available, 2);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(check_paint(frame.buffer, 0), 0);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), -EPIPE);
	assert_int_equal(kr_consumer_acquire(consumer, &second), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), -EPIPE);
	kr_consumer_destroy(consumer);
}

/*
 * Whoever queues a frame and exits has it shown: what follows fails unless the socket is read to
 * its end.
 */
static void
last_frames_arrive_after_the_producer_went(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_frame frame;
	uint64_t number = 0;

	help_connect(&queue, &consumer, false, NULL, NULL);
	assert_int_equal(kr_queue_set_buffer_count(queue, 6), 0);
	for (int i = 0; i < 2; i++)
		help_frame(queue);
	assert_int_equal(help_pump(consumer), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0); /* never read */
	for (int i = 0; i < 4; i++)
		help_frame(queue);
	kr_queue_unref(queue);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), -EPIPE);
	assert_int_equal(help_pump_all(consumer), -EPIPE);
	while (!kr_consumer_acquire(consumer, &frame)) {
		number = frame.number;
		(void)kr_consumer_release(consumer, &frame, -1);
	}
	assert_int_equal(number, 6);
	kr_consumer_destroy(consumer);
}

static void
die_with_a_frame_out(int socket)
{
	struct kr_queue_request request = {0};
	struct kr_sink *sink;
	struct kr_queue *queue;
	struct kr_buffer *buffer;
	int producer, fence, release;
	uint32_t slot;

	if (deadline_attach(socket, &sink, 10000 * MS) ||
		kr_queue_create(&help_config, sink, &queue) || kr_queue_connect(queue, 1) ||
		kr_queue_dequeue(queue, &request, &slot, &buffer, &release) ||
		kr_fence_create(NULL, &producer, &fence) ||
		kr_queue_queue(queue, slot, &help_input, fence, NULL))
		_exit(1);
	raise(SIGKILL);
}

static void
a_producer_that_is_killed_fails_its_fences(void **state)
{
	struct kr_consumer *consumer;
	struct kr_frame frame;
	struct help_seen seen = {0};
	int pair[2];
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (!pid) {
		close(pair[1]);
		die_with_a_frame_out(pair[0]);
	}
	close(pair[0]);
	assert_int_equal(kr_consumer_remote_create(
				 pair[1], &help_display, false, &help_events, &seen, &consumer),
		0);
	while (!help_pump(consumer))
		;
	assert_int_equal(reap(pid), -SIGKILL);
	assert_int_equal(seen.disconnected, 1);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(
		kr_fence_wait(frame.acquire_fence, kr_clock_now() + 5000 * MS), -EOWNERDEAD);
	close(frame.acquire_fence);
	assert_int_equal(check_paint(frame.buffer, 0), 0); /* its memory is still there */
	kr_consumer_destroy(consumer);
}

static void
mailbox_replaces_unless_all_are_kept(void **state)
{
	for (int keep = 0; keep < 2; keep++) {
		struct kr_consumer *consumer;
		struct kr_queue *queue;
		struct kr_frame frame;
		struct help_seen seen = {0};

		help_connect(&queue, &consumer, keep, &help_events, &seen);
		assert_int_equal(kr_queue_set_async(queue, true), 0);
		help_input.presentation.mode = KR_PRESENT_MAILBOX;
		help_frame(queue);
		help_frame(queue);
		assert_int_equal(help_pump(consumer), 0);
		assert_int_equal(seen.replaced, keep ? 0 : 1);
		assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
		assert_int_equal(frame.number, keep ? 1 : 2);
		assert_true(frame.droppable);
		/* The dropped one is back: a third and a fourth fit. */
		help_frame(queue);
		assert_int_equal(help_try_dequeue(queue, 0), keep ? -ETIMEDOUT : 0);
		kr_queue_unref(queue);
		kr_consumer_destroy(consumer);
	}
}

static void
the_device_is_told_in_printable_letters(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct help_seen seen = {0};

	help_connect(&queue, &consumer, false, &help_events, &seen);
	kr_queue_describe(queue, "a GPU\x1b[31m \xc3\xa4");
	assert_int_equal(help_pump(consumer), 0);
	assert_string_equal(seen.device, "a GPU?[31m ??");
	kr_queue_unref(queue);
	kr_consumer_destroy(consumer);
}

static void
buffers_that_change_size_are_announced_anew(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_frame frame;

	help_connect(&queue, &consumer, false, NULL, NULL);
	for (uint32_t i = 1; i < 20; i++) {
		kr_queue_configure(queue, 16 * i, 16, 0);
		help_frame(queue);
		assert_int_equal(help_pump(consumer), 0);
		assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
		assert_int_equal(kr_buffer_get_info(frame.buffer)->desc.width, 16 * i);
		assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	}
	/* Another connection of the same window goes on over the same socket. */
	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_CPU), 0);
	help_frame(queue);
	assert_int_equal(help_pump(consumer), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(frame.number, 20);
	kr_queue_unref(queue);
	kr_consumer_destroy(consumer);
}

static void
connect_finds_a_listening_display(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct kr_remote_display info;
	struct kr_sink *sink = NULL;
	char path[256];
	int listener;

	snprintf(path, sizeof(path), "%s/display", kr_test_dir());
	memcpy(address.sun_path, path, strlen(path));
	assert_int_equal(
		kr_sink_remote_connect(path, "x", kr_clock_now() + MS, &sink, &info), -ENOENT);
	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(kr_sink_remote_connect(path, "x", kr_clock_now() + MS, &sink, &info),
		-ECONNREFUSED);
	assert_int_equal(listen(listener, 0), 0);
	/* Nobody accepts: first the handshake, then connecting itself takes too long. */
	for (int i = 0; i < 4; i++)
		assert_int_equal(
			kr_sink_remote_connect(path, "x", kr_clock_now() + 50 * MS, &sink, &info),
			-ETIMEDOUT);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(kr_sink_remote_connect(path, "x", 0, &sink, &info), -ENAMETOOLONG);
	assert_null(sink);
	close(listener);
}

/* RLIMIT_NOFILE 64: errors, no leak, no hang. */
static void
few_descriptors_make_errors_not_leaks(void **state)
{
	struct rlimit limit = {64, 64};
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	int err, count = 0;

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	help_connect(&queue, &consumer, false, NULL, NULL);
	assert_int_equal(kr_queue_set_buffer_count(queue, 64), 0);
	do {
		err = help_try_dequeue(queue, 0);
		count += !err;
		if (kr_consumer_dispatch(consumer))
			break;
	} while (!err && count < 64);
	/* Both ends are in this process; the display's keeps a mapping and no descriptor. */
	assert_true(count > 40 && count < 64);
	kr_queue_unref(queue);
	kr_consumer_destroy(consumer);
}

/*
 * A display cuts off who announces more memory than a producer may have: the producer's own
 * end says so before, and goes on with what it has.
 */
static void
too_much_memory_is_refused_here(void **state)
{
	struct kr_queue_request large = {.width = 32768, .height = 16384, .format = 1, .usage = 3};
	struct kr_queue_request small = {.width = 64, .height = 64, .format = 1, .usage = 3};
	struct kr_consumer *consumer;
	struct kr_buffer *buffer;
	struct kr_queue *queue;
	uint32_t slots[3];
	int fence;

	help_connect(&queue, &consumer, false, NULL, NULL);
	large.deadline_ns = small.deadline_ns = kr_clock_now() + 5000 * MS;
	assert_int_equal(kr_queue_set_buffer_count(queue, 6), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(kr_queue_dequeue(queue, &large, &slots[i], &buffer, &fence), 0);
	assert_int_equal(kr_queue_dequeue(queue, &large, &slots[2], &buffer, &fence), -ENOMEM);
	assert_int_equal(help_pump(consumer), 0);
	/* What goes makes room. */
	for (int i = 0; i < 2; i++)
		assert_int_equal(kr_queue_cancel(queue, slots[i], -1), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(kr_queue_dequeue(queue, &small, &slots[i], &buffer, &fence), 0);
	assert_int_equal(kr_queue_dequeue(queue, &large, &slots[2], &buffer, &fence), 0);
	assert_int_equal(help_pump(consumer), 0);
	assert_true(kr_queue_alive(queue));
	kr_queue_unref(queue);
	kr_consumer_destroy(consumer);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(too_much_memory_is_refused_here, KR_TEST_KEEPS_MEMORY),
	KR_TEST(pixels_arrive_in_another_process),
	KR_TEST(a_display_that_dies_is_enodev),
	KR_TEST(a_display_that_stops_is_enodev_within_the_bound),
	KR_TEST(a_display_that_doesnt_answer_hello_is_etimedout),
	KR_TEST_FLAGS(what_was_said_of_a_frame_arrives, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(the_release_fence_crosses_back, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_producer_that_dies_leaves_its_frames, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(last_frames_arrive_after_the_producer_went, KR_TEST_KEEPS_MEMORY),
	KR_TEST(a_producer_that_is_killed_fails_its_fences),
	KR_TEST_FLAGS(mailbox_replaces_unless_all_are_kept, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(the_device_is_told_in_printable_letters, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(buffers_that_change_size_are_announced_anew, KR_TEST_KEEPS_MEMORY),
	KR_TEST(connect_finds_a_listening_display),
	KR_TEST_FLAGS(few_descriptors_make_errors_not_leaks, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
