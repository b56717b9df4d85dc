/* SPDX-License-Identifier: Apache-2.0 */
/* Queue and cancel: what a producer does with a buffer that it has. */
#include "window/queue/queue.h"

#include <errno.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/queue/core.h"

/*
 * In shared buffer mode that was switched on with a buffer in the producer's hands, that is the
 * one.
 */
static bool
becomes_shared_locked(const struct kr_queue *queue, const struct kr_slot *slot)
	KR_REQUIRES(queue->lock)
{
	return queue->shared && queue->shared_slot == KR_QUEUE_SLOTS && !slot->at_sink;
}

static int
check_input_locked(struct kr_queue *queue, uint32_t slot, const struct kr_queue_input *input)
	KR_REQUIRES(queue->lock)
{
	const struct kr_buffer_desc *desc;

	if (queue->abandoned || !queue->api)
		return -ENODEV;
	if (slot >= KR_QUEUE_SLOTS || !kr_slot_is_dequeued(&queue->slots[slot]) ||
		!queue->slots[slot].requested || queue->slots[slot].shared_over)
		return -EINVAL;
	if (kr_present_mode_is_shared(input->presentation.mode) && !queue->slots[slot].shared &&
		!becomes_shared_locked(queue, &queue->slots[slot]))
		return -EINVAL;
	if (input->window_width > KR_WINDOW_MAX_EXTENT ||
		input->window_height > KR_WINDOW_MAX_EXTENT ||
		!input->window_width != !input->window_height)
		return -EINVAL;
	desc = &kr_buffer_get_info(queue->slots[slot].buffer)->desc;
	if (input->scaling_mode < NATIVE_WINDOW_SCALING_MODE_FREEZE ||
		input->scaling_mode > NATIVE_WINDOW_SCALING_MODE_NO_SCALE_CROP ||
		input->transform & ~0xf || input->damage_count > KR_FRAME_MAX_DAMAGE)
		return -EINVAL;
	if (!kr_frame_crop_fits(&input->crop, desc->width, desc->height))
		return -EINVAL;
	if (input->target.kind >= KR_TARGET_COUNT || input->target.time_ns < 0)
		return -EINVAL;
	return kr_presentation_check(&input->presentation, &queue->config.abilities);
}

/*
 * Of a shared slot the mode is a shared one, of any other what was said; but where both ends are
 * the program's own, a frame may be dropped that could wait.
 */
static uint8_t
mode_locked(const struct kr_queue *queue, const struct kr_slot *slot, uint8_t said)
	KR_REQUIRES(queue->lock)
{
	bool drops = queue->can_drop && queue->legacy_drop && said == KR_PRESENT_FIFO &&
		queue->config.abilities.modes & KR_ABILITY(KR_PRESENT_MAILBOX);

	if (!slot->shared)
		return drops ? KR_PRESENT_MAILBOX : said;
	if (kr_present_mode_is_shared(said))
		return said;
	return queue->auto_refresh ? KR_PRESENT_SHARED_CONTINUOUS : KR_PRESENT_SHARED_DEMAND;
}

/* The slot goes to the sink; what is said about it becomes a frame. */
static void
make_frame_locked(struct kr_queue *queue, uint32_t index, const struct kr_queue_input *input,
	int fence, struct kr_frame *frame) KR_REQUIRES(queue->lock)
{
	struct kr_slot *slot = &queue->slots[index];
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(slot->buffer)->desc;

	if (becomes_shared_locked(queue, slot))
		kr_queue_share_locked(queue, index);
	slot->state = KR_SLOT_QUEUED;
	slot->number = ++queue->frames;
	queue->with_sink += !slot->at_sink;
	slot->at_sink = slot->number;
	kr_queue_pass_shared_locked(queue, index);
	queue->has_queued = true;
	queue->hint_in_use = queue->config.transform_hint;
	queue->told_waiting = false;
	frame->slot = index;
	frame->number = slot->number;
	frame->buffer = slot->buffer;
	frame->acquire_fence = fence;
	frame->presentation = input->presentation;
	frame->presentation.mode = mode_locked(queue, slot, input->presentation.mode);
	frame->presentation.tell_shown |= frame->presentation.tell_events && queue->shown_is_event;
	frame->droppable = kr_present_mode_drops(frame->presentation.mode);
	frame->window_width = input->window_width;
	frame->window_height = input->window_height;
	frame->no_pixels = input->no_pixels;
	frame->format = (int32_t)desc->format;
	frame->dataspace = input->dataspace ? input->dataspace : queue->config.default_dataspace;
	frame->hdr = input->hdr;
	frame->transform = input->transform;
	frame->scaling_mode = input->scaling_mode;
	frame->crop = input->crop;
	frame->timestamp_ns = input->timestamp_ns;
	frame->target = input->target;
	queue->has_timed |= input->target.kind || input->presentation.tell_events;
	frame->queued_ns = kr_clock_now();
	frame->damage_count = input->damage_count;
	for (uint32_t i = 0; i < input->damage_count; i++)
		frame->damage[i] = input->damage[i];
	kr_frame_clip_damage(frame, desc->width, desc->height);
	kr_queue_remember_locked(queue, frame);
}

/*
 * Readers that know nothing of fences beside the buffer, as other APIs and drivers are,
 * find this one inside it. That needs a dma-buf and a kernel's fence; where there are none,
 * there are no such readers.
 */
