/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that a display attaches to a producer's queue, or keeps; its end of attach.c. */
#include <errno.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/remote/buffer_message.h"
#include "window/remote/sink_state.h"

/* 0, or why it isn't taken, -errno; -EPROTO: it isn't what is said of it. */
static int
bring(struct kr_remote_sink *remote, const struct kr_dp_attach *message, int fd, uint32_t *slot)
{
	struct kr_buffer *buffer;
	int err = kr_remote_read_buffer(message->handle, fd, &buffer);

	if (err)
		return err == -EINVAL || err == -EPERM ? -EPROTO : err;
	kr_buffer_set_generation(buffer, message->generation);
	if (kr_buffer_get_info(buffer)->id != message->id)
		err = -EPROTO;
	else if (kr_buffer_get_info(buffer)->size > KR_REMOTE_MAX_BYTES - remote->bytes)
		err = -ENOMEM;
	else
		err = kr_queue_bring_inside(remote->queue, buffer, slot);
	if (!err)
		remote->bytes += kr_buffer_get_info(buffer)->size;
	kr_buffer_unref(buffer);
	return err;
}

/* What isn't said at once, because the socket is full, is said later. */
void
kr_remote_sink_answer(struct kr_remote_sink *remote)
{
	for (uint32_t i = 0; remote->owes_answers && i < KR_QUEUE_SLOTS; i++) {
		struct kr_remote_brought *brought = &remote->brought[i];
		const struct kr_dp_message message = {
			.type = KR_DP_ATTACHED,
			.attached = {.serial = i, .error = brought->error, .slot = brought->slot},
		};

		if (!brought->used || brought->answered)
			continue;
		/* That the display is gone shows elsewhere. */
		if (kr_remote_send(remote->socket, &message, -1) == -EAGAIN)
			return;
		brought->answered = true;
		brought->used = !brought->freed;
		remote->owes_answers--;
	}
}

static int
handle_attach(struct kr_remote_sink *remote, const struct kr_dp_attach *message, int fd)
{
	struct kr_remote_brought *brought;
	uint32_t slot = 0;
	int err;

	if (message->serial >= KR_QUEUE_SLOTS || remote->brought[message->serial].used)
		return kr_remote_sink_break_off(remote, "a buffer whose serial is in use");
	err = bring(remote, message, fd, &slot);
	if (err == -EPROTO)
		return kr_remote_sink_break_off(remote, "a buffer that isn't what its handle says");
	if (err)
		kr_info("window: a buffer of the display's isn't taken (error %d)", -err);
	brought = &remote->brought[message->serial];
	*brought = (struct kr_remote_brought){
		.used = true, .error = (uint32_t)-err, .slot = err ? 0 : slot};
	remote->owes_answers++;
	kr_remote_sink_answer(remote);
	return 0;
}

/* The display has it no more; its buffer is kept there. */
static int
take_away(struct kr_remote_sink *remote, uint32_t slot, uint64_t number)
{
	struct kr_buffer *buffer;
	int err = kr_queue_take_away(remote->queue, slot, number, true, &buffer);

	if (err)
		return kr_remote_sink_break_off(remote, "it keeps a buffer that it doesn't have");
	kr_remote_sink_forget_buffer(remote, slot, buffer);
	kr_buffer_unref(buffer);
	return 0;
}

static int
handle_free(struct kr_remote_sink *remote, const struct kr_dp_free *message, int *fence)
{
	struct kr_remote_brought *brought;
	int take_fence = *fence;

	if (message->serial >= KR_QUEUE_SLOTS || !remote->brought[message->serial].used ||
		remote->brought[message->serial].freed)
		return kr_remote_sink_break_off(remote, "it frees what it hasn't attached");
	if (message->has_fence != (take_fence >= 0) || kr_fence_status(take_fence) == -EINVAL)
		return kr_remote_sink_break_off(remote, "a release without its fence");
	brought = &remote->brought[message->serial];
	brought->freed = true;
	brought->used = !brought->answered;
	if (brought->error)
		return 0;
	if (message->detached)
		return take_away(remote, brought->slot, KR_FRAME_BROUGHT);
	*fence = -1;
	if (kr_queue_release(remote->queue, brought->slot, KR_FRAME_BROUGHT, take_fence))
		return kr_remote_sink_break_off(remote, "release of a buffer that it doesn't have");
	return 0;
}

int
kr_remote_sink_hear_attach(
	struct kr_remote_sink *remote, const struct kr_dp_message *message, int *fd)
{
	if (remote->session.version < 6)
		return kr_remote_sink_break_off(remote, "a message of another version");
	switch (message->type) {
	case KR_DP_ATTACH:
		return handle_attach(remote, &message->attach, *fd);
	case KR_DP_FREE:
		return handle_free(remote, &message->free, fd);
	default:
		if (message->detach.number > remote->last_number)
			return kr_remote_sink_break_off(
				remote, "it keeps the buffer of a frame that it wasn't given");
		return take_away(remote, message->detach.slot, message->detach.number);
	}
}
