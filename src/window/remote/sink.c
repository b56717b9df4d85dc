/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer's end of a connection to a display, from the handshake on (connect.c): what it says.
 * No thread: what the display says (hear.c) is read when the queue dispatches. The queue serialises
 * the calls, so nothing here needs a lock.
 */
#include "window/remote/sink_state.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "gralloc/handle.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/remote/account.h"
#include "window/remote/buffer_message.h"
#include "window/remote/frame_message.h"

/*
 * Messages taken in one go: more than a socket has room for, so that all are which have come.
 * Whoever floods doesn't keep the caller.
 */
#define MAX_MESSAGES 1024

static const struct kr_sink_impl remote_impl;

static struct kr_remote_sink *
from_sink(struct kr_sink *sink)
{
	assert(sink->impl == &remote_impl);
	return (struct kr_remote_sink *)sink;
}

int
kr_remote_sink_lose(struct kr_remote_sink *remote)
{
	remote->gone = true;
	shutdown(remote->socket, SHUT_RDWR);
	return -EPIPE;
}

/* The display has closed its end: what it said last is why. */
static int
hear_last_words(struct kr_remote_sink *remote)
{
	struct kr_dp_message message;
	int fd;

	while (!kr_remote_receive(remote->socket, &message, &fd)) {
		kr_fd_close(&fd);
		if (message.type == KR_DP_ERROR)
			kr_error("window: the display closes the connection: %s",
				message.error.text);
	}
	return kr_remote_sink_lose(remote);
}

int
kr_remote_sink_send(struct kr_remote_sink *remote, const struct kr_dp_message *message, int fd)
{
	int64_t deadline = kr_deadline_in((uint64_t)kr_sink_answer_ns());
	struct pollfd p = {.fd = remote->socket, .events = POLLOUT};

	while (!remote->gone) {
		int ready, err;

		/* The display has to know which slots there are before it hears more of them. */
		kr_remote_sink_answer(remote);
		err = remote->owes_answers ? -EAGAIN : kr_remote_send(remote->socket, message, fd);
		if (err == -EPIPE)
			return hear_last_words(remote);
		if (err != -EAGAIN)
			return err;
		ready = kr_fd_poll(&p, 1, deadline);
		if (ready <= 0) {
			kr_error("window: the display doesn't read (%s)%s%s; giving it up",
				kr_dp_name(message->type), ready ? ": poll: " : "",
				ready ? strerror(-ready) : "");
			return kr_remote_sink_lose(remote);
		}
	}
	return -EPIPE;
}

static void
remote_attach(struct kr_sink *sink, struct kr_queue *queue)
{
	struct kr_remote_sink *remote = from_sink(sink);

	remote->queue = queue;
	kr_queue_set_activity(queue, remote->session.hears_activity);
	/* The welcome speaks of all frames: those before the first that is wanted aren't. */
	kr_queue_set_wants(queue, &(struct kr_wants){0});
	kr_queue_set_wants(queue, &remote->session.wants);
}

/*
 * Displays of the versions 1 and 2 take a handle with usage that they don't know for a lie. It is
 * none of theirs: the memory is the same.
 */
#define USAGE_OF_VERSION_2                                                                         \
	((uint32_t)(AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK |   \
		AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER |  \
		AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY))

static void
hide_usage(int32_t handle[KR_HANDLE_INTS])
{
	handle[KR_HANDLE_INT_USAGE] &= (int32_t)USAGE_OF_VERSION_2;
	handle[KR_HANDLE_INT_USAGE + 1] = 0;
}

static int
remote_add_buffer(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct kr_remote_sink *remote = from_sink(sink);
	struct kr_dp_message message = {
		.type = KR_DP_BUFFER,
		.buffer = {.slot = slot, .id = info->id},
	};
	int fd, ret;

	_Static_assert(KR_ARRAY_LEN(message.buffer.handle) == KR_HANDLE_INTS, "handle");
	ret = kr_remote_write_buffer(buffer, message.buffer.handle, &fd);
	if (ret)
		return ret;
	/* A display cuts off who goes beyond it. */
	if (info->size > KR_REMOTE_MAX_BYTES - remote->bytes) {
		kr_error("surface: a window's buffers on a display are %llu GiB in all at most",
			(unsigned long long)(KR_REMOTE_MAX_BYTES >> 30));
		return -ENOMEM;
	}

	if (remote->session.version < 3)
		hide_usage(message.buffer.handle);
	ret = kr_remote_sink_send(remote, &message, fd);
	if (ret == 0)
		remote->bytes += info->size;
	return ret;
}