static void
put_fence_inside(const struct kr_frame *frame)
{
	int err;

	if (frame->acquire_fence < 0)
		return;
	err = kr_buffer_import_fence(
		kr_buffer_get_info(frame->buffer), KR_DMA_BUF_WRITE, frame->acquire_fence);
	if (err && err != -EOPNOTSUPP && err != -ENOTTY)
		kr_debug("queueBuffer: the fence can't be put into the dma-buf (%s)",
			strerror(-err));
}

/*
 * Whoever draws has given the buffer memory of a GPU since the sink was told of it. Inside the
 * sink; the lock is dropped. A sink that can't have it goes on without, and is asked no more.
 */
static void
tell_gpu_memory_locked(struct kr_queue *queue, uint32_t index) KR_REQUIRES(queue->lock)
{
	const struct kr_sink_impl *impl = queue->sink->impl;
	struct kr_slot *slot = &queue->slots[index];
	struct kr_buffer *buffer = slot->buffer;
	int err;

	if (slot->gpu_told || slot->at_sink || !kr_buffer_get_info(buffer)->gpu)
		return;
	slot->gpu_told = true;
	if (!impl->add_gpu_memory)
		return;
	kr_mutex_unlock(&queue->lock);
	err = impl->add_gpu_memory(queue->sink, index, buffer);
	if (err && err != -EPIPE && err != -EOPNOTSUPP)
		kr_warn("queueBuffer: the %s end can't have the buffer's memory of a GPU (%s)",
			impl->name, strerror(-err));
	kr_mutex_lock(&queue->lock);
}

int
kr_queue_queue(struct kr_queue *queue, uint32_t slot, const struct kr_queue_input *input,
	int take_fence, uint64_t *number)
{
	struct kr_log_hold hold;
	struct kr_frame frame;
	char name[KR_SYNC_TEXT];
	int kept, err;
	bool stops;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	/*
	 * Entered before the number is given, so that frames arrive in the order of their numbers.
	 */
	err = kr_queue_enter_sink_locked(queue, KR_FOREVER);
	if (err)
		goto err_unlock;
	err = check_input_locked(queue, slot, input);
	if (err)
		goto err_leave;
	tell_gpu_memory_locked(queue, slot);
	make_frame_locked(queue, slot, input, take_fence, &frame);
	stops = kr_gate_stops_locked(queue, &frame);
	kr_queue_fence_name_locked(queue, slot, name);
	kr_mutex_unlock(&queue->lock);
	kr_fence_rename_held(name, &frame.acquire_fence);
	put_fence_inside(&frame);
	kept = kr_queue_keep_fence(queue, frame.acquire_fence);
	err = kr_gate_submit(queue, &frame, stops);
	kr_mutex_lock(&queue->lock);
	err = kr_queue_submitted_locked(queue, &frame, err);
	kr_queue_set_last_locked(queue, &frame, kept);
	kr_queue_leave_sink_locked(queue);
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	if (!err && number)
		*number = frame.number;
	return err;

err_leave:
	kr_queue_leave_sink_locked(queue);
err_unlock:
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	kr_fd_close(&take_fence);
	return err;
}

/* The producer has it no more. */
static void
take_back_locked(struct kr_queue *queue, struct kr_slot *slot, int take_fence)
	KR_REQUIRES(queue->lock)
{
	if (slot->at_sink) {
		slot->state = KR_SLOT_QUEUED;
		kr_fd_close(&take_fence);
		kr_queue_wake_locked(queue);
		return;
	}
	/* The producer may have drawn something: what the buffer holds is undefined. */
	slot->number = 0;
	kr_queue_free_slot_locked(queue, slot, take_fence);
}

int
kr_queue_cancel(struct kr_queue *queue, uint32_t slot, int take_fence)
{
	struct kr_log_hold hold;
	int err = -EINVAL;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	if (queue->abandoned || !queue->api) {
		err = -ENODEV;
	} else if (!queue->shared && slot < KR_QUEUE_SLOTS &&
		kr_slot_is_dequeued(&queue->slots[slot])) {
		uint64_t id = kr_buffer_get_info(queue->slots[slot].buffer)->id;

		take_back_locked(queue, &queue->slots[slot], take_fence);
		kr_queue_tell_activity_locked(queue, slot, id, true);
		err = 0;
	}
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	if (err)
		kr_fd_close(&take_fence);
	return err;
}

int
kr_queue_slot_of(struct kr_queue *queue, const struct kr_buffer *buffer, uint32_t *slot)
{
	int err = -EINVAL;

	kr_mutex_lock(&queue->lock);
	for (uint32_t i = 0; buffer && i < KR_QUEUE_SLOTS; i++) {
		if (kr_slot_is_dequeued(&queue->slots[i]) && queue->slots[i].buffer == buffer) {
			*slot = i;
			err = 0;
			break;
		}
	}
	kr_mutex_unlock(&queue->lock);
	return err;
}

void
kr_queue_describe(struct kr_queue *queue, const char *device)
{
	const struct kr_sink_impl *impl = queue->sink->impl;
	struct kr_log_hold hold;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	if (!queue->abandoned && impl->describe && !kr_queue_enter_sink_locked(queue, KR_FOREVER)) {
		kr_mutex_unlock(&queue->lock);
		impl->describe(queue->sink, device);
		kr_mutex_lock(&queue->lock);
		kr_queue_leave_sink_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
}
