/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer's end of a connection to a display, from the handshake on (connect.c). No
 * thread: releases are read when the queue dispatches. The queue serialises the calls, so nothing
 * here needs a lock.
 */
#include "window/queue/sink.h"

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
#include "window/remote/frame_message.h"
#include "window/remote/message.h"
#include "window/remote/remote.h"

struct remote_sink {
	struct kr_sink base;
	struct kr_queue *queue;
	int socket;         /* open until destroy: it is polled outside our calls */
	uint64_t bytes;     /* of the buffers that the display was told of */
	uint64_t gpu_bytes; /* and of GPUs' memory behind them, */
	uint64_t gpu_told;  /* bit n: of slot n */
	bool gone;
	struct kr_remote_session session;
	uint64_t serial;
	uint64_t last_number; /* queued last */
	uint64_t shown;       /* told last */
	bool watches;         /* it asked for a vertical blank, and waits */
	bool owes_configured; /* an answer that found the socket full */
};

static const struct kr_sink_impl remote_impl;

static struct remote_sink *
from_sink(struct kr_sink *sink)
{
	assert(sink->impl == &remote_impl);
	return (struct remote_sink *)sink;
}

static int
lose(struct remote_sink *remote)
{
	remote->gone = true;
	shutdown(remote->socket, SHUT_RDWR);
	return -EPIPE;
}

/* The display has closed its end: what it said last is why. */
static int
hear_last_words(struct remote_sink *remote)
{
	struct kr_dp_message message;
	int fd;

	while (!kr_remote_receive(remote->socket, &message, &fd)) {
		kr_fd_close(&fd);
		if (message.type == KR_DP_ERROR)
			kr_error("window: the display closes the connection: %s",
				message.error.text);
	}
	return lose(remote);
}

/*
 * Sends; a full socket is waited for as long as a display may stay silent (the caller holds no
 * lock). -EPIPE when it is gone or stuck; other errors concern this message alone.
 */
static int
send_message(struct remote_sink *remote, const struct kr_dp_message *message, int fd)
{
	int64_t deadline = kr_deadline_in((uint64_t)kr_sink_answer_ns());
	struct pollfd p = {.fd = remote->socket, .events = POLLOUT};

	while (!remote->gone) {
		int ready, err = kr_remote_send(remote->socket, message, fd);

		if (err == -EPIPE)
			return hear_last_words(remote);
		if (err != -EAGAIN)
			return err;
		ready = kr_fd_poll(&p, 1, deadline);
		if (ready <= 0) {
			kr_error("window: the display doesn't read (%s)%s%s; giving it up",
				kr_dp_name(message->type), ready ? ": poll: " : "",
				ready ? strerror(-ready) : "");
			return lose(remote);
		}
	}
	return -EPIPE;
}

static void
remote_attach(struct kr_sink *sink, struct kr_queue *queue)
{
	struct remote_sink *remote = from_sink(sink);

	remote->queue = queue;
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
	const native_handle_t *handle = kr_buffer_cpu_handle(buffer);
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct remote_sink *remote = from_sink(sink);
	struct kr_dp_message message = {
		.type = KR_DP_BUFFER,
		.buffer = {.slot = slot, .id = info->id},
	};
	int ret;

	if (!handle)
		return -EOPNOTSUPP;
	/* A display cuts off who goes beyond it. */
	if (info->size > KR_REMOTE_MAX_BYTES - remote->bytes) {
		kr_error("surface: a window's buffers on a display are %llu GiB in all at most",
			(unsigned long long)(KR_REMOTE_MAX_BYTES >> 30));
		return -ENOMEM;
	}

	_Static_assert(KR_ARRAY_LEN(message.buffer.handle) == KR_HANDLE_INTS, "handle");
	memcpy(message.buffer.handle, handle->data + KR_HANDLE_FDS, sizeof(message.buffer.handle));
	if (remote->session.version < 3)
		hide_usage(message.buffer.handle);
	ret = send_message(remote, &message, handle->data[0]);
	if (ret == 0)
		remote->bytes += info->size;
	return ret;
}

static int
remote_add_gpu_memory(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct remote_sink *remote = from_sink(sink);
	struct kr_dp_message message = {.type = KR_DP_GPU_MEMORY, .gpu_memory = {.slot = slot}};
	int err;

	if (!remote->session.gpu_memory)
		return -EOPNOTSUPP;
	/* A display cuts off who goes beyond it. */
	if (info->gpu->allocation_size > KR_REMOTE_MAX_BYTES - remote->gpu_bytes)
		return -ENOMEM;
	_Static_assert(KR_ARRAY_LEN(message.gpu_memory.memory) == KR_GPU_MEMORY_WORDS, "memory");
	kr_buffer_gpu_encode(message.gpu_memory.memory, info->gpu);
	err = send_message(remote, &message, info->gpu_fd);
	if (!err)
		remote->gpu_told |= UINT64_C(1) << slot;
	if (!err)
		remote->gpu_bytes += info->gpu->allocation_size;
	return err;
}

