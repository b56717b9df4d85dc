/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every sink promises (window/queue/sink.h), run against each. A program has a maker, which
 * says how one comes to be and what its far end does.
 */
#ifndef KR_TESTS_WINDOW_SINK_CONFORMANCE_H
#define KR_TESTS_WINDOW_SINK_CONFORMANCE_H

#include "harness.h"

#include "window/queue/queue.h"
#include "window/queue/sink.h"

struct sink_stage {
	struct kr_sink *sink;          /* the queue's once there is one */
	struct kr_queue_config config; /* what its queue is made with */
	struct kr_queue *queue;
	void *far_end; /* the maker's */
};

struct sink_maker {
	/* A sink that was never attached. */
	void (*make)(struct sink_stage *stage);
	/* The far end takes in and gives back what it has. NULL: it does so by itself. */
	void (*serve)(struct sink_stage *stage);
	/* The far end ends. NULL: it can't. */
	void (*end)(struct sink_stage *stage);
	/* After the sink was destroyed. May be NULL. */
	void (*finish)(struct sink_stage *stage);
	bool keeps_memory; /* libraries do */
};

int sink_conformance_main(int argc, char **argv, const struct sink_maker *maker);

#endif
