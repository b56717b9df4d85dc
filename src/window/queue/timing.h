/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a frame is to be shown, and what became of it when.
 *
 * A producer says with each frame when it is meant for, and whether it wants to hear of it; a far
 * end says once which of that it can (struct kr_timing). Times are of the far end's clock:
 * CLOCK_MONOTONIC, or with a virtual clock the time of its pictures, the first of which is at 0.
 */
#ifndef KR_WINDOW_QUEUE_TIMING_H
#define KR_WINDOW_QUEUE_TIMING_H

#include <stdbool.h>
#include <stdint.h>

/* The numbers travel over the wire: new ones come last. */
enum kr_frame_target_kind {
	KR_TARGET_NONE, /* as soon as can be */
	/*
	 * Android's: not before that time. It is left out when a later frame with such a time is
	 * due, too. A time of more than KR_TARGET_FAR_NS ahead is none.
	 */
	KR_TARGET_TIMESTAMP,
	KR_TARGET_ABSOLUTE, /* Vulkan's: not before that time, however far; never left out */
	KR_TARGET_RELATIVE, /* not before so long after the queue's frame before was shown */
	KR_TARGET_COUNT,
};

#define KR_TARGET_FAR_NS INT64_C(1000000000)

/* All zero: none. */
struct kr_frame_target {
	uint8_t kind;
	bool nearest; /* at the refresh that is nearest, so up to half a one before */
	int64_t time_ns;
};

/* What a far end can tell of a frame. The numbers travel over the wire: new ones come last. */
enum kr_frame_event {
	KR_EVENT_LATCH, /* it was taken out of the queue, to be shown */
	KR_EVENT_READY, /* its acquire fence had signalled */
	KR_EVENT_FIRST_COMPOSITION,
	KR_EVENT_LAST_COMPOSITION,
	KR_EVENT_GPU_DONE, /* the first picture with it had been drawn by a GPU */
	KR_EVENT_SHOWN,    /* the first picture with it was on screen */
	KR_EVENT_COUNT,
};

/* As NATIVE_WINDOW_TIMESTAMP_*: not known yet; never will be. */
#define KR_TIME_PENDING INT64_C(-2)
#define KR_TIME_INVALID INT64_C(-1)

/* What a far end tells of a frame, in one or in several parts; each event once. */
struct kr_frame_events {
	uint64_t number;
	uint32_t known;                  /* 1 << enum kr_frame_event: what this part tells */
	int64_t time_ns[KR_EVENT_COUNT]; /* KR_TIME_INVALID: there will be none */
};

/* All that a queue knows of a frame. KR_TIME_PENDING, KR_TIME_INVALID. */
struct kr_frame_times {
	uint64_t number;
	int64_t queued_ns;    /* CLOCK_MONOTONIC */
	int64_t requested_ns; /* the time of its target; KR_TIME_INVALID: it had none */
	int64_t time_ns[KR_EVENT_COUNT];
	int64_t dequeue_ready_ns; /* its buffer could be dequeued again; CLOCK_MONOTONIC */
	int64_t released_ns;      /* its release fence had signalled; CLOCK_MONOTONIC */
	bool complete;            /* nothing of time_ns is pending */
};

/* Frames that a queue remembers. */
#define KR_FRAME_HISTORY 64

/* What a far end says of its time. All zero: nothing. */
struct kr_timing {
	bool virtual_clock;
	uint32_t targets;   /* 1 << enum kr_frame_target_kind: those that it honours itself */
	uint32_t events;    /* 1 << enum kr_frame_event: those that it tells */
	int64_t phase_ns;   /* when one of its refreshes was; with refresh_ns all of them */
	int64_t latency_ns; /* from a latch to when that is shown; 0: at once, or not known */
};

#define KR_TIMING_TARGETS ((UINT32_C(1) << KR_TARGET_COUNT) - 1)
#define KR_TIMING_EVENTS  ((UINT32_C(1) << KR_EVENT_COUNT) - 1)

#endif
