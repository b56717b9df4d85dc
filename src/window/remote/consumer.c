/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The display's end of a connection from a producer. Whatever the protocol doesn't allow ends the
 * connection, with a line in the log and, if it gets through, an error message to the producer.
 * Frames that were taken in before stay valid. Never blocks.
 */
#include "window/remote/connection.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "gralloc/buffer.h"
#include "util/fd.h"

/*
 * Messages taken in one go: so few that a flood of all producers together doesn't keep the
 * display from its ticks. One that brings a large buffer takes some 50 us while another
 * thread is unmapping such.
 */
#define MAX_MESSAGES 4

static const struct kr_consumer_impl remote_impl;

static struct kr_remote_consumer *
from_consumer(const struct kr_consumer *consumer)
{
	assert(consumer->impl == &remote_impl);
	return (struct kr_remote_consumer *)(uintptr_t)consumer;
}

static int
remote_dispatch(struct kr_consumer *consumer)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);
	struct kr_dp_message message;

	for (int i = 0; i < MAX_MESSAGES && !remote->gone; i++) {
		int fd = -1;
		int err = kr_remote_receive(remote->socket, &message, &fd);

		if (err == -EAGAIN)
			return 0;
		if (err == -EPIPE)
			return kr_remote_hang_up(remote);
		if (err == -EMFILE || err == -ENFILE || err == -ENOMEM)
			return kr_remote_refuse(remote, KR_REMOTE_ERROR_RESOURCES, strerror(-err));
		if (err)
			return kr_remote_refuse(
				remote, KR_REMOTE_ERROR_PROTOCOL, "a packet that is no message");
		err = kr_remote_handle(remote, &message, &fd);
		kr_fd_close(&fd);
		if (err && err != -EPIPE)
			return kr_remote_hang_up(remote);
	}
	return remote->gone ? -EPIPE : 0;
}

static int
remote_fd(const struct kr_consumer *consumer)
{
	return from_consumer(consumer)->socket;
}

/* What the time has overtaken. */
static void
drop(struct kr_remote_consumer *remote, const struct kr_acquire *how)
{
	struct kr_frame old;

	while (kr_backlog_drop(&remote->backlog, how, &old))
		kr_remote_give_up(remote, &old);
}

static int
remote_acquire(struct kr_consumer *consumer, const struct kr_acquire *how, struct kr_frame *frame)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);
	uint32_t room;
	int err;

	drop(remote, how);
	/* What was attached is held like what was acquired. */
	room = remote->info.max_acquired + 1;
	room = room > remote->attached_held ? room - remote->attached_held : 0;
	err = kr_backlog_acquire(&remote->backlog, how, room, frame);
	return err == -EAGAIN && remote->gone ? -EPIPE : err;
}

static int
remote_peek(struct kr_consumer *consumer, uint32_t index, struct kr_frame *frame)
{
	return kr_backlog_peek(&from_consumer(consumer)->backlog, index, frame);
}

static int
remote_release(struct kr_consumer *consumer, const struct kr_frame *frame, int take_fence,
	const struct kr_frame_events *events)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);
	struct kr_remote_attached *attached = kr_remote_find_attached(remote, frame);
	struct kr_buffer *buffer = attached ? NULL : kr_backlog_release(&remote->backlog, frame);
	int err = -ESTALE;

	if (attached)
		err = kr_remote_free_attached(remote, attached, take_fence, false);
	else if (buffer)
		err = kr_remote_send_release(remote, frame, take_fence, events);
	else if (kr_backlog_passed(&remote->backlog, frame))
		err = 0;
	kr_fd_close(&take_fence);
	kr_buffer_unref(buffer);
	return err;
}

static int
remote_detach(struct kr_consumer *consumer, const struct kr_frame *frame, struct kr_buffer **buffer)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);
	struct kr_remote_attached *attached = kr_remote_find_attached(remote, frame);

	if (!attached)
		return kr_remote_detach(remote, frame, buffer);
	*buffer = kr_buffer_ref(attached->buffer);
	/* Of a producer that is gone it is ours all the same. */
	(void)kr_remote_free_attached(remote, attached, -1, true);
	return 0;
}

static int
remote_attach(struct kr_consumer *consumer, struct kr_buffer *buffer, struct kr_frame *frame)
{
	return kr_remote_attach(from_consumer(consumer), buffer, frame);
}

