/* SPDX-License-Identifier: Apache-2.0 */
/* What a producer sends, checked and done. Nothing that arrives is trusted. */
#include "window/remote/connection.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "sync/fence/fence.h"
#include "sync/fence/name.h"
#include "sync/fence/status.h"
#include "sync/merge/merge.h"
#include "util/fd.h"

/* What people will read is printable ASCII, whatever was sent. `to` has the room of `from`. */
static void
copy_printable(char *to, const char *from)
{
	for (; *from; from++)
		*to++ = *from < ' ' || *from > '~' ? '?' : *from;
	*to = '\0';
}

/* Answers a hello of one of the versions. */
static int
welcome(struct kr_remote_consumer *remote)
{
	const struct kr_remote_display *info = &remote->info;
	const struct kr_dp_welcome said = {
		.version = remote->version,
		.width = info->width,
		.height = info->height,
		.refresh_ns = info->refresh_ns,
		.virtual_clock = info->virtual_clock,
		.consumer_usage = info->consumer_usage,
		.max_acquired = info->max_acquired,
		.format = info->format,
	};
	struct kr_dp_message message = {.type = KR_DP_WELCOME};

	if (remote->version == 1) {
		message.welcome = said;
	} else {
		message.type = KR_DP_WELCOME2;
		message.welcome2 = (struct kr_dp_welcome2){
			.welcome = said,
			.wants_from = remote->wanted.last.from,
			.wants_every = remote->wanted.last.every,
		};
	}
	return kr_remote_reply(remote, &message, -1);
}

static int
handle_hello(struct kr_remote_consumer *remote, const struct kr_dp_hello *hello, uint32_t version,
	uint64_t queued)
{
	const char *unwelcome = NULL;

	if (remote->greeted)
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL, "a second hello");
	if (hello->version != version)
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_VERSION, "another version of the protocol");
	copy_printable(remote->label, hello->label);
	if (remote->events.producer_greets)
		unwelcome = remote->events.producer_greets(remote->data);
	if (unwelcome)
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_RESOURCES, unwelcome);
	remote->greeted = true;
	remote->version = version;
	remote->queued = queued;
	return welcome(remote);
}

static int
handle_producer(struct kr_remote_consumer *remote, const struct kr_dp_producer *producer)
{
	char device[sizeof(producer->device)];

	copy_printable(device, producer->device);
	if (remote->events.producer_described)
		remote->events.producer_described(remote->data, device);
	return 0;
}

static const char *
import_error(int err)
{
	switch (err) {
	case -EPERM:
		return "a buffer that isn't sealed against resizing";
	case -EINVAL:
		return "a buffer that isn't what its handle says";
	default:
		return "no room for a buffer";
	}
}

static int
import_buffer(const struct kr_dp_buffer *message, int fd, struct kr_buffer **buffer)
{
	struct kr_handle handle = {
		.native = {sizeof(native_handle_t), KR_HANDLE_FDS, KR_HANDLE_INTS}};

	handle.words[3] = fd;
	memcpy(handle.words + 3 + KR_HANDLE_FDS, message->handle, sizeof(message->handle));
	return kr_buffer_import(&handle.native, buffer);
}

/* Keeps of a buffer what it needs. -EMFILE: its descriptor is one too many. */
static int
keep_buffer(struct kr_remote_consumer *remote, struct kr_buffer *buffer)
{
	int err = remote->keeps_handles ? 0 : kr_buffer_map_alone(buffer);

	return err ? err : kr_share_take(&remote->share, kr_buffer_get_info(buffer)->fd >= 0);
}

static int
refuse_descriptors(struct kr_remote_consumer *remote)
{
	return kr_remote_refuse(remote, KR_REMOTE_ERROR_RESOURCES,
		"more file descriptors (buffers, fences) than the display has for one producer");
}

