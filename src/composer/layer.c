/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a producer has on screen: its frame, the one that is prepared to follow it, and what the
 * frames that were shown say of the display's tier and speed.
 */
#include "composer/display.h"

#include <krafla/native_window.h>

#include "colour/space.h"
#include "gralloc/buffer.h"
#include "sync/fault/fault.h"
#include "sync/fence/fence.h"
#include "sync/merge/merge.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log_budget.h"

static struct kr_log_budget failed;

/* Both fences, which are taken, as one. */
static int
join(int take_a, int take_b)
{
	int both = -1, err;

	if (take_a < 0 || take_b < 0)
		return take_a < 0 ? take_b : take_a;
	err = kr_fence_merge("released", take_a, take_b, &both);
	if (err < 0) {
		kr_log_limited(&failed, KR_LOG_ERROR,
			"display: two release fences can't be made one (error %d)", -err);
		kr_fd_close(&take_a);
		return take_b;
	}
	kr_fd_close(&take_a);
	kr_fd_close(&take_b);
	return both;
}

/* Whoever waits for that buffer isn't idle. */
static void
note_lent(struct kr_producer *producer, int fence)
{
	int own = -1;

	if (fence >= 0 && kr_fd_dup(fence, &own) == 0)
		producer->lent = join(producer->lent, own);
}

bool
kr_producer_waits_for_us(struct kr_producer *producer)
{
	if (kr_display_holds_any(producer->display->holds, producer->own_number))
		return true;
	if (producer->lent < 0)
		return false;
	if (kr_fence_status(producer->lent) == KR_FENCE_ACTIVE)
		return true;
	kr_fd_close(&producer->lent);
	return false;
}

static void
give_back(struct kr_producer *producer, struct kr_frame *frame, int take_fence)
{
	struct kr_frame_events events;

	kr_fd_close(&frame->acquire_fence);
	/* What has signalled meanwhile needs no descriptor at the far end. */
	if (take_fence >= 0 && kr_fence_status(take_fence) == KR_FENCE_SIGNALLED)
		kr_fd_close(&take_fence);
	note_lent(producer, take_fence);
	take_fence = kr_fault_fence(KRAFLA_FAULT_AT_DISPLAY_RELEASE, take_fence);
	if (kr_producer_take_times(producer, frame->number, &events))
		kr_consumer_release_timed(producer->consumer, frame, take_fence, &events);
	else
		kr_consumer_release(producer->consumer, frame, take_fence);
}

/* The newest frame that the display goes on with, if it is of the slot. */
static struct kr_frame *
find_kept(struct kr_producer *producer, uint32_t slot)
{
	if (producer->staging && producer->coming.slot == slot)
		return &producer->coming;
	if (producer->on_screen && producer->current.slot == slot)
		return &producer->current;
	return producer->has_replaced && producer->replaced.slot == slot ? &producer->replaced
									 : NULL;
}

/*
 * Of a shared slot there may be an earlier frame on screen: it stays, and the slot goes back with
 * that, by the number that it was taken with last.
 */
void
kr_producer_give_back(struct kr_producer *producer, struct kr_frame *frame)
{
	struct kr_frame *kept = find_kept(producer, frame->slot);

	if (!kept) {
		give_back(producer, frame, -1);
		return;
	}
	kr_fd_close(&frame->acquire_fence);
	kept->number = frame->number;
}

void
kr_producer_take_release(struct kr_producer *producer, uint64_t serial, int take_fence)
{
	if (producer->on_screen && serial == producer->current_serial)
		producer->current_fence = join(producer->current_fence, take_fence);
	else if (producer->has_replaced && serial == producer->replaced_serial)
		producer->replaced_fence = join(producer->replaced_fence, take_fence);
	else if (producer->prepared.buffer && serial == producer->prepared.serial)
		producer->prepared.fence = join(producer->prepared.fence, take_fence);
	else if (producer->spare.buffer && serial == producer->spare.serial)
		producer->spare.fence = join(producer->spare.fence, take_fence);
	else
		kr_fd_close(&take_fence);
}

void
kr_producer_ask_shown(struct kr_producer *producer, const struct kr_frame *frame, uint64_t picture)
{
	struct kr_display *display = producer->display;

	if (!frame->presentation.tell_shown)
		return;
	/* More than pictures can be on their way: the last of them is told with the newest. */
	if (producer->ask_count == KR_PRODUCER_ASKS)
		producer->ask_count--;
	else
		display->asks++;
	producer->asks[producer->ask_count++] =
		(struct kr_producer_ask){.number = frame->number, .picture = picture};
}

