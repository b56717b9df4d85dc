/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a queue. core.c has what all its functions stand on; above it are times.c
 * (what is remembered of frames), watch.c (notices for the producer), queue.c (life, connection,
 * release), limits.c and settings.c, shared.c (shared buffer mode), due.c (when a frame may go),
 * gate.c (frames that aren't ready, or early), submit.c (queue, cancel), last.c (the frame queued
 * last), wait.c, and what waits: find.c (a slot for a buffer), above it dequeue.c, attach.c and
 * allocate.c, and shown.c.
 *
 * Two things order what happens. `lock` guards the slots and is never held across a call that could
 * wait. The sink is entered by one thread at a time (`sink_busy`, waited for on `changed`): inside,
 * the lock is dropped, so a sink op may take its time and may call back kr_queue_release.
 */
#ifndef KR_WINDOW_QUEUE_CORE_H
#define KR_WINDOW_QUEUE_CORE_H

#include <stdatomic.h>
#include "gralloc/buffer.h"
#include "sync/fence/name.h"
#include "util/log.h"
#include "util/mutex.h"
#include "window/queue/gate.h"
#include "window/queue/queue.h"
#include "window/queue/sink.h"

/* A label, ":63" and the NUL fill a fence's name. */
#define KR_QUEUE_LABEL_MAX 28

enum kr_slot_state {
	KR_SLOT_FREE,
	KR_SLOT_DEQUEUED,
	KR_SLOT_QUEUED, /* with the sink; a shared one can be there and dequeued */
};

struct kr_slot {
	enum kr_slot_state state;
	struct kr_buffer *buffer; /* NULL: none */
	bool gpu_told;            /* the sink was told of its memory of a GPU */
	int fence;                /* free: must signal before the buffer is written */
	uint64_t number;          /* frame that was queued last with this content; 0 undefined */
	int64_t freed;            /* order in which slots became free */
	bool requested;           /* its producer knows the buffer */
	bool brought;             /* the buffer is one that the far end attached */
	uint64_t taken;           /* the frame of it that the far end has taken, if it says so; 0 */
	bool allocating;          /* dequeued by a thread that makes its buffer */
	bool stale;               /* queued before a disconnect: doomed on its return */
	bool doomed;              /* free; its buffer is to be removed by the next sweep */
	uint64_t at_sink;         /* the sink has it: its frame, a shared one's last; 0 it hasn't */
	bool shared;              /* dequeued in shared buffer mode */
	bool shared_taken;        /* the sink has taken a frame of it */
	bool shared_over;         /* and one of another slot after it */
};

/* Whether its producer has it, and nothing is about to take the place of its buffer. */
static inline bool
kr_slot_is_dequeued(const struct kr_slot *slot)
{
	return slot->state == KR_SLOT_DEQUEUED && slot->buffer && !slot->allocating;
}

/* What is remembered of a frame. */
struct kr_queue_memory {
	struct kr_frame_times times;
	bool asked;        /* its times may be asked for */
	int64_t told_ns;   /* kr_queue_shown, of this very frame; KR_TIME_INVALID: nothing yet */
	int64_t handed_ns; /* when the sink got it; 0: it never did */
	int fence;         /* its release fence, while that is active and asked for; else -1 */
};

/* Release fences that are watched at a time; of others nobody learns when they signalled. */
#define KR_QUEUE_WATCHED_FENCES 8

/* The frame that was queued last (kr_queue_last_queued). */
struct kr_queue_last {
	uint32_t slot; /* KR_QUEUE_SLOTS: none, or its buffer is gone */
	int fence;     /* -1: it had none, or it had signalled */
	android_native_rect_t crop;
	int32_t transform;
};

