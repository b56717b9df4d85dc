/* SPDX-License-Identifier: Apache-2.0 */
/* A frame on its way: a buffer of a queue with all that was said about it when it was queued. */
#ifndef KR_WINDOW_QUEUE_FRAME_H
#define KR_WINDOW_QUEUE_FRAME_H

#include <stdbool.h>
#include <stdint.h>
#include <krafla/native_window.h>
#include "colour/hdr.h"
#include "window/queue/presentation.h"
#include "window/queue/timing.h"

#define KR_QUEUE_SLOTS 64
/* Frames that a far end may keep at a time, at most. */
#define KR_QUEUE_MAX_ACQUIRED (KR_QUEUE_SLOTS - 2)
#define KR_FRAME_MAX_DAMAGE   16
/* The number of a buffer that the far end attached itself, until its producer has had it. */
#define KR_FRAME_BROUGHT UINT64_MAX

struct kr_buffer;

struct kr_frame {
	uint32_t slot;
	uint64_t number;          /* of the queue, from 1 */
	struct kr_buffer *buffer; /* borrowed: valid until the frame is released */
	int acquire_fence;        /* -1: ready. Belongs to whoever holds the frame */
	/* From a remote producer: what its fence was found to be as it came. */
	bool fence_done;   /* it had signalled: there is nothing to ask it any more */
	bool fence_kernel; /* the kernel's; else user space's, or none */
	bool droppable;    /* by its mode: a later frame may take its place before it is shown */
	/*
	 * Its content is undefined, because nobody wanted it when it was made: never read it, and
	 * take the next one that has pixels for changed all over, whatever its damage says.
	 */
	bool no_pixels;
	int32_t format;
	int32_t dataspace;          /* HAL_DATASPACE_* */
	struct kr_hdr_metadata hdr; /* what its producer said of the light in it */
	int32_t transform;          /* NATIVE_WINDOW_TRANSFORM_* bits */
	int32_t scaling_mode;       /* NATIVE_WINDOW_SCALING_MODE_* */
	android_native_rect_t crop; /* empty: all */
	/*
	 * A frame of one of the shared modes is of a slot that the producer has at the same time,
	 * and draws into. Later ones of it have the same slot and a number of their own; it is
	 * released once, when a frame of another slot has taken its place (consumer.h).
	 */
	struct kr_presentation presentation;
	uint32_t window_width; /* on the far end's screen; 0x0: as large as the buffer */
	uint32_t window_height;
	int64_t timestamp_ns; /* what it is meant for; NATIVE_WINDOW_TIMESTAMP_AUTO: nothing said */
	struct kr_frame_target target;                     /* when it is to be shown */
	int64_t queued_ns;                                 /* kr_clock_now when it was queued */
	uint32_t damage_count;                             /* 0: everything changed */
	android_native_rect_t damage[KR_FRAME_MAX_DAMAGE]; /* top-left origin */
};

/* Whether a crop is empty (all) or lies inside a buffer of this size. */
bool kr_frame_crop_fits(const android_native_rect_t *crop, uint32_t width, uint32_t height);
/*
 * Cuts damage to the buffer and drops what is empty then; damage that was asked for and came to
 * nothing stays as one empty rectangle, because a count of 0 means "everything".
 */
void kr_frame_clip_damage(struct kr_frame *frame, uint32_t width, uint32_t height);
/* What a far end tells of a frame that it will never show. */
void kr_frame_end_events(uint64_t number, struct kr_frame_events *events);
/* Adds what an earlier frame had changed, for a frame that takes its place. */
void kr_frame_merge_damage(struct kr_frame *frame, const struct kr_frame *earlier);

/* Likewise, and what was asked of the earlier one is asked of this one. */
void kr_frame_take_place(struct kr_frame *frame, const struct kr_frame *earlier);

#endif
