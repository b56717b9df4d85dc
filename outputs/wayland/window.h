/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Wayland window as the far end of a queue: frames are attached to the application's surface and
 * committed, on the application's connection (link.h). The surface has no size of its own: it is as
 * large as what is attached.
 *
 *   buffers   shared memory is the buffer's own memfd, a dma-buf goes to the compositor as one;
 *             what it doesn't take is copied into memory that it takes (pixels.c)
 *   FIFO      a frame is committed when the frame callback of the one before has come. Until then
 *             it waits here, and so do all behind it: nobody waits in queueBuffer
 *   MAILBOX,  at once: the compositor shows what was committed last when it draws next, and gives
 *   IMMEDIATE back what it never showed
 *   hidden    a compositor calls nobody back whose window it doesn't draw. Once it has answered
 *             something else for HIDDEN_NS, and this not, the next frame is committed without: so a
 *             program that nobody sees goes on, slowly, and none waits for ever
 *
 * Threads: everything here is under `lock`. The queue calls the sink by one thread at a time, which
 * takes in what has come. While somebody waits, in dequeueBuffer or as a frame here, a thread of
 * the window's own reads the connection (thread.c), and at no other time: programs that poll the
 * socket and read it later, as one thread alone may, must find there what is theirs.
 */
#ifndef KR_OUTPUTS_WAYLAND_WINDOW_H
#define KR_OUTPUTS_WAYLAND_WINDOW_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "gralloc/buffer.h"
#include "outputs/wayland/formats.h"
#include "outputs/wayland/link.h"
#include "util/macros.h"
#include "util/mutex.h"

/* How soon a window counts as hidden that isn't called back. */
#define WAYLAND_HIDDEN_NS INT64_C(1000000000)

/* How the pixels of a slot come to the compositor. */
enum wayland_way {
	WAYLAND_MEMORY, /* the buffer's own shared memory */
	WAYLAND_DMABUF, /* the buffer as a dma-buf */
	WAYLAND_COPY,   /* a copy in memory of ours */
};

struct wayland_slot {
	struct wayland_window *window;
	bool used;
	enum wayland_way way;
	struct kr_buffer_info info;
	/* What the compositor knows it by, without and with its alpha; NULL until it is needed. */
	struct wl_buffer *buffers[2];
	void *source; /* copy: the buffer mapped */
	void *copy;   /* and what it is copied to */
	int copy_fd;
	uint32_t copy_row_bytes;
	uint64_t copy_size;
	enum { WAYLAND_IDLE, WAYLAND_WAITING, WAYLAND_SENT } state;
	struct kr_frame frame; /* unless it is idle */
};

struct wayland_window {
	struct kr_sink base; /* first */
	struct kr_output_window output;
	struct kr_queue *queue; /* NULL until attached */
	atomic_int mode;        /* enum kr_output_mode, of frames to come */
	struct kr_mutex lock;
	struct wayland_link link;

	/* What the compositor has: globals.c. NULL: it hasn't. */
	struct wl_shm *shm;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct wayland_formats shm_formats;
	struct wayland_formats dmabuf_formats;

	/* Frames: show.c. */
	struct wayland_slot slots[KR_QUEUE_SLOTS];
	uint32_t waiting;             /* slots */
	struct wl_callback *callback; /* of the newest commit; NULL: it has come */
	int64_t committed_ns;
	bool overdue;             /* the callback doesn't come, though the compositor answers */
	bool fifo;                /* the newest commit must be shown before the next */
	bool skipped;             /* a frame was left out: what it had changed is damage, too */
	int32_t transform;        /* of the surface's buffers, as we have said it */
	struct wl_callback *sync; /* NULL: nothing is asked */
	unsigned came;            /* counts answers */

	/* The thread: thread.c. */
	pthread_t thread;
	pid_t pid;             /* whose thread that is: a forked child has none */
	struct kr_cond needed; /* something to read for, or the end */
	int wake;              /* eventfd: ends the thread's poll */
	int heard;             /* eventfd: the queue polls it for `came` */
	bool starving;         /* somebody polls `heard` */
	bool ending;
};

extern const struct kr_sink_impl wayland_sink_impl; /* sink.c */

static inline struct wayland_window *
wayland_window_from_sink(struct kr_sink *sink)
{
	assert(sink->impl == &wayland_sink_impl);
	return (struct wayland_window *)sink;
}

/* sink.c: with a queue's sink. The window is the sink's; 0 or -errno (told). */
int wayland_window_open(const struct kr_output_host *host, const struct kr_native_window *native,
	struct kr_queue_config *config, struct kr_output_window **out) KR_MUST_CHECK;

/* globals.c: 0, or -ENODEV without shared memory, -ETIMEDOUT, -EPIPE, -ENOMEM (told). */
int wayland_globals_find(struct wayland_window *w) KR_MUST_CHECK;
void wayland_globals_forget(struct wayland_window *w);

/*
 * pixels.c: what the compositor knows of a slot's buffer. 0, -EOPNOTSUPP for one that can't be
 * shown, -EPIPE, -ENOMEM...
 */
int wayland_pixels_init(struct wayland_window *w, struct wayland_slot *slot,
	const struct kr_buffer_info *info) KR_MUST_CHECK;
void wayland_pixels_finish(struct wayland_slot *slot);
/* The buffer to attach; NULL: there is no memory for it. */
struct wl_buffer *wayland_pixels_buffer(struct wayland_slot *slot, bool blended);
/* Brings a frame's pixels to where the compositor reads them. 0; -ETIME; -errno. */
int wayland_pixels_update(struct wayland_slot *slot) KR_MUST_CHECK;

/* show.c, all under the lock: */
/* Commits what may be committed now. 0 or -EPIPE (told). */
int wayland_show(struct wayland_window *w) KR_MUST_CHECK;
/* Asks for an answer, if nothing is asked yet. */
void wayland_ask(struct wayland_window *w);
/* The callback is due at this time, KR_FOREVER when none is waited for. */
int64_t wayland_due(const struct wayland_window *w);
/* It was due, and hasn't come. */
void wayland_handle_due(struct wayland_window *w);
/* The connection is lost, and everybody hears of it. -EPIPE. */
int wayland_lose(struct wayland_window *w);
void wayland_forget_frames(struct wayland_window *w);

/* thread.c. 0 or -errno. */
int wayland_thread_start(struct wayland_window *w) KR_MUST_CHECK;
/* False: it is a parent's, and this process has none. */
bool wayland_thread_end(struct wayland_window *w);
/* Under the lock: the thread looks again whether something has to be read for. */
void wayland_thread_nudge(struct wayland_window *w);

#endif
