/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows whose every allocation, and every descriptor, may be the one that can't be had: each life
 * below is tried with the first failing, then the second, and so on until nothing fails. The
 * harness sees that nothing is left behind.
 */
#include "help.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing_alloc.h"
#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/remote/descriptors.h"
#include "window/remote/message.h"
#include "window/remote/remote.h"
#include "window/window.h"

/* What is going to be missing, and how much of it there is before. */
static struct {
	bool descriptors; /* else memory */
	int left;
} shortage;

static void
begin_shortage(void)
{
	if (shortage.descriptors)
		kr_test_limit_fds(shortage.left);
	else
		failing_alloc_left = shortage.left;
}

static void
end_shortage(void)
{
	failing_alloc_left = -1;
	kr_test_end_fd_limit();
}

/* How often it fails before it succeeds; `life` calls begin_shortage. */
static int
count_failures(int (*life)(void), bool descriptors)
{
	int err;

	shortage.descriptors = descriptors;
	for (shortage.left = 0;; shortage.left++) {
		err = life();
		end_shortage();
		if (!err)
			return shortage.left;
		assert_int_equal(err, descriptors ? -EMFILE : -ENOMEM);
	}
}

/* One frame with a fence, through a window. Takes the queue. */
static int
draw(struct kr_queue *take_queue)
{
	ANativeWindowBuffer *buffer;
	ANativeWindow *window;
	int fence, producer, err = kr_window_create(take_queue, &window);

	kr_queue_unref(take_queue);
	if (err)
		return err;
	err = window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_EGL);
	if (!err)
		err = window->dequeueBuffer(window, &buffer, &fence);
	if (err)
		goto out;
	kr_fd_close(&fence);
	err = kr_fence_create(NULL, &producer, &fence);
	if (err) {
		(void)window->cancelBuffer(window, buffer, -1);
		goto out;
	}
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	err = window->queueBuffer(window, buffer, fence);
out:
	kr_window_unref(window);
	return err;
}

static int
life_without_a_display(void)
{
	struct kr_queue *queue;
	struct kr_sink *sink;
	int err;

	begin_shortage();
	err = kr_sink_null_create(&sink);
	if (!err)
		err = kr_queue_create(&help_config, sink, &queue);
	return err ? err : draw(queue);
}

static int
life_in_one_process(void)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_sink *sink;
	int err;

	begin_shortage();
	err = kr_consumer_local_create(NULL, NULL, &sink, &consumer);
	if (err)
		return err;
	err = kr_queue_create(&help_config, sink, &queue);
	if (!err)
		err = draw(queue);
	kr_consumer_destroy(consumer);
	return err;
}

static void
run_display(int socket)
{
	struct kr_consumer *consumer;
	struct pollfd p = {.fd = socket, .events = POLLIN};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (kr_consumer_remote_create(socket, &help_display, false, NULL, NULL, &consumer))
		_exit(1);
	while (poll(&p, 1, 15000) == 1 && !kr_consumer_dispatch(consumer))
		;
	_exit(0);
}

/* The producer is short of something, its display isn't. */
static int
life_of_a_producer(void)
{
	int64_t deadline = kr_clock_now() + 15 * KR_NSEC_PER_SEC;
	struct kr_queue_config config = help_config;
	struct kr_remote_display info;
	struct kr_queue *queue;
	struct kr_sink *sink;
	int pair[2], err;
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (!pid) {
		close(pair[0]);
		run_display(pair[1]);
	}
	close(pair[1]);
	begin_shortage();
	err = kr_sink_remote_attach(pair[0], "short", deadline, &sink, &info);
	if (!err)
		err = kr_queue_create(&config, sink, &queue);
	if (!err)
		err = draw(queue);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return err;
}

/* What a producer says to show one frame. */
static void
say_all(int socket)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	struct kr_dp_message hello = {.type = KR_DP_HELLO, .hello = {.version = 1}};
	struct kr_dp_message message = {.type = KR_DP_BUFFER};
	struct kr_dp_message frame = {.type = KR_DP_FRAME, .frame = {.number = 1, .format = 1}};
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	message.buffer.id = kr_buffer_get_info(buffer)->id;
	memcpy(message.buffer.handle, kr_buffer_handle(buffer)->data + 1,
		sizeof(message.buffer.handle));
	assert_int_equal(kr_remote_send(socket, &hello, -1), 0);
	assert_int_equal(kr_remote_send(socket, &message, kr_buffer_get_info(buffer)->fd), 0);
	assert_int_equal(kr_remote_send(socket, &frame, -1), 0);
	kr_buffer_unref(buffer);
}

/* A producer that is cut off is told that it isn't to blame. */
static void
expect_blameless(int socket)
{
	struct kr_dp_message message;
	int fd;

	do
		assert_int_equal(kr_remote_receive(socket, &message, &fd), 0);
	while (message.type != KR_DP_ERROR);
	assert_int_equal(message.error.code, KR_REMOTE_ERROR_RESOURCES);
}

/* The display is short of something, its producer isn't. */
static int
life_of_a_display(void)
{
	struct kr_consumer *consumer;
	struct kr_frame frame;
	int pair[2], err;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	say_all(pair[0]);
	begin_shortage();
	err = kr_consumer_remote_create(pair[1], &help_display, false, NULL, NULL, &consumer);
	if (err)
		goto out;
	if (kr_consumer_dispatch(consumer)) {
		expect_blameless(pair[0]);
		err = shortage.descriptors ? -EMFILE : -ENOMEM;
	} else {
		assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	}
	kr_consumer_destroy(consumer);
out:
	close(pair[0]);
	return err;
}

