/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands at the far end of a queue, in the producer's process: a null sink that swallows
 * frames, the local consumer, the connection to a display in another process, an X window.
 *
 * Calls into a sink are serialised by the queue (one at a time, never under the queue's lock), so a
 * sink needs no lock of its own unless it has a thread. A sink calls kr_queue_release and
 * kr_queue_abandon on the queue it was attached to, from any of its ops or later.
 */
#ifndef KR_WINDOW_QUEUE_SINK_H
#define KR_WINDOW_QUEUE_SINK_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "window/queue/far_end.h"
#include "window/queue/frame.h"
#include "window/queue/queue.h"

#define KR_SINK_MAX_POLL 4

struct kr_sink;

struct kr_sink_impl {
	const char *name;
	/* Required, first call: the queue it belongs to (borrowed; outlives the sink). */
	void (*attach)(struct kr_sink *sink, struct kr_queue *queue);
	/* Optional: a slot got a buffer (before its first frame) or lost it. 0 or -errno. */
	int (*add_buffer)(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer);
	void (*remove_buffer)(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer);
	/*
	 * Optional, in the place of remove_buffer: the producer took the slot's buffer for itself.
	 */
	void (*detach_buffer)(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer);
	/*
	 * Optional: the slot's buffer, which the sink knows, has got memory of a GPU beside
	 * its own (kr_buffer_info.gpu), once, while nothing of the slot is with the sink. 0 or
	 * -errno: then the far end goes on with what it has.
	 */
	int (*add_gpu_memory)(struct kr_sink *sink, uint32_t slot, struct kr_buffer *buffer);
	/*
	 * Required: a frame was queued. The sink owns frame->acquire_fence from now on, also on
	 * failure, and gives the slot back with kr_queue_release when nothing reads it any more.
	 * -EPIPE: the far end is gone. Any other error: the frame was not taken, the queue frees
	 * the slot itself.
	 */
	int (*submit)(struct kr_sink *sink, const struct kr_frame *frame);
	/*
	 * Optional: descriptors to poll while a producer waits; returns how many were filled in.
	 * They are polled outside the sink's calls, so the sink keeps them open until destroy.
	 */
	int (*poll_fds)(struct kr_sink *sink, struct pollfd fds[KR_SINK_MAX_POLL]);
	/*
	 * Optional: takes in what has arrived, without blocking. 0 nothing, positive something
	 * came, -EPIPE the far end is gone.
	 */
	int (*dispatch)(struct kr_sink *sink);
	/* Optional: a producer is about to wait for a buffer (a virtual clock wants to know). */
	void (*waiting)(struct kr_sink *sink);
	/*
	 * Optional: asks the far end for a sign of life, which dispatch will count as something
	 * that came. A sink that has this op is abandoned when it stays silent: see
	 * kr_sink_answer_ns.
	 */
	void (*ping)(struct kr_sink *sink);
	/*
	 * Required when the abilities have the counter: the next vertical blank is to be told by
	 * kr_queue_vblank, once. 0 or -errno.
	 */
	int (*watch_vblank)(struct kr_sink *sink);
	/* Optional: the producer has disconnected; another may come. */
	void (*disconnected)(struct kr_sink *sink);
	/*
	 * Optional: the producer has dequeued a slot's buffer, or given it back undrawn. Called
	 * only when the sink has said so (kr_queue_set_activity).
	 */
	void (*activity)(struct kr_sink *sink, uint32_t slot, uint64_t buffer_id, bool cancelled);
	/* Optional: the rate that the frames to come have. 0; -EOPNOTSUPP; -errno. */
	int (*set_frame_rate)(struct kr_sink *sink, const struct kr_frame_rate *rate);
	/* Optional: buffers that the far end attaches must have this generation. */
	void (*set_generation)(struct kr_sink *sink, uint32_t generation);
	/* Optional: what renders, for people to read (a device's name). */
	void (*describe)(struct kr_sink *sink, const char *device);
	/* It tells by kr_queue_taken which frames the far end has taken. */
	bool tells_taken;
	/*
	 * It can't wait for a frame's fence: frames come to submit when they are ready, without
	 * one, which may be later and on another thread than they were queued on (gate.h).
	 */
	bool ready_frames;
	/*
	 * Optional, of one whose frames are ready: whether it takes this one with its fence all the
	 * same, when none waits before it.
	 */
	bool (*takes_fence)(struct kr_sink *sink, const struct kr_frame *frame);
	/*
	 * Required; also for a sink that was never attached. All frames it holds are given up,
	 * their fences closed; buffers are not removed one by one before.
	 */
	void (*destroy)(struct kr_sink *sink);
};

/* First member of every sink. */
struct kr_sink {
	const struct kr_sink_impl *impl;
};

/*
 * How long a far end may stay silent although frames are with it and a producer waits (DESIGN rule
 * 7): after half of this time it is pinged, after all of it the queue is abandoned. Also the limit
 * for getting a message into its full socket. 5 s; tests shorten it (0 restores).
 */
int64_t kr_sink_answer_ns(void);
void kr_sink_set_answer_ns(int64_t ns);

/*
 * Releases every frame at once with its own acquire fence: "presented to nowhere". What a headless
 * surface without a display gets. A shared buffer it keeps until another comes. Frames that ask for
 * their times are taken, and shown, when they are ready (KR_SINK_NULL_EVENTS of struct kr_timing).
 */
#define KR_SINK_NULL_EVENTS                                                                        \
	(UINT32_C(1) << KR_EVENT_LATCH | UINT32_C(1) << KR_EVENT_READY |                           \
		UINT32_C(1) << KR_EVENT_SHOWN)
int kr_sink_null_create(struct kr_sink **sink) KR_MUST_CHECK;

#endif
