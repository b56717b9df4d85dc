/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One producer: frames arrive through its consumer end, oldest first. The head is the oldest frame
 * that is not on screen; it becomes ready when its acquire fence signals, is given back when the fence
 * fails (H-01), and stops being waited for when the fence stays active for too long.
 */
#include "composer/display.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <stdlib.h>

#include "gralloc/buffer.h"
#include "sync/fault/fault.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log_budget.h"
#include "window/remote/remote.h"

#define count(display, member)                                                                     \
	do {                                                                                       \
		kr_mutex_lock(&(display)->lock);                                                   \
		(display)->stats.member++;                                                         \
		kr_mutex_unlock(&(display)->lock);                                                 \
	} while (0)

/* The hello has come in: what was a connection is a producer now. */
static void
greet(struct kr_producer *producer)
{
	struct kr_display *display = producer->display;

	if (producer->greeted)
		return;
	producer->greeted = true;
	producer->idle_since_ns = kr_clock_now();
	count(display, producers);
	if (display->hooks.producer_connected)
		display->hooks.producer_connected(display->data,
			kr_consumer_label(producer->consumer), kr_consumer_pid(producer->consumer));
}

static void
handle_frame_available(void *data)
{
	struct kr_producer *producer = data;

	greet(producer);
	count(producer->display, queued);
}

static void
handle_frame_replaced(void *data, uint64_t number)
{
	struct kr_producer *producer = data;

	count(producer->display, dropped);
}

static void
handle_described(void *data, const char *device)
{
	struct kr_producer *producer = data;
	struct kr_display *display = producer->display;

	greet(producer);
	if (display->hooks.producer_described)
		display->hooks.producer_described(display->data,
			kr_consumer_label(producer->consumer), kr_consumer_pid(producer->consumer),
			device);
}

static void
handle_disconnected(void *data)
{
	struct kr_producer *producer = data;

	producer->gone = true;
}

static void
handle_buffer_dropped(void *data, struct kr_buffer *take_buffer)
{
	struct kr_producer *producer = data;

	kr_cleaner_drop(&producer->display->cleaner, take_buffer);
}

int
kr_producer_create(struct kr_display *display, int take_socket)
{
	static const struct kr_consumer_events events = {
		.frame_available = handle_frame_available,
		.frame_replaced = handle_frame_replaced,
		.producer_described = handle_described,
		.disconnected = handle_disconnected,
		.buffer_dropped = handle_buffer_dropped,
	};
	bool virtual_clock = display->config.clock == KR_CLOCK_VIRTUAL;
	const struct kr_display_info info = {
		.width = display->config.width,
		.height = display->config.height,
		.refresh_ns = display->period_ns,
		.virtual_clock = virtual_clock,
		.consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
		.max_acquired = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
	};
	struct kr_producer *producer = calloc(1, sizeof(*producer));
	int err;

	if (!producer) {
		kr_fd_close(&take_socket);
		return -ENOMEM;
	}
	producer->display = display;
	producer->head_fence = -1;
	producer->idle_since_ns = kr_clock_now();
	err = kr_consumer_remote_create(
		take_socket, &info, virtual_clock, &events, producer, &producer->consumer);
	if (err < 0)
		goto err_free;
	err = kr_consumer_remote_count(producer->consumer, &display->descriptors);
	if (err < 0)
		goto err_consumer;
	kr_list_append(&display->producers, &producer->link);
	return 0;

err_consumer:
	kr_consumer_destroy(producer->consumer);
err_free:
	free(producer);
	return err;
}

/* Gives a frame that was acquired back; what was read of it has been read, so no fence. */
static void
give_back(struct kr_producer *producer, struct kr_frame *frame)
{
	kr_fd_close(&frame->acquire_fence);
	kr_consumer_release(
		producer->consumer, frame, kr_fault_fence(KRAFLA_FAULT_AT_DISPLAY_RELEASE, -1));
}

static void
leave_screen(struct kr_producer *producer)
{
	kr_picture_take_away(producer);
	if (producer->on_screen)
		give_back(producer, &producer->current);
	producer->on_screen = false;
}

void
kr_producer_drop_staged(struct kr_producer *producer)
{
	kr_stage_forget(producer->display, producer);
	if (producer->staging)
		give_back(producer, &producer->coming);
	producer->staging = false;
}