static int
remote_set_max_acquired(struct kr_consumer *consumer, uint32_t count)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);
	uint32_t most = remote->info.max_buffers ? remote->info.max_buffers : KR_QUEUE_SLOTS;

	if (remote->gone)
		return -EPIPE;
	/* A producer has a buffer, too. */
	if (!count || count > KR_QUEUE_MAX_ACQUIRED || count >= most ||
		kr_remote_held(remote) > count)
		return -EINVAL;
	if (count == remote->info.max_acquired)
		return 0;
	remote->info.max_acquired = count;
	return kr_remote_send_configure(remote);
}

static int
remote_set_max_buffers(struct kr_consumer *consumer, uint32_t count)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);

	if (remote->gone)
		return -EPIPE;
	if (!count || count > KR_QUEUE_SLOTS || count <= remote->info.max_acquired)
		return -EINVAL;
	if (remote->greeted)
		return -ENOSYS;
	remote->info.max_buffers = count;
	return 0;
}

static void
remote_set_settings(struct kr_consumer *consumer, const struct kr_queue_settings *settings)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);
	struct kr_remote_display *info = &remote->info;

	if (settings->set & KR_SETTING_FORMAT)
		info->format = settings->format;
	if (settings->set & KR_SETTING_DATASPACE)
		info->dataspace = settings->dataspace;
	if (settings->set & KR_SETTING_USAGE)
		info->consumer_usage = settings->usage;
	if (settings->set & KR_SETTING_PROTECTED)
		info->is_protected = settings->is_protected;
	if (settings->set & KR_SETTING_REFRESH) {
		/* Who comes now hears the exact rate no more. */
		if (info->refresh_ns != settings->refresh_ns)
			info->refresh_mhz = 0;
		info->refresh_ns = settings->refresh_ns;
		info->timing.phase_ns = settings->phase_ns;
	}
	if (remote->version >= 6)
		(void)kr_remote_send_configure(remote); /* dispatch finds the end of it */
}

static void
remote_discard_free(struct kr_consumer *consumer)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);

	remote->discards++;
	if (remote->version >= 6)
		(void)kr_remote_send_configure(remote); /* likewise */
}

static void
remote_set_activity(struct kr_consumer *consumer, bool tells)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);

	if (remote->info.hears_activity == tells)
		return;
	remote->info.hears_activity = tells;
	if (remote->version >= 6)
		(void)kr_remote_send_configure(remote); /* likewise */
}

/* Version 1 has no words for it: its producers have pixels in all frames. */
static int
remote_set_wants(struct kr_consumer *consumer, const struct kr_wants *wants)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);
	const struct kr_wants *said = &remote->wanted.last;
	struct kr_dp_message message = {
		.type = KR_DP_WANTS, .wants = {.from = wants->from, .every = wants->every}};

	if (said->from == wants->from && said->every == wants->every)
		return remote->gone ? -EPIPE : 0;
	/* The welcome, which will say it, speaks of all frames. */
	if (!remote->greeted)
		kr_wanted_set(&remote->wanted, &(struct kr_wants){0}, 0);
	kr_wanted_set(&remote->wanted, wants, remote->last_number);
	if (!remote->greeted || remote->version < 2)
		return remote->gone ? -EPIPE : 0;
	return kr_remote_reply(remote, &message, -1);
}

/* The versions up to 2 have no word for it: their producers take a frame for shown when it left. */
static void
remote_shown(struct kr_consumer *consumer, uint64_t number, int64_t time_ns)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);
	struct kr_dp_message message = {.type = KR_DP_SHOWN};

	number = KR_MIN(number, remote->last_number);
	/* Nobody asked for what came since. */
	if (remote->version < 3 || remote->asked_shown <= remote->told_shown ||
		number <= remote->told_shown)
		return;
	remote->told_shown = number;
	message.shown = (struct kr_dp_shown){.number = number, .time_ns = time_ns};
	(void)kr_remote_reply(remote, &message, -1); /* dispatch finds the end of it */
}

static void
remote_tell_events(struct kr_consumer *consumer, const struct kr_frame_events *events)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);
	const struct kr_dp_message message = {
		.type = KR_DP_EVENTS,
		.events =
			{
				.number = events->number,
				.known = events->known & remote->info.timing.events,
				.latch_ns = events->time_ns[KR_EVENT_LATCH],
				.ready_ns = events->time_ns[KR_EVENT_READY],
				.first_composition_ns = events->time_ns[KR_EVENT_FIRST_COMPOSITION],
				.last_composition_ns = events->time_ns[KR_EVENT_LAST_COMPOSITION],
				.gpu_done_ns = events->time_ns[KR_EVENT_GPU_DONE],
				.shown_ns = events->time_ns[KR_EVENT_SHOWN],
			},
	};

	if (remote->version < 5 || !message.events.known)
		return;
	(void)kr_remote_reply(remote, &message, -1); /* dispatch finds the end of it */
}