struct kr_queue {
	atomic_uint refs;
	struct kr_sink *sink; /* owned */
	bool sink_polls;      /* it has descriptors to poll */
	int wake;             /* eventfd, wakes the polling thread; -1 when the sink has none */
	struct kr_mutex lock;
	struct kr_cond changed;
	struct kr_queue_config config KR_GUARDED_BY(lock);
	char label[KR_QUEUE_LABEL_MAX + 1] KR_GUARDED_BY(lock);
	struct kr_slot slots[KR_QUEUE_SLOTS] KR_GUARDED_BY(lock);
	bool abandoned KR_GUARDED_BY(lock);
	bool async KR_GUARDED_BY(lock);
	bool cannot_block KR_GUARDED_BY(lock); /* both ends are the program's own */
	bool can_drop KR_GUARDED_BY(lock);     /* likewise */
	bool legacy_drop KR_GUARDED_BY(lock);
	bool allows_allocation KR_GUARDED_BY(lock);
	bool auto_prerotation KR_GUARDED_BY(lock);
	bool tells_activity KR_GUARDED_BY(lock); /* the sink wants to hear of it */
	int64_t timeout_ns KR_GUARDED_BY(lock);  /* of a wait for a buffer; negative: none */
	uint32_t buffer_generation KR_GUARDED_BY(lock);
	uint32_t hint_in_use KR_GUARDED_BY(lock); /* transform hint at the last connect or frame */
	pid_t connected_pid KR_GUARDED_BY(lock);
	bool keeps_last; /* somebody may ask for its fence; set before there are frames */
	struct kr_queue_last last KR_GUARDED_BY(lock);
	struct kr_notice_ring *notices KR_GUARDED_BY(
		lock);                      /* for the producer; NULL: none are kept */
	int notices_fd KR_GUARDED_BY(lock); /* of those and the sink, to poll; -1: none yet */
	bool shared KR_GUARDED_BY(lock);
	bool auto_refresh KR_GUARDED_BY(lock);
	uint32_t shared_slot KR_GUARDED_BY(lock); /* KR_QUEUE_SLOTS: none yet */
	bool has_shared KR_GUARDED_BY(lock);      /* some slot may be shared */
	int api KR_GUARDED_BY(lock);              /* 0: nobody is connected */
	uint32_t max_dequeued KR_GUARDED_BY(lock);
	bool has_queued KR_GUARDED_BY(lock); /* on this connection */
	uint64_t frames KR_GUARDED_BY(lock); /* queued so far */
	uint64_t shown KR_GUARDED_BY(lock);  /* up to which frame */
	/* Each in the place of its number. */
	struct kr_queue_memory history[KR_FRAME_HISTORY] KR_GUARDED_BY(lock);
	uint32_t watched_fences KR_GUARDED_BY(lock); /* of these */
	bool shown_is_event;                         /* kr_queue_shown tells KR_EVENT_SHOWN, too */
	bool ready_is_event; /* the gate tells when a frame was ready, and was handed on */
	uint64_t lost_from KR_GUARDED_BY(lock); /* frames in a row that never came to the sink */
	uint64_t lost_to KR_GUARDED_BY(lock);
	uint32_t shown_waiters KR_GUARDED_BY(lock);
	uint64_t vblank_answers KR_GUARDED_BY(lock);
	uint64_t vblank_count KR_GUARDED_BY(lock); /* of the last answer */
	int64_t vblank_ns KR_GUARDED_BY(lock);
	bool vblank_asked KR_GUARDED_BY(lock); /* and not answered */
	struct kr_wanted wanted KR_GUARDED_BY(lock);
	bool has_timed KR_GUARDED_BY(
		lock); /* a frame asked for a time, or for what becomes of it */
	int64_t frees KR_GUARDED_BY(lock);
	int64_t ahead KR_GUARDED_BY(
		lock); /* allocated ahead: they come before all that were freed */
	uint32_t with_sink KR_GUARDED_BY(lock);
	uint32_t doomed KR_GUARDED_BY(lock);
	uint64_t generation KR_GUARDED_BY(lock); /* counts disconnects */
	uint64_t changes KR_GUARDED_BY(lock);    /* counts whatever a waiter may wait for */
	bool sink_busy KR_GUARDED_BY(lock);
	bool has_poller KR_GUARDED_BY(lock); /* a thread waits for the sink on behalf of all */
	bool polling KR_GUARDED_BY(lock);    /* and is in poll just now */
	bool told_waiting KR_GUARDED_BY(lock);
	uint32_t starving KR_GUARDED_BY(lock);    /* threads that wait for a buffer */
	bool nudged KR_GUARDED_BY(lock);          /* the poller, because it didn't know of them */
	int64_t silent_since KR_GUARDED_BY(lock); /* a producer starves and nothing came; 0 no */
	int64_t pinged_at KR_GUARDED_BY(lock);    /* 0: not yet */
	struct kr_gate *gate KR_GUARDED_BY(
		lock); /* NULL until a frame has to wait; then it stays */
};

