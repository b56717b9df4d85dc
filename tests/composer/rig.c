/* SPDX-License-Identifier: Apache-2.0 */
/* Display and producers of the composer's tests. */
#include "rig.h"

#include "half.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "gralloc/pixels.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "window/remote/remote.h"
#include "window/queue/sink.h"

#define WAIT_NS (10 * KR_NSEC_PER_SEC)

struct kr_display_config
rig_config(enum kr_display_clock clock)
{
	return (struct kr_display_config){
		.width = RIG_WIDTH,
		.height = RIG_HEIGHT,
		.size_given = true,
		.refresh_mhz = 60000,
		.clock = clock,
		.idle_ns = WAIT_NS,
	};
}

static uint64_t
hash_pixels(const void *pixels, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const uint8_t *)pixels)[i]) * UINT64_C(0x100000001b3);
	return hash;
}

void
rig_read_picture(const struct kr_composed_frame *frame, uint32_t *to)
{
	kr_pixels_row_fn row = kr_pixels_to_xrgb(frame->format);

	assert_non_null(row);
	for (uint32_t y = 0; y < frame->height; y++, to += frame->width) {
		row((const uint8_t *)frame->pixels + (size_t)y * frame->row_bytes, to,
			frame->width);
		for (uint32_t x = 0; x < frame->width; x++)
			to[x] &= 0xffffff;
	}
}

static int
handle_frame(void *data, const struct kr_composed_frame *frame)
{
	struct rig *rig = data;
	size_t size = (size_t)frame->width * frame->height * sizeof(uint32_t);

	assert_true(size <= sizeof(rig->last));
	kr_mutex_lock(&rig->lock);
	rig_read_picture(frame, rig->last);
	rig->width = frame->width;
	rig->height = frame->height;
	rig->first = 0;
	memcpy(&rig->first, frame->pixels, kr_format_bytes(frame->format));
	rig->format = frame->format;
	rig->dataspace = frame->dataspace;
	rig->hdr = frame->hdr ? *frame->hdr : (struct kr_hdr_metadata){0};
	if (rig->frames < RIG_MAX_FRAMES) {
		rig->hashes[rig->frames] = hash_pixels(rig->last, size);
		rig->times[rig->frames] = frame->time_ns;
		rig->layers[rig->frames] = frame->layers;
	}
	rig->frames++;
	kr_cond_broadcast(&rig->changed);
	kr_mutex_unlock(&rig->lock);
	return (int)frame->number == rig->fail_at ? -EIO : 0;
}

static void
handle_connected(void *data, uint64_t window, const char *label, int pid)
{
	struct rig *rig = data;

	kr_mutex_lock(&rig->lock);
	rig->connected++;
	kr_cond_broadcast(&rig->changed);
	kr_mutex_unlock(&rig->lock);
}

static void
handle_gone(void *data, const char *label, int pid)
{
	struct rig *rig = data;

	kr_mutex_lock(&rig->lock);
	rig->gone++;
	kr_cond_broadcast(&rig->changed);
	kr_mutex_unlock(&rig->lock);
}

static void *
display_main(void *data)
{
	struct rig *rig = data;

	rig->result = kr_display_run(rig->display);
	return NULL;
}

static int
group_of(void *data, int pid)
{
	const struct rig *rig = data;

	return rig->group_of ? rig->group_of(data, pid) : 0;
}

void
rig_corner(struct kr_display *display)
{
	const struct kr_layout_place corner = {.set = KR_PLACE_POSITION};

	assert_int_equal(kr_display_set_group(display, 0, &corner), 0);
}

void
rig_start_with(struct rig *rig, const struct kr_display_config *config)
{
	static const struct kr_display_hooks hooks = {
		.group_of = group_of,
		.frame_pixels = true,
		.frame = handle_frame,
		.producer_connected = handle_connected,
		.producer_gone = handle_gone,
	};
	struct kr_display_config with_path = *config;

	kr_mutex_init(&rig->lock);
	kr_cond_init(&rig->changed);
	snprintf(rig->socket, sizeof(rig->socket), "%s/%p", kr_test_dir(), (void *)rig);
	with_path.socket_path = rig->socket;
	assert_int_equal(kr_display_create(&with_path, &hooks, rig, &rig->display), 0);
	if (!rig->laid_out)
		rig_corner(rig->display);
	kr_display_expect_groups(rig->display, rig->expected_groups);
	for (size_t i = 0; i < KR_ARRAY_LEN(rig->outputs) && rig->outputs[i]; i++)
		assert_int_equal(kr_display_add_output(rig->display, rig->outputs[i]), 0);
	assert_int_equal(pthread_create(&rig->thread, NULL, display_main, rig), 0);
}

void
rig_start(struct rig *rig, enum kr_display_clock clock)
{
	const struct kr_display_config config = rig_config(clock);

	rig_start_with(rig, &config);
}

void
rig_drain(struct rig *rig)
{
	kr_display_drain(rig->display);
	pthread_join(rig->thread, NULL);
	rig->thread = 0;
}

void
rig_stop(struct rig *rig, struct kr_display_stats *stats)
{
	kr_display_stop(rig->display);
	if (rig->thread)
		pthread_join(rig->thread, NULL);
	if (stats)
		kr_display_get_stats(rig->display, stats);
	kr_display_destroy(rig->display);
	kr_cond_finish(&rig->changed);
	kr_mutex_finish(&rig->lock);
}

struct kr_display_stats
rig_stats(struct rig *rig)
{
	struct kr_display_stats stats;

	kr_display_get_stats(rig->display, &stats);
	return stats;
}

