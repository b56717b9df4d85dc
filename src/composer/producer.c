/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One producer: its connection, and what it says there. Frames arrive through its
 * consumer end, oldest first.
 */
#include "composer/display.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/native_memory.h"
#include "window/remote/remote.h"

/* The hello has come in: what was a connection is a producer now. */
static void
greet(struct kr_producer *producer)
{
	struct kr_display *display = producer->display;

	if (producer->greeted)
		return;
	producer->greeted = true;
	producer->idle_since_ns = kr_clock_now();
	kr_display_count(display, producers);
	kr_producer_name(producer);
	if (display->hooks.producer_connected)
		display->hooks.producer_connected(display->data, producer->own_number,
			kr_consumer_label(producer->consumer), kr_consumer_pid(producer->consumer));
}

static void
handle_frame_available(void *data)
{
	struct kr_producer *producer = data;

	greet(producer);
	producer->starves = false;
	kr_display_count(producer->display, queued);
	kr_producer_count(producer, frames_queued);
}

static void
handle_frame_replaced(void *data, uint64_t number)
{
	struct kr_producer *producer = data;

	kr_display_count(producer->display, dropped);
	kr_producer_count(producer, dropped);
}

static void
handle_waiting(void *data)
{
	struct kr_producer *producer = data;

	producer->starves = true;
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
handle_vblank_watched(void *data, bool on)
{
	kr_producer_watch_vblank(data, on, kr_clock_now());
}

static void
hear_wish(struct kr_producer *producer, const struct kr_frame_rate *wish)
{
	struct kr_display *display = producer->display;

	greet(producer);
	kr_producer_wish(producer, wish);
	if (display->hooks.producer_wished)
		display->hooks.producer_wished(display->data, producer->own_number, wish);
}

static void
handle_noticed(void *data, const struct kr_notice *notice)
{
	static const struct kr_frame_rate none;
	struct kr_producer *producer = data;

	switch (notice->kind) {
	case KR_NOTICE_AVAILABLE:
	case KR_NOTICE_REPLACED:
		producer->newest = notice->number;
		break;
	case KR_NOTICE_RATE:
		hear_wish(producer, &notice->rate);
		break;
	case KR_NOTICE_DISCONNECTED:
		kr_producer_wish(producer, &none);
		break;
	default:
		break;
	}
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

/*
 * What windows should have that can choose: red first where pictures of our own screen are looked
 * at, as files have it; else blue first, which lavapipe draws a seventh faster, and window systems
 * and planes of cards are used to.
 */
static uint32_t
liked_format(const struct kr_display *display)
{
	return kr_display_wants_on_screen(display).every ? AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
							 : AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM;
}

/* Nobody can measure the screen: 96 dots an inch. */
static uint32_t
millimetres(uint32_t pixels)
{
	return (uint32_t)((uint64_t)pixels * 254 / 960);
}

/*
 * Whether a GPU may have to look at a producer's frames: not those of one window alone, as large as
 * it is. To hand a frame's memory over and take it back costs the producer some 10 us of each.
 */
static bool
may_be_drawn_by_gpu(struct kr_display *display)
{
	const uint32_t drawn = KR_PLACE_SIZE | KR_PLACE_ALPHA;
	bool placed = false;

	if (!display->drawing.possible)
		return false;
	kr_mutex_lock(&display->lock);
	for (unsigned i = 0; i < display->expected_groups && !placed; i++)
		placed = display->groups[i].place.set & drawn;
	kr_mutex_unlock(&display->lock);
	return placed || display->expected_groups > 1 ||
		kr_display_get_layout(display) != KR_LAYOUT_NATIVE ||
		!kr_list_empty(&display->producers) ||
		!strcmp(display->config.device, KR_HWC_GPU_FORCED);
}

/* What is told of frames, and how late. */
static struct kr_timing
timing_of(const struct kr_display *display)
{
	bool virtual_clock = display->config.clock == KR_CLOCK_VIRTUAL;
	uint32_t gpu = KR_ABILITY(KR_EVENT_GPU_DONE);
	int64_t latency_ns = kr_display_latency_ns(display);

	return (struct kr_timing){
		.virtual_clock = virtual_clock,
		.targets = KR_TIMING_TARGETS,
		.events = KR_TIMING_EVENTS & ~(display->draws_by_gpu ? 0 : gpu),
		.phase_ns = kr_display_phase_ns(display, latency_ns),
		.latency_ns = latency_ns,
	};
}

int
kr_producer_create(struct kr_display *display, int take_socket)
{
	static const struct kr_consumer_events events = {
		.frame_available = handle_frame_available,
		.frame_replaced = handle_frame_replaced,
		.producer_waiting = handle_waiting,
		.producer_described = handle_described,
		.vblank_watched = handle_vblank_watched,
		.noticed = handle_noticed,
		.disconnected = handle_disconnected,
		.buffer_dropped = handle_buffer_dropped,
	};
	bool virtual_clock = display->config.clock == KR_CLOCK_VIRTUAL;
	struct kr_remote_display info = {
		.refresh_ns = display->grid.period_ns,
		.virtual_clock = virtual_clock,
		.consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
		.max_acquired = KR_DISPLAY_MAX_ACQUIRED,
		.format = liked_format(display),
		.transform_hint = (uint32_t)display->config.transform,
		.name = "Krafla",
		.refresh_mhz = display->rates_mhz[display->rate],
		.hears_rates = true,
		.abilities = {.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT),
			.transforms = KR_ABILITY_TRANSFORMS,
			.alphas = KR_ABILITY_ALL(KR_ALPHA_COUNT),
			.scalings = KR_ABILITY_ALL(KR_SCALING_COUNT),
			.gravities = KR_ABILITY_ALL(KR_GRAVITY_COUNT),
			.counters = KR_ABILITY_VBLANK,
			.colours = KR_ABILITY_ALL(KR_COLOUR_COUNT),
			.tells_shown = true},
		.timing = timing_of(display),
	};
	struct kr_producer *producer = calloc(1, sizeof(*producer));
	int err;

	if (!producer) {
		kr_fd_close(&take_socket);
		return -ENOMEM;
	}
	if (may_be_drawn_by_gpu(display))
		info.consumer_usage |= KR_USAGE_GPU_MEMORY;
	kr_display_find_screen(display, &info.width, &info.height);
	info.width_mm = millimetres(info.width);
	info.height_mm = millimetres(info.height);
	producer->display = display;
	producer->own_number = ++display->connections;
	producer->head_fence = producer->lent = -1;
	producer->current_fence = producer->replaced_fence = -1;
	producer->prepared.fence = producer->spare.fence = -1;
	producer->idle_since_ns = kr_clock_now();
	err = kr_consumer_remote_create(
		take_socket, &info, virtual_clock, &events, producer, &producer->consumer);
	if (err < 0)
		goto err_free;
	/* Whoever draws on the GPU is given buffers by their handles. */
	if (display->drawing.possible)
		kr_consumer_remote_keep_handles(producer->consumer);
	err = kr_consumer_remote_count(producer->consumer, &display->descriptors);
	if (err < 0)
		goto err_consumer;
	producer->of_this_process = kr_consumer_pid(producer->consumer) == getpid();
	kr_producer_begin_wants(producer);
	kr_list_append(&display->producers, &producer->link);
	kr_producer_enter(producer);
	return 0;

err_consumer:
	kr_consumer_destroy(producer->consumer);
err_free:
	free(producer);
	return err;
}

void
kr_producer_destroy(struct kr_producer *producer)
{
	struct kr_display *display = producer->display;

	kr_producer_finish_layer(producer);
	kr_producer_end_wishes(producer);
	kr_producer_watch_vblank(producer, false, 0);
	kr_display_forget_layers(producer);
	if (producer->greeted && display->hooks.producer_gone)
		display->hooks.producer_gone(display->data, kr_consumer_label(producer->consumer),
			kr_consumer_pid(producer->consumer));
	kr_producer_leave_count(producer);
	kr_consumer_destroy(producer->consumer);
	kr_producer_leave(producer);
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

bool
kr_producer_spent(const struct kr_producer *producer)
{
	if (!producer->greeted && !producer->gone)
		return kr_clock_now() - producer->idle_since_ns >= KR_DISPLAY_HELLO_NS;
	return producer->gone && !producer->staging &&
		(producer->head == KR_HEAD_NONE || producer->stuck);
}
