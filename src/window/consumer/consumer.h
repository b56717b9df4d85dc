/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The consumer's end: frames come out, buffers go back. The same interface for a consumer in the
 * producer's process (local) and for one behind a socket (window/remote/remote.h, in the composer).
 *
 * Thread-safety: a consumer is used by one thread at a time; the local one may be called from
 * another thread than the producer's.
 */
#ifndef KR_WINDOW_CONSUMER_CONSUMER_H
#define KR_WINDOW_CONSUMER_CONSUMER_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "window/queue/frame.h"
#include "window/queue/queue.h"

struct kr_consumer;
struct kr_sink;

struct kr_consumer_events {
	/*
	 * A frame may be acquired. From kr_consumer_dispatch (remote) or the producer's thread
	 * (local).
	 */
	void (*frame_available)(void *data);
	/* A queued frame was replaced by a newer one before it was acquired (async mode). */
	void (*frame_replaced)(void *data, uint64_t number);
	/* The producer waits for a buffer. */
	void (*producer_waiting)(void *data);
	/* What renders, as the producer tells it: printable ASCII, valid during the call. */
	void (*producer_described)(void *data, const char *device);
	/*
	 * The producer waits for the next vertical blank (`on`), or has been told of it by
	 * kr_consumer_vblank.
	 */
	void (*vblank_watched)(void *data, bool on);
	/*
	 * Remote: it has said hello, and its label is known. NULL: it is welcome; else the sentence
	 * with which it is refused.
	 */
	const char *(*producer_greets)(void *data);
	/* The producer disconnected or died; frames in hand stay valid until released. */
	void (*disconnected)(void *data);
	/*
	 * Remote: a reference that is the callee's to drop, often the last one; NULL: it is dropped
	 * at once. Also while the consumer is destroyed.
	 */
	void (*buffer_dropped)(void *data, struct kr_buffer *take_buffer);
};

/*
 * Local: a sink for kr_queue_create and the consumer that reads from it. The consumer holds the
 * sink's state alive; the queue may be destroyed first. `events` is copied; its functions may be
 * NULL.
 */
int kr_consumer_local_create(const struct kr_consumer_events *events, void *data,
	struct kr_sink **sink, struct kr_consumer **consumer) KR_MUST_CHECK;

/* To poll for input; -1 for a local one. */
int kr_consumer_fd(const struct kr_consumer *consumer);
/*
 * Reads what has arrived, a number of messages at most; more can be polled for. 0, or -EPIPE when
 * the producer is gone or broke the protocol (logged).
 */
int kr_consumer_dispatch(struct kr_consumer *consumer);

/*
 * The oldest queued frame; -EAGAIN none, -EBUSY when max_acquired + 1 are held, -EPIPE gone and
 * empty.
 *
 * A frame of a shared mode (kr_frame.presentation) is of a slot that stays with the consumer, while
 * the producer draws into it: later frames of it have the same slot and are acquired beside the
 * one that is held, which counts once. The newest of them alone is released, when a frame of
 * another slot has taken its place; to release one before it does nothing.
 */
int kr_consumer_acquire(struct kr_consumer *consumer, struct kr_frame *frame) KR_MUST_CHECK;
/* Likewise, however many are held: one that isn't shown, and is given back at once. */
int kr_consumer_skip(struct kr_consumer *consumer, struct kr_frame *frame) KR_MUST_CHECK;
/* Looks at the oldest queued frame without taking it (its fence stays the consumer's). -EAGAIN. */
int kr_consumer_peek(struct kr_consumer *consumer, struct kr_frame *frame);
/* Likewise at the one that comes `index` frames after it. */
int kr_consumer_peek_at(struct kr_consumer *consumer, uint32_t index, struct kr_frame *frame);
/*
 * Gives an acquired frame back; its acquire fence is the caller's to close. -ESTALE when it isn't
 * held; -EPIPE when the producer is gone (the frame is given up all the same; frames that it sent
 * before it went may still come from dispatch).
 */
int kr_consumer_release(
	struct kr_consumer *consumer, const struct kr_frame *frame, int take_release_fence);
/* Likewise, and tells what became of it, as kr_consumer_tell_events does. */
int kr_consumer_release_timed(struct kr_consumer *consumer, const struct kr_frame *frame,
	int take_release_fence, const struct kr_frame_events *events);
/*
 * What is wanted of the producer's frames from wants->from on (wants.h); until it is said, all. A
 * producer that hears it late, or can't be told, has pixels in more of them; and a frame that has
 * none says so (kr_frame.no_pixels), wanted or not. 0; -EPIPE the producer is gone.
 */
int kr_consumer_set_wants(struct kr_consumer *consumer, const struct kr_wants *wants);
/*
 * Frame `number` and all before it are on screen, or were replaced or dropped for good. For frames
 * that ask for it (kr_frame.presentation.tell_shown), when the consumer's abilities say that it
 * tells; others needn't be told. A frame that took the place of one that asked asks, too.
 */
void kr_consumer_shown(struct kr_consumer *consumer, uint64_t number, int64_t time_ns);
/*
 * What became of a frame that asks for it (kr_frame.presentation.tell_events), or a part of it:
 * what the consumer's timing says that it tells, each event once, KR_TIME_INVALID for what will not
 * be. Of frames that don't ask nothing is sent.
 */
void kr_consumer_tell_events(struct kr_consumer *consumer, const struct kr_frame_events *events);
/* The window is of another size (0: as it is), or turned (KR_HINT_SAME: as it is). */
void kr_consumer_configure(
	struct kr_consumer *consumer, uint32_t width, uint32_t height, uint32_t transform_hint);
/* A vertical blank: how many there were, and when. Nothing, when nobody waits for it. */
void kr_consumer_vblank(struct kr_consumer *consumer, uint64_t count, int64_t time_ns);
/* What the producer said it is (program name, surface kind), for summaries; never NULL. */
const char *kr_consumer_label(const struct kr_consumer *consumer);
/* The peer's process id as the kernel knows it (SO_PEERCRED); 0 for local. */
int kr_consumer_pid(const struct kr_consumer *consumer);
/* Releases what is held, closes; NULL is nothing. The producer sees the consumer as gone. */
void kr_consumer_destroy(struct kr_consumer *consumer);

#endif