static int
handle_buffer(struct kr_remote_consumer *remote, const struct kr_dp_buffer *message, int fd)
{
	struct kr_buffer *buffer;
	int err;

	if (message->slot >= KR_QUEUE_SLOTS || remote->buffers[message->slot])
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "a buffer for a slot that can't take it");
	err = import_buffer(message, fd, &buffer);
	if (err)
		return kr_remote_refuse(remote,
			err == -EINVAL || err == -EPERM ? KR_REMOTE_ERROR_PROTOCOL
							: KR_REMOTE_ERROR_RESOURCES,
			import_error(err));
	if (kr_buffer_get_info(buffer)->id != message->id) {
		kr_buffer_unref(buffer);
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL, import_error(-EINVAL));
	}
	if (kr_buffer_get_info(buffer)->size > KR_REMOTE_MAX_BYTES - remote->bytes) {
		kr_buffer_unref(buffer);
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_RESOURCES, "more memory than one producer may use");
	}
	err = keep_buffer(remote, buffer);
	if (err) {
		kr_buffer_unref(buffer);
		return err == -EMFILE
			? refuse_descriptors(remote)
			: kr_remote_refuse(remote, KR_REMOTE_ERROR_RESOURCES, import_error(err));
	}
	remote->bytes += kr_buffer_get_info(buffer)->size;
	remote->buffers[message->slot] = buffer;
	return 0;
}

static int
handle_buffer_gone(struct kr_remote_consumer *remote, uint32_t slot)
{
	if (slot >= KR_QUEUE_SLOTS || !remote->buffers[slot] ||
		kr_backlog_has(&remote->backlog, slot))
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "it takes away a buffer that is in use");
	remote->bytes -= kr_buffer_get_info(remote->buffers[slot])->size;
	kr_share_give(&remote->share, kr_buffer_get_info(remote->buffers[slot])->fd >= 0);
	kr_remote_drop_buffer(remote, slot);
	return 0;
}

/* NULL when a frame is one that this producer may send now, else what is wrong with it. */
static const char *
check_frame(const struct kr_remote_consumer *remote, const struct kr_dp_frame *message, int fence)
{
	const struct kr_buffer_desc *desc;
	android_native_rect_t crop = {
		message->crop_left, message->crop_top, message->crop_right, message->crop_bottom};

	if (message->slot >= KR_QUEUE_SLOTS || !remote->buffers[message->slot])
		return "a frame in a slot without a buffer";
	if (kr_backlog_has(&remote->backlog, message->slot))
		return "a frame in a slot that wasn't released";
	if (message->number <= remote->last_number)
		return "frame numbers that don't grow";
	if (message->has_fence != (fence >= 0))
		return "a frame without its fence";
	desc = &kr_buffer_get_info(remote->buffers[message->slot])->desc;
	if ((uint32_t)message->format != desc->format)
		return "a frame in another format than its buffer";
	if (message->transform & ~0xf || message->scaling_mode < 0 ||
		message->scaling_mode > NATIVE_WINDOW_SCALING_MODE_NO_SCALE_CROP)
		return "a frame with an unknown transform or scaling mode";
	return kr_frame_crop_fits(&crop, desc->width, desc->height)
		? NULL
		: "a crop outside of its buffer";
}

static void
read_frame(const struct kr_remote_consumer *remote, const struct kr_dp_frame *message, int fence,
	struct kr_frame *frame)
{
	const struct kr_buffer_desc *desc =
		&kr_buffer_get_info(remote->buffers[message->slot])->desc;

	*frame = (struct kr_frame){
		.slot = message->slot,
		.number = message->number,
		.buffer = remote->buffers[message->slot],
		.acquire_fence = fence,
		.droppable = message->droppable,
		.format = message->format,
		.dataspace = message->dataspace,
		.transform = message->transform,
		.scaling_mode = message->scaling_mode,
		.crop = {message->crop_left, message->crop_top, message->crop_right,
			message->crop_bottom},
		.timestamp_ns = message->timestamp_ns,
		.queued_ns = message->queued_ns,
		.damage_count = message->damage_count,
	};
	for (uint32_t i = 0; i < message->damage_count; i++) {
		const struct kr_dp_rect *r = &message->damage[i];

		frame->damage[i] = (android_native_rect_t){r->left, r->top, r->right, r->bottom};
	}
	kr_frame_clip_damage(frame, desc->width, desc->height);
}

/* What is asked of a fence once, because each question is several calls. -EINVAL: it is none. */
static int
look_at_fence(struct kr_frame *frame)
{
	int32_t status = KR_FENCE_SIGNALLED;
	int err = 0;

	frame->fence_kernel = false;
	if (frame->acquire_fence >= 0)
		err = kr_sync_status_and_kind(frame->acquire_fence, &status, &frame->fence_kernel);
	frame->fence_done = !err && status == KR_FENCE_SIGNALLED;
	return err;
}

