/* SPDX-License-Identifier: Apache-2.0 */
/* What a producer sends, checked and done. Nothing that arrives is trusted. */
#include "window/remote/connection.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "gralloc/handle.h"
#include "sync/fence/fence.h"
#include "sync/fence/name.h"
#include "sync/fence/status.h"
#include "sync/merge/merge.h"
#include "util/fd.h"
#include "util/native_memory.h"
#include "window/remote/buffer_message.h"
#include "window/remote/frame_message.h"

static int
handle_producer(struct kr_remote_consumer *remote, const struct kr_dp_producer *producer)
{
	char device[sizeof(producer->device)];

	kr_remote_copy_printable(device, producer->device);
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
	err = kr_remote_read_buffer(message->handle, fd, &buffer);
	if (err)
		return kr_remote_refuse(remote,
			err == -EINVAL || err == -EPERM ? KR_REMOTE_ERROR_PROTOCOL
							: KR_REMOTE_ERROR_RESOURCES,
			import_error(err));
	if (kr_buffer_get_info(buffer)->id != message->id ||
		!kr_format_is_shown(kr_buffer_get_info(buffer)->desc.format)) {
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
	/* It was allocated, or attached, as one of the generation that was said last. */
	kr_buffer_set_generation(buffer, remote->generation);
	remote->bytes += kr_buffer_get_info(buffer)->size;
	remote->buffers[message->slot] = buffer;
	return 0;
}

/* Whether the display has the slot's buffer: a frame of it, or since it attached it. */
static bool
is_in_use(const struct kr_remote_consumer *remote, uint32_t slot)
{
	return kr_backlog_has(&remote->backlog, slot) || kr_remote_holds_attached(remote, slot);
}

/*
 * NULL when memory of a GPU may be announced for the slot now. What was attached is no producer's
 * to add to: whoever attached it may have it still, or give it to others.
 */
static const char *
check_gpu_memory(const struct kr_remote_consumer *remote, uint32_t slot)
{
	if (remote->version < 4 || !(remote->info.consumer_usage & KR_USAGE_GPU_MEMORY))
		return "memory of a GPU, which nobody looks at";
	if (slot >= KR_QUEUE_SLOTS || !remote->buffers[slot] || remote->brought >> slot & 1 ||
		is_in_use(remote, slot))
		return "memory of a GPU for a slot that can't take it";
	return NULL;
}

/*
 * It is kept as it came: whether it is what is said of it shows where somebody imports it, which
 * isn't in this process.
 */
static int
handle_gpu_memory(
	struct kr_remote_consumer *remote, const struct kr_dp_gpu_memory *message, int *fd)
{
	const char *wrong = check_gpu_memory(remote, message->slot);
	struct kr_gpu_memory memory;
	int err;

	if (wrong)
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL, wrong);
	if (kr_buffer_gpu_decode(message->memory, &memory))
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL,
			"memory of a GPU that can't be as it is described");
	if (memory.allocation_size > KR_REMOTE_MAX_BYTES - remote->gpu_bytes)
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_RESOURCES,
			"more memory of GPUs than one producer may use");
	if (kr_share_take(&remote->share, 1))
		return refuse_descriptors(remote);
	err = kr_buffer_attach_gpu(remote->buffers[message->slot], &memory, *fd);
	*fd = -1;
	if (!err) {
		remote->gpu_bytes += memory.allocation_size;
		return 0;
	}
	kr_share_give(&remote->share, 1);
	if (err == -EINVAL || err == -EEXIST)
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL,
			err == -EEXIST ? "memory of a GPU for a buffer that has such"
				       : "memory of a GPU that isn't its buffer's");
	return kr_remote_refuse(remote, KR_REMOTE_ERROR_RESOURCES, import_error(err));
}

/* The slot is empty: nobody has its buffer, or its producer alone. */
static int
handle_buffer_gone(struct kr_remote_consumer *remote, uint32_t slot, enum kr_notice_kind how)
{
	if (slot >= KR_QUEUE_SLOTS || !remote->buffers[slot] || is_in_use(remote, slot))
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "it takes away a buffer that is in use");
	if (how == KR_NOTICE_DETACHED && remote->version < 6)
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "a message of another version");
	kr_remote_notice_buffer(remote, how, slot, remote->buffers[slot]);
	kr_remote_uncount_buffer(remote, remote->buffers[slot]);
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

