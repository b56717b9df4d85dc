/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference: BufferQueue's state, limits, errors and fences, by the words of
 * docs/buffer-queue.md and none of the code in src/window. Slots that are free lie in a list, what
 * is queued in another, as Android's BufferQueueCore has them; nothing here waits, allocates or
 * knows a descriptor.
 *
 * Buffers are numbers from 1 in the order in which they came to be; fences are tags, and whether
 * one has signalled is the caller's to say.
 */
#ifndef KR_TESTS_WINDOW_MODEL_MODEL_H
#define KR_TESTS_WINDOW_MODEL_MODEL_H

#include "op.h"

#define MODEL_SLOTS   64
#define MODEL_BUFFERS 100000
#define MODEL_FENCES  4096
#define MODEL_NOTICES 128

struct model_buffer {
	uint32_t width, height, format, generation;
	uint64_t usage;
};

struct model_slot {
	uint32_t buffer; /* 0: none */
	bool dequeued;
	uint64_t far;   /* the consumer has it: the number of its frame, its last; 0: it hasn't */
	bool taken;     /* and has acquired it */
	bool requested; /* its producer knows the buffer */
	bool shared, over;
	bool stale;      /* of a connection that is over */
	uint64_t number; /* of the frame that its content is; 0: of none */
	uint32_t fence;
};

/* A frame. */
struct model_item {
	uint32_t slot, buffer, fence;
	uint64_t number;
	int64_t time; /* what it is for; INT64_MIN: nothing was said */
	bool droppable, shared, again;
};

enum model_notice_kind { /* KR_NOTICE_*, of which the model knows */
	N_AVAILABLE = 0,
	N_REPLACED = 1,
	N_DEQUEUED = 3,
	N_CANCELLED = 4,
	N_RATE = 5,
	N_DETACHED = 6,
	N_DISCONNECTED = 7,
	N_RELEASED = 8,
	N_DISCARDED = 9,
	N_BROUGHT = 10,
};

struct model_notice {
	enum model_notice_kind kind;
	uint32_t slot;
	uint64_t number, other;
};

struct model_notices {
	struct model_notice list[MODEL_NOTICES];
	uint32_t count;
};

struct model {
	/* Whether the producer knows what the consumer has acquired: in one process. */
	bool exact;
	bool by_app;
	uint32_t width, height, format, hint, hint_in_use;
	uint64_t usage;
	uint32_t max_acquired, max_dequeued, max_buffers;
	bool async, cannot_block, can_drop, legacy, allow, prerotate;
	int64_t timeout;
	uint32_t generation;
	int api;
	bool has_queued, abandoned, shared, refresh;
	uint32_t shared_slot; /* MODEL_SLOTS: none */
	uint64_t frames;
	struct model_slot slots[MODEL_SLOTS];
	uint32_t free[MODEL_SLOTS]; /* with a buffer; the one to be taken next first */
	uint32_t free_count;
	struct model_item queue[MODEL_SLOTS];
	uint32_t queued;
	struct model_item
		held[MODEL_SLOTS * 2]; /* as they were acquired, or attached (number MAX) */
	uint32_t held_count;
	struct model_item again; /* shared with auto-refresh, and held; slot MODEL_SLOTS: none */
	struct {
		uint32_t slot; /* MODEL_SLOTS: none */
		uint32_t fence;
	} last;
	uint32_t kept[2][KEPT]; /* by the producer, by the consumer */
	struct model_notices notices[2];
	struct model_buffer buffers[MODEL_BUFFERS];
	uint32_t buffer_count;
	bool signalled[MODEL_FENCES];
};

void model_init(struct model *model, bool exact, bool by_app);
/* Does it; what came of it, with buffers by number and fences by tag. */
void model_do(struct model *model, const struct op *op, struct outcome *outcome);

#endif
