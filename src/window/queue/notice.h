/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one end of a queue hears of the other, as data: Android's producer and consumer listeners.
 * Nobody is called; who wants to hear has a ring of notices, and a descriptor that is readable
 * while there are some. Notices come out in the order of their tickets, which count all that came.
 *
 * The ring has a limit: what nobody fetches is given up, the oldest first, and how many that were
 * is told in their place. Not thread-safe: a ring has its owner's lock.
 */
#ifndef KR_WINDOW_QUEUE_NOTICE_H
#define KR_WINDOW_QUEUE_NOTICE_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

/* The numbers are public (krafla/window.h): new ones come last. */
enum kr_notice_kind {
	/* For the far end. */
	KR_NOTICE_AVAILABLE, /* a frame came: its slot, number and buffer */
	KR_NOTICE_REPLACED,  /* a frame came in the place of `other`, which nobody will acquire */
	KR_NOTICE_GONE,      /* a slot's buffer is the queue's no more */
	KR_NOTICE_DEQUEUED,  /* a producer has a buffer to draw into */
	KR_NOTICE_CANCELLED, /* and gave it back undrawn */
	KR_NOTICE_RATE,      /* it wishes for a frame rate */
	/* For both. */
	KR_NOTICE_DETACHED,     /* the other end took a slot's buffer for itself */
	KR_NOTICE_DISCONNECTED, /* the producer disconnected; the far end is gone */
	/* For the producer. */
	KR_NOTICE_RELEASED,  /* a frame's buffer came back */
	KR_NOTICE_DISCARDED, /* a free buffer was given up: limits, or the far end asked for it */
	KR_NOTICE_BROUGHT,   /* the far end attached a buffer */
	/* For both: `other` notices were lost, because nobody fetched them. */
	KR_NOTICE_LOST,
	/* For the far end: a buffer that it attached found no place. */
	KR_NOTICE_REFUSED,
	KR_NOTICE_KINDS,
};

/* What a producer wishes for: NATIVE_WINDOW_SET_FRAME_RATE. All zero: nothing. */
struct kr_frame_rate {
	float rate; /* Hz */
	int8_t compatibility;
	int8_t strategy;
};

/* What there is no word of is 0. */
struct kr_notice {
	enum kr_notice_kind kind;
	uint32_t slot;
	uint64_t ticket; /* from 1; grows by one */
	uint64_t number; /* of the frame */
	uint64_t other;
	uint64_t buffer_id;
	uint64_t producer; /* of a reader: whose */
	struct kr_frame_rate rate;
};

#define KR_NOTICE_RING 256

struct kr_notice_ring;

/* Keeps notices of these kinds, 1 << enum kr_notice_kind. -ENOMEM, -EMFILE... */
int kr_notice_ring_create(uint32_t kinds, struct kr_notice_ring **ring) KR_MUST_CHECK;
/* NULL is nothing. */
void kr_notice_ring_destroy(struct kr_notice_ring *ring);
/* Other kinds from now on; what is there stays. */
void kr_notice_ring_want(struct kr_notice_ring *ring, uint32_t kinds);
/* Whether anybody wants to hear of this; NULL: no. */
bool kr_notice_ring_wants(const struct kr_notice_ring *ring, enum kr_notice_kind kind);
/* Adds one, if somebody wants to hear of it; its ticket is given here. NULL: nobody does. */
void kr_notice_ring_push(struct kr_notice_ring *ring, const struct kr_notice *notice);
/* The oldest, or -EAGAIN. */
int kr_notice_ring_pop(struct kr_notice_ring *ring, struct kr_notice *notice) KR_MUST_CHECK;
bool kr_notice_ring_has(const struct kr_notice_ring *ring);
/* Readable while there are notices; the ring's. */
int kr_notice_ring_fd(const struct kr_notice_ring *ring);

#endif