/*
 * What a fence is called that passes through this slot: "SurfaceView:0" (S-07).
 *
 * An acquire fence is named when its buffer is queued, a release fence when its buffer is dequeued,
 * so that what comes back with a cancelled buffer is named with the next dequeue. Only what is
 * still active is named, with no lock held.
 */
void kr_queue_fence_name_locked(const struct kr_queue *queue, uint32_t slot, char out[KR_SYNC_TEXT])
	KR_REQUIRES(queue->lock);
/*
 * Buffers that a producer can't have: the far end's, and one more for a queue that drops frames or
 * whose producer can't wait.
 */
uint32_t kr_queue_min_undequeued_locked(const struct kr_queue *queue) KR_REQUIRES(queue->lock);
/* Buffers that there may be in all. */
uint32_t kr_queue_total_locked(const struct kr_queue *queue) KR_REQUIRES(queue->lock);
/* Those that there are, without what the last connection left with the sink. */
uint32_t kr_queue_active_locked(const struct kr_queue *queue) KR_REQUIRES(queue->lock);
/* Frames of this connection that the far end has taken, as far as it says. */
uint32_t kr_queue_taken_locked(const struct kr_queue *queue) KR_REQUIRES(queue->lock);
/* Frames that the far end surely hasn't taken. */
uint32_t kr_queue_pending_locked(const struct kr_queue *queue) KR_REQUIRES(queue->lock);
/* Whether a buffer is in a slot. */
bool kr_queue_has_locked(const struct kr_queue *queue, const struct kr_buffer *buffer)
	KR_REQUIRES(queue->lock);
/* Buffers that the producer has. */
uint32_t kr_queue_dequeued_locked(const struct kr_queue *queue) KR_REQUIRES(queue->lock);
/* Something changed that a waiting thread may wait for. */
void kr_queue_wake_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock);
void kr_queue_abandon_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock);
/*
 * A slot becomes free; the fence is owned. A shared one that is dequeued is only with the sink no
 * more.
 */
void kr_queue_free_slot_locked(struct kr_queue *queue, struct kr_slot *slot, int take_fence)
	KR_REQUIRES(queue->lock);
/*
 * The sink hasn't got this frame, which counts as shown when what came before it is; it may have
 * earlier ones of a shared slot. The fence is owned.
 */
void kr_queue_not_taken_locked(struct kr_queue *queue, const struct kr_frame *frame, int take_fence)
	KR_REQUIRES(queue->lock);
/* A frame that was queued just now is remembered. */
void kr_queue_remember_locked(struct kr_queue *queue, const struct kr_frame *frame)
	KR_REQUIRES(queue->lock);
/* It never got to the sink: nothing will be told of it. */
void kr_queue_forget_locked(struct kr_queue *queue, uint64_t number) KR_REQUIRES(queue->lock);
/* The sink has got it only now. */
void kr_queue_handed_locked(struct kr_queue *queue, uint64_t number) KR_REQUIRES(queue->lock);
/* The sink has told when it was shown; before kr_queue_shown_locked. */
void kr_queue_told_locked(struct kr_queue *queue, uint64_t number, int64_t time_ns)
	KR_REQUIRES(queue->lock);
