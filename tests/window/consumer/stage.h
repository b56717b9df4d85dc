/* SPDX-License-Identifier: Apache-2.0 */
/* A queue and its consumer, local or remote as KRAFLA_TEST_CONSUMER says. */
#ifndef KR_TESTS_WINDOW_CONSUMER_STAGE_H
#define KR_TESTS_WINDOW_CONSUMER_STAGE_H

#include "../help.h"

struct stage {
	struct kr_queue *queue;
	struct kr_consumer *consumer;
	struct help_seen seen;
	bool remote;
};

/* Whose abilities are all that there are. */
void stage_start(struct stage *s);
void stage_stop(struct stage *s);
/* Takes in what has arrived: nothing has to, for a local one. */
int stage_pump(struct stage *s);
/* Queues a frame, which arrives. */
void stage_frame(struct stage *s);
/* Acquires one; its fence is closed. */
void stage_take(struct stage *s, struct kr_frame *f);

#endif
