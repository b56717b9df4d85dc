/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Wayland window as the far end of a queue: frames are attached to the application's surface and
 * committed, on the application's connection (link.h). The surface has no size of its own: it is as
 * large as what is attached.
 *
 *   buffers   shared memory is the buffer's own memfd, a dma-buf goes to the compositor as one;
 *             what it doesn't take is copied into memory that it takes (pixels.c)
 *   FIFO      a frame is committed when the frame callback of the one before has come. Until then
 *             it waits here, and so do all behind it: nobody waits in queueBuffer. LATEST_READY
 *             goes on to the last of those that wait; RELAXED may tear when it is late, where
 *             the compositor has tearing-control
 *   MAILBOX,  at once: the compositor shows what was committed last when it draws next, and gives
 *   IMMEDIATE back what it never showed
 *   shared    the one buffer is committed again and again: with each frame of it, and CONTINUOUS
 *             with each callback. It goes back when another has been committed in its place
 *   fences    frames come here when they are ready, but for kernel's fences of dma-bufs: those go
 *             to a compositor that has explicit synchronisation, and so do release fences come
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

struct zwp_linux_buffer_release_v1_listener;

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
	struct kr_frame frame; /* unless it is idle; its fence is closed once it is sent */
	bool released;         /* sent, and the compositor has done with it */
	/* What tells of the newest commit's end with a fence; NULL: wl_buffer.release does. */
	struct zwp_linux_buffer_release_v1 *release;
};

/* What becomes of a commit, for who wants to know. */
struct wayland_feedback {
	struct wayland_window *window;
	struct wp_presentation_feedback *object; /* NULL: free */
	uint64_t number;
};
#define WAYLAND_FEEDBACKS 64

struct wayland_window {
	struct kr_sink base; /* first */
	struct kr_output_window output;
	struct kr_queue *queue; /* NULL until attached */
	struct kr_mutex lock;
	struct wayland_link link;

	/* What the compositor has: globals.c. NULL: it hasn't. */
	struct wl_shm *shm;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct wayland_formats shm_formats;
	struct wayland_formats dmabuf_formats;
	struct wp_presentation *presentation;
	uint32_t clock; /* of its times */
	struct wp_tearing_control_manager_v1 *tearing;
	struct zwp_linux_explicit_synchronization_v1 *explicit;

	/* Frames: show.c. */
	struct wayland_slot slots[KR_QUEUE_SLOTS];
	uint32_t waiting;             /* slots */
	struct wayland_slot *current; /* of the newest commit; NULL: none, or it is gone */
	struct wl_callback *callback; /* of the newest commit; NULL: it has come */
	int64_t committed_ns;
	bool overdue;             /* the callback doesn't come, though the compositor answers */
	bool paced;               /* the newest commit must be shown before the next */
	bool skipped;             /* a frame was left out: what it had changed is damage, too */
	int32_t transform;        /* of the surface's buffers, as we have said it */
	struct wl_callback *sync; /* NULL: nothing is asked */
	unsigned came;            /* counts answers */
	uint64_t tell;            /* shown with the callback, as nothing tells better; 0: none */
	struct wayland_feedback feedbacks[WAYLAND_FEEDBACKS];

	/* Of the surface, extras.c; NULL until they are needed: it can have one of each alone. */
	struct wp_tearing_control_v1 *tears;
	bool tearing_said;
	struct zwp_linux_surface_synchronization_v1 *fences;

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
/* A frame waits here for a callback, or what is shown is refreshed with each. */
bool wayland_has_due(const struct wayland_window *w);
/* Asks for an answer, if nothing is asked yet. */
void wayland_ask(struct wayland_window *w);
/* When the callback is overdue, KR_FOREVER when none is waited for. */
int64_t wayland_due(const struct wayland_window *w);
/* It was due, and hasn't come. */
void wayland_handle_due(struct wayland_window *w);
/* The connection is lost, and everybody hears of it. -EPIPE. */
int wayland_lose(struct wayland_window *w);
void wayland_forget_frames(struct wayland_window *w);

/* feedback.c: before a commit, of which kr_queue_shown shall tell. False: it can't. */
bool wayland_feedback_ask(struct wayland_window *w, uint64_t number);
void wayland_feedback_forget(struct wayland_window *w);

/* extras.c, before a commit: */
/* Whether the picture may tear, said where it isn't as before. */
void wayland_say_tearing(struct wayland_window *w, bool tears);
/* Fences that the compositor takes for the slot's buffer. */
bool wayland_has_fences(const struct wayland_window *w, const struct wayland_slot *slot);
/* Of the slot's buffer, which is attached: the frame's fence, if any, goes, a release is asked. */
void wayland_say_fence(struct wayland_window *w, struct wayland_slot *slot,
	const struct zwp_linux_buffer_release_v1_listener *listener);
void wayland_extras_forget(struct wayland_window *w);

/* thread.c. 0 or -errno. */
int wayland_thread_start(struct wayland_window *w) KR_MUST_CHECK;
/* False: it is a parent's, and this process has none. */
bool wayland_thread_end(struct wayland_window *w);
/* Under the lock: the thread looks again whether something has to be read for. */
void wayland_thread_nudge(struct wayland_window *w);

#endif
