/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The display of one `krafla run`: a directory with its socket, the display with its thread, and
 * the captures. The thread tells the rest through an eventfd.
 */
#ifndef KR_TOOLS_RUN_SESSION_H
#define KR_TOOLS_RUN_SESSION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "composer/composer.h"
#include "tools/run/options.h"
#include "tools/run/outputs.h"
#include "tools/run/programs.h"
#include "tools/run/socket_dir.h"
#include "tools/run/witness.h"
#include "util/mutex.h"

/* Windows that are named in the summary; of more only the number is told. Fences likewise. */
#define KR_SESSION_WINDOWS 16
#define KR_SESSION_STUCK   16

struct kr_session_window {
	uint64_t id; /* the display's */
	char *label;
	char *device;              /* what renders; NULL until a swapchain was made */
	struct kr_frame_rate wish; /* its last; a rate of 0: it had none */
	int pid;
	int program; /* whose it is, or KR_DISPLAY_NO_GROUP */
};

/* A fence that kept a frame from being shown for so long that its window was hidden. */
struct kr_session_stuck {
	char *label; /* of the window */
	int pid;
	uint64_t frame;
	struct kr_fence_description fence;
};

struct kr_session {
	const struct kr_run_options *options;
	const struct kr_programs *programs;
	struct kr_socket_dir dir;
	char *socket;
	struct kr_display *display; /* NULL with --wsi driver and --join */
	struct kr_run_outputs outputs;
	bool outputs_failed;        /* after kr_session_stop */
	int event_fd;               /* readable when frames_reached or ended has changed */
	atomic_bool frames_reached; /* written by the display's thread */
	atomic_bool closed;         /* likewise: an output was closed by its user */
	atomic_bool ended;          /* likewise: the display has stopped */
	int result;                 /* of kr_display_run; read after the thread was joined */
	pthread_t thread;
	bool running;
	atomic_bool connected; /* likewise: a window has been there */
	struct kr_witness witness;
	int64_t started_ns;
	struct kr_mutex lock;
	struct kr_session_window windows[KR_SESSION_WINDOWS] KR_GUARDED_BY(lock);
	unsigned window_count KR_GUARDED_BY(lock);
	struct kr_session_stuck stuck[KR_SESSION_STUCK] KR_GUARDED_BY(lock);
	unsigned stuck_count KR_GUARDED_BY(lock);
	struct kr_display_stats stats; /* after kr_session_stop */
	/* Likewise: of each program, and last of windows that are none's. */
	struct kr_display_group_stats groups[KR_DISPLAY_MAX_GROUPS + 1];
};

/* Sets everything up, no thread yet. 0 or an exit code, the reason told on stderr. */
int kr_session_init(struct kr_session *session, const struct kr_run_options *options,
	const struct kr_programs *programs) KR_MUST_CHECK;
/* Starts the threads; signals that the caller has blocked stay blocked in them. As above. */
int kr_session_start(struct kr_session *session) KR_MUST_CHECK;
/*
 * Ends and joins the threads, all pictures where they go. 0 or -errno of display or outputs (told).
 */
int kr_session_stop(struct kr_session *session);
/*
 * Removes the socket and its directory alone, for a process that ends while the
 * session is still in use.
 */
void kr_session_remove(const struct kr_session *session);
/* Also of one that is half set up. The directory is removed. */
void kr_session_finish(struct kr_session *session);

#endif
