/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of windows share: a queue to play with, a sink that does as it is told, a display.
 */
#ifndef KR_TESTS_WINDOW_HELP_H
#define KR_TESTS_WINDOW_HELP_H

#include "harness.h"

#include <stdatomic.h>
#include <sys/types.h>

#include "window/remote/remote.h"
#include "window/queue/queue.h"
#include "window/queue/sink.h"

extern struct kr_queue_config help_config; /* 64x32 RGBA, max_acquired 1; a case may change it */
extern struct kr_remote_display help_display;
extern struct kr_queue_input help_input; /* a case may change it */

/* A sink whose far end is the test. */
struct fake_sink {
	struct kr_sink base; /* poll_fds and ping only in one made with `polls` */
	struct kr_queue *queue;
	int wake[2]; /* a byte here is one release of the oldest frame; -1 without `polls` */
	int add_err, submit_err, dispatch_err; /* what the ops answer */
	unsigned added, removed, pings, destroyed;
	bool has[KR_QUEUE_SLOTS]; /* slots whose buffers it knows */
	unsigned astray;          /* what it was told of other slots' */
	atomic_uint waits;        /* times it was told that somebody does */
	atomic_uint watched;      /* times a vertical blank was asked for */
	struct kr_frame frames[KR_QUEUE_SLOTS];
	uint32_t frame_count;
	bool mute;                               /* doesn't answer pings */
	void (*adding)(struct fake_sink *sink);  /* runs inside add_buffer; may be NULL */
	void (*hearing)(struct fake_sink *sink); /* likewise inside dispatch */
};

/* `sink` is the test's memory; the queue's destroy only counts. */
void fake_sink_init(struct fake_sink *sink, bool polls);
/* A sink and its queue, connected. */
struct kr_queue *fake_sink_queue(struct fake_sink *sink, bool polls);
/* The sink must have been destroyed by then, by the queue (NULL: it is gone). */
void fake_sink_finish(struct fake_sink *sink, struct kr_queue *take_queue);
/* Gives the oldest frame back. */
void fake_sink_release(struct fake_sink *sink, int take_fence);

struct kr_queue *help_queue(struct kr_sink *take_sink);
/* Dequeues the default size; fails the test on error. The fence is closed. */
uint32_t help_dequeue(struct kr_queue *queue);
/* Dequeues without waiting; the error. */
int help_try_dequeue(struct kr_queue *queue, int64_t timeout_ns);
uint64_t help_queue_frame(struct kr_queue *queue, uint32_t slot);
uint32_t help_frame(struct kr_queue *queue); /* dequeue and queue */

/* What a consumer was told: help_events count in a struct help_seen. */
struct help_seen {
	unsigned available, waiting, disconnected;
	int watched; /* vertical blanks that are waited for */
	char device[128];
	uint64_t replaced;
	struct kr_consumer *to_destroy; /* when disconnected; NULL none */
};
extern const struct kr_consumer_events help_events;

/* Handshake of a remote pair in one process: a sink without a queue, or a queue. */
void help_attach(struct kr_sink **sink, struct kr_consumer **consumer, bool keep_all,
	const struct kr_consumer_events *events, void *data);
void help_connect(struct kr_queue **queue, struct kr_consumer **consumer, bool keep_all,
	const struct kr_consumer_events *events, void *data);
/* Whether a consumer has something to dispatch: a local one never does. */
bool help_has_input(struct kr_consumer *consumer);
/* Waits (bounded) until the consumer has input, then dispatches. */
int help_pump(struct kr_consumer *consumer);
/* And all that lies there. */
int help_pump_all(struct kr_consumer *consumer);

#endif
