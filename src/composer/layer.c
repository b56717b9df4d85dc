/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a producer has on screen: its frame, the one that is prepared to follow it, and what the
 * frames that were shown say of the display's tier and speed.
 */
#include "composer/display.h"

#include "gralloc/buffer.h"
#include "sync/fault/fault.h"
#include "util/fd.h"

/* What was read of it has been read, so no fence, but for what somebody still looks at. */
void
kr_producer_give_back(struct kr_producer *producer, struct kr_frame *frame)
{
	int fence =
		kr_holds_give_back(producer->display->holds, producer->own_number, frame->buffer);

	kr_fd_close(&frame->acquire_fence);
	kr_consumer_release(
		producer->consumer, frame, kr_fault_fence(KRAFLA_FAULT_AT_DISPLAY_RELEASE, fence));
}

void
kr_producer_leave_screen(struct kr_producer *producer)
{
	kr_picture_take_away(producer);
	if (producer->on_screen) {
		kr_producer_give_back(producer, &producer->current);
		producer->display->rearrange |= producer->display->config.layout == KR_LAYOUT_GRID;
	}
	producer->on_screen = false;
}

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
	enum kr_buffer_backend backend = kr_buffer_get_info(producer->current.buffer)->backend;
	struct kr_display_stats *stats = &producer->display->stats;
	bool was_t1 = reaches_t1(producer);

	stats->backends |= 1u << backend;
	stats->kernel_fences += kind == FENCE_KERNEL;
	stats->user_fences += kind == FENCE_USER;
	stats->unfenced += kind == FENCE_NONE;
	stats->windows += !producer->has_shown;
	producer->has_shown = true;
	producer->fenced |= kind != FENCE_NONE;
	producer->below_t1 |= !kr_buffer_backend_is_dma_buf(backend);
	stats->windows_t1 += reaches_t1(producer);
	stats->windows_t1 -= was_t1;
}

static void
count_latency_locked(struct kr_display_stats *stats, int64_t latency)
{
	stats->latency_min = stats->latency_count ? KR_MIN(stats->latency_min, latency) : latency;
	stats->latency_max = KR_MAX(stats->latency_max, latency);
	stats->latency_sum += latency;
	stats->latency_count++;
}

void
kr_producer_count_shown(struct kr_producer *producer, bool seen, int64_t now)
{
	struct kr_display_stats *stats = &producer->display->stats;
	enum fence_kind kind = kind_of(&producer->current);

	kr_mutex_lock(&producer->display->lock);
	if (seen) {
		stats->shown++;
		producer->entry->window.shown++;
		count_tier_locked(producer, kind);
		count_latency_locked(stats, now - producer->current_ready_ns);
	} else {
		stats->hidden++;
		producer->entry->window.hidden++;
	}
	kr_mutex_unlock(&producer->display->lock);
}

void
kr_producer_show(struct kr_producer *producer, const struct kr_frame *frame, int64_t ready_ns)
{
	if (producer->on_screen)
		kr_producer_give_back(producer, &producer->current);
	else
		producer->display->rearrange |= producer->display->config.layout == KR_LAYOUT_GRID;
	producer->current = *frame;
	producer->current_ready_ns = ready_ns;
	producer->on_screen = true;
	producer->fresh = true;
	kr_picture_put(producer);
}

void
kr_producer_show_staged(struct kr_producer *producer)
{
	producer->staging = false;
	kr_producer_show(producer, &producer->coming, producer->coming_ready_ns);
}

void
kr_producer_drop_staged(struct kr_producer *producer)
{
	kr_picture_forget_staged(producer);
	if (producer->staging)
		kr_producer_give_back(producer, &producer->coming);
	producer->staging = false;
}
