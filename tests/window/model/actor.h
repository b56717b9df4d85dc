/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both ends of a real queue, as the model's operations (op.h) have them: in this process or in two
 * others, with each other by function calls or by a socket.
 */
#ifndef KR_TESTS_WINDOW_MODEL_ACTOR_H
#define KR_TESTS_WINDOW_MODEL_ACTOR_H

#include "op.h"

enum actor_way {
	ACTOR_LOCAL,     /* one process, function calls */
	ACTOR_SOCKET,    /* one process, a socket */
	ACTOR_PROCESSES, /* two processes, a socket */
};

#define ACTOR_NOTICES 128

/* As struct model_notice. */
struct actor_notice {
	uint32_t kind;
	uint32_t slot;
	uint64_t number;
	uint64_t other;
	uint64_t buffer_id;
};

struct actor_notices {
	struct actor_notice list[ACTOR_NOTICES];
	uint32_t count;
	bool out_of_order; /* a ticket didn't follow the one before */
	bool gone;         /* it knows that the other end is */
};

struct actors;

/* Both ends, and nothing of either said yet. */
struct actors *actors_start(enum actor_way way, bool by_app);
/* Whatever is left of them. */
void actors_stop(struct actors *actors);
/*
 * Does it at the end that it is of, with a fence that is taken (-1 none), and lets both ends hear
 * of it. False: that end, or what it was asked, is gone.
 */
bool actors_do(struct actors *actors, const struct op *op, int take_fence, struct outcome *outcome);
/* What an end (0 the producer, 1 the consumer) has heard since the last time. False: it is gone. */
bool actors_hear(struct actors *actors, int end, struct actor_notices *notices);
/*
 * ACTOR_PROCESSES: kills the process of an end; or, given an operation, says that it is to do it
 * and kills it wherever it is by then. The other one goes on.
 */
void actors_kill(struct actors *actors, int end, const struct op *midway);

#endif
