/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that a consumer has been given: queued in order, then held between acquire and release.
 * Keeps a reference on the buffer of each. Not thread-safe.
 */
#ifndef KR_WINDOW_CONSUMER_BACKLOG_H
#define KR_WINDOW_CONSUMER_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "window/queue/frame.h"

/* Which frame is wanted. All zero: the oldest, whatever time it is for. */
struct kr_acquire {
	/*
	 * When what is acquired will be shown; 0: nobody knows. A frame that the next one overtakes
	 * by then is dropped, one that is meant for later stays.
	 */
	int64_t expected_ns;
	uint64_t max_number; /* with a time: no later frame; 0: any */
	bool extra;          /* one more than may be held, if it would not be dropped */
	bool again;          /* a buffer that is shared with auto-refresh, though nothing is new */
	bool beyond;         /* however many are held */
};

struct kr_backlog {
	struct kr_frame queued[KR_QUEUE_SLOTS]; /* ring */
	uint32_t first;
	uint32_t count;
	struct {
		struct kr_buffer *buffer; /* NULL: the slot isn't held */
		uint64_t number;
		bool shared;
	} held[KR_QUEUE_SLOTS];
	uint32_t held_count;
	struct kr_frame
		shared; /* the newest that is held of one that is shared with auto-refresh */
	bool has_shared;
};

/*
 * Adds a frame. Unless `keep_all`, a droppable frame at the end gives its place up: returns true,
 * and its fence and a reference on its buffer are the caller's in *replaced. A shared frame takes
 * the place of an earlier one of its slot, whatever is kept. Callers rule out what
 * kr_backlog_takes doesn't know.
 */
bool kr_backlog_push(struct kr_backlog *backlog, const struct kr_frame *frame, bool keep_all,
	struct kr_frame *replaced) KR_MUST_CHECK;
/*
 * Whether the frame may come now: its slot isn't here, or is with shared frames alone, and if one
 * of them is queued, it is the last.
 */
bool kr_backlog_takes(const struct kr_backlog *backlog, const struct kr_frame *frame);
/* Whether a slot's frame is queued. */
bool kr_backlog_queues(const struct kr_backlog *backlog, uint32_t slot);
/* Whether a slot's frame is queued or held. */
bool kr_backlog_has(const struct kr_backlog *backlog, uint32_t slot);
/*
 * The oldest, when the next one is as good by its time: true, and it isn't queued any more; its
 * fence and a reference on its buffer are the caller's. Never one whose (shared) slot is held.
 */
bool kr_backlog_drop(struct kr_backlog *backlog, const struct kr_acquire *how,
	struct kr_frame *dropped) KR_MUST_CHECK;
/*
 * -EAGAIN none; -EBUSY `max_held` are held already; -ETIME it is meant for later. What is dropped
 * first is for the caller to see to.
 */
int kr_backlog_acquire(struct kr_backlog *backlog, const struct kr_acquire *how, uint32_t max_held,
	struct kr_frame *frame) KR_MUST_CHECK;
/* A buffer that the consumer attached itself is held (one more reference). -EBUSY. */
int kr_backlog_hold(struct kr_backlog *backlog, uint32_t slot, struct kr_buffer *buffer,
	uint32_t max_held) KR_MUST_CHECK;
/* Whether this very frame is held. */
bool kr_backlog_holds(const struct kr_backlog *backlog, const struct kr_frame *frame);
/* The one that comes `index` frames after the oldest. -EAGAIN. */
int kr_backlog_peek(const struct kr_backlog *backlog, uint32_t index, struct kr_frame *frame);
/*
 * Ends the holding of a frame: its buffer, a reference of the caller's now. NULL when it isn't
 * held.
 */
struct kr_buffer *kr_backlog_release(struct kr_backlog *backlog, const struct kr_frame *frame);
/* Whether a later frame of its shared slot is held in its place. */
bool kr_backlog_passed(const struct kr_backlog *backlog, const struct kr_frame *frame);
/* Closes the fences of what is queued, drops every buffer. */
void kr_backlog_finish(struct kr_backlog *backlog);

#endif
