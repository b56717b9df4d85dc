/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A consumer for whoever wants frames, as Android's ImageReader is: of a queue in this process, or
 * of producers that connect to a socket. Behind krafla_reader_* of <krafla/window.h>, which says
 * what callers may count on.
 *
 *   reader.c   life, acquire, release, what its descriptor says
 *   guests.c   with a socket: who comes, what they send, who goes
 *
 * One descriptor stands for everything that there may be to do: an epoll set of the socket, the
 * connections, a timer for those that say nothing, and an eventfd that is set while a frame could
 * be acquired. Frames' fences are not in it: an image is given with its fence, ready or not.
 *
 * Thread-safety: any thread, but for kr_reader_close, which is the last. Nothing waits.
 */
#ifndef KR_WINDOW_READER_READER_H
#define KR_WINDOW_READER_READER_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "window/consumer/backlog.h"
#include "window/queue/queue.h"

/* Producers that a reader has at a time, and frames that can be out, at most. */
#define KR_READER_MAX_PRODUCERS 64
#define KR_READER_MAX_IMAGES    (KR_QUEUE_SLOTS - 2)

struct kr_reader;

struct kr_reader_config {
	const char *socket; /* NULL: a queue in this process */
	uint32_t width;
	uint32_t height;
	uint32_t format;
	uint64_t usage;
	uint32_t max_images;
	uint32_t max_producers;
	int64_t refresh_ns;
	uint32_t max_buffers; /* 0: KR_QUEUE_SLOTS */
	int32_t dataspace;
	uint32_t transform_hint;
	bool by_app; /* as in struct kr_queue_config */
	bool shares; /* shared buffer modes are offered */
};

/* 0; -EINVAL; -EOPNOTSUPP; the socket's -errno; -ENOMEM, -EMFILE. */
int kr_reader_open(const struct kr_reader_config *config, struct kr_reader **reader) KR_MUST_CHECK;
void kr_reader_close(struct kr_reader *reader);
/* The queue of this process, borrowed; NULL for one with a socket. */
struct kr_queue *kr_reader_queue(const struct kr_reader *reader);
int kr_reader_fd(const struct kr_reader *reader);
/*
 * The next frame, or the newest of the producer whose turn it is: 0 with its fence and a reference
 * on its buffer, both the caller's (a shared one's may be released by another thread as it comes),
 * and its producer's number; -EAGAIN, -EBUSY, -EPIPE; -ETIME what there is is meant for later
 * (backlog.h).
 */
int kr_reader_acquire(struct kr_reader *reader, bool latest, const struct kr_acquire *how,
	struct kr_frame *frame, uint64_t *producer) KR_MUST_CHECK;
/* 0, also of a producer that is gone; -ESTALE. */
int kr_reader_release(struct kr_reader *reader, uint64_t producer, uint32_t slot, uint64_t number,
	int take_fence);
/*
 * Keeps the buffer of a frame that is out, which isn't any more (*buffer, a reference). -ESTALE;
 * -EINVAL in shared buffer mode; -EOPNOTSUPP of a producer of before version 6.
 */
int kr_reader_detach(struct kr_reader *reader, uint64_t producer, uint32_t slot, uint64_t number,
	struct kr_buffer **buffer) KR_MUST_CHECK;
/* Gives a producer a buffer, which is out as *frame then. -ENOENT; as kr_consumer_attach. */
int kr_reader_attach(struct kr_reader *reader, uint64_t producer, struct kr_buffer *buffer,
	struct kr_frame *frame) KR_MUST_CHECK;
/*
 * What may change of a config: sizes, format, usage, data space, hint, refresh, and max_images, for
 * all producers. -EINVAL: anything else, values that can't be, or fewer images than are out.
 */
int kr_reader_configure(struct kr_reader *reader, const struct kr_reader_config *config)
	KR_MUST_CHECK;
/* Producers give up the buffers that are free. */
void kr_reader_discard_free(struct kr_reader *reader);
/* What is noticed from now on, 1 << enum kr_notice_kind; -ENOMEM, -EMFILE. */
int kr_reader_watch(struct kr_reader *reader, uint32_t kinds) KR_MUST_CHECK;
/* The next, after taking in what has come. -EAGAIN. */
int kr_reader_next_notice(struct kr_reader *reader, struct kr_notice *notice) KR_MUST_CHECK;
/* What the producer said of how a frame is shown. */
struct kr_reader_shown {
	struct kr_presentation presentation;
	struct kr_hdr_metadata hdr;
	uint32_t window_width;
	uint32_t window_height;
};
/* Of a frame that is out. -ESTALE. */
int kr_reader_get_shown(struct kr_reader *reader, uint64_t producer, uint32_t slot, uint64_t number,
	struct kr_reader_shown *shown) KR_MUST_CHECK;
/* Room for a producer's label. */
#define KR_READER_LABEL 64
/* -ENOENT. */
int kr_reader_describe(struct kr_reader *reader, uint64_t producer, char label[KR_READER_LABEL],
	int *pid) KR_MUST_CHECK;

#endif
