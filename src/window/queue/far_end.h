/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the far end of a queue tells it: a sink (sink.h), or a consumer in the same process. All
 * functions may be called from any thread, but for what says otherwise.
 */
#ifndef KR_WINDOW_QUEUE_FAR_END_H
#define KR_WINDOW_QUEUE_FAR_END_H

#include "window/queue/queue.h"

/*
 * A frame came back. -ESTALE when slot and number don't match; the fence is closed on every path.
 */
int kr_queue_release(struct kr_queue *queue, uint32_t slot, uint64_t number, int take_fence);
/* The far end is gone: all producer calls fail with -ENODEV from now on, waiters wake. */
void kr_queue_abandon(struct kr_queue *queue);
/* The far end has taken a frame to look at it; from those that tell (sink.h). */
void kr_queue_taken(struct kr_queue *queue, uint32_t slot, uint64_t number);
/*
 * The far end keeps the buffer of a frame that it has; the slot is empty. A reference is the
 * caller's. -EINVAL in shared buffer mode, where `crossed` means that the far end couldn't know of
 * it: then of the shared buffer alone; -ESTALE as kr_queue_release.
 */
int kr_queue_take_away(struct kr_queue *queue, uint32_t slot, uint64_t number, bool crossed,
	struct kr_buffer **buffer) KR_MUST_CHECK;
/*
 * The far end puts a buffer of its own (one more reference) into a slot, which is with it then as
 * frame KR_FRAME_BROUGHT. -EINVAL in shared buffer mode, or of another generation; -ENOMEM no slot;
 * -ENODEV; -EOPNOTSUPP nobody shows such buffers. The second: from an op of the sink.
 */
int kr_queue_bring(struct kr_queue *queue, struct kr_buffer *buffer, uint32_t *slot) KR_MUST_CHECK;
int kr_queue_bring_inside(struct kr_queue *queue, struct kr_buffer *buffer, uint32_t *slot)
	KR_MUST_CHECK;
/* Gives all free buffers up. */
void kr_queue_discard_free(struct kr_queue *queue);
/* Whether the sink hears of dequeues and cancels (activity). */
void kr_queue_set_activity(struct kr_queue *queue, bool tells);
/* What else the far end may change at run time. `set` says what of it holds from now on. */
#define KR_SETTING_FORMAT    UINT32_C(1)
#define KR_SETTING_DATASPACE UINT32_C(2)
#define KR_SETTING_USAGE     UINT32_C(4)
#define KR_SETTING_PROTECTED UINT32_C(8)
#define KR_SETTING_REFRESH   UINT32_C(16)
#define KR_SETTING_ALL       UINT32_C(31)
struct kr_queue_settings {
	uint32_t set;
	uint32_t format;
	int32_t dataspace; /* HAL_DATASPACE_* */
	uint64_t usage;
	bool is_protected;
	int64_t refresh_ns;
	int64_t phase_ns; /* with it */
};
void kr_queue_set_settings(struct kr_queue *queue, const struct kr_queue_settings *settings);
/*
 * -EINVAL: not 1 to 62, less than the far end is known to have taken, or more than there may be in
 * all; -ENODEV.
 */
int kr_queue_set_max_acquired(struct kr_queue *queue, uint32_t count);
/* A far end in another process, which can't know the producer's limits, has set it (1 to 62). */
void kr_queue_told_max_acquired(struct kr_queue *queue, uint32_t count);
/* -EINVAL: not 1 to 64, or no more than may be acquired; -ENOSYS while somebody is connected. */
int kr_queue_set_max_buffers(struct kr_queue *queue, uint32_t count);
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