void
kr_producer_destroy(struct kr_producer *producer)
{
	struct kr_display *display = producer->display;

	kr_producer_drop_staged(producer);
	leave_screen(producer);
	if (producer->greeted && display->hooks.producer_gone)
		display->hooks.producer_gone(display->data, kr_consumer_label(producer->consumer),
			kr_consumer_pid(producer->consumer));
	kr_consumer_destroy(producer->consumer);
	kr_list_remove(&producer->link);
	free(producer);
}

void
kr_producer_dispatch(struct kr_producer *producer)
{
	producer->head_fence = -1;
	if (kr_consumer_dispatch(producer->consumer) < 0)
		producer->gone = true;
	if (kr_consumer_label(producer->consumer)[0])
		greet(producer);
}

void
kr_producer_discard(struct kr_producer *producer)
{
	struct kr_frame frame;

	producer->head = KR_HEAD_NONE;
	producer->head_fence = -1;
	producer->stuck = false;
	if (kr_consumer_acquire(producer->consumer, &frame) == 0)
		give_back(producer, &frame);
}

/* The head as it is now; whether there is one. */
static bool
look_at_head(struct kr_producer *producer, int64_t now, struct kr_frame *frame)
{
	producer->head_fence = -1;
	if (kr_consumer_peek(producer->consumer, frame) < 0) {
		producer->head = KR_HEAD_NONE;
		producer->stuck = false;
		return false;
	}
	if (producer->head == KR_HEAD_NONE || producer->head_number != frame->number) {
		producer->head = KR_HEAD_PENDING;
		producer->head_number = frame->number;
		producer->head_since_ns = now;
		producer->fence_woke = false;
		producer->stuck = false;
		producer->waited = false;
		kr_fence_watchdog_start(&producer->late, now);
	}
	return true;
}

/*
 * When the frame could have been shown, never the future, whatever the producer claims: its fence's time
 * where that can be had without receiving from a description that the producer shares, else when the
 * fence was found done here, or when it was queued if it was done before anybody looked.
 */
static int64_t
ready_time(const struct kr_producer *producer, const struct kr_frame *frame, int64_t now)
{
	int64_t signalled = kr_fence_signal_time(frame->acquire_fence);
	int64_t at = frame->queued_ns;

	if (signalled > 0)
		at = KR_MAX(signalled, at);
	else if (producer->waited)
		at = now;
	return at > 0 && at < now ? at : now;
}

static void
hide_stuck(struct kr_producer *producer, int fence)
{
	struct kr_display *display = producer->display;
	const char *label = kr_consumer_label(producer->consumer);
	int pid = kr_consumer_pid(producer->consumer);
	struct kr_fence_description description;
	char sentence[KR_FENCE_SENTENCE];

	kr_fence_sentence_of(fence, sentence);
	kr_error("display: frame %llu of %s (pid %d) waits for an acquire fence that has not "
		 "signalled for %lld s: the fence %s; its layer is hidden",
		(unsigned long long)producer->head_number, label, pid,
		(long long)(KR_DISPLAY_WATCHDOG_NS / KR_NSEC_PER_SEC), sentence);
	producer->stuck = true;
	count(display, stuck);
	leave_screen(producer);
	if (display->hooks.fence_stuck && !kr_fence_describe(fence, &description))
		display->hooks.fence_stuck(
			display->data, label, pid, producer->head_number, &description);
}

/* The head's fence is active: looks whether that has lasted too long. */
static void
watch_head(struct kr_producer *producer, const struct kr_frame *frame, int64_t now)
{
	char what[128];

	producer->head_fence = frame->acquire_fence;
	producer->waited = true;
	snprintf(what, sizeof(what), "display: frame %llu of %s",
		(unsigned long long)producer->head_number, kr_consumer_label(producer->consumer));
	kr_fence_watchdog_look(&producer->late, frame->acquire_fence, what, now);
	if (!producer->stuck && now - producer->head_since_ns >= KR_DISPLAY_WATCHDOG_NS)
		hide_stuck(producer, frame->acquire_fence);
}

static struct kr_log_budget failed;