static int
remote_add_gpu_memory(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct kr_remote_sink *remote = from_sink(sink);
	struct kr_dp_message message = {.type = KR_DP_GPU_MEMORY, .gpu_memory = {.slot = slot}};
	int err;

	if (!remote->session.gpu_memory)
		return -EOPNOTSUPP;
	/* A display cuts off who goes beyond it. */
	if (info->gpu->allocation_size > KR_REMOTE_MAX_BYTES - remote->gpu_bytes)
		return -ENOMEM;
	_Static_assert(KR_ARRAY_LEN(message.gpu_memory.memory) == KR_GPU_MEMORY_WORDS, "memory");
	kr_buffer_gpu_encode(message.gpu_memory.memory, info->gpu);
	err = kr_remote_sink_send(remote, &message, info->gpu_fd);
	if (!err)
		remote->gpu_told |= UINT64_C(1) << slot;
	if (!err)
		remote->gpu_bytes += info->gpu->allocation_size;
	return err;
}

void
kr_remote_sink_forget_buffer(struct kr_remote_sink *remote, uint32_t slot, struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);

	remote->bytes -= info->size;
	if (remote->gpu_told >> slot & 1)
		remote->gpu_bytes -= info->gpu->allocation_size;
	remote->gpu_told &= ~(UINT64_C(1) << slot);
}

/*
 * Without such a message the next buffer in the slot would be refused: then we are out of step.
 */
static void
say_gone(struct kr_remote_sink *remote, const struct kr_dp_message *message)
{
	if (kr_remote_sink_send(remote, message, -1))
		kr_remote_sink_lose(remote);
}

static void
remote_remove_buffer(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	struct kr_remote_sink *remote = from_sink(sink);

	kr_remote_sink_forget_buffer(remote, slot, buffer);
	say_gone(remote,
		&(struct kr_dp_message){.type = KR_DP_BUFFER_GONE, .buffer_gone = {.slot = slot}});
}

static void
remote_detach_buffer(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	struct kr_remote_sink *remote = from_sink(sink);

	if (remote->session.version < 6) {
		remote_remove_buffer(sink, slot, buffer);
		return;
	}
	kr_remote_sink_forget_buffer(remote, slot, buffer);
	say_gone(remote,
		&(struct kr_dp_message){.type = KR_DP_DETACHED, .detached = {.slot = slot}});
}

static int
remote_submit(struct kr_sink *sink, const struct kr_frame *frame)
{
	struct kr_remote_sink *remote = from_sink(sink);
	int fence = frame->acquire_fence;
	struct kr_dp_message message;
	int err;

	kr_remote_write_frame(&message, remote->session.version, frame);
	err = kr_remote_sink_send(remote, &message, fence);
	kr_fd_close(&fence);
	if (err)
		return err;
	remote->last_number = frame->number;
	kr_account_add(remote->session.account);
	return 0;
}

static int
remote_poll_fds(struct kr_sink *sink, struct pollfd fds[KR_SINK_MAX_POLL])
{
	fds[0] = (struct pollfd){.fd = from_sink(sink)->socket, .events = POLLIN};
	return 1;
}

static int
remote_dispatch(struct kr_sink *sink)
{
	struct kr_remote_sink *remote = from_sink(sink);
	struct kr_dp_message message;
	int fd, came = 0;

	if (remote->owes_configured)
		kr_remote_sink_confirm(remote);
	kr_remote_sink_answer(remote);
	while (!remote->gone && came < MAX_MESSAGES) {
		int err = kr_remote_receive(remote->socket, &message, &fd);

		if (err == -EAGAIN)
			return came;
		if (err == -EPIPE)
			return kr_remote_sink_lose(remote);
		if (err)
			return kr_remote_sink_break_off(remote, strerror(-err));
		err = kr_remote_sink_hear(remote, &message, &fd);
		kr_fd_close(&fd);
		if (err)
			return err;
		came++;
	}
	return remote->gone ? -EPIPE : came;
}

static void
remote_waiting(struct kr_sink *sink)
{
	struct kr_dp_message message = {.type = KR_DP_WAITING};

	/* A real clock doesn't ask; that it didn't get through shows at the next message. */
	if (from_sink(sink)->session.virtual_clock &&
		kr_remote_sink_send(from_sink(sink), &message, -1))
		return;
}

