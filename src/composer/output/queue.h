/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of a program that takes a display's pictures as buffers: the producer's end of a reader
 * (<krafla/window.h>) that listens on a socket. A virtual display writes into what is dequeued
 * here, and what it has presented is queued with the present fence.
 *
 * It never waits for the program: while that has all buffers a picture is left out for it, and
 * counted. When it goes, or says nothing for 5 s although it owes buffers, the queue is lost, which
 * is told once.
 *
 * Thread-safety: one thread at a time.
 */
#ifndef KR_COMPOSER_OUTPUT_QUEUE_H
#define KR_COMPOSER_OUTPUT_QUEUE_H

#include <krafla/hardware_buffer.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

/* Buffers that can be out at a time: what is written, and what comes next. */
#define KR_DISPLAY_QUEUE_AHEAD 2

struct kr_display_queue;

struct kr_display_queue_stats {
	uint64_t queued;  /* pictures that the program was given */
	uint64_t dropped; /* for want of a buffer that could be written */
	bool lost;
};

/*
 * Connects to a reader's socket, for pictures of that size. 0; -EINVAL; -ENOENT, -ECONNREFUSED
 * nobody listens there; -ETIMEDOUT (5 s), -EPROTO; -ENOMEM, -EMFILE. Told by the caller.
 */
int kr_display_queue_open(const char *socket, uint32_t width, uint32_t height,
	struct kr_display_queue **queue) KR_MUST_CHECK;
/* What is queued stays the program's. NULL is nothing. */
void kr_display_queue_close(struct kr_display_queue *queue);

/* AHARDWAREBUFFER_FORMAT_* that the program likes; and the format that it will get. */
uint32_t kr_display_queue_format(const struct kr_display_queue *queue);
void kr_display_queue_set_format(struct kr_display_queue *queue, uint32_t format);
/* The size of what is dequeued from now on. */
void kr_display_queue_set_size(struct kr_display_queue *queue, uint32_t width, uint32_t height);

/*
 * A buffer for the next picture, borrowed until it is queued or cancelled. It may be written at
 * once: one whose release fence is still to signal isn't given. 0; -EAGAIN there is none, and the
 * picture is left out; -ENODEV the queue is lost.
 */
int kr_display_queue_dequeue(struct kr_display_queue *queue, AHardwareBuffer **buffer)
	KR_MUST_CHECK;
/*
 * The picture of `time_ns` is in it once the fence has signalled, which is taken on every path. The
 * damage is against the picture before, none: everything; what was left out in between is minded
 * here. -EINVAL: it isn't out. That the program is gone shows at the next dequeue.
 */
int kr_display_queue_queue(struct kr_display_queue *queue, AHardwareBuffer *buffer, int64_t time_ns,
	uint32_t damage_count, const ARect *damage, int take_present_fence);
/* There is no picture in it after all. */
void kr_display_queue_cancel(
	struct kr_display_queue *queue, AHardwareBuffer *buffer, int take_fence);

struct kr_display_queue_stats kr_display_queue_get_stats(const struct kr_display_queue *queue);

#endif
