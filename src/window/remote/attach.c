/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers that a display, or a reader, attaches to a producer's queue, and those that it keeps.
 *
 *   attach {serial, buffer}   -->   a slot is found, or isn't
 *                             <--   attached {serial, error, slot}
 *   free {serial} + fence     -->   the slot is free, or empty
 *
 * Who attaches waits for no answer: what he has is known by its serial until both the answer has
 * come and he has let go of it, and then the serial is free for another. There are as many as
 * slots.
 */
#include <errno.h>

#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "window/remote/buffer_message.h"
#include "window/remote/connection.h"

void
kr_remote_notice(struct kr_remote_consumer *remote, const struct kr_notice *notice)
{
	if (remote->events.noticed)
		remote->events.noticed(remote->data, notice);
}

void
kr_remote_notice_buffer(struct kr_remote_consumer *remote, enum kr_notice_kind kind, uint32_t slot,
	const struct kr_buffer *buffer)
{
	kr_remote_notice(remote,
		&(struct kr_notice){
			.kind = kind, .slot = slot, .buffer_id = kr_buffer_get_info(buffer)->id});
}

int
kr_remote_count_buffer(struct kr_remote_consumer *remote, const struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	uint64_t gpu_bytes = info->gpu ? info->gpu->allocation_size : 0;

	if (info->size > KR_REMOTE_MAX_BYTES - remote->bytes ||
		gpu_bytes > KR_REMOTE_MAX_BYTES - remote->gpu_bytes)
		return -ENOMEM;
	if (kr_share_take(&remote->share, (info->fd >= 0) + (info->gpu != NULL)))
		return -EMFILE;
	remote->bytes += info->size;
	remote->gpu_bytes += gpu_bytes;
	return 0;
}

void
kr_remote_uncount_buffer(struct kr_remote_consumer *remote, const struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);

	remote->bytes -= info->size;
	remote->gpu_bytes -= info->gpu ? info->gpu->allocation_size : 0;
	kr_share_give(&remote->share, (info->fd >= 0) + (info->gpu != NULL));
}

static bool
is_here(const struct kr_remote_consumer *remote, const struct kr_buffer *buffer)
{
	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		if (remote->buffers[i] == buffer || remote->attached[i].buffer == buffer)
			return true;
	}
	return false;
}

bool
kr_remote_holds_attached(const struct kr_remote_consumer *remote, uint32_t slot)
{
	for (uint32_t i = 0; remote->attached_held && i < KR_QUEUE_SLOTS; i++) {
		const struct kr_remote_attached *attached = &remote->attached[i];

		if (attached->held && attached->answered && !attached->refused &&
			attached->slot == slot)
			return true;
	}
	return false;
}

static bool
find_serial(const struct kr_remote_consumer *remote, uint32_t *serial)
{
	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		if (!remote->attached[i].buffer) {
			*serial = i;
			return true;
		}
	}
	return false;
}

/*
 * Whether the buffer can be sent, and all that is here given back with a fence: a producer that
 * does nothing for a while reads nothing either, and isn't to be cut off for it.
 */
static bool
has_room(struct kr_remote_consumer *remote)
{
	return kr_remote_held(remote) + remote->backlog.count + 2 <=
		kr_share_room(&remote->share, remote->socket);
}

static int
check_attach(const struct kr_remote_consumer *remote, const struct kr_buffer *buffer)
{
	if (remote->gone)
		return -EPIPE;
	if (!remote->greeted || remote->version < 6)
		return -EOPNOTSUPP;
	if (kr_remote_held(remote) > remote->info.max_acquired)
		return -EBUSY;
	if (kr_buffer_generation(buffer) != remote->generation || is_here(remote, buffer))
		return -EINVAL;
	return kr_buffer_check_shown(&kr_buffer_get_info(buffer)->desc);
}

/* It is the producer's, too, from here on. */
static int
send_attach(struct kr_remote_consumer *remote, uint32_t serial, const struct kr_buffer *buffer)
{
	struct kr_dp_message message = {
		.type = KR_DP_ATTACH,
		.attach = {.serial = serial,
			.id = kr_buffer_get_info(buffer)->id,
			.generation = kr_buffer_generation(buffer)},
	};
	int fd, err;

	_Static_assert(KR_ARRAY_LEN(message.attach.handle) == KR_HANDLE_INTS, "handle");
	err = kr_remote_write_buffer(buffer, message.attach.handle, &fd);
	return err ? err : kr_remote_reply(remote, &message, fd);
}

int
kr_remote_attach(
	struct kr_remote_consumer *remote, struct kr_buffer *buffer, struct kr_frame *frame)
{
	int err = check_attach(remote, buffer);
	uint32_t serial;

