/* SPDX-License-Identifier: Apache-2.0 */
/* What is sent to a producer, and the end of its connection. Never blocks. */
#include "window/remote/connection.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "gralloc/buffer.h"
#include "util/fd.h"
#include "util/log_budget.h"

int
kr_remote_hang_up(struct kr_remote_consumer *remote)
{
	if (remote->gone)
		return -EPIPE;
	remote->gone = true;
	shutdown(remote->socket, SHUT_RDWR);
	if (!remote->said_disconnected && remote->greeted)
		kr_remote_notice(remote, &(struct kr_notice){.kind = KR_NOTICE_DISCONNECTED});
	if (remote->events.disconnected)
		remote->events.disconnected(remote->data);
	return -EPIPE;
}

/* Of all connections of this process. */
static struct kr_log_budget cut_off;

int
kr_remote_refuse(struct kr_remote_consumer *remote, enum kr_remote_error code, const char *why)
{
	struct kr_dp_message message = {.type = KR_DP_ERROR, .error = {.code = code}};
	int err;

	kr_log_limited(&cut_off, KR_LOG_ERROR, "window: producer %d (%s) is cut off: %s",
		remote->pid, remote->label, why);
	snprintf(message.error.text, sizeof(message.error.text), "%s", why);
	err = kr_remote_send(remote->socket, &message, -1);
	(void)err; /* it may not be listening: then it sees the end of the connection alone */
	return kr_remote_hang_up(remote);
}

int
kr_remote_reply(struct kr_remote_consumer *remote, const struct kr_dp_message *message, int fd)
{
	int err;

	if (remote->gone || remote->deaf)
		return -EPIPE;
	if (fd >= 0 && kr_share_send(&remote->share, remote->socket))
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_RESOURCES,
			"it doesn't read the file descriptors that it is sent");
	err = kr_remote_send(remote->socket, message, fd);
	if (err == -EAGAIN)
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "it doesn't read what it is sent");
	if (err && err != -EPIPE)
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_RESOURCES, "a message could not be sent to it");
	remote->deaf = err == -EPIPE;
	return err;
}

void
kr_remote_give_fences(struct kr_remote_consumer *remote, uint32_t slot)
{
	kr_share_give(&remote->share, remote->fences[slot] + remote->held_fences[slot]);
	remote->fences[slot] = remote->held_fences[slot] = 0;
}

int
kr_remote_send_release(struct kr_remote_consumer *remote, const struct kr_frame *frame, int fence,
	const struct kr_frame_events *events)
{
	const uint32_t slot = frame->slot;
	const struct kr_dp_release release = {
		.slot = slot, .number = frame->number, .has_fence = fence >= 0};
	struct kr_dp_message message = {.type = KR_DP_RELEASE, .release = release};
	uint32_t known = events ? events->known & remote->info.timing.events : 0;

	if (known && remote->version >= 5)
		message = (struct kr_dp_message){
			.type = KR_DP_RELEASE2,
			.release2 = {.release = release,
				.known = known,
				.latch_ns = events->time_ns[KR_EVENT_LATCH],
				.ready_ns = events->time_ns[KR_EVENT_READY],
				.first_composition_ns = events->time_ns[KR_EVENT_FIRST_COMPOSITION],
				.last_composition_ns = events->time_ns[KR_EVENT_LAST_COMPOSITION],
				.gpu_done_ns = events->time_ns[KR_EVENT_GPU_DONE],
				.shown_ns = events->time_ns[KR_EVENT_SHOWN]},
		};

	kr_remote_give_fences(remote, slot);
	return kr_remote_reply(remote, &message, fence);
}

void
kr_remote_give_up(struct kr_remote_consumer *remote, struct kr_frame *take_old)
{
	bool told = take_old->presentation.tell_events;
	struct kr_frame_events events;

	kr_frame_end_events(take_old->number, &events);
	(void)kr_remote_send_release(
		remote, take_old, take_old->acquire_fence, told ? &events : NULL);
	kr_fd_close(&take_old->acquire_fence);
	kr_buffer_unref(take_old->buffer);
}

int
kr_remote_send_configure(struct kr_remote_consumer *remote)
{
	const struct kr_remote_display *info = &remote->info;
	const struct kr_dp_configure size = {
		.width = info->width,
		.height = info->height,
		.transform_hint = info->transform_hint,
	};
	struct kr_dp_message message = {.type = KR_DP_CONFIGURE, .configure = size};

	if (remote->version >= 6)
		message = (struct kr_dp_message){
			.type = KR_DP_CONFIGURE2,
			.configure2 = {.configure = size,
				.format = info->format,
				.consumer_usage = info->consumer_usage,
				.dataspace = info->dataspace,
				.max_acquired = info->max_acquired,
				.is_protected = info->is_protected,
				.hears_activity = info->hears_activity,
				.refresh_ns = info->refresh_ns,
				.phase_ns = info->timing.phase_ns,
				.discards = remote->discards},
		};
	/* The welcome will say it; older versions have no word for it. */
	if (!remote->greeted || remote->version < 3)
		return 0;
	remote->configure_again = remote->configuring;
	if (remote->configuring)
		return 0;
	remote->configuring = true;
	return kr_remote_reply(remote, &message, -1);
}

void
kr_remote_drop_buffer(struct kr_remote_consumer *remote, uint32_t slot)
{
	struct kr_buffer *buffer = remote->buffers[slot];

	remote->buffers[slot] = NULL;
	remote->brought &= ~(UINT64_C(1) << slot);
	if (buffer && remote->events.buffer_dropped)
		remote->events.buffer_dropped(remote->data, buffer);
	else
		kr_buffer_unref(buffer);
}