static void
wait_counter(struct rig *rig, const unsigned *counter, unsigned count)
{
	int64_t deadline = kr_clock_now() + WAIT_NS;
	unsigned reached;

	kr_mutex_lock(&rig->lock);
	while (*counter < count &&
		kr_cond_wait_until(&rig->changed, &rig->lock, deadline) != -ETIMEDOUT)
		;
	reached = *counter;
	kr_mutex_unlock(&rig->lock);
	assert_true(reached >= count);
}

void
rig_wait_frames(struct rig *rig, unsigned count)
{
	wait_counter(rig, &rig->frames, count);
}

void
rig_wait_gone(struct rig *rig, unsigned count)
{
	wait_counter(rig, &rig->gone, count);
}

uint32_t
rig_pixel(struct rig *rig, unsigned x, unsigned y)
{
	uint32_t pixel;

	kr_mutex_lock(&rig->lock);
	pixel = rig->last[y * RIG_WIDTH + x];
	kr_mutex_unlock(&rig->lock);
	return pixel & 0xffffff;
}

struct kr_queue *
rig_window_at(const char *socket, const char *label)
{
	struct kr_remote_display info;
	struct kr_queue_config config = {0};
	struct kr_queue *queue;
	struct kr_sink *sink;

	assert_int_equal(
		kr_sink_remote_connect(socket, label, kr_clock_now() + WAIT_NS, &sink, &info), 0);
	config.default_width = info.width;
	config.default_height = info.height;
	config.default_format = info.format;
	config.consumer_usage = info.consumer_usage;
	config.max_acquired = info.max_acquired;
	config.refresh_ns = info.refresh_ns;
	config.transform_hint = info.transform_hint;
	config.abilities = info.abilities;
	config.timing = info.timing;
	assert_int_equal(kr_queue_create(&config, sink, &queue), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_CPU), 0);
	/* Two to draw into, one or two with the display. */
	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	return queue;
}

struct kr_queue *
rig_window(const struct rig *rig, const char *label)
{
	return rig_window_at(rig->socket, label);
}

void
rig_close(struct kr_queue *queue)
{
	kr_queue_disconnect(queue, NATIVE_WINDOW_API_CPU);
	kr_queue_unref(queue);
}

static uint64_t
encode(uint32_t format, uint32_t rgb)
{
	uint32_t r = rgb >> 16 & 0xff, g = rgb >> 8 & 0xff, b = rgb & 0xff;

	switch (format) {
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		return r << 16 | g << 8 | b;
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
		return r >> 3 << 11 | g >> 2 << 5 | b >> 3;
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		return kr_test_10_bit_pixel(rgb);
	case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
		return kr_test_half_pixel(rgb);
	default:
		return b << 16 | g << 8 | r;
	}
}

static void
draw(struct kr_buffer *buffer, uint32_t (*colour)(unsigned, unsigned, unsigned), unsigned seed)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	uint32_t bytes = kr_format_bytes(info->desc.format);
	void *data;

	assert_int_equal(kr_buffer_map(buffer, &data), 0);
	for (uint32_t y = 0; y < info->desc.height; y++) {
		uint8_t *row = (uint8_t *)data + (size_t)y * info->row_bytes;

		for (uint32_t x = 0; x < info->desc.width; x++) {
			uint64_t pixel = encode(info->desc.format, colour(x, y, seed));

			memcpy(row + (size_t)x * bytes, &pixel, bytes);
		}
	}
}

int
rig_try_show(struct kr_queue *queue, const struct rig_frame *frame,
	uint32_t (*colour)(unsigned, unsigned, unsigned), unsigned seed)
{
	const struct kr_queue_request request = {
		.width = frame->width,
		.height = frame->height,
		.format = frame->format,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_clock_now() + WAIT_NS,
	};
	const struct kr_queue_input input = {
		.transform = frame->transform,
		.scaling_mode = frame->scaling_mode,
		.crop = frame->crop,
		.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
		.dataspace = frame->dataspace,
		.hdr = frame->hdr,
		.presentation = frame->presentation,
		.target = frame->target,
		.window_width = frame->window_width,
		.window_height = frame->window_height,
		.damage_count = frame->damage.right > 0,
		.damage = {frame->damage},
	};
	struct kr_buffer *buffer;
	uint32_t slot;
	int fence, err;

	err = kr_queue_dequeue(queue, &request, &slot, &buffer, &fence);
	if (err < 0)
		return err;
	/* The CPU has read the frame before, but for who looks at a picture for longer. */
	assert_int_equal(kr_fence_wait(fence, kr_clock_now() + WAIT_NS), 0);
	kr_fd_close(&fence);
	draw(buffer, colour, seed);
	return kr_queue_queue(queue, slot, &input, frame->fence, frame->number);
}

void
rig_show(struct kr_queue *queue, const struct rig_frame *frame,
	uint32_t (*colour)(unsigned, unsigned, unsigned), unsigned seed)
{
	assert_int_equal(rig_try_show(queue, frame, colour, seed), 0);
}

uint32_t
rig_plain(unsigned x, unsigned y, unsigned seed)
{
	return (seed * 2654435761u) & 0xffffff;
}

uint32_t
rig_gradient(unsigned x, unsigned y, unsigned seed)
{
	return (x & 0xff) << 16 | (y & 0xff) << 8 | (seed & 0xff);
}

void
rig_show_plain(struct kr_queue *queue, unsigned seed)
{
	rig_show(queue, &RIG_FRAME, rig_plain, seed);
}