static bool
shows_colour(const struct kr_abilities *can, int32_t dataspace)
{
	int colour = kr_present_colour_index(dataspace);

	return colour >= 0 && can->colours >> colour & 1;
}

/* NULL when it is shown as the display can show it, and its slot may have it. */
static const char *
check_presentation(const struct kr_remote_consumer *remote, const struct kr_frame *frame)
{
	const struct kr_abilities *can = &remote->info.abilities;

	if (!kr_backlog_takes(&remote->backlog, frame) ||
		kr_remote_holds_attached(remote, frame->slot))
		return "a frame in a slot that wasn't released";
	/* Older versions have no words for anything else. */
	if (remote->version < 3)
		return NULL;
	if (kr_presentation_check(&frame->presentation, can) ||
		!(can->transforms >> (frame->transform % KR_TRANSFORMS) & 1))
		return "a frame that is shown in a way that wasn't offered";
	if (frame->droppable != kr_present_mode_drops(frame->presentation.mode))
		return "a frame that is droppable against its mode";
	if (frame->target.kind >= KR_TARGET_COUNT || frame->target.time_ns < 0)
		return "a frame for a time that there isn't";
	if (remote->version >= 5 && !shows_colour(can, frame->dataspace))
		return "a frame of colours that weren't offered";
	if (!kr_hdr_metadata_valid(&frame->hdr))
		return "a frame with HDR metadata that is none";
	return !frame->window_width == !frame->window_height &&
			frame->window_width <= KR_WINDOW_MAX_EXTENT &&
			frame->window_height <= KR_WINDOW_MAX_EXTENT
		? NULL
		: "a window of no size that there is";
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

/*
 * What the fences of a slot take is the newest frame's, and in a shared slot also that of the one
 * before as long as it may be held. One that is still queued gives its place and fence up.
 */
static void
count_fence(struct kr_remote_consumer *remote, uint32_t slot, bool has_fence)
{
	bool queued = kr_backlog_queues(&remote->backlog, slot);

	kr_share_give(&remote->share, queued ? remote->fences[slot] : remote->held_fences[slot]);
	if (!queued)
		remote->held_fences[slot] = remote->fences[slot];
	remote->fences[slot] = has_fence;
}

/* One of a shared slot, in whose place a newer one is queued: that isn't released. */
static void
tell_superseded(struct kr_remote_consumer *remote, uint32_t slot)
{
	struct kr_frame_events events;
	struct kr_frame last;

	if (!remote->backlog.count ||
		kr_backlog_peek(&remote->backlog, remote->backlog.count - 1, &last) ||
		last.slot != slot || !last.presentation.tell_events)
		return;
	kr_frame_end_events(last.number, &events);
	kr_consumer_tell_events(&remote->base, &events);
}

/* The version whose frames those of a connection are. */
static uint32_t
frame_version(const struct kr_remote_consumer *remote)
{
	if (remote->version == 4)
		return 3;
	return KR_MIN(remote->version, 5u);
}

static void
notice_frame(struct kr_remote_consumer *remote, const struct kr_frame *frame, uint64_t replaced)
{
	remote->said_disconnected = false;
	kr_remote_notice(remote,
		&(struct kr_notice){
			.kind = replaced ? KR_NOTICE_REPLACED : KR_NOTICE_AVAILABLE,
			.slot = frame->slot,
			.number = frame->number,
			.other = replaced,
			.buffer_id = kr_buffer_get_info(frame->buffer)->id,
		});
}

static int
handle_frame(struct kr_remote_consumer *remote, const struct kr_dp_frame4 *whole, uint32_t version,
	int *fence)
{
	const struct kr_dp_frame *message = &whole->frame3.frame2.frame;
	const char *wrong = version == frame_version(remote) ? check_frame(remote, message, *fence)
							     : "a frame of another version";
	struct kr_frame frame, old = {0};

	if (!wrong) {
		kr_remote_read_frame(whole, remote->buffers[message->slot], &frame);
		frame.acquire_fence = *fence;
		wrong = check_presentation(remote, &frame);
	}
	if (wrong)
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL, wrong);
	if (look_at_fence(&frame))
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "a frame without its fence");
	if (kr_share_take(&remote->share, *fence >= 0))
		return refuse_descriptors(remote);
	count_fence(remote, message->slot, *fence >= 0);
	*fence = -1;
	add_buffer_fence(remote, &frame);
	remote->last_number = message->number;
	if (frame.presentation.tell_shown)
		remote->asked_shown = message->number;
	tell_superseded(remote, frame.slot);
	if (kr_backlog_push(&remote->backlog, &frame, remote->keep_all, &old)) {
		kr_remote_give_up(remote, &old);
		if (remote->events.frame_replaced)
			remote->events.frame_replaced(remote->data, old.number);
	}
	notice_frame(remote, &frame, old.number);
	if (remote->events.frame_available)
		remote->events.frame_available(remote->data);
	return 0;
}

