/* SPDX-License-Identifier: Apache-2.0 */
/* One end of a real queue, and what an operation on it does. */
#ifndef KR_TESTS_WINDOW_MODEL_END_H
#define KR_TESTS_WINDOW_MODEL_END_H

#include "actor.h"
#include "window/consumer/consumer.h"
#include "window/queue/queue.h"

struct end {
	bool remote;
	struct kr_queue *queue;       /* of the producer */
	struct kr_consumer *consumer; /* of the other one */
	struct kr_buffer *kept[KEPT];
	struct kr_frame held[KR_QUEUE_SLOTS * 2]; /* in the order of acquire */
	uint32_t held_count;
	struct kr_notice_ring *ring; /* the consumer's */
	uint64_t tickets;            /* the last */
	bool gone;                   /* the other end is */
};

/* kr_consumer_events.noticed of a struct end. */
void end_notice(void *end, const struct kr_notice *notice);
void end_do(struct end *end, const struct op *op, int take_fence, struct outcome *outcome);
/* Takes in what the other end has sent. */
void end_listen(struct end *end);
void end_hear(struct end *end, struct actor_notices *notices);
void end_finish(struct end *end);

#endif
