/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ANativeWindow face of a queue: what surfaces are made of. Windows of another library copy, or
 * of a platform's own, work as well: whoever uses a window goes through its function pointers only.
 */
#ifndef KR_WINDOW_WINDOW_H
#define KR_WINDOW_WINDOW_H

#include <krafla/native_window.h>
#include "util/macros.h"
#include "window/queue/queue.h"

/*
 * A perform operation of Krafla's own windows: const char *, the name of the device that renders,
 * for summaries. Whoever performs it expects other windows not to know it.
 */
#define KR_WINDOW_DESCRIBE_PRODUCER 0x4B520001
/*
 * Likewise: bool *, whether anybody wants the pixels of the frame that is queued next. Where it
 * isn't known, somebody does.
 */
#define KR_WINDOW_NEXT_WANTED 0x4B520002
/*
 * Likewise, no argument: the content of the frame that is queued next is undefined. Windows that
 * don't know it must be given none such; whoever was told "not wanted" may.
 */
#define KR_WINDOW_NO_PIXELS 0x4B520003
/*
 * Likewise: const struct kr_presentation *, of this frame and those that come, until it is said
 * anew or the producer disconnects. -EINVAL; -EOPNOTSUPP what the far end hasn't. A shared mode
 * also wants NATIVE_WINDOW_SET_SHARED_BUFFER_MODE.
 */
#define KR_WINDOW_SET_PRESENTATION 0x4B520004
/* Likewise: struct kr_abilities *. */
#define KR_WINDOW_GET_ABILITIES 0x4B520005
/*
 * Likewise: uint64_t number, int64_t deadline_ns; as kr_queue_wait_shown. A frame's number is what
 * NATIVE_WINDOW_GET_NEXT_FRAME_ID says before its queueBuffer.
 */
#define KR_WINDOW_WAIT_SHOWN 0x4B520006
/* Likewise: uint64_t *, as kr_queue_last_shown. */
#define KR_WINDOW_LAST_SHOWN 0x4B520007
/* Likewise: uint64_t *count, int64_t *time_ns, int64_t deadline_ns; as kr_queue_wait_vblank. */
#define KR_WINDOW_WAIT_VBLANK 0x4B520008
/*
 * Likewise: uint32_t width, uint32_t height, how large the window is on the far end's screen; 0x0:
 * as the buffer. Until it is said anew, whoever draws into it.
 */
#define KR_WINDOW_SET_WINDOW_SIZE 0x4B520009
/*
 * Likewise: struct kr_window_shape *, in one question what NATIVE_WINDOW_DEFAULT_WIDTH,
 * DEFAULT_HEIGHT and TRANSFORM_HINT answer, for who asks with each frame.
 */
#define KR_WINDOW_GET_SHAPE 0x4B52000A
/* Likewise: uint64_t number, int64_t *time_ns; as kr_queue_shown_time. */
#define KR_WINDOW_SHOWN_TIME 0x4B52000B
/* Likewise: uint64_t number, int64_t *time_ns; as kr_queue_came_back_time. */
#define KR_WINDOW_CAME_BACK_TIME 0x4B52000C
/*
 * Likewise: const struct kr_frame_target *, of the frame that is queued next, and of no other; in
 * place of what NATIVE_WINDOW_SET_BUFFERS_TIMESTAMP says. -EINVAL. Whether the far end honours it
 * its timing says; where it doesn't, the queue holds the frame back.
 */
#define KR_WINDOW_SET_TARGET 0x4B52000E
/* Likewise: struct kr_window_timing *. */
#define KR_WINDOW_GET_TIMING 0x4B52000F
/* Likewise: uint64_t number, struct kr_frame_times *; as kr_queue_frame_times. */
#define KR_WINDOW_FRAME_TIMES 0x4B520010
/*
 * Likewise: const struct kr_hdr_metadata *, of this frame and those that come; NULL: none. -EINVAL.
 * It takes the place of what Android's two operations said.
 */
#define KR_WINDOW_SET_HDR 0x4B520011
/*
 * Likewise: AHardwareBuffer *, ANativeWindowBuffer ** (borrowed, as of a dequeue); as
 * kr_queue_attach. The buffer is of the queue's generation from then on.
 */
#define KR_WINDOW_ATTACH 0x4B520012
/* Likewise: ANativeWindowBuffer *, AHardwareBuffer ** (a reference); as kr_queue_detach. */
#define KR_WINDOW_DETACH 0x4B520013
/* Likewise: AHardwareBuffer **, int *; as kr_queue_detach_next. */
#define KR_WINDOW_DETACH_NEXT 0x4B520014
/* Likewise: uint32_t; int; int; uint32_t; as the functions of a queue with that name. */
#define KR_WINDOW_SET_GENERATION   0x4B520015
#define KR_WINDOW_ALLOW_ALLOCATION 0x4B520016
#define KR_WINDOW_SET_LEGACY_DROP  0x4B520017
#define KR_WINDOW_SET_MAX_DEQUEUED 0x4B520018
/* Likewise: uint32_t, int *; as kr_queue_watch. struct kr_notice *; as kr_queue_next_notice. */
#define KR_WINDOW_WATCH       0x4B520019
#define KR_WINDOW_NEXT_NOTICE 0x4B52001A
/* The far end's time. */
struct kr_window_timing {
	struct kr_timing timing;
	int64_t refresh_ns; /* 0: it has no clock */
};

struct kr_window_shape {
	uint32_t width;
	uint32_t height;
	uint32_t transform_hint;
};

/* A window on a queue (one more reference on it); the caller owns the window's first reference. */
int kr_window_create(struct kr_queue *queue, ANativeWindow **window) KR_MUST_CHECK;
/*
 * Likewise for who may ask it for the buffer queued last: its queue keeps that frame's fence.
 */
int kr_window_create_asked(struct kr_queue *queue, ANativeWindow **window) KR_MUST_CHECK;
/* The queue of a window that this library copy made, borrowed; NULL for any other. */
struct kr_queue *kr_window_queue(ANativeWindow *window);

static inline void
kr_window_ref(ANativeWindow *window)
{
	window->common.incRef(&window->common);
}

static inline void
kr_window_unref(ANativeWindow *window)
{
	window->common.decRef(&window->common);
}

#endif