static void
remote_configure(
	struct kr_consumer *consumer, uint32_t width, uint32_t height, uint32_t transform_hint)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);
	struct kr_remote_display *info = &remote->info;
	const struct kr_remote_display before = *info;

	if (width && height) {
		info->width = width;
		info->height = height;
	}
	if (transform_hint != KR_HINT_SAME)
		info->transform_hint = transform_hint;
	if (info->width != before.width || info->height != before.height ||
		info->transform_hint != before.transform_hint)
		(void)kr_remote_send_configure(remote); /* likewise */
}

static void
remote_vblank(struct kr_consumer *consumer, uint64_t count, int64_t time_ns)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);
	const struct kr_dp_message message = {
		.type = KR_DP_VBLANK, .vblank = {.count = count, .time_ns = time_ns}};

	if (!remote->watched)
		return;
	remote->watched = false;
	(void)kr_remote_reply(remote, &message, -1); /* likewise */
	if (remote->events.vblank_watched)
		remote->events.vblank_watched(remote->data, false);
}

static const char *
remote_label(const struct kr_consumer *consumer)
{
	return from_consumer(consumer)->label;
}

static int
remote_pid(const struct kr_consumer *consumer)
{
	return from_consumer(consumer)->pid;
}

static void
remote_destroy(struct kr_consumer *consumer)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);

	kr_backlog_finish(&remote->backlog);
	kr_remote_finish_attached(remote);
	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++)
		kr_remote_drop_buffer(remote, i);
	kr_share_close(&remote->share, remote->socket);
	free(remote);
}

int
kr_consumer_remote_count(struct kr_consumer *consumer, struct kr_descriptors *all)
{
	return kr_share_open(&from_consumer(consumer)->share, all);
}

void
kr_consumer_remote_keep_handles(struct kr_consumer *consumer)
{
	from_consumer(consumer)->keeps_handles = true;
}

bool
kr_consumer_remote_greeted(const struct kr_consumer *consumer, uint64_t *queued)
{
	const struct kr_remote_consumer *remote = from_consumer(consumer);

	*queued = remote->queued;
	return remote->greeted;
}

bool
kr_consumer_remote_asked(const struct kr_consumer *consumer)
{
	return from_consumer(consumer)->asked;
}

void
kr_consumer_remote_refuse(struct kr_consumer *consumer, const char *why)
{
	struct kr_remote_consumer *remote = from_consumer(consumer);

	if (!remote->gone)
		(void)kr_remote_refuse(remote, KR_REMOTE_ERROR_RESOURCES, why);
}

unsigned
kr_consumer_remote_buffers(const struct kr_consumer *consumer)
{
	const struct kr_remote_consumer *remote = from_consumer(consumer);
	unsigned count = 0;

	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++)
		count += remote->buffers[i] != NULL;
	return count;
}

static const struct kr_consumer_impl remote_impl = {
	.fd = remote_fd,
	.dispatch = remote_dispatch,
	.acquire = remote_acquire,
	.peek = remote_peek,
	.release = remote_release,
	.detach = remote_detach,
	.attach = remote_attach,
	.set_max_acquired = remote_set_max_acquired,
	.set_max_buffers = remote_set_max_buffers,
	.set_settings = remote_set_settings,
	.discard_free = remote_discard_free,
	.set_activity = remote_set_activity,
	.set_wants = remote_set_wants,
	.shown = remote_shown,
	.tell_events = remote_tell_events,
	.configure = remote_configure,
	.vblank = remote_vblank,
	.label = remote_label,
	.pid = remote_pid,
	.destroy = remote_destroy,
};

int
kr_consumer_remote_create(int take_socket, const struct kr_remote_display *info, bool keep_all,
	const struct kr_consumer_events *events, void *data, struct kr_consumer **consumer)
{
	struct kr_remote_consumer *remote = calloc(1, sizeof(*remote));
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (!remote) {
		kr_fd_close(&take_socket);
		return -ENOMEM;
	}
	remote->base.impl = &remote_impl;
	remote->info = *info;
	kr_abilities_complete(&remote->info.abilities);
	remote->keep_all = keep_all;
	kr_wanted_init(&remote->wanted);
	if (events)
		remote->events = *events;
	remote->data = data;
	remote->socket = take_socket;
	if (!getsockopt(take_socket, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		remote->pid = peer.pid;
	*consumer = &remote->base;
	return 0;
}
