/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operation on a queue, at either end, and what came of it: what the model (model.h) and the
 * real queue (actor.h) are both asked, and what is compared.
 */
#ifndef KR_TESTS_WINDOW_MODEL_OP_H
#define KR_TESTS_WINDOW_MODEL_OP_H

#include <stdbool.h>
#include <stdint.h>

enum op_kind {
	/* The producer's. */
	P_CONNECT,    /* a: by_app */
	P_DISCONNECT, /* a: 0 the API that is connected, 1 another, 2 whatever is */
	P_DEQUEUE,    /* a, b: size; c: usage beyond the consumer's */
	P_REQUEST,    /* slot */
	P_QUEUE,      /* slot, fence; time; a: droppable */
	P_CANCEL,     /* slot, fence */
	P_ATTACH,     /* a: one that was kept (index) or a new one; b: its generation */
	P_DETACH,     /* slot */
	P_DETACH_NEXT,
	P_ALLOCATE,
	P_SET_ASYNC,
	P_SET_MAX_DEQUEUED,
	P_SET_COUNT,
	P_SET_TIMEOUT, /* a: 0 none, 1 zero, 2 some */
	P_SET_SHARED,
	P_SET_REFRESH,
	P_SET_GENERATION,
	P_ALLOW,
	P_LEGACY,
	P_PREROTATE,
	P_LAST,
	P_INFO,
	P_RATE, /* a: Hz */
	/* The consumer's. */
	C_ACQUIRE, /* time: expected; number: the highest; a: extra; b: again */
	C_RELEASE, /* a: which of those that are held; fence; b: wrong number */
	C_DETACH,  /* a: which of those that are held; b: where it is kept from 1, 0 anywhere */
	C_ATTACH,  /* as P_ATTACH */
	C_SET_MAX_ACQUIRED,
	C_SET_MAX_BUFFERS,
	C_SETTINGS, /* a: size; b: format; c: transform hint */
	C_DISCARD,
	OP_KINDS,
};
#define FIRST_OF_CONSUMER C_ACQUIRE

#define KEPT 8 /* buffers that each end keeps at a time */

struct op {
	enum op_kind kind;
	uint32_t slot;
	uint32_t fence; /* a tag; 0: none */
	int64_t time;
	uint64_t number;
	uint32_t a, b, c;
};

/* What there is no word of is 0. Buffers by their id, fences by their cookie (0: none). */
struct outcome {
	int err;
	uint32_t slot;
	uint32_t age;
	uint32_t flags;
	uint32_t damage; /* rectangles of an image */
	uint64_t number;
	uint64_t buffer;
	uint64_t fence;
	int64_t info[6];
};

const char *op_name(enum op_kind kind);

#endif
