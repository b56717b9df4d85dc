/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a producer's end of a connection: sink.c (what it says), hear.c (what it hears). */
#ifndef KR_WINDOW_REMOTE_SINK_STATE_H
#define KR_WINDOW_REMOTE_SINK_STATE_H

#include "window/queue/sink.h"
#include "window/remote/message.h"
#include "window/remote/remote.h"

/* A buffer that the display attached, from then until it says that it is free. */
struct kr_remote_brought {
	bool used;      /* until it is both: */
	bool answered;  /* the display was told what became of it */
	bool freed;     /* the display has let go of it */
	uint32_t error; /* errno: it wasn't taken */
	uint32_t slot;
};

struct kr_remote_sink {
	struct kr_sink base;
	struct kr_queue *queue;
	int socket;         /* open until destroy: it is polled outside our calls */
	uint64_t bytes;     /* of the buffers that the display was told of */
	uint64_t gpu_bytes; /* and of GPUs' memory behind them, */
	uint64_t gpu_told;  /* bit n: of slot n */
	bool gone;
	struct kr_remote_session session;
	uint64_t serial;
	uint64_t last_number;  /* queued last */
	uint64_t shown;        /* told last */
	bool watches;          /* it asked for a vertical blank, and waits */
	bool owes_configured;  /* an answer that found the socket full */
	uint32_t owes_answers; /* likewise */
	uint32_t discards;     /* free buffers were given up so often */
	struct kr_remote_brought brought[KR_QUEUE_SLOTS]; /* by serial */
};

/* The display is gone, or nobody listens to it any more: -EPIPE. */
int kr_remote_sink_lose(struct kr_remote_sink *remote);
/* The same, for what the display did; it is told. */
int kr_remote_sink_break_off(struct kr_remote_sink *remote, const char *why);
/*
 * Sends; a full socket is waited for as long as a display may stay silent (the caller holds no
 * lock). -EPIPE when it is gone or stuck; other errors concern this message alone.
 */
int kr_remote_sink_send(struct kr_remote_sink *remote, const struct kr_dp_message *message, int fd)
	KR_MUST_CHECK;
/* Says that the window's change was heard; until then the display says of none. */
void kr_remote_sink_confirm(struct kr_remote_sink *remote);
/* The display's word on buffers that it attaches, or keeps; as kr_remote_sink_hear. */
int kr_remote_sink_hear_attach(
	struct kr_remote_sink *remote, const struct kr_dp_message *message, int *fd) KR_MUST_CHECK;
/* Says what became of those that were attached. */
void kr_remote_sink_answer(struct kr_remote_sink *remote);
/* A slot's buffer is counted no more. */
void kr_remote_sink_forget_buffer(
	struct kr_remote_sink *remote, uint32_t slot, struct kr_buffer *buffer);
/*
 * Does what a message says, if the protocol allows it here. *fd is the caller's; what keeps it
 * leaves -1 there. 0; -EPIPE: the connection is over.
 */
int kr_remote_sink_hear(struct kr_remote_sink *remote, const struct kr_dp_message *message, int *fd)
	KR_MUST_CHECK;

#endif
