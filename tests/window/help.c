/* SPDX-License-Identifier: Apache-2.0 */
#include "help.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "util/fd.h"

struct kr_queue_config help_config = {
	.default_width = 64,
	.default_height = 32,
	.default_format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
	.consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
	.max_acquired = 1,
};
struct kr_remote_display help_display = {
	.width = 64,
	.height = 32,
	.refresh_ns = 16666667,
	.consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
	.max_acquired = 1,
	.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
};
struct kr_queue_input help_input = {.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO};

static struct fake_sink *
from_sink(struct kr_sink *sink)
{
	return (struct fake_sink *)sink;
}

static void
fake_attach(struct kr_sink *sink, struct kr_queue *queue)
{
	from_sink(sink)->queue = queue;
}

static int
fake_add(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	if (from_sink(sink)->adding)
		from_sink(sink)->adding(from_sink(sink));
	from_sink(sink)->added += !from_sink(sink)->add_err;
	from_sink(sink)->has[slot] = !from_sink(sink)->add_err;
	return from_sink(sink)->add_err;
}

static void
fake_remove(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	from_sink(sink)->removed++;
	from_sink(sink)->has[slot] = false;
}

static void
fake_activity(struct kr_sink *sink, uint32_t slot, uint64_t buffer_id, bool cancelled)
{
	from_sink(sink)->astray += !from_sink(sink)->has[slot];
}

static int
fake_submit(struct kr_sink *sink, const struct kr_frame *frame)
{
	struct fake_sink *fake = from_sink(sink);
	int fence = frame->acquire_fence;

	if (fake->submit_err) {
		kr_fd_close(&fence);
		return fake->submit_err;
	}
	fake->frames[fake->frame_count++] = *frame;
	return 0;
}

static int
fake_poll_fds(struct kr_sink *sink, struct pollfd fds[KR_SINK_MAX_POLL])
{
	fds[0] = (struct pollfd){.fd = from_sink(sink)->wake[0], .events = POLLIN};
	return 1;
}

static int
fake_dispatch(struct kr_sink *sink)
{
	struct fake_sink *fake = from_sink(sink);
	int came = 0;
	char byte;

	if (fake->hearing)
		fake->hearing(fake);
	if (fake->dispatch_err)
		return fake->dispatch_err;
	for (; read(fake->wake[0], &byte, 1) == 1; came++) {
		if (byte == 'r')
			fake_sink_release(fake, -1);
	}
	return came;
}

static void
fake_waiting(struct kr_sink *sink)
{
	from_sink(sink)->waits++;
}

static int
fake_watch(struct kr_sink *sink)
{
	from_sink(sink)->watched++;
	return 0;
}

static void
fake_ping(struct kr_sink *sink)
{
	struct fake_sink *fake = from_sink(sink);

	fake->pings++;
	if (!fake->mute)
		assert_int_equal(write(fake->wake[1], "p", 1), 1);
}

static void
fake_destroy(struct kr_sink *sink)
{
	struct fake_sink *fake = from_sink(sink);

	while (fake->frame_count)
		kr_fd_close(&fake->frames[--fake->frame_count].acquire_fence);
	fake->destroyed++;
}

static const struct kr_sink_impl quiet_impl = {
	.name = "fake",
	.attach = fake_attach,
	.add_buffer = fake_add,
	.remove_buffer = fake_remove,
	.submit = fake_submit,
	.activity = fake_activity,
	.waiting = fake_waiting,
	.watch_vblank = fake_watch,
	.destroy = fake_destroy,
};

static const struct kr_sink_impl polling_impl = {
	.name = "fake with descriptors",
	.attach = fake_attach,
	.add_buffer = fake_add,
	.remove_buffer = fake_remove,
	.submit = fake_submit,
	.activity = fake_activity,
	.poll_fds = fake_poll_fds,
	.dispatch = fake_dispatch,
	.waiting = fake_waiting,
	.watch_vblank = fake_watch,
	.ping = fake_ping,
	.destroy = fake_destroy,
};

void
fake_sink_init(struct fake_sink *sink, bool polls)
{
	memset(sink, 0, sizeof(*sink));
	sink->base.impl = polls ? &polling_impl : &quiet_impl;
	sink->wake[0] = sink->wake[1] = -1;
	if (polls)
		assert_int_equal(pipe2(sink->wake, O_CLOEXEC | O_NONBLOCK), 0);
}

struct kr_queue *
fake_sink_queue(struct fake_sink *sink, bool polls)
{
	fake_sink_init(sink, polls);
	return help_queue(&sink->base);
}

void
fake_sink_finish(struct fake_sink *sink, struct kr_queue *take_queue)
{
	kr_queue_unref(take_queue);
	assert_int_equal(sink->destroyed, 1);
	kr_fd_close(&sink->wake[0]);
	kr_fd_close(&sink->wake[1]);
}

