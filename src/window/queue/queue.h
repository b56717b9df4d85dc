/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BufferQueue core (DESIGN 5.5): 64 slots between one producer and one consumer, in the
 * producer's process. State machine, limits and errors follow Android's BufferQueue
 * (as read in Android 15's source; what a caller notices is a case of
 * tests/window/queue/test_queue.c).
 *
 *            dequeue            queue              submit to the sink
 *     FREE ----------> DEQUEUED -----> QUEUED (with the sink) ---------> FREE   by kr_queue_release
 *       ^-- cancel --------'
 *
 * The far end is a kr_sink: it is told of each buffer once, gets every frame, and gives slots back
 * with release fences. While a producer waits in dequeue it polls the sink's descriptor and lets it
 * dispatch. A sink that takes frames only when they are ready gets them from a thread (gate.h);
 * there is no other. Nothing waits under the lock.
 *
 * Thread-safety: all functions may be called from any thread.
 */
#ifndef KR_WINDOW_QUEUE_QUEUE_H
#define KR_WINDOW_QUEUE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "window/queue/frame.h"
#include "window/queue/wants.h"

struct kr_queue;
struct kr_sink;
struct kr_buffer;

struct kr_queue_config {
	uint32_t default_width; /* what a producer gets that asks for 0x0 */
	uint32_t default_height;
	uint32_t default_format; /* AHARDWAREBUFFER_FORMAT_* */
	uint64_t consumer_usage; /* AHARDWAREBUFFER_USAGE_* bits the far end needs */
	uint32_t max_acquired;   /* frames the far end holds at a time; at least 1 */
	uint32_t transform_hint;
	int64_t refresh_ns; /* 0: the far end has no clock */
	/* What the far end can show; without any modes, what was before there were abilities. */
	struct kr_abilities abilities;
	struct kr_timing timing;
};

/*
 * A queue with its sink, which it owns from now on, also on failure. One reference for the caller.
 */
int kr_queue_create(const struct kr_queue_config *config, struct kr_sink *take_sink,
	struct kr_queue **queue) KR_MUST_CHECK;
/*
 * What the window is called (cut to 28 bytes), for the fences that pass through it: "LABEL:SLOT"
 * (S-07). Without, or for NULL, it is the program's name.
 */
void kr_queue_set_label(struct kr_queue *queue, const char *label);
struct kr_queue *kr_queue_ref(struct kr_queue *queue);
void kr_queue_unref(struct kr_queue *queue);

/* --- producer --- */

struct kr_queue_request {
	uint32_t width; /* 0x0: default */
	uint32_t height;
	uint32_t format;     /* 0: default */
	uint64_t usage;      /* joined with consumer_usage */
	int64_t deadline_ns; /* absolute; KR_FOREVER; in the past: don't wait */
};

struct kr_queue_input {
	int32_t dataspace;
	struct kr_hdr_metadata hdr;
	int32_t transform;
	int32_t scaling_mode;
	android_native_rect_t crop;
	int64_t timestamp_ns;
	bool no_pixels; /* as in struct kr_frame */
	struct kr_presentation presentation;
	struct kr_frame_target target;
	uint32_t window_width; /* as in struct kr_frame */
	uint32_t window_height;
	uint32_t damage_count;
	android_native_rect_t damage[KR_FRAME_MAX_DAMAGE];
};

/* -EINVAL when somebody is connected already, -ENODEV when the consumer is gone. */
int kr_queue_connect(struct kr_queue *queue, int api) KR_MUST_CHECK;
/* Frees all slots that aren't with the consumer; those are freed when they come back. */
int kr_queue_disconnect(struct kr_queue *queue, int api);
/*
 * 0: *slot, *buffer (borrowed until the slot is freed or reallocated) and *fence (caller's, -1
 * none). -ETIMEDOUT; -ENOSYS when too many are dequeued; -ENODEV consumer gone or nobody connected;
 * -EINVAL; -EOPNOTSUPP for a size, format or usage that can't be had; -ENOMEM, -EMFILE... May be
 * called with a deadline in the past again and again: the display's silence is counted across
 * calls.
 */
int kr_queue_dequeue(struct kr_queue *queue, const struct kr_queue_request *request, uint32_t *slot,
	struct kr_buffer **buffer, int *fence) KR_MUST_CHECK;
/*
 * Owns the fence on every path. *number may be NULL. -EINVAL wrong state, or values that are none;
 * -EOPNOTSUPP a presentation that the far end hasn't; -ENODEV.
 */
int kr_queue_queue(struct kr_queue *queue, uint32_t slot, const struct kr_queue_input *input,
	int take_fence, uint64_t *number) KR_MUST_CHECK;
int kr_queue_cancel(struct kr_queue *queue, uint32_t slot, int take_fence);
/* The slot of a buffer that is dequeued, -EINVAL when it isn't. */
int kr_queue_slot_of(struct kr_queue *queue, const struct kr_buffer *buffer, uint32_t *slot);

/*
 * Async: room for one buffer more, which frames of modes that drop need (presentation.h). Which
 * frames are dropped each frame's mode says alone: with this room modes may be switched from frame
 * to frame. -EINVAL when the counts would not fit.
 */
int kr_queue_set_async(struct kr_queue *queue, bool async);
/*
 * Shared buffer mode: the buffer that is dequeued next is the only one from then on. Dequeue gives
 * it at once, also while the far end has it (-ENOSYS while it is dequeued; -EINVAL for another
 * size, format or more usage than it has), queue makes a frame of it each time, whose mode says
 * that it is shared. It is released once, by the far end, when a frame of another buffer has taken
 * its place; from when such a frame was queued on it can't be queued any more (-EINVAL). A
 * disconnect ends the mode. -EOPNOTSUPP: the far end can't.
 */