static int
remote_watch_vblank(struct kr_sink *sink)
{
	static const struct kr_dp_message message = {.type = KR_DP_WATCH_VBLANK};
	struct kr_remote_sink *remote = from_sink(sink);
	int err;

	/* Somebody gave up waiting for the last one: it will come yet. */
	if (remote->watches)
		return 0;
	if (remote->session.version < 3)
		return -EOPNOTSUPP;
	err = kr_remote_sink_send(remote, &message, -1);
	remote->watches = !err;
	return err;
}

/* What is told: that the display is gone shows at the next frame. */
static void
tell(struct kr_remote_sink *remote, const struct kr_dp_message *message)
{
	if (remote->session.version >= 6 && kr_remote_sink_send(remote, message, -1))
		return;
}

static void
remote_disconnected(struct kr_sink *sink)
{
	tell(from_sink(sink), &(struct kr_dp_message){.type = KR_DP_DISCONNECTED});
}

static void
remote_activity(struct kr_sink *sink, uint32_t slot, uint64_t buffer_id, bool cancelled)
{
	tell(from_sink(sink),
		&(struct kr_dp_message){.type = KR_DP_ACTIVITY,
			.activity = {.slot = slot, .cancelled = cancelled}});
}

static void
remote_set_generation(struct kr_sink *sink, uint32_t generation)
{
	tell(from_sink(sink),
		&(struct kr_dp_message){
			.type = KR_DP_GENERATION, .generation = {.number = generation}});
}

static int
remote_set_frame_rate(struct kr_sink *sink, const struct kr_frame_rate *rate)
{
	struct kr_remote_sink *remote = from_sink(sink);
	struct kr_dp_message message = {
		.type = KR_DP_FRAME_RATE,
		.frame_rate = {.compatibility = (uint8_t)rate->compatibility,
			.strategy = (uint8_t)rate->strategy},
	};

	if (!remote->session.hears_rates)
		return -EOPNOTSUPP;
	_Static_assert(sizeof(message.frame_rate.rate) == sizeof(rate->rate), "a float's bits");
	memcpy(message.frame_rate.rate, &rate->rate, sizeof(rate->rate));
	return kr_remote_sink_send(remote, &message, -1);
}

static void
remote_describe(struct kr_sink *sink, const char *device)
{
	struct kr_dp_message message = {.type = KR_DP_PRODUCER};

	snprintf(message.producer.device, sizeof(message.producer.device), "%s", device);
	/* A description: that the display is gone shows at the next frame. */
	if (kr_remote_sink_send(from_sink(sink), &message, -1))
		return;
}

static void
remote_ping(struct kr_sink *sink)
{
	struct kr_remote_sink *remote = from_sink(sink);
	struct kr_dp_message message = {.type = KR_DP_PING, .ping = {.serial = ++remote->serial}};

	/* A full socket says as much as an answer that doesn't come. */
	if (kr_remote_send(remote->socket, &message, -1))
		return;
}

static void
remote_destroy(struct kr_sink *sink)
{
	struct kr_remote_sink *remote = from_sink(sink);
	struct kr_dp_message message = {.type = KR_DP_BYE};

	/* Closing says the same, only less kindly. */
	if (!remote->gone && kr_remote_send(remote->socket, &message, -1))
		remote->gone = true;
	kr_account_close(remote->session.account);
	kr_fd_close(&remote->socket);
	free(remote);
}

static const struct kr_sink_impl remote_impl = {
	.name = "remote",
	.attach = remote_attach,
	.add_buffer = remote_add_buffer,
	.remove_buffer = remote_remove_buffer,
	.detach_buffer = remote_detach_buffer,
	.add_gpu_memory = remote_add_gpu_memory,
	.submit = remote_submit,
	.poll_fds = remote_poll_fds,
	.dispatch = remote_dispatch,
	.waiting = remote_waiting,
	.watch_vblank = remote_watch_vblank,
	.disconnected = remote_disconnected,
	.activity = remote_activity,
	.set_frame_rate = remote_set_frame_rate,
	.set_generation = remote_set_generation,
	.describe = remote_describe,
	.ping = remote_ping,
	.destroy = remote_destroy,
};

int
kr_sink_remote_create(
	int take_socket, const struct kr_remote_session *session, struct kr_sink **sink)
{
	struct kr_remote_sink *remote = calloc(1, sizeof(*remote));

	if (!remote) {
		kr_account_close(session->account);
		kr_fd_close(&take_socket);
		return -ENOMEM;
	}
	remote->base.impl = &remote_impl;
	remote->socket = take_socket;
	remote->session = *session;
	*sink = &remote->base;
	return 0;
}
