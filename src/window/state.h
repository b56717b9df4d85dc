/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a window: window.c (buffers, references), perform.c, query.c. */
#ifndef KR_WINDOW_STATE_H
#define KR_WINDOW_STATE_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "util/mutex.h"
#include "window/intercept.h"
#include "window/window.h"

/* What a producer has set and is joined to every dequeue and queue. */
struct kr_window_state {
	int api;        /* 0: nobody is connected */
	uint32_t width; /* 0x0: user_width, or the window's own */
	uint32_t height;
	uint32_t user_width;
	uint32_t user_height;
	uint32_t format; /* 0: the window's own */
	uint64_t usage;
	struct kr_queue_input input;
	struct kr_frame_target target; /* of the next frame alone */
	int32_t sticky_transform;      /* beside input.transform */
	bool auto_refresh;             /* in shared buffer mode: */
	struct kr_buffer *shared; /* that buffer was queued, and is given at once; a reference */
	bool tells_times;         /* NATIVE_WINDOW_ENABLE_FRAME_TIMESTAMPS */
	bool presents;            /* input.presentation was said, whatever the swap interval is */
	int32_t buffer_age;       /* of the buffer dequeued last */
	int64_t dequeue_start_ns;
	int64_t dequeue_duration_ns;
	int64_t queue_duration_ns;
};

#define KR_WINDOW_DRAWN 16 /* frames whose damage is known */

/* Frames that are drawn by the CPU (draw.c). Who is `busy` alone has the rest. */
struct kr_window_draw {
	bool busy; /* guarded by the window's lock: somebody locks, has or posts one */
	struct kr_buffer *locked; /* so is this: the one that is drawn; a reference. NULL: none */
	struct kr_buffer *posted; /* the one before; a reference */
	uint64_t next_frame;      /* the number after the one before's */
	ARect bounds;             /* what is drawn of the one that is drawn */
	ARect drawn[KR_WINDOW_DRAWN]; /* of those before, in turn */
	uint32_t count;               /* of those, one after the other and all alike */
	uint32_t next;
};

struct kr_window {
	ANativeWindow base; /* first */
	atomic_uint refs;
	struct kr_queue *queue; /* one reference */
	struct kr_mutex lock;
	struct kr_window_state state KR_GUARDED_BY(lock);
	struct kr_interceptors interceptors KR_GUARDED_BY(lock);
	atomic_bool intercepted; /* there was one */
	struct kr_window_draw draw;
};

static inline struct kr_window *
kr_window_from_base(const ANativeWindow *window)
{
	return (struct kr_window *)(uintptr_t)window;
}

/* What a window is before anybody has said anything. */
void kr_window_reset_locked(struct kr_window *window) KR_REQUIRES(window->lock);

/* Whether it is a fence, or -1. What is none is closed and told, and -1 put in its place. */
bool kr_window_check_fence(const char *function, int *fence);
/* The window's functions past their interceptors. */
int kr_window_query(const ANativeWindow *window, int what, int *value);
int kr_window_dequeue_buffer(ANativeWindow *window, ANativeWindowBuffer **buffer, int *fence);
int kr_window_queue_buffer(ANativeWindow *window, ANativeWindowBuffer *buffer, int take_fence);
int kr_window_cancel_buffer(ANativeWindow *window, ANativeWindowBuffer *buffer, int take_fence);
int kr_window_perform_args(ANativeWindow *window, int operation, va_list args);
int kr_window_perform_past(ANativeWindow *window, int operation, ...);
/* As dequeueBuffer_DEPRECATED: a buffer that may be written at once. */
int kr_window_dequeue_ready(ANativeWindow *window, ANativeWindowBuffer **buffer);
/* What its next dequeue asks for. */
void kr_window_make_request(struct kr_window *window, struct kr_queue_request *request);
/* The slot of a buffer that its producer has. -EINVAL. */
int kr_window_slot_of(struct kr_window *window, ANativeWindowBuffer *buffer, uint32_t *slot);
/* The shared buffer is no more what is given at once. */
void kr_window_forget_shared(struct kr_window *window);
/* The operations of Krafla's own windows (window.h); -ENOENT for any other. */
int kr_window_perform_own(struct kr_window *window, int operation, va_list args);
/* Those of buffers that come and go by themselves; -ENOENT for any other. */
int kr_window_perform_buffers(struct kr_window *window, int operation, va_list args);
/* NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER and _BUFFER2. */
int kr_window_perform_last(struct kr_window *window, int operation, va_list args);
/* NATIVE_WINDOW_ALLOCATE_BUFFERS. */
int kr_window_allocate(struct kr_window *window);
/* Frames drawn by the CPU: the next one, to draw; and it is shown. */
int kr_window_draw_lock(struct kr_window *window, ANativeWindow_Buffer *out, ARect *bounds);
int kr_window_draw_post(struct kr_window *window);
/* Nobody draws by the CPU any more; a frame that is locked is given back unseen. */
void kr_window_draw_end(struct kr_window *window);
/* Those that say something of the buffers and frames to come. */
int kr_window_perform_say(struct kr_window *window, int operation, va_list args);
/* And those that ask about frames' times. */
int kr_window_perform_times(struct kr_window *window, int operation, va_list args);
/* HDR metadata, in a whole or as Android's two parts; NULL none. 0 or -EINVAL. */
int kr_window_set_hdr(struct kr_window *window, const struct kr_hdr_metadata *hdr);
int kr_window_set_mastering(struct kr_window *window, const struct android_smpte2086_metadata *m);
int kr_window_set_content_light(
	struct kr_window *window, const struct android_cta861_3_metadata *c);

#endif