int kr_queue_set_shared(struct kr_queue *queue, bool shared);
/* In it: the far end reads the buffer at each refresh, told or not. -EOPNOTSUPP. */
int kr_queue_set_auto_refresh(struct kr_queue *queue, bool auto_refresh);
/* setBufferCount: n buffers in all, minus those the consumer needs; 0 resets. -EINVAL. */
int kr_queue_set_buffer_count(struct kr_queue *queue, uint32_t count);
uint32_t kr_queue_min_undequeued(struct kr_queue *queue);
uint32_t kr_queue_max_buffers(struct kr_queue *queue);
/* Frames since the buffer of this dequeued slot was queued; 0 when its content is undefined. */
uint32_t kr_queue_buffer_age(struct kr_queue *queue, uint32_t slot);
uint64_t kr_queue_next_frame(struct kr_queue *queue);
/* Whether anybody wants the pixels of the next frame, as far as the far end was heard. */
bool kr_queue_next_wanted(struct kr_queue *queue);
/* At least two frames are known to wait behind those that the far end may hold. */
bool kr_queue_running_behind(struct kr_queue *queue);
void kr_queue_get_config(struct kr_queue *queue, struct kr_queue_config *config);
/*
 * Waits until a frame is shown (kr_queue_shown), taking in what comes from the far end as dequeue
 * does, beside it if need be. A number that wasn't queued yet is waited for, too. 0; -ETIMEDOUT;
 * -ENODEV the far end is gone, and it was not shown before.
 */
int kr_queue_wait_shown(struct kr_queue *queue, uint64_t number, int64_t deadline_ns) KR_MUST_CHECK;
/* The last frame that was shown, 0 none, after taking in what has come. */
uint64_t kr_queue_last_shown(struct kr_queue *queue);
/*
 * When a frame was shown, as the far end has said of this very one, by its clock; after taking in
 * what has come. 0; -EAGAIN it has said nothing yet; -ENOENT it has spoken of a later one alone, or
 * it is long ago; -EOPNOTSUPP it tells of none.
 */
int kr_queue_shown_time(struct kr_queue *queue, uint64_t number, int64_t *time_ns) KR_MUST_CHECK;
/*
 * When a frame's buffer came back, so that it could be dequeued without waiting for the far end
 * (CLOCK_MONOTONIC, as it was heard here); after taking in what has come. 0; -EAGAIN the far end
 * has it; -ENOENT it never had it, or it is long ago.
 */
int kr_queue_came_back_time(struct kr_queue *queue, uint64_t number, int64_t *time_ns)
	KR_MUST_CHECK;
/*
 * What is known of a frame, after taking in what has come. Only frames that ask for it
 * (presentation.tell_events) are told of: of others all but what the queue knows itself is
 * KR_TIME_INVALID. 0; -ENOENT: it wasn't queued, or is further back than KR_FRAME_HISTORY.
 */
int kr_queue_frame_times(struct kr_queue *queue, uint64_t number, struct kr_frame_times *times)
	KR_MUST_CHECK;
/*
 * Waits for the far end's next vertical blank: how many there were, and when (CLOCK_MONOTONIC).
 * -EOPNOTSUPP without such a counter (abilities); -ETIMEDOUT; -ENODEV.
 */
int kr_queue_wait_vblank(struct kr_queue *queue, uint64_t *count, int64_t *time_ns,
	int64_t deadline_ns) KR_MUST_CHECK;
/* Tells the far end what renders: a device's name, for summaries and tools. */
void kr_queue_describe(struct kr_queue *queue, const char *device);
/* Whether the far end still lives; takes in what has arrived from it first. */
bool kr_queue_alive(struct kr_queue *queue);

/* --- for sinks (any thread) --- */

/*
 * A frame came back. -ESTALE when slot and number don't match; the fence is closed on every path.
 */
int kr_queue_release(struct kr_queue *queue, uint32_t slot, uint64_t number, int take_fence);
/* The far end is gone: all producer calls fail with -ENODEV from now on, waiters wake. */
void kr_queue_abandon(struct kr_queue *queue);
/* What the far end wants from frame wants->from on; until it says something, it wants all. */
void kr_queue_set_wants(struct kr_queue *queue, const struct kr_wants *wants);
/*
 * The window has become another: its size (0: as it is) and how the producer should turn what it
 * draws (NATIVE_WINDOW_TRANSFORM_* bits; KR_HINT_SAME: as it is).
 */
#define KR_HINT_SAME UINT32_MAX
void kr_queue_configure(
	struct kr_queue *queue, uint32_t width, uint32_t height, uint32_t transform_hint);
/*
 * Frame `number` and all before it are on screen, or were replaced or dropped for good. For sinks
 * that tell it (abilities.tells_shown); frames that ask for it (presentation.tell_shown) at least.
 */
void kr_queue_shown(struct kr_queue *queue, uint64_t number, int64_t time_ns);
/*
 * What became of a frame, or a part of it (timing.h). One that isn't remembered any more, and what
 * was told before, are passed over.
 */
void kr_queue_events(struct kr_queue *queue, const struct kr_frame_events *events);
/* The answer to watch_vblank of struct kr_sink_impl. */
void kr_queue_vblank(struct kr_queue *queue, uint64_t count, int64_t time_ns);

#endif