/* A frame before that one that no picture has taken the place of goes back with it. */
void
kr_producer_return_replaced(struct kr_producer *producer)
{
	if (!producer->has_replaced)
		return;
	producer->has_replaced = false;
	give_back(producer, &producer->replaced, producer->replaced_fence);
	producer->replaced_fence = -1;
}

/* What was prepared may be drawn into again once the next picture has taken its place. */
static void
put_aside(struct kr_producer *producer)
{
	kr_prepared_finish(&producer->spare);
	producer->spare = producer->prepared;
	producer->spare_since = producer->display->ticks;
	producer->prepared = (struct kr_prepared){.fence = -1};
}

/* The next picture has something else in its place. */
static void
replace_current(struct kr_producer *producer)
{
	kr_preparation_forget(producer, true);
	kr_producer_time_end(producer);
	kr_producer_return_replaced(producer);
	producer->replaced = producer->current;
	producer->replaced_fence = producer->current_fence;
	producer->replaced_serial = producer->current_serial;
	producer->has_replaced = true;
	producer->current_fence = -1;
	producer->on_screen = false;
	if (producer->prepared.buffer)
		put_aside(producer);
}

void
kr_producer_leave_screen(struct kr_producer *producer)
{
	struct kr_display *display = producer->display;

	if (!producer->on_screen)
		return;
	replace_current(producer);
	/* It goes back with the next picture, which it isn't in. */
	producer->placed = producer->unready = false;
	display->rearrange |= display->config.layout == KR_LAYOUT_GRID;
}

/* --- what is counted --- */

static bool
reaches_t1(const struct kr_producer *producer)
{
	return producer->has_shown && producer->fenced && !producer->below_t1;
}

enum fence_kind {
	FENCE_NONE,
	FENCE_USER,
	FENCE_KERNEL,
};

static enum fence_kind
kind_of(const struct kr_frame *frame)
{
	if (frame->acquire_fence < 0)
		return FENCE_NONE;
	return frame->fence_kernel ? FENCE_KERNEL : FENCE_USER;
}

/* What the frame on screen says of its window's tier, and of the display's frames. */
static void
count_tier_locked(struct kr_producer *producer, enum fence_kind kind)
	KR_REQUIRES(producer->display->lock)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(producer->current.buffer);
	struct kr_display_stats *stats = &producer->display->stats;
	bool was_t1 = reaches_t1(producer);
	/* What CPUs would see of it is read by nobody. */
	bool by_gpu = info->gpu && (producer->current.no_pixels || producer->display->drawing.now);

	stats->backends |= 1u << (by_gpu ? KR_BUFFER_GPU : info->backend);
	stats->kernel_fences += kind == FENCE_KERNEL;
	stats->user_fences += kind == FENCE_USER;
	stats->unfenced += kind == FENCE_NONE;
	stats->windows += !producer->has_shown;
	producer->has_shown = true;
	producer->fenced |= kind != FENCE_NONE;
	producer->below_t1 |= !by_gpu && !kr_buffer_backend_is_dma_buf(info->backend);
	stats->windows_t1 += reaches_t1(producer);
	stats->windows_t1 -= was_t1;
}

void
kr_producer_begin_tier(struct kr_producer *producer)
{
	struct kr_display_stats *stats = &producer->display->stats;

	kr_mutex_lock(&producer->display->lock);
	stats->windows_t1 -= reaches_t1(producer);
	producer->below_t1 = false;
	stats->windows_t1 += reaches_t1(producer);
	kr_mutex_unlock(&producer->display->lock);
}

static void
count_latency_locked(struct kr_display_stats *stats, int64_t latency)
{
	stats->latency_min = stats->latency_count ? KR_MIN(stats->latency_min, latency) : latency;
	stats->latency_max = KR_MAX(stats->latency_max, latency);
	stats->latency_sum += latency;
	stats->latency_count++;
}

static void
count_gpu_locked(struct kr_producer *producer) KR_REQUIRES(producer->display->lock)
{
	struct kr_display_stats *stats = &producer->display->stats;
	bool has_memory = kr_buffer_get_info(producer->current.buffer)->gpu;

	stats->gpu_frames += has_memory;
	stats->gpu_frames_alone += has_memory && producer->current.no_pixels;
}