static void
remote_remove_buffer(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer)
{
	struct kr_dp_message message = {.type = KR_DP_BUFFER_GONE, .buffer_gone = {.slot = slot}};
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct remote_sink *remote = from_sink(sink);

	/*
	 * Without this message the next buffer in the slot would be refused: then we are out of
	 * step.
	 */
	remote->bytes -= info->size;
	if (remote->gpu_told >> slot & 1)
		remote->gpu_bytes -= info->gpu->allocation_size;
	remote->gpu_told &= ~(UINT64_C(1) << slot);
	if (send_message(remote, &message, -1))
		lose(remote);
}

static int
remote_submit(struct kr_sink *sink, const struct kr_frame *frame)
{
	struct remote_sink *remote = from_sink(sink);
	int fence = frame->acquire_fence;
	struct kr_dp_message message;
	int err;

	kr_remote_write_frame(&message, remote->session.version, frame);
	err = send_message(remote, &message, fence);
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
break_off(struct remote_sink *remote, const char *why)
{
	kr_error("window: the display broke the protocol: %s", why);
	return lose(remote);
}

static int
handle_release(struct remote_sink *remote, const struct kr_dp_release *release, int *fence)
{
	int take_fence = *fence;

	if (release->has_fence != (take_fence >= 0) || kr_fence_status(take_fence) == -EINVAL)
		return break_off(remote, "a release without its fence");
	*fence = -1;
	if (kr_queue_release(remote->queue, release->slot, release->number, take_fence))
		return break_off(remote, "release of a frame that it doesn't have");
	return 0;
}

static int
handle_wants(struct remote_sink *remote, const struct kr_dp_wants *wants)
{
	if (remote->session.version < 2)
		return break_off(remote, "a message of another version");
	kr_queue_set_wants(remote->queue, &(struct kr_wants){wants->from, wants->every});
	return 0;
}

/* Says that the window's change was heard; until then the display says of none. */
static void
confirm(struct remote_sink *remote)
{
	static const struct kr_dp_message message = {.type = KR_DP_CONFIGURED};

	/* That the display is gone, or broke the protocol, shows elsewhere. */
	remote->owes_configured = kr_remote_send(remote->socket, &message, -1) == -EAGAIN;
}

static int
handle_configure(struct remote_sink *remote, const struct kr_dp_configure *configure)
{
	if (remote->session.version < 3)
		return break_off(remote, "a message of another version");
	if (!configure->width || !configure->height || configure->width > KR_WINDOW_MAX_EXTENT ||
		configure->height > KR_WINDOW_MAX_EXTENT ||
		configure->transform_hint >= KR_TRANSFORMS)
		return break_off(remote, "a window of no size or turn that there is");
	kr_queue_configure(
		remote->queue, configure->width, configure->height, configure->transform_hint);
	confirm(remote);
	return 0;
}

static int
handle_shown(struct remote_sink *remote, const struct kr_dp_shown *shown)
{
	if (remote->session.version < 3)
		return break_off(remote, "a message of another version");
	if (shown->number <= remote->shown || shown->number > remote->last_number)
		return break_off(remote, "it has shown a frame that it doesn't have");
	if (shown->time_ns < 0)
		return break_off(remote, "a time that there isn't");
	remote->shown = shown->number;
	kr_queue_shown(remote->queue, shown->number, shown->time_ns);
	return 0;
}

/* Whether they can be; else the display is broken off with. */
static int
check_events(struct remote_sink *remote, const struct kr_frame_events *events)
{
	if (remote->session.version < 5)
		return break_off(remote, "a message of another version");
	if (!events->number || events->number > remote->last_number ||
		events->known & ~remote->session.events)
		return break_off(remote, "it tells what it can't of a frame");
	for (unsigned i = 0; i < KR_EVENT_COUNT; i++) {
		if (events->known >> i & 1 && events->time_ns[i] < KR_TIME_INVALID)
			return break_off(remote, "a time that there isn't");
	}
	return 0;
}

static int
handle_events(struct remote_sink *remote, const struct kr_dp_events *message)
{
	const struct kr_frame_events events = {
		.number = message->number,
		.known = message->known,
		.time_ns = {[KR_EVENT_LATCH] = message->latch_ns,
			[KR_EVENT_READY] = message->ready_ns,
			[KR_EVENT_FIRST_COMPOSITION] = message->first_composition_ns,
			[KR_EVENT_LAST_COMPOSITION] = message->last_composition_ns,
			[KR_EVENT_GPU_DONE] = message->gpu_done_ns,
			[KR_EVENT_SHOWN] = message->shown_ns},
	};
	int err = check_events(remote, &events);

	if (!err)
		kr_queue_events(remote->queue, &events);
	return err;
}

static int
handle_release2(struct remote_sink *remote, const struct kr_dp_release2 *message, int *fence)
{
	const struct kr_frame_events events = {
		.number = message->release.number,
		.known = message->known,
		.time_ns = {[KR_EVENT_LATCH] = message->latch_ns,
			[KR_EVENT_READY] = message->ready_ns,
			[KR_EVENT_FIRST_COMPOSITION] = message->first_composition_ns,
			[KR_EVENT_LAST_COMPOSITION] = message->last_composition_ns,
			[KR_EVENT_GPU_DONE] = message->gpu_done_ns,
			[KR_EVENT_SHOWN] = message->shown_ns},
	};
	int err = check_events(remote, &events);

	if (err)
		return err;
	kr_queue_events(remote->queue, &events);
	return handle_release(remote, &message->release, fence);
}

static int
handle_vblank(struct remote_sink *remote, const struct kr_dp_vblank *vblank)
{
	if (!remote->watches)
		return break_off(remote, "a vertical blank that nobody asked for");
	remote->watches = false;
	kr_queue_vblank(remote->queue, vblank->count, vblank->time_ns);
	return 0;
}

static int
handle_message(struct remote_sink *remote, const struct kr_dp_message *message, int *fd)
{
	switch (message->type) {
	case KR_DP_RELEASE:
		return handle_release(remote, &message->release, fd);
	case KR_DP_WANTS:
		return handle_wants(remote, &message->wants);
	case KR_DP_CONFIGURE:
		return handle_configure(remote, &message->configure);
	case KR_DP_SHOWN:
		return handle_shown(remote, &message->shown);
	case KR_DP_VBLANK:
		return handle_vblank(remote, &message->vblank);
	case KR_DP_RELEASE2:
		return handle_release2(remote, &message->release2, fd);
	case KR_DP_EVENTS:
		return handle_events(remote, &message->events);
	case KR_DP_PONG:
		return 0;
	case KR_DP_ERROR:
		kr_error("window: the display closes the connection: %s", message->error.text);
		return lose(remote);
	default:
		return break_off(remote, kr_dp_name(message->type));
	}
}

static int
remote_dispatch(struct kr_sink *sink)
{
	struct remote_sink *remote = from_sink(sink);
	struct kr_dp_message message;
	int fd, came = 0;

	if (remote->owes_configured)
		confirm(remote);
	while (!remote->gone) {
		int err = kr_remote_receive(remote->socket, &message, &fd);

		if (err == -EAGAIN)
			return came;
		if (err == -EPIPE)
			return lose(remote);
		if (err)
			return break_off(remote, strerror(-err));
		err = handle_message(remote, &message, &fd);
		kr_fd_close(&fd);
		if (err)
			return err;
		came++;
	}
	return -EPIPE;
}

static void
remote_waiting(struct kr_sink *sink)
{
	struct kr_dp_message message = {.type = KR_DP_WAITING};

	/* A real clock doesn't ask; that it didn't get through shows at the next message. */
	if (from_sink(sink)->session.virtual_clock && send_message(from_sink(sink), &message, -1))
		return;
}

static int
remote_watch_vblank(struct kr_sink *sink)
{
	static const struct kr_dp_message message = {.type = KR_DP_WATCH_VBLANK};
	struct remote_sink *remote = from_sink(sink);
	int err;

	/* Somebody gave up waiting for the last one: it will come yet. */
	if (remote->watches)
		return 0;
	if (remote->session.version < 3)
		return -EOPNOTSUPP;
	err = send_message(remote, &message, -1);
	remote->watches = !err;
	return err;
}

static void
remote_describe(struct kr_sink *sink, const char *device)
{
	struct kr_dp_message message = {.type = KR_DP_PRODUCER};

	snprintf(message.producer.device, sizeof(message.producer.device), "%s", device);
	/* A description: that the display is gone shows at the next frame. */
	if (send_message(from_sink(sink), &message, -1))
		return;
}

static void
remote_ping(struct kr_sink *sink)
{
	struct remote_sink *remote = from_sink(sink);
	struct kr_dp_message message = {.type = KR_DP_PING, .ping = {.serial = ++remote->serial}};

	/* A full socket says as much as an answer that doesn't come. */
	if (kr_remote_send(remote->socket, &message, -1))
		return;
}

static void
remote_destroy(struct kr_sink *sink)
{
	struct remote_sink *remote = from_sink(sink);
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
	.add_gpu_memory = remote_add_gpu_memory,
	.submit = remote_submit,
	.poll_fds = remote_poll_fds,
	.dispatch = remote_dispatch,
	.waiting = remote_waiting,
	.watch_vblank = remote_watch_vblank,
	.describe = remote_describe,
	.ping = remote_ping,
	.destroy = remote_destroy,
};

int
kr_sink_remote_create(
	int take_socket, const struct kr_remote_session *session, struct kr_sink **sink)
{
	struct remote_sink *remote = calloc(1, sizeof(*remote));

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