	if (err)
		return err;
	if (!find_serial(remote, &serial) || !has_room(remote))
		return -ENOMEM;
	err = kr_remote_count_buffer(remote, buffer);
	if (err)
		return err;
	err = send_attach(remote, serial, buffer);
	if (err) {
		kr_remote_uncount_buffer(remote, buffer);
		return err;
	}
	remote->attached[serial] =
		(struct kr_remote_attached){.buffer = kr_buffer_ref(buffer), .held = true};
	remote->attached_held++;
	*frame = (struct kr_frame){.slot = KR_QUEUE_SLOTS + serial,
		.number = KR_FRAME_BROUGHT,
		.buffer = buffer,
		.acquire_fence = -1,
		.format = (int32_t)kr_buffer_get_info(buffer)->desc.format,
		.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO};
	return 0;
}

struct kr_remote_attached *
kr_remote_find_attached(struct kr_remote_consumer *remote, const struct kr_frame *frame)
{
	uint32_t serial = frame->slot - KR_QUEUE_SLOTS;

	if (frame->number != KR_FRAME_BROUGHT || frame->slot < KR_QUEUE_SLOTS ||
		serial >= KR_QUEUE_SLOTS || !remote->attached[serial].held)
		return NULL;
	return &remote->attached[serial];
}

/* Both ends have done with it. */
static void
end_attached(struct kr_remote_attached *attached)
{
	if (attached->held || !attached->answered)
		return;
	kr_buffer_unref(attached->buffer);
	*attached = (struct kr_remote_attached){0};
}

int
kr_remote_free_attached(struct kr_remote_consumer *remote, struct kr_remote_attached *attached,
	int fence, bool detached)
{
	const struct kr_dp_message message = {
		.type = KR_DP_FREE,
		.free = {.serial = (uint32_t)(attached - remote->attached),
			.has_fence = fence >= 0,
			.detached = detached},
	};
	uint32_t slot = attached->slot;

	attached->held = false;
	attached->detached = detached;
	remote->attached_held--;
	/* What the producer had of it, it has no more. */
	if (detached && attached->answered && !attached->refused) {
		kr_remote_uncount_buffer(remote, attached->buffer);
		if (remote->buffers[slot] == attached->buffer)
			kr_remote_drop_buffer(remote, slot);
	}
	end_attached(attached);
	return kr_remote_reply(remote, &message, fence);
}

static int
take_slot(struct kr_remote_consumer *remote, struct kr_remote_attached *attached, uint32_t slot)
{
	if (slot >= KR_QUEUE_SLOTS || remote->buffers[slot] ||
		kr_backlog_has(&remote->backlog, slot))
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL,
			"it attaches a buffer to a slot that can't take it");
	attached->slot = slot;
	if (attached->detached) {
		kr_remote_uncount_buffer(remote, attached->buffer);
		return 0;
	}
	remote->buffers[slot] = kr_buffer_ref(attached->buffer);
	remote->brought |= UINT64_C(1) << slot;
	return 0;
}

int
kr_remote_handle_attached(struct kr_remote_consumer *remote, const struct kr_dp_attached *message)
{
	struct kr_remote_attached *attached;
	int err = 0;

	if (remote->version < 6 || message->serial >= KR_QUEUE_SLOTS ||
		!remote->attached[message->serial].buffer ||
		remote->attached[message->serial].answered)
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "it answers what it wasn't asked");
	attached = &remote->attached[message->serial];
	attached->answered = true;
	attached->refused = message->error != 0;
	if (attached->refused) {
		kr_remote_uncount_buffer(remote, attached->buffer);
		kr_remote_notice_buffer(remote, KR_NOTICE_REFUSED, 0, attached->buffer);
	} else {
		err = take_slot(remote, attached, message->slot);
	}
	end_attached(attached);
	return err;
}

int
kr_remote_detach(
	struct kr_remote_consumer *remote, const struct kr_frame *frame, struct kr_buffer **buffer)
{
	const struct kr_dp_message message = {
		.type = KR_DP_DETACH, .detach = {.slot = frame->slot, .number = frame->number}};
	struct kr_buffer *held;

	if (!kr_backlog_holds(&remote->backlog, frame))
		return -ESTALE;
	if (remote->backlog.held[frame->slot].shared)
		return -EINVAL;
	if (!remote->gone && remote->version < 6)
		return -EOPNOTSUPP;
	held = kr_backlog_release(&remote->backlog, frame);
	kr_remote_give_fences(remote, frame->slot);
	if (remote->buffers[frame->slot] == held) {
		kr_remote_uncount_buffer(remote, held);
		kr_remote_drop_buffer(remote, frame->slot);
	}
	/* Of a producer that is gone it is ours all the same. */
	(void)kr_remote_reply(remote, &message, -1);
	*buffer = held;
	return 0;
}

void
kr_remote_finish_attached(struct kr_remote_consumer *remote)
{
	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++)
		kr_buffer_unref(remote->attached[i].buffer);
}