void
kr_producer_update(struct kr_producer *producer, int64_t now)
{
	struct kr_frame frame;

	while (look_at_head(producer, now, &frame)) {
		int status = kr_fence_status(frame.acquire_fence);

		if (status == KR_FENCE_SIGNALLED) {
			if (producer->head != KR_HEAD_READY)
				producer->ready_ns = ready_time(producer, &frame, now);
			producer->head = KR_HEAD_READY;
			return;
		}
		/* poll said it is done and it says it isn't: whatever this is, it would spin. */
		if (status == KR_FENCE_ACTIVE && producer->fence_woke)
			status = -EPROTO;
		if (status == KR_FENCE_ACTIVE) {
			watch_head(producer, &frame, now);
			return;
		}
		kr_log_limited(&failed, KR_LOG_WARN,
			"display: frame %llu of %s (pid %d) is dropped: its acquire fence failed "
			"(error %d)",
			(unsigned long long)frame.number, kr_consumer_label(producer->consumer),
			kr_consumer_pid(producer->consumer), -status);
		count(producer->display, failed);
		kr_producer_discard(producer);
		producer->idle_since_ns = now;
	}
}

static bool
reaches_t1(const struct kr_producer *producer)
{
	return producer->has_shown && producer->kernel_fenced && !producer->below_t1;
}

enum fence_kind {
	FENCE_NONE,
	FENCE_USER,
	FENCE_KERNEL,
};

static enum fence_kind
kind_of(int fence)
{
	struct kr_fence_description description;

	if (fence < 0)
		return FENCE_NONE;
	return !kr_fence_describe(fence, &description) && description.kind == KR_FENCE_KIND_KERNEL
		? FENCE_KERNEL
		: FENCE_USER;
}

/* What the frame on screen says of its window's tier, and of the display's frames. */
static void
count_tier_locked(struct kr_producer *producer, enum fence_kind kind)
	KR_REQUIRES(producer->display->lock)
{
	enum kr_buffer_backend backend = kr_buffer_info(producer->current.buffer)->backend;
	struct kr_display_stats *stats = &producer->display->stats;
	bool was_t1 = reaches_t1(producer);

	stats->backends |= 1u << backend;
	stats->kernel_fences += kind == FENCE_KERNEL;
	stats->user_fences += kind == FENCE_USER;
	stats->unfenced += kind == FENCE_NONE;
	stats->windows += !producer->has_shown;
	producer->has_shown = true;
	producer->kernel_fenced |= kind == FENCE_KERNEL;
	producer->below_t1 |= kind == FENCE_USER || !kr_buffer_backend_is_dma_buf(backend);
	stats->windows_t1 += reaches_t1(producer);
	stats->windows_t1 -= was_t1;
}

static void
count_shown(struct kr_producer *producer, int64_t ready_ns, int64_t now)
{
	struct kr_display_stats *stats = &producer->display->stats;
	enum fence_kind kind = kind_of(producer->current.acquire_fence);
	int64_t latency = now - ready_ns;

	kr_mutex_lock(&producer->display->lock);
	stats->shown++;
	count_tier_locked(producer, kind);
	stats->latency_min = stats->latency_count ? KR_MIN(stats->latency_min, latency) : latency;
	stats->latency_max = KR_MAX(stats->latency_max, latency);
	stats->latency_sum += latency;
	stats->latency_count++;
	kr_mutex_unlock(&producer->display->lock);
}

/* Takes the head out of the queue. */
static bool
acquire_head(struct kr_producer *producer, struct kr_frame *frame)
{
	producer->head = KR_HEAD_NONE;
	producer->head_fence = -1;
	producer->stuck = false;
	return kr_consumer_acquire(producer->consumer, frame) == 0;
}

static void
put_on_screen(
	struct kr_producer *producer, const struct kr_frame *frame, int64_t ready_ns, int64_t now)
{
	leave_screen(producer);
	producer->current = *frame;
	producer->on_screen = true;
	kr_picture_put(producer);
	count_shown(producer, ready_ns, now);
}

bool
kr_producer_latch(struct kr_producer *producer, int64_t now)
{
	struct kr_frame frame;

	producer->idle_since_ns = now;
	if (!acquire_head(producer, &frame))
		return false;
	put_on_screen(producer, &frame, producer->ready_ns, now);
	return true;
}

bool
kr_producer_stage(struct kr_producer *producer)
{
	producer->coming_ready_ns = producer->ready_ns;
	producer->staging = acquire_head(producer, &producer->coming);
	return producer->staging;
}

void
kr_producer_show_staged(struct kr_producer *producer, int64_t now)
{
	producer->staging = false;
	put_on_screen(producer, &producer->coming, producer->coming_ready_ns, now);
}

bool
kr_producer_spent(const struct kr_producer *producer)
{
	if (!producer->greeted && !producer->gone)
		return kr_clock_now() - producer->idle_since_ns >= KR_DISPLAY_HELLO_NS;
	return producer->gone && !producer->staging &&
		(producer->head == KR_HEAD_NONE || producer->stuck);
}
