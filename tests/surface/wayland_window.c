/* SPDX-License-Identifier: Apache-2.0 */
#include "wayland_window.h"

#include "harness.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "picture.h"
#include "surface/output.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"

int
wayland_shown_open(struct wayland_shown *s, struct wl_display *display, struct wl_surface *surface,
	uint32_t buffers)
{
	const struct kr_native_window native = {
		.system = KR_OUTPUT_SYSTEM_WAYLAND,
		.connection = display,
		.window = (uintptr_t)surface,
	};
	struct kr_queue_config config;
	int ret;

	*s = (struct wayland_shown){.width = 48, .height = 32};
	s->input.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO;
	assert_int_equal(kr_output_load("wayland", &s->module), 0);
	ret = s->module->open(&kr_output_host, &native, &config, &s->output);
	if (ret)
		return ret;
	assert_int_equal(kr_queue_create(&config, s->output->sink, &s->queue), 0);
	assert_int_equal(kr_queue_connect(s->queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_set_buffer_count(s->queue, buffers), 0);
	return 0;
}

void
wayland_shown_close(struct wayland_shown *s)
{
	kr_queue_unref(s->queue);
	s->queue = NULL;
}

uint32_t
wayland_shown_colour(uint32_t seed, unsigned quarter)
{
	static const uint32_t channels[4] = {0x010001, 0x000100, 0x000001, 0x010100};
	uint32_t five = 31 - (seed & 15);

	/* Exact in five bits a channel, and nowhere on Weston's desk. */
	return channels[quarter & 3] * (five << 3 | five >> 2);
}

void
wayland_shown_draw(struct kr_buffer *buffer, uint32_t seed)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	uint32_t width = info->desc.width, height = info->desc.height;
	void *data;

	assert_int_equal(kr_buffer_map(buffer, &data), 0);
	memset(data, 0x55, info->size);
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++)
			picture_pixel((char *)data + (size_t)y * info->row_bytes, x,
				info->desc.format, 0xff,
				wayland_shown_colour(
					seed, (x >= width / 2) + 2 * (y >= height / 2)));
	}
}

static int
dequeue(struct wayland_shown *s, uint32_t format, int64_t limit_ns, uint32_t *slot,
	struct kr_buffer **buffer)
{
	const struct kr_queue_request request = {
		.width = s->width,
		.height = s->height,
		.format = format,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_clock_now() + limit_ns,
	};
	int fence = -1, ret;

	ret = kr_queue_dequeue(s->queue, &request, slot, buffer, &fence);
	if (ret)
		return ret;
	assert_int_equal(kr_fence_wait(fence, kr_deadline_in(5 * KR_NSEC_PER_SEC)), 0);
	kr_fd_close(&fence);
	return 0;
}

int
wayland_shown_frame(struct wayland_shown *s, uint32_t format, uint32_t seed, int64_t limit_ns)
{
	struct kr_buffer *buffer;
	uint32_t slot;
	int ret = dequeue(s, format, limit_ns, &slot, &buffer);

	if (ret)
		return ret;
	wayland_shown_draw(buffer, seed);
	return kr_queue_queue(s->queue, slot, &s->input, -1, &s->number);
}

int
wayland_shown_plain(struct wayland_shown *s, uint32_t format, uint32_t word, int64_t limit_ns)
{
	struct kr_buffer *buffer;
	uint32_t slot, *words;
	void *data;
	int ret = dequeue(s, format, limit_ns, &slot, &buffer);

	if (ret)
		return ret;
	assert_int_equal(kr_buffer_map(buffer, &data), 0);
	words = data;
	for (uint64_t i = 0; i < kr_buffer_get_info(buffer)->size / sizeof(*words); i++)
		words[i] = word;
	return kr_queue_queue(s->queue, slot, &s->input, -1, &s->number);
}