void
fake_sink_release(struct fake_sink *sink, int take_fence)
{
	struct kr_frame frame = sink->frames[0];

	assert_true(sink->frame_count > 0);
	memmove(sink->frames, sink->frames + 1, --sink->frame_count * sizeof(frame));
	kr_fd_close(&frame.acquire_fence);
	assert_int_equal(kr_queue_release(sink->queue, frame.slot, frame.number, take_fence), 0);
}

struct kr_queue *
help_queue(struct kr_sink *take_sink)
{
	struct kr_queue *queue;

	assert_int_equal(kr_queue_create(&help_config, take_sink, &queue), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_EGL), 0);
	return queue;
}

int
help_try_dequeue(struct kr_queue *queue, int64_t timeout_ns)
{
	struct kr_queue_request request = {.deadline_ns = kr_clock_now() + timeout_ns};
	struct kr_buffer *buffer;
	uint32_t slot;
	int fence = -1;
	int err = kr_queue_dequeue(queue, &request, &slot, &buffer, &fence);

	kr_fd_close(&fence);
	return err;
}

uint32_t
help_dequeue(struct kr_queue *queue)
{
	struct kr_queue_request request = {.deadline_ns = kr_clock_now() + 10 * KR_NSEC_PER_SEC};
	struct kr_buffer *buffer;
	uint32_t slot;
	int fence = -1;

	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &fence), 0);
	kr_fd_close(&fence);
	return slot;
}

uint64_t
help_queue_frame(struct kr_queue *queue, uint32_t slot)
{
	uint64_t number;

	assert_int_equal(kr_queue_queue(queue, slot, &help_input, -1, &number), 0);
	return number;
}

uint32_t
help_frame(struct kr_queue *queue)
{
	uint32_t slot = help_dequeue(queue);

	help_queue_frame(queue, slot);
	return slot;
}

struct attach {
	int socket;
	struct kr_sink *sink;
	struct kr_remote_display info;
	int err;
};

static void *
attach_thread(void *data)
{
	struct attach *attach = data;

	attach->err = kr_sink_remote_attach(attach->socket, "a test",
		kr_clock_now() + 10 * KR_NSEC_PER_SEC, &attach->sink, &attach->info);
	return NULL;
}

int
help_pump(struct kr_consumer *consumer)
{
	struct pollfd p = {.fd = kr_consumer_fd(consumer), .events = POLLIN};

	assert_int_equal(poll(&p, 1, 10000), 1);
	return kr_consumer_dispatch(consumer);
}

int
help_pump_all(struct kr_consumer *consumer)
{
	struct pollfd p = {.fd = kr_consumer_fd(consumer), .events = POLLIN};
	int err;

	do
		err = help_pump(consumer);
	while (!err && poll(&p, 1, 0) == 1);
	return err;
}

bool
help_has_input(struct kr_consumer *consumer)
{
	struct pollfd p = {.fd = kr_consumer_fd(consumer), .events = POLLIN};

	return p.fd >= 0 && poll(&p, 1, 0) == 1;
}

void
help_attach(struct kr_sink **sink, struct kr_consumer **consumer, bool keep_all,
	const struct kr_consumer_events *events, void *data)
{
	struct attach attach = {0};
	pthread_t thread;
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	attach.socket = pair[0];
	assert_int_equal(
		kr_consumer_remote_create(pair[1], &help_display, keep_all, events, data, consumer),
		0);
	assert_int_equal(pthread_create(&thread, NULL, attach_thread, &attach), 0);
	assert_int_equal(help_pump(*consumer), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(attach.err, 0);
	assert_int_equal(attach.info.width, help_config.default_width);
	assert_int_equal(attach.info.max_acquired, help_config.max_acquired);
	*sink = attach.sink;
}

void
help_connect(struct kr_queue **queue, struct kr_consumer **consumer, bool keep_all,
	const struct kr_consumer_events *events, void *data)
{
	struct kr_sink *sink;

	help_attach(&sink, consumer, keep_all, events, data);
	*queue = help_queue(sink);
}

static void
handle_available(void *data)
{
	((struct help_seen *)data)->available++;
}

static void
handle_replaced(void *data, uint64_t number)
{
	((struct help_seen *)data)->replaced = number;
}

static void
handle_waiting(void *data)
{
	((struct help_seen *)data)->waiting++;
}

static void
handle_described(void *data, const char *device)
{
	struct help_seen *seen = data;

	snprintf(seen->device, sizeof(seen->device), "%s", device);
}

static void
handle_disconnected(void *data)
{
	struct help_seen *seen = data;

	seen->disconnected++;
	kr_consumer_destroy(seen->to_destroy);
}

static void
handle_watched(void *data, bool on)
{
	struct help_seen *seen = data;

	/* On the producer's thread, of a local one. */
	__atomic_add_fetch(&seen->watched, on ? 1 : -1, __ATOMIC_ACQ_REL);
}

const struct kr_consumer_events help_events = {
	.frame_available = handle_available,
	.frame_replaced = handle_replaced,
	.producer_waiting = handle_waiting,
	.producer_described = handle_described,
	.vblank_watched = handle_watched,
	.disconnected = handle_disconnected,
};