/* That time, or KR_TIME_INVALID. */
int64_t kr_queue_told_time_locked(struct kr_queue *queue, uint64_t number) KR_REQUIRES(queue->lock);
/* Its buffer has come back, with this fence, which is borrowed. */
void kr_queue_came_back_locked(struct kr_queue *queue, uint64_t number, int fence)
	KR_REQUIRES(queue->lock);
/*
 * When the last frame before this one that came to the sink was shown, as far as is known: when it
 * was handed over where nothing is told, or not yet (*tells). KR_TIME_INVALID: there is none.
 */
int64_t kr_queue_before_locked(struct kr_queue *queue, uint64_t number, bool *tells)
	KR_REQUIRES(queue->lock);
/* What is with the sink already counts as shown up to here. */
void kr_queue_shown_locked(struct kr_queue *queue, uint64_t number) KR_REQUIRES(queue->lock);
/* A free slot's buffer is to go. `told`: its producer hears of it. */
void kr_queue_doom_locked(struct kr_queue *queue, struct kr_slot *slot, bool told)
	KR_REQUIRES(queue->lock);
/* Takes the buffer out of a slot, which stays in its state; with its reference. */
struct kr_buffer *kr_queue_empty_slot_locked(struct kr_queue *queue, struct kr_slot *slot)
	KR_REQUIRES(queue->lock);
/* Likewise of one that is then free. */
struct kr_buffer *kr_queue_clear_slot_locked(struct kr_queue *queue, struct kr_slot *slot)
	KR_REQUIRES(queue->lock);
/* What its producer hears of a slot, if somebody listens; the buffer may be NULL. */
void kr_queue_tell_locked(struct kr_queue *queue, enum kr_notice_kind kind,
	const struct kr_slot *slot, uint64_t number) KR_REQUIRES(queue->lock);
/* Dooms free buffers as long as there are more buffers than there may be. */
void kr_queue_trim_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock);

/*
 * Whether a frame that was queued just now can't go at once, whatever its fence: one stands before
 * it, or its time hasn't come (gate.h). As long as the caller is inside the sink.
 */
bool kr_gate_stops_locked(struct kr_queue *queue, const struct kr_frame *frame)
	KR_REQUIRES(queue->lock);

/* The right to call the sink. 0 or -ETIMEDOUT. Drops the lock while it waits. */
int kr_queue_enter_sink_locked(struct kr_queue *queue, int64_t deadline_ns) KR_REQUIRES(queue->lock)
	KR_MUST_CHECK;
void kr_queue_leave_sink_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock);
/* The sink has the frame (0) or refused it; what its producer is answered. */
int kr_queue_submitted_locked(struct kr_queue *queue, const struct kr_frame *frame, int err)
	KR_REQUIRES(queue->lock);
/* Removes doomed buffers; inside the sink. Drops the lock. */
void kr_queue_sweep_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock);
/* The same from outside the sink, once it can be entered: 0 or -ETIMEDOUT. */
int kr_queue_sweep_by_locked(struct kr_queue *queue, int64_t deadline_ns) KR_REQUIRES(queue->lock)
	KR_MUST_CHECK;
/* Takes in what has arrived from the far end. Waits for nothing; drops the lock. */
void kr_queue_listen_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock);
/*
 * Waits until something has changed that a dequeue, or whoever waits for a frame to be shown, may
 * wait for. 0: look again; -ETIMEDOUT, and something may have changed all the same, so look once
 * more; -ENODEV: the far end is gone. Drops the lock. `starves`: for a buffer, of which the sink is
 * told.
 */
int kr_queue_wait_locked(struct kr_queue *queue, int64_t deadline_ns, bool starves)
	KR_REQUIRES(queue->lock) KR_MUST_CHECK;

/* Who looks for a slot. A dequeue takes what has a buffer first, an attach what has none. */
enum kr_slot_finder {
	KR_SLOT_TO_DEQUEUE,
	KR_SLOT_TO_ATTACH,
};

