/* SPDX-License-Identifier: Apache-2.0 */
/* See queue.h. */
#include "composer/output/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/queue/queue.h"
#include "window/remote/remote.h"

#define CONNECT_NS (5 * KR_NSEC_PER_SEC)

struct kr_display_queue {
	struct kr_queue *queue;
	char *socket;
	uint32_t width;
	uint32_t height;
	uint32_t format;
	bool renewed; /* a picture was left out: all of the next one is new */
	struct kr_display_queue_stats stats;
	struct {
		AHardwareBuffer *buffer; /* NULL: nothing is out here */
		uint32_t slot;
	} out[KR_DISPLAY_QUEUE_AHEAD];
};

static int
connect_to(const char *socket, uint32_t width, uint32_t height, struct kr_queue **queue)
{
	struct kr_remote_display info;
	struct kr_queue_config config;
	struct kr_sink *sink;
	int err = kr_sink_remote_connect(
		socket, "krafla display", kr_deadline_in(CONNECT_NS), &sink, &info);

	if (err)
		return err;
	config = (struct kr_queue_config){
		.default_width = width,
		.default_height = height,
		.default_format = info.format,
		.consumer_usage = info.consumer_usage,
		.max_acquired = info.max_acquired,
		.max_buffers = info.max_buffers,
		.refresh_ns = info.refresh_ns,
	};
	return kr_queue_create(&config, sink, queue);
}

/* Somebody must be the producer, with as many buffers as can be out. */
static int
begin(struct kr_queue *queue)
{
	int err = kr_queue_connect_as(queue, NATIVE_WINDOW_API_CPU, false, NULL);

	if (!err)
		err = kr_queue_set_buffer_count(
			queue, kr_queue_min_undequeued(queue) + KR_DISPLAY_QUEUE_AHEAD);
	return err;
}

int
kr_display_queue_open(
	const char *socket, uint32_t width, uint32_t height, struct kr_display_queue **queue)
{
	struct kr_display_queue *made;
	struct kr_queue_config config;
	int err = -EINVAL;

	if (!width || !height)
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->socket = strdup(socket);
	err = made->socket ? connect_to(socket, width, height, &made->queue) : -ENOMEM;
	if (!err)
		err = begin(made->queue);
	if (err) {
		kr_display_queue_close(made);
		return err;
	}
	kr_queue_set_label(made->queue, "display");
	kr_queue_get_config(made->queue, &config);
	made->width = width;
	made->height = height;
	made->format = config.default_format;
	*queue = made;
	return 0;
}

void
kr_display_queue_close(struct kr_display_queue *queue)
{
	if (!queue)
		return;
	kr_queue_unref(queue->queue);
	free(queue->socket);
	free(queue);
}

uint32_t
kr_display_queue_format(const struct kr_display_queue *queue)
{
	return queue->format;
}

void
kr_display_queue_set_format(struct kr_display_queue *queue, uint32_t format)
{
	queue->format = format;
}

void
kr_display_queue_set_size(struct kr_display_queue *queue, uint32_t width, uint32_t height)
{
	queue->width = width;
	queue->height = height;
	queue->renewed = true;
}

static int
lose(struct kr_display_queue *queue)
{
	if (!queue->stats.lost)
		kr_warn("display: the program at %s takes no more pictures; the display goes on without it",
			queue->socket);
	queue->stats.lost = true;
	return -ENODEV;
}

/* Where a buffer is out; where there is none for NULL. -1. */
static int
find(const struct kr_display_queue *queue, const AHardwareBuffer *buffer)
{
	for (int i = 0; i < KR_DISPLAY_QUEUE_AHEAD; i++) {
		if (queue->out[i].buffer == buffer)
			return i;
	}
	return -1;
}

/*
 * A buffer that nobody reads any more: -EAGAIN when that which comes next is still read. The
 * program that reads it may take as long as it likes, and windows would wait with the picture.
 */
static int
dequeue_ready(struct kr_display_queue *queue, uint32_t *slot, struct kr_buffer **buffer)
{
	/* The deadline has passed: what is free, or nothing. */
	const struct kr_queue_request request = {
		.width = queue->width,
		.height = queue->height,
		.format = queue->format,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
	};
	int fence, err = kr_queue_dequeue(queue->queue, &request, slot, buffer, &fence);

	if (err)
		return err;
	if (kr_fence_status(fence) == KR_FENCE_ACTIVE) {
		(void)kr_queue_cancel(queue->queue, *slot, fence);
		return -EAGAIN;
	}
	kr_fd_close(&fence);
	return 0;
}

int
kr_display_queue_dequeue(struct kr_display_queue *queue, AHardwareBuffer **buffer)
{
	int at = find(queue, NULL), err = -EAGAIN;
	struct kr_buffer *got;

	if (queue->stats.lost)
		return -ENODEV;
	if (at >= 0)
		err = dequeue_ready(queue, &queue->out[at].slot, &got);
	if (err == -ENODEV)
		return lose(queue);
	if (err) {
		queue->stats.dropped++;
		queue->renewed = true;
		return -EAGAIN;
	}
	queue->out[at].buffer = ANativeWindowBuffer_getHardwareBuffer(kr_buffer_native(got));
	*buffer = queue->out[at].buffer;
	return 0;
}

int
kr_display_queue_queue(struct kr_display_queue *queue, AHardwareBuffer *buffer, int64_t time_ns,
	uint32_t damage_count, const ARect *damage, int take_present_fence)
{
	struct kr_queue_input input = {.timestamp_ns = time_ns};
	int at = buffer ? find(queue, buffer) : -1, err;

	if (at < 0) {
		kr_fd_close(&take_present_fence);
		return -EINVAL;
	}
	if (!queue->renewed && damage_count <= KR_FRAME_MAX_DAMAGE)
		input.damage_count = damage_count;
	for (uint32_t i = 0; i < input.damage_count; i++)
		input.damage[i] = (android_native_rect_t){
			damage[i].left, damage[i].top, damage[i].right, damage[i].bottom};
	err = kr_queue_queue(queue->queue, queue->out[at].slot, &input, take_present_fence, NULL);
	queue->out[at].buffer = NULL;
	queue->renewed = err != 0;
	queue->stats.queued += !err;
	queue->stats.dropped += err != 0;
	return 0;
}

void
kr_display_queue_cancel(struct kr_display_queue *queue, AHardwareBuffer *buffer, int take_fence)
{
	int at = buffer ? find(queue, buffer) : -1;

	if (at < 0) {
		kr_fd_close(&take_fence);
		return;
	}
	/* Of a queue that is gone nothing comes back. */
	(void)kr_queue_cancel(queue->queue, queue->out[at].slot, take_fence);
	queue->out[at].buffer = NULL;
	queue->renewed = true;
	queue->stats.dropped++;
}

struct kr_display_queue_stats
kr_display_queue_get_stats(const struct kr_display_queue *queue)
{
	return queue->stats;
}