/* For the merged fence, its other end, and both that it waits for. */
#define MERGED_DESCRIPTORS 4

/*
 * What writes into a dma-buf beside the fence that came with the frame is waited for too, with the
 * same limits. Where the two can't be merged the reader finds the buffer in use.
 */
static void
add_buffer_fence(struct kr_remote_consumer *remote, struct kr_frame *frame)
{
	char name[KR_SYNC_TEXT];
	int inside, merged;

	if (kr_buffer_export_fence(kr_buffer_get_info(frame->buffer), KR_DMA_BUF_READ, &inside))
		return;
	if (kr_fence_status(inside) == KR_FENCE_ACTIVE &&
		!kr_share_take(&remote->share, MERGED_DESCRIPTORS)) {
		remote->fences[frame->slot] += MERGED_DESCRIPTORS;
		snprintf(name, sizeof(name), "%.24s:%u", remote->label, frame->slot);
		if (!kr_fence_merge(name, frame->acquire_fence, inside, &merged)) {
			kr_fd_close(&frame->acquire_fence);
			frame->acquire_fence = merged;
			/* Whatever it is, it is asked when its turn comes. */
			if (look_at_fence(frame))
				frame->fence_done = false;
		}
	}
	kr_fd_close(&inside);
}

static int
handle_frame(struct kr_remote_consumer *remote, const struct kr_dp_frame *message, uint32_t version,
	bool no_pixels, int *fence)
{
	const char *wrong = version == remote->version ? check_frame(remote, message, *fence)
						       : "a frame of another version";
	struct kr_frame frame, old;

	if (wrong)
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL, wrong);
	read_frame(remote, message, *fence, &frame);
	frame.no_pixels = no_pixels;
	if (look_at_fence(&frame))
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "a frame without its fence");
	if (kr_share_take(&remote->share, *fence >= 0))
		return refuse_descriptors(remote);
	remote->fences[message->slot] = *fence >= 0;
	*fence = -1;
	add_buffer_fence(remote, &frame);
	remote->last_number = message->number;
	if (kr_backlog_push(&remote->backlog, &frame, remote->keep_all, &old)) {
		/* Nobody has read it: it may be written again once the producer is done with it. */
		(void)kr_remote_send_release(remote, old.slot, old.number, old.acquire_fence);
		kr_fd_close(&old.acquire_fence);
		kr_buffer_unref(old.buffer);
		if (remote->events.frame_replaced)
			remote->events.frame_replaced(remote->data, old.number);
	}
	if (remote->events.frame_available)
		remote->events.frame_available(remote->data);
	return 0;
}

int
kr_remote_handle(struct kr_remote_consumer *remote, const struct kr_dp_message *message, int *fd)
{
	struct kr_dp_message pong;

	if (message->type != KR_DP_HELLO && message->type != KR_DP_HELLO2 && !remote->greeted)
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL, "no hello");
	switch (message->type) {
	case KR_DP_HELLO:
		return handle_hello(remote, &message->hello, 1, 0);
	case KR_DP_HELLO2:
		return handle_hello(remote, &message->hello2.hello, 2, message->hello2.queued);
	case KR_DP_BUFFER:
		return handle_buffer(remote, &message->buffer, *fd);
	case KR_DP_BUFFER_GONE:
		return handle_buffer_gone(remote, message->buffer_gone.slot);
	case KR_DP_FRAME:
		return handle_frame(remote, &message->frame, 1, false, fd);
	case KR_DP_FRAME2:
		return handle_frame(
			remote, &message->frame2.frame, 2, message->frame2.no_pixels, fd);
	case KR_DP_WAITING:
		if (remote->events.producer_waiting)
			remote->events.producer_waiting(remote->data);
		return 0;
	case KR_DP_PRODUCER:
		return handle_producer(remote, &message->producer);
	case KR_DP_PING:
		pong.type = KR_DP_PONG;
		pong.pong.serial = message->ping.serial;
		return kr_remote_reply(remote, &pong, -1);
	case KR_DP_BYE:
		return kr_remote_hang_up(remote);
	default:
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "a message of the display's own");
	}
}
