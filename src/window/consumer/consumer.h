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
#include "window/consumer/backlog.h"
#include "window/queue/far_end.h"
#include "window/queue/frame.h"

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
	 * Something of what a consumer can hear of (notice.h): frames, buffers that go, what the
	 * producer does. Its ticket is 0. From kr_consumer_dispatch, or the thread that did it.
	 */
	void (*noticed)(void *data, const struct kr_notice *notice);
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
/*
 * Likewise, with a wish (backlog.h): -ETIME what there is is meant for later. Frames that others
 * overtake go back to their producer.
 */
int kr_consumer_acquire_at(struct kr_consumer *consumer, const struct kr_acquire *how,
	struct kr_frame *frame) KR_MUST_CHECK;
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
 * Keeps the buffer of an acquired frame, which is the consumer's own then (*buffer, a reference):
 * it isn't held any more, and the producer gets another one. -ESTALE it isn't held; -EINVAL in
 * shared buffer mode. Of a producer that is gone, too.
 */
int kr_consumer_detach(struct kr_consumer *consumer, const struct kr_frame *frame,
	struct kr_buffer **buffer) KR_MUST_CHECK;
/*
 * Gives the producer a buffer (one more reference), as if it had been acquired: *frame is held,
 * and is released or detached like one. -EBUSY as for acquire; -EINVAL of another generation than
 * the producer's, in shared buffer mode, or one that is here already; -ENOMEM there is no slot for
 * it, or (remote) more is on its way than the producer takes in; -EOPNOTSUPP what windows don't
 * show, a GPU's memory alone, or an older producer; -ENODEV nobody is connected; -EPIPE gone.
 * Remote: whether there is a slot shows only later; one that found none is told
 * (KR_NOTICE_REFUSED, with its id), and is released all the same.
 */
int kr_consumer_attach(struct kr_consumer *consumer, struct kr_buffer *buffer,
	struct kr_frame *frame) KR_MUST_CHECK;
/*
 * How many frames may be held at a time, 1 to 62. -EINVAL: not that, less than are held, or more
 * than there may be buffers. Remote: what the producer's own limit doesn't allow shows there alone.
 */
int kr_consumer_set_max_acquired(struct kr_consumer *consumer, uint32_t count);
/* How many buffers there may be, 1 to 64. -EINVAL; -ENOSYS a producer is there. */
int kr_consumer_set_max_buffers(struct kr_consumer *consumer, uint32_t count);
/* What the frames to come should be. Producers of before version 6 don't hear of it. */
void kr_consumer_set_settings(
	struct kr_consumer *consumer, const struct kr_queue_settings *settings);
/* The producer gives up the buffers that are free. */
void kr_consumer_discard_free(struct kr_consumer *consumer);
/* Whether dequeues and cancels are noticed, too; at first they aren't. */
void kr_consumer_set_activity(struct kr_consumer *consumer, bool tells);
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
