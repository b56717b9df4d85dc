/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the display's end of a connection: connection.c (what it sends, and its end),
 * greeting.c (its beginning), incoming.c (what arrives) and consumer.c, the consumer that is made
 * of them. One thread at a time.
 */
#ifndef KR_WINDOW_REMOTE_CONNECTION_H
#define KR_WINDOW_REMOTE_CONNECTION_H

#include "window/consumer/backlog.h"
#include "window/consumer/base.h"
#include "window/remote/descriptors.h"
#include "window/remote/message.h"
#include "window/remote/remote.h"

/* A buffer that was attached (attach.c); NULL: the serial is free. */
struct kr_remote_attached {
	struct kr_buffer *buffer;
	bool held;     /* by the consumer */
	bool answered; /* the producer has said what became of it: */
	bool refused;  /* it found no slot */
	bool detached; /* the consumer kept it */
	uint32_t slot;
};

struct kr_remote_consumer {
	struct kr_consumer base;
	struct kr_consumer_events events;
	void *data;
	struct kr_remote_display info;
	bool keep_all;
	bool keeps_handles;
	int socket;
	int pid;
	char label[64];
	bool greeted;
	bool asked;              /* it wanted the welcome alone, and is no producer */
	uint32_t version;        /* when greeted */
	uint64_t queued;         /* frames of its process, as its hello says */
	struct kr_wanted wanted; /* what was said, or will be with the welcome */
	bool gone;
	bool deaf; /* it has closed its end; what it sent before may still be unread */
	struct kr_buffer *buffers[KR_QUEUE_SLOTS]; /* announced */
	uint64_t bytes;                            /* of all of them */
	uint64_t gpu_bytes;                        /* of GPUs' memory behind them, as is said */
	uint64_t last_number;
	uint64_t asked_shown;   /* of frames that are to be told when they are shown, the last */
	uint64_t told_shown;    /* up to here it was told */
	bool watched;           /* it waits for the next vertical blank */
	bool configuring;       /* it was told of the window's change, and hasn't confirmed it */
	bool configure_again;   /* and the window has changed since */
	uint32_t generation;    /* of buffers that may be attached */
	uint32_t discards;      /* it was told so often to give up its free buffers */
	bool said_disconnected; /* and has sent nothing since */
	struct kr_remote_attached attached[KR_QUEUE_SLOTS]; /* by serial */
	uint32_t attached_held;
	uint64_t brought; /* bit n: the buffer of slot n was attached */
	struct kr_backlog backlog;
	struct kr_share share;
	uint8_t fences[KR_QUEUE_SLOTS];      /* descriptors for the fence of the slot's frame */
	uint8_t held_fences[KR_QUEUE_SLOTS]; /* and of a shared slot's one before, which is held */
};

/* The producer is gone, or not listened to any more: -EPIPE. */
int kr_remote_hang_up(struct kr_remote_consumer *remote);
/* Cuts the producer off: logs why, tells it, hangs up. -EPIPE. */
int kr_remote_refuse(struct kr_remote_consumer *remote, enum kr_remote_error code, const char *why);
/*
 * Sends to the producer. -EPIPE when it is gone; what it sent before it went is still to be read
 * then, so the end of the connection is for dispatch to find. A producer that lets its socket fill
 * up isn't reading, and one that can't be told would wait for ever: they are cut off.
 */
int kr_remote_reply(struct kr_remote_consumer *remote, const struct kr_dp_message *message, int fd);
/*
 * Gives a slot back to the producer; the fence is borrowed. What its frame had is counted no more.
 */
int kr_remote_send_release(struct kr_remote_consumer *remote, const struct kr_frame *frame,
	int fence, const struct kr_frame_events *events);
/*
 * Gives a queued frame back that nobody has read, or will: it may be written again once its own
 * fence, which is closed here, has signalled. A reference on its buffer is dropped.
 */
void kr_remote_give_up(struct kr_remote_consumer *remote, struct kr_frame *take_old);
/* Tells the producer what the window is now, when it has heard what it was told before. */
int kr_remote_send_configure(struct kr_remote_consumer *remote);
/* The descriptors of a slot's fences are counted no more. */
void kr_remote_give_fences(struct kr_remote_consumer *remote, uint32_t slot);
/* Frames that are held, and buffers that were attached. */
static inline uint32_t
kr_remote_held(const struct kr_remote_consumer *remote)
{
	return remote->backlog.held_count + remote->attached_held;
}

/* Whether the slot's buffer was attached, and the consumer has it still. */
bool kr_remote_holds_attached(const struct kr_remote_consumer *remote, uint32_t slot);

/* What its consumer hears (notice.h). */
void kr_remote_notice(struct kr_remote_consumer *remote, const struct kr_notice *notice);
void kr_remote_notice_buffer(struct kr_remote_consumer *remote, enum kr_notice_kind kind,
	uint32_t slot, const struct kr_buffer *buffer);
/* A buffer is the producer's, and counts: memory and descriptors. -ENOMEM, -EMFILE. */
int kr_remote_count_buffer(struct kr_remote_consumer *remote, const struct kr_buffer *buffer)
	KR_MUST_CHECK;
void kr_remote_uncount_buffer(struct kr_remote_consumer *remote, const struct kr_buffer *buffer);
/* As kr_consumer_attach and kr_consumer_detach. */
int kr_remote_attach(struct kr_remote_consumer *remote, struct kr_buffer *buffer,
	struct kr_frame *frame) KR_MUST_CHECK;
int kr_remote_detach(struct kr_remote_consumer *remote, const struct kr_frame *frame,
	struct kr_buffer **buffer) KR_MUST_CHECK;
/* The one that a held frame stands for; NULL: it is an ordinary one, or isn't held. */
struct kr_remote_attached *kr_remote_find_attached(
	struct kr_remote_consumer *remote, const struct kr_frame *frame);
/* Lets go of it, or keeps it. 0; -EPIPE. */
int kr_remote_free_attached(struct kr_remote_consumer *remote, struct kr_remote_attached *attached,
	int fence, bool detached);
int kr_remote_handle_attached(
	struct kr_remote_consumer *remote, const struct kr_dp_attached *message) KR_MUST_CHECK;
void kr_remote_finish_attached(struct kr_remote_consumer *remote);
/* A message that tells something alone. As kr_remote_handle. */
int kr_remote_handle_told(struct kr_remote_consumer *remote, const struct kr_dp_message *message)
	KR_MUST_CHECK;
/* Drops what an empty or announced slot has. */
void kr_remote_drop_buffer(struct kr_remote_consumer *remote, uint32_t slot);
/* Answers a hello of one of the versions. 0 or -EPIPE. */
int kr_remote_handle_hello(struct kr_remote_consumer *remote, const struct kr_dp_hello *hello,
	uint32_t version, uint64_t queued, bool asks) KR_MUST_CHECK;
/*
 * Does what a message says, if the protocol allows it here. *fd is the caller's; what keeps it, a
 * frame's fence or memory of a GPU, leaves -1 there. 0; -EPIPE: the connection is over.
 */
int kr_remote_handle(struct kr_remote_consumer *remote, const struct kr_dp_message *message,
	int *fd) KR_MUST_CHECK;

#endif