void
kr_producer_count_shown(struct kr_producer *producer, bool seen, int64_t now)
{
	struct kr_display_stats *stats = &producer->display->stats;
	enum fence_kind kind = kind_of(&producer->current);

	kr_mutex_lock(&producer->display->lock);
	stats->modes[producer->current.presentation.mode % KR_PRESENT_MODE_COUNT]++;
	if (seen) {
		stats->shown++;
		count_gpu_locked(producer);
		producer->entry->window.shown++;
		count_tier_locked(producer, kind);
		count_latency_locked(stats, now - producer->current_ready_ns);
	} else {
		stats->hidden++;
		producer->entry->window.hidden++;
		kr_producer_time_unseen(producer);
	}
	kr_mutex_unlock(&producer->display->lock);
}

/* What no composer knows was told to no program: then it is sRGB. */
static int32_t
dataspace_of(const struct kr_frame *frame)
{
	return kr_colour_is_known(frame->dataspace) ? frame->dataspace : HAL_DATASPACE_UNKNOWN;
}

/* What a layer has of it from now on. */
static void
set_content(struct kr_producer *producer)
{
	const struct kr_prepared *prepared = &producer->prepared;

	producer->content = (struct kr_content){
		.buffer = prepared->buffer ? prepared->buffer : producer->current.buffer,
		.no_pixels = producer->current.no_pixels,
		.dataspace =
			prepared->buffer ? prepared->dataspace : dataspace_of(&producer->current),
		.hdr = producer->current.hdr,
		.serial = prepared->buffer ? prepared->serial : producer->current_serial,
	};
}

static void
put(struct kr_producer *producer, const struct kr_frame *frame, int64_t ready_ns, int64_t now)
{
	struct kr_display *display = producer->display;
	bool real = display->config.clock == KR_CLOCK_REAL;

	producer->damage_from = producer->skipped ? 0 : producer->content.serial;
	if (producer->on_screen)
		replace_current(producer);
	else
		display->rearrange |= display->config.layout == KR_LAYOUT_GRID;
	producer->current = *frame;
	producer->latched_ns = display->picture_ns;
	kr_producer_note_base(
		producer, real ? display->picture_ns : kr_display_virtual_now(display));
	kr_producer_ask_shown(producer, frame, display->ticks + 1);
	kr_producer_time_frame(producer, frame, ready_ns, now);
	producer->current_serial = ++display->serials;
	producer->current_ready_ns = ready_ns;
	producer->on_screen = producer->fresh = true;
	producer->skipped = frame->no_pixels && !kr_display_draws_by_gpu(producer->display, frame);
	producer->failed = producer->unready = producer->again = false;
}

void
kr_producer_show(
	struct kr_producer *producer, const struct kr_frame *frame, int64_t ready_ns, int64_t now)
{
	put(producer, frame, ready_ns, now);
	set_content(producer);
	kr_producer_place(producer);
}

void
kr_producer_show_staged(struct kr_producer *producer, const struct kr_prepared *take_prepared)
{
	producer->staging = false;
	put(producer, &producer->coming, producer->coming_ready_ns, kr_clock_now());
	producer->failed = !take_prepared->buffer;
	producer->prepared = *take_prepared;
	set_content(producer);
	kr_producer_place(producer);
}

void
kr_producer_show_prepared(struct kr_producer *producer, const struct kr_prepared *take_prepared)
{
	producer->failed = !take_prepared->buffer;
	if (producer->prepared.buffer)
		put_aside(producer);
	producer->prepared = *take_prepared;
	producer->damage_from = 0;
	set_content(producer);
	kr_producer_place(producer);
}

void
kr_producer_show_again(struct kr_producer *producer)
{
	producer->again = kr_producer_is_prepared(producer);
	if (producer->again)
		return;
	producer->damage_from = 0;
	producer->current_serial = ++producer->display->serials;
	set_content(producer);
}

void
kr_producer_drop_staged(struct kr_producer *producer)
{
	if (!producer->staging)
		return;
	producer->staging = false;
	kr_preparation_forget(producer, false);
	kr_producer_ask_shown(producer, &producer->coming, producer->display->ticks);
	kr_producer_time_dropped(producer, &producer->coming, producer->coming_ready_ns);
	kr_producer_give_back(producer, &producer->coming);
}

void
kr_producer_finish_layer(struct kr_producer *producer)
{
	kr_producer_drop_staged(producer);
	kr_producer_leave_screen(producer);
	kr_producer_return_replaced(producer);
	kr_prepared_finish(&producer->prepared);
	kr_prepared_finish(&producer->spare);
	kr_fd_close(&producer->lent);
	producer->display->asks -= producer->ask_count;
	producer->ask_count = 0;
	producer->display->timed -= producer->timed_count;
	producer->timed_count = 0;
}