static int
handle_watch_vblank(struct kr_remote_consumer *remote)
{
	if (remote->version < 3 || !(remote->info.abilities.counters & KR_ABILITY_VBLANK))
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL,
			"it waits for vertical blanks that nobody counts");
	if (remote->watched)
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "it waits for a vertical blank twice");
	remote->watched = true;
	if (remote->events.vblank_watched)
		remote->events.vblank_watched(remote->data, true);
	return 0;
}

static int
handle_configured(struct kr_remote_consumer *remote)
{
	if (!remote->configuring)
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "it confirms what it wasn't told");
	remote->configuring = false;
	return remote->configure_again ? kr_remote_send_configure(remote) : 0;
}

static bool
is_hello(enum kr_dp_type type)
{
	return type == KR_DP_HELLO || type == KR_DP_HELLO2 || type == KR_DP_HELLO3 ||
		type == KR_DP_HELLO4 || type == KR_DP_HELLO5 || type == KR_DP_HELLO6;
}

static int
handle_hello3(struct kr_remote_consumer *remote, const struct kr_dp_hello3 *hello, uint32_t version)
{
	return kr_remote_handle_hello(
		remote, &hello->hello2.hello, version, hello->hello2.queued, hello->asks);
}

int
kr_remote_handle(struct kr_remote_consumer *remote, const struct kr_dp_message *message, int *fd)
{
	struct kr_dp_message pong;
	struct kr_dp_frame4 frame;
	uint32_t version;

	if (!remote->greeted && !is_hello(message->type))
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL, "no hello");
	switch (message->type) {
	case KR_DP_HELLO:
		return kr_remote_handle_hello(remote, &message->hello, 1, 0, false);
	case KR_DP_HELLO2:
		return kr_remote_handle_hello(
			remote, &message->hello2.hello, 2, message->hello2.queued, false);
	case KR_DP_HELLO3:
		return handle_hello3(remote, &message->hello3, 3);
	case KR_DP_HELLO4:
		return handle_hello3(remote, &message->hello4.hello3, 4);
	case KR_DP_HELLO5:
		return handle_hello3(remote, &message->hello5.hello4.hello3, 5);
	case KR_DP_HELLO6:
		return handle_hello3(remote, &message->hello6.hello5.hello4.hello3, 6);
	case KR_DP_BUFFER:
		return handle_buffer(remote, &message->buffer, *fd);
	case KR_DP_GPU_MEMORY:
		return handle_gpu_memory(remote, &message->gpu_memory, fd);
	case KR_DP_BUFFER_GONE:
		return handle_buffer_gone(remote, message->buffer_gone.slot, KR_NOTICE_GONE);
	case KR_DP_DETACHED:
		return handle_buffer_gone(remote, message->detached.slot, KR_NOTICE_DETACHED);
	case KR_DP_ATTACHED:
		return kr_remote_handle_attached(remote, &message->attached);
	case KR_DP_DISCONNECTED:
	case KR_DP_FRAME_RATE:
	case KR_DP_GENERATION:
	case KR_DP_ACTIVITY:
		return kr_remote_handle_told(remote, message);
	case KR_DP_FRAME:
	case KR_DP_FRAME2:
	case KR_DP_FRAME3:
	case KR_DP_FRAME4:
		version = kr_remote_newest_frame(message, &frame);
		return handle_frame(remote, &frame, version, fd);
	case KR_DP_WATCH_VBLANK:
		return handle_watch_vblank(remote);
	case KR_DP_CONFIGURED:
		return handle_configured(remote);
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
