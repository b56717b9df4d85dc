/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BufferQueue core (DESIGN 5.5): 64 slots between one producer and one consumer, in the
 * producer's process. State machine, limits and errors are those of Android's BufferQueue;
 * docs/buffer-queue.md has what they are, sentence by sentence, and where Krafla's differ.
 *
 *            dequeue            queue              submit to the sink
 *     FREE ----------> DEQUEUED -----> QUEUED (with the sink) ---------> FREE   by kr_queue_release
 *       ^-- cancel, detach ----'          ^                               |
 *            attach                       '-- bring --- FREE <-- take_away'
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
#include "window/queue/notice.h"
#include "window/queue/wants.h"

struct kr_queue;
struct kr_sink;
struct kr_buffer;

struct kr_queue_config {
	uint32_t default_width; /* what a producer gets that asks for 0x0; both 0: 1x1 */
	uint32_t default_height;
	uint32_t default_format;   /* AHARDWAREBUFFER_FORMAT_*; 0: R8G8B8A8_UNORM */
	int32_t default_dataspace; /* HAL_DATASPACE_* of frames that say nothing */
	uint64_t consumer_usage;   /* AHARDWAREBUFFER_USAGE_* bits the far end needs */
	uint32_t max_acquired;     /* frames the far end holds at a time; at least 1 */
	uint32_t max_buffers;      /* in all; 0: KR_QUEUE_SLOTS */
	bool by_app;               /* the far end is the program's own: kr_queue_connect_as */
	bool is_protected;
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
/* For who knows a queue without a reference: false when the last one is gone. */
bool kr_queue_try_ref(struct kr_queue *queue) KR_MUST_CHECK;
void kr_queue_unref(struct kr_queue *queue);

/* --- producer --- */

struct kr_queue_request {
	uint32_t width; /* 0x0: default */
	uint32_t height;
	uint32_t format; /* 0: default */
	uint64_t usage;  /* joined with consumer_usage */
	/* Absolute; KR_FOREVER: as the queue's timeout has it; in the past: don't wait. */
	int64_t deadline_ns;
};

/* What a dequeue's flags say: IGraphicBufferProducer's numbers. */
#define KR_QUEUE_NEEDS_REALLOCATION 1 /* its producer doesn't know the buffer: request_buffer */
#define KR_QUEUE_RELEASE_ALL        2 /* forget all buffers; nothing here says so */

struct kr_queue_dequeued {
	uint32_t slot;
	int fence;    /* the caller's; -1: none */
	uint32_t age; /* as kr_queue_buffer_age */
	uint32_t flags;
};

/* What a producer is told at a connect, and with each frame. */
struct kr_queue_output {
	uint32_t width; /* the default size */
	uint32_t height;
	uint32_t transform_hint;
	uint32_t pending; /* frames that the far end hasn't taken, as far as is known */
	uint64_t next_frame;
	uint32_t max_buffers;
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

/*
 * -EINVAL when somebody is connected already, -ENODEV when the consumer is gone. `by_app`: the
 * producer is the program's own. If both ends are, and the dequeue timeout is negative, its
 * dequeues don't wait (-EAGAIN), and newer frames take the place of older ones. `output` may be
 * NULL. Without the two: a program's own.
 */
int kr_queue_connect_as(
	struct kr_queue *queue, int api, bool by_app, struct kr_queue_output *output) KR_MUST_CHECK;
int kr_queue_connect(struct kr_queue *queue, int api) KR_MUST_CHECK;
void kr_queue_get_output(struct kr_queue *queue, struct kr_queue_output *output);
/* Whoever is connected, for kr_queue_disconnect. */
#define KR_API_CURRENT (-1)
/*
 * Frees all slots that aren't with the consumer; those are freed when they come back, and frames
 * that are queued may still be shown. 0, also of a queue that is abandoned, and of KR_API_CURRENT
 * when nobody is connected; -ENODEV nobody is; -EINVAL another one is, or no such API.
 */
int kr_queue_disconnect(struct kr_queue *queue, int api);
/* Whoever is connected, if he did so in this process; 0 otherwise, too. */
int kr_queue_disconnect_local(struct kr_queue *queue);
/*
 * 0: a slot with a buffer to draw into. -EAGAIN there is none, and the producer can't wait
 * (kr_queue_connect_as); -ETIMEDOUT; -ENOSYS when too many are dequeued; -ENODEV consumer gone or
 * nobody connected; -EINVAL; -EOPNOTSUPP for a size, format or usage that can't be had; -ENOMEM,
 * -EMFILE... May be called with a deadline in the past again and again: the display's silence is
 * counted across calls.
 */
int kr_queue_dequeue_slot(struct kr_queue *queue, const struct kr_queue_request *request,
	struct kr_queue_dequeued *dequeued) KR_MUST_CHECK;
/*
 * The buffer of a slot that is dequeued, borrowed until the slot is freed or reallocated. What
 * wasn't requested can be neither queued nor detached. -EINVAL; -ENODEV.
 */
int kr_queue_request_buffer(struct kr_queue *queue, uint32_t slot, struct kr_buffer **buffer)
	KR_MUST_CHECK;
/* Both at once. */
int kr_queue_dequeue(struct kr_queue *queue, const struct kr_queue_request *request, uint32_t *slot,
	struct kr_buffer **buffer, int *fence) KR_MUST_CHECK;
/*
 * Owns the fence on every path. *number may be NULL. -EINVAL wrong state, or values that are none;
 * -EOPNOTSUPP a presentation that the far end hasn't; -ENODEV.
 */
int kr_queue_queue(struct kr_queue *queue, uint32_t slot, const struct kr_queue_input *input,
	int take_fence, uint64_t *number) KR_MUST_CHECK;
/* Owns the fence on every path. -EINVAL wrong state, and in shared buffer mode; -ENODEV. */
int kr_queue_cancel(struct kr_queue *queue, uint32_t slot, int take_fence);
/*
 * The slot of a buffer that is dequeued, -EINVAL when it isn't, or is no buffer: it isn't looked
 * at.
 */
int kr_queue_slot_of(struct kr_queue *queue, const struct kr_buffer *buffer, uint32_t *slot);
/*
 * Puts a buffer of the caller's (one more reference) into a slot, dequeued; waits for one as a
 * dequeue does, but takes one without a buffer before it gives up another. -EINVAL in shared buffer
 * mode, or when the buffer's generation isn't the queue's, or it is in a slot here; -EOPNOTSUPP no
 * far end shows such buffers; otherwise as a dequeue.
 */
int kr_queue_attach(struct kr_queue *queue, struct kr_buffer *buffer, int64_t deadline_ns,
	uint32_t *slot) KR_MUST_CHECK;
/*
 * Takes the buffer out of a dequeued slot, which is empty then: a reference of the caller's.
 * -EINVAL wrong state, not requested, or in shared buffer mode; -ENODEV.
 */
int kr_queue_detach(struct kr_queue *queue, uint32_t slot, struct kr_buffer **buffer) KR_MUST_CHECK;
/* Likewise the free buffer that came back first, with its fence (the caller's). -ENOMEM: none. */
int kr_queue_detach_next(struct kr_queue *queue, struct kr_buffer **buffer, int *fence)
	KR_MUST_CHECK;
/*
 * Allocates all buffers that there may be, one after the other, ahead of their dequeue: they come
 * before those that have been used. 0; -ENOSYS allocation isn't allowed; errors of a dequeue, with
 * what was allocated until then.
 */
int kr_queue_allocate(struct kr_queue *queue, const struct kr_queue_request *request);
/* Keeps the fence of the frame queued last from now on; before there are any. */
void kr_queue_keep_last(struct kr_queue *queue);
/*
 * The frame queued last: its buffer (a reference of the caller's; NULL none, or it is gone), its
 * acquire fence (the caller's; -1 it had none), crop and transform. -EOPNOTSUPP nobody keeps it;
 * -EMFILE; -ENODEV.
 */
struct kr_queue_last_frame {
	struct kr_buffer *buffer;
	int fence;
	android_native_rect_t crop;
	int32_t transform;
};
int kr_queue_last_queued(struct kr_queue *queue, struct kr_queue_last_frame *frame) KR_MUST_CHECK;

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
/* The shared buffer of the mode, with a reference, if it is this one, which isn't looked at. */
struct kr_buffer *kr_queue_get_shared(struct kr_queue *queue, const struct kr_buffer *buffer);
/* In it: the far end reads the buffer at each refresh, told or not. -EOPNOTSUPP. */
int kr_queue_set_auto_refresh(struct kr_queue *queue, bool auto_refresh);
/* setBufferCount: n buffers in all, minus those the consumer needs; 0 resets. -EINVAL. */
int kr_queue_set_buffer_count(struct kr_queue *queue, uint32_t count);
/* -EINVAL: 0, more than there may be in all, or less than are dequeued. */
int kr_queue_set_max_dequeued(struct kr_queue *queue, uint32_t count);
/*
 * How long a dequeue waits, from each time on that something has come back; negative: without a
 * limit. 0 and more: its producer can wait, whatever was so at its connect; more than 0: nor do
 * newer frames take the place of older ones for that.
 */
int kr_queue_set_timeout(struct kr_queue *queue, int64_t timeout_ns);
int64_t kr_queue_timeout(struct kr_queue *queue);
/* Whether both ends' being the program's own drops frames (kr_queue_connect_as); on at first. */
int kr_queue_set_legacy_drop(struct kr_queue *queue, bool drop);
/* Whether a dequeue may allocate; else it waits for a buffer that fits. On at each connect. */
void kr_queue_allow_allocation(struct kr_queue *queue, bool allow);
/* Buffers that are allocated from now on have it, and others can't be attached. */
void kr_queue_set_generation(struct kr_queue *queue, uint32_t generation);
uint32_t kr_queue_generation(struct kr_queue *queue);
/* The default size is turned as the transform hint says; off at each disconnect. */
void kr_queue_set_auto_prerotation(struct kr_queue *queue, bool on);
/* The rate that the frames to come have. -EINVAL; -EOPNOTSUPP the far end doesn't listen. */
int kr_queue_set_frame_rate(struct kr_queue *queue, const struct kr_frame_rate *rate);
/* 0; -EINVAL a rate that is none, or words that nobody knows. */
int kr_frame_rate_check(const struct kr_frame_rate *rate) KR_MUST_CHECK;
uint32_t kr_queue_min_undequeued(struct kr_queue *queue);
uint32_t kr_queue_max_buffers(struct kr_queue *queue);
/*
 * Keeps what the producer hears (notice.h) from now on: 1 << enum kr_notice_kind, 0 nothing more.
 * *fd is readable while there is something to fetch, or to take in from the far end; the queue's.
 * 0; -ENOMEM, -EMFILE.
 */
int kr_queue_watch(struct kr_queue *queue, uint32_t kinds, int *fd) KR_MUST_CHECK;
/* The next of them, after taking in what has come. -EAGAIN there is none. */
int kr_queue_next_notice(struct kr_queue *queue, struct kr_notice *notice) KR_MUST_CHECK;
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

#endif