/* Hears what happens, and has buffers change hands at both ends. */
static int
life_of_exchanges(void)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	struct kr_buffer *buffers[2] = {NULL, NULL}, *back = NULL;
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_frame frame;
	struct kr_sink *sink;
	uint32_t slot;
	int err, fd;

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(kr_buffer_allocate(&desc, &buffers[i]), 0);
	assert_int_equal(kr_consumer_local_create(NULL, NULL, &sink, &consumer), 0);
	assert_int_equal(kr_queue_create(&help_config, sink, &queue), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_EGL), 0);
	begin_shortage();
	err = kr_queue_watch(queue, UINT32_MAX, &fd);
	if (!err)
		err = kr_queue_attach(queue, buffers[0], 0, &slot);
	if (!err)
		err = kr_consumer_attach(consumer, buffers[1], &frame);
	if (!err)
		err = kr_consumer_detach(consumer, &frame, &back);
	kr_buffer_unref(back);
	if (!err)
		err = kr_queue_detach(queue, slot, &back);
	if (!err)
		kr_buffer_unref(back);
	if (!err)
		err = kr_queue_allocate(queue, &(struct kr_queue_request){0});
	kr_queue_unref(queue);
	kr_consumer_destroy(consumer);
	for (unsigned i = 0; i < 2; i++)
		kr_buffer_unref(buffers[i]);
	return err;
}

static void
keep_refusal(void *data, const struct kr_notice *notice)
{
	*(bool *)data |= notice->kind == KR_NOTICE_REFUSED;
}

/* A producer that is short of something is given a buffer: it says no, and goes on. */
static int
life_of_a_given_buffer(void)
{
	static const struct kr_consumer_events events = {.noticed = keep_refusal};
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	struct kr_consumer *consumer;
	struct kr_buffer *buffer;
	struct kr_queue *queue;
	struct kr_frame frame;
	bool refused = false;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	help_connect(&queue, &consumer, false, &events, &refused);
	assert_int_equal(kr_consumer_attach(consumer, buffer, &frame), 0);
	begin_shortage();
	assert_true(kr_queue_alive(queue));
	end_shortage();
	help_pump_all(consumer);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	assert_true(kr_queue_alive(queue));
	kr_queue_unref(queue);
	kr_consumer_destroy(consumer);
	kr_buffer_unref(buffer);
	return !refused ? 0 : shortage.descriptors ? -EMFILE : -ENOMEM;
}

static void
any_allocation_may_fail(void **state)
{
	/* Sink, queue, window, buffer. */
	assert_int_equal(count_failures(life_without_a_display, false), 4);
	assert_int_equal(count_failures(life_in_one_process, false), 4);
	assert_int_equal(count_failures(life_of_a_producer, false), 4);
	/* Consumer, buffer. */
	assert_int_equal(count_failures(life_of_a_display, false), 2);
	/* What is heard, and a buffer for each of two slots. */
	assert_int_equal(count_failures(life_of_exchanges, false), 3);
	/* The buffer. */
	assert_int_equal(count_failures(life_of_a_given_buffer, false), 1);
}

static void
any_descriptor_may_be_missing(void **state)
{
	/* The buffer; a fence's two ends. */
	assert_int_equal(count_failures(life_without_a_display, true), 3);
	assert_int_equal(count_failures(life_in_one_process, true), 3);
	/* And the queue's eventfd. */
	assert_int_equal(count_failures(life_of_a_producer, true), 4);
	/* The buffer as it comes, and its duplicate. */
	assert_int_equal(count_failures(life_of_a_display, true), 2);
	/* What is heard, and the set it is in; the buffers. */
	assert_int_equal(count_failures(life_of_exchanges, true), 4);
	/* What comes without its descriptor ends the connection, as every such message does. */
}

/* Memory that is missing when a connection ends is no way to have what it left unread forgotten. */
static void
unread_descriptors_stay_counted(void **state)
{
	struct kr_descriptors all;
	struct kr_share share;
	int pair[2], file;

	file = dup(STDOUT_FILENO);
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	kr_descriptors_init(&all, 1024, 2);
	failing_alloc_left = 0;
	assert_int_equal(kr_share_open(&share, &all), -ENOMEM);
	failing_alloc_left = -1;
	assert_int_equal(all.open, 0);
	assert_int_equal(kr_share_open(&share, &all), 0);
	for (unsigned i = 0; i < 20; i++) {
		const struct kr_dp_message message = {.type = KR_DP_RELEASE,
			.release = {.slot = i, .number = i + 1, .has_fence = true}};

		assert_int_equal(kr_share_send(&share, pair[0]), 0);
		assert_int_equal(kr_remote_send(pair[0], &message, file), 0);
	}
	failing_alloc_left = 0;
	kr_share_close(&share, pair[0]);
	failing_alloc_left = -1;
	assert_int_equal(all.open, 1);
	assert_int_equal(all.taken, 20 + 1 - KR_DESCRIPTORS_EACH); /* and the socket */
	kr_descriptors_finish(&all);
	assert_int_equal(all.taken, 0);
	close(pair[1]);
	close(file);
}

static const struct kr_test tests[] = {
	KR_TEST(any_allocation_may_fail),
	KR_TEST(any_descriptor_may_be_missing),
	KR_TEST(unread_descriptors_stay_counted),
};

KR_TEST_MAIN(tests)