/* One call: how long it waits, and what it logs meanwhile (docs/threading.md). */
struct kr_queue_call {
	struct kr_log_hold hold;
	int64_t deadline_ns;
	int64_t since_ns;
	int64_t next_ns; /* when the wait is told of next */
	/* When the queue's timeout is over; it begins anew when something has changed. */
	int64_t timeout_ns;
	uint64_t changes;
	bool late; /* it looks for the last time */
};

/* Begins a call under the lock, and ends it. */
void kr_queue_begin(struct kr_queue *queue, struct kr_queue_call *call, int64_t deadline_ns)
	KR_ACQUIRE(queue->lock);
void kr_queue_end(struct kr_queue *queue, struct kr_queue_call *call) KR_RELEASE(queue->lock);
/*
 * A slot for a buffer, after waiting for one if need be: errors of kr_queue_dequeue_slot. `request`
 * of a dequeue, whose buffer *desc describes then. Drops the lock.
 */
int kr_queue_find_locked(struct kr_queue *queue, enum kr_slot_finder finder,
	const struct kr_queue_request *request, struct kr_queue_call *call,
	struct kr_buffer_desc *desc, uint32_t *index) KR_REQUIRES(queue->lock) KR_MUST_CHECK;
/* What a request's buffer is. -EINVAL; -EOPNOTSUPP. */
int kr_queue_resolve_locked(const struct kr_queue *queue, const struct kr_queue_request *request,
	struct kr_buffer_desc *desc) KR_REQUIRES(queue->lock) KR_MUST_CHECK;
/* The slot with the free buffer that a dequeue would take first; false: there is none. */
bool kr_queue_first_free_locked(struct kr_queue *queue, uint32_t *index) KR_REQUIRES(queue->lock);
/* The first slot without a buffer, if there may be one more. */
bool kr_queue_first_empty_locked(const struct kr_queue *queue, uint32_t *index)
	KR_REQUIRES(queue->lock);
bool kr_queue_buffer_fits(const struct kr_buffer *buffer, const struct kr_buffer_desc *wanted);
/*
 * Puts a buffer, whose reference is taken, into a dequeued slot in the place of what it has; the
 * sink is told. `generation` is the connection's; a new buffer gets the queue's for buffers, and
 * any other one must have it, and not have come meanwhile (-EINVAL). Drops the lock. On failure
 * the slot is free and empty.
 */
int kr_queue_put_locked(struct kr_queue *queue, uint32_t index, struct kr_buffer *take_buffer,
	uint64_t generation, bool is_new) KR_REQUIRES(queue->lock) KR_MUST_CHECK;
/* Gives a dequeued slot a new buffer. Likewise. */
int kr_queue_reallocate_locked(struct kr_queue *queue, uint32_t index,
	const struct kr_buffer_desc *desc) KR_REQUIRES(queue->lock) KR_MUST_CHECK;
/* The sink hears of it, if it wants to. Drops the lock. */
void kr_queue_tell_activity_locked(struct kr_queue *queue, uint32_t index, uint64_t buffer_id,
	bool cancelled) KR_REQUIRES(queue->lock);
/* A duplicate of a frame's fence, where somebody may ask for it; -1. */
int kr_queue_keep_fence(const struct kr_queue *queue, int fence);
/* No frame is the last one. */
void kr_queue_clear_last_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock);
/* This frame is the last one now. */
void kr_queue_set_last_locked(struct kr_queue *queue, const struct kr_frame *frame, int take_fence)
	KR_REQUIRES(queue->lock);

/* In shared buffer mode this slot was dequeued. */
void kr_queue_share_locked(struct kr_queue *queue, uint32_t index) KR_REQUIRES(queue->lock);
/* What is shared on this connection ends with it. */
void kr_queue_end_sharing_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock);
/* A frame of this slot comes after all that is shared, and ends it, unless it is that slot. */
void kr_queue_pass_shared_locked(struct kr_queue *queue, uint32_t index) KR_REQUIRES(queue->lock);

#endif
