/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that take more work than a tick has for them (real clock): what they show is drawn into a
 * buffer of our own, a piece a tick, and that is what composers get. Thread-safety: the display's
 * thread.
 */
#ifndef KR_COMPOSER_PREPARE_H
#define KR_COMPOSER_PREPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <krafla/native_window.h>
#include <pixman.h>
#include "composer/layout.h"
#include "render/render.h"
#include "util/macros.h"

struct kr_display;
struct kr_frame;
struct kr_producer;

/*
 * Bytes that are read and written for a tick: for each pixel of the picture, and at least. Enough
 * for each pixel to be scaled from 8-bit formats, or converted from the widest; a processor does it
 * in a fraction of 1/60 s.
 */
#define KR_PREPARE_PIXEL_BYTES UINT64_C(32)
#define KR_PREPARE_LEAST_BYTES (UINT64_C(4) << 20)
/* So many times as much while there is one producer alone: nobody else waits. */
#define KR_PREPARE_ALONE UINT64_C(4)
/* A frame that takes more than that is prepared by this part of it at a tick. */
#define KR_PREPARE_PART 4

/* A frame as it was drawn: what is seen of it lies in a buffer of its own. */
struct kr_prepared {
	struct kr_buffer *buffer; /* NULL: none */
	uint64_t serial;          /* as the content of a layer */
	int fence;                /* it may be written when this has signalled; -1 */
	uint32_t width;
	uint32_t height;
	bool has_alpha;             /* premultiplied */
	int32_t dataspace;          /* the display's */
	struct kr_layout_spot spot; /* where the frame was when it was drawn */
};

/* The one that is drawn now. One at a time, and in turns. */
struct kr_preparation {
	struct kr_producer *producer; /* whose; NULL: none */
	bool of_current;              /* of the frame on screen, else of the one that comes */
	struct kr_prepared into;
	pixman_region32_t stale;
	struct kr_render_canvas canvas;
	struct kr_render_plan plan;
	uint64_t turns; /* how many began */
	uint64_t least; /* bytes that any tick may do */
	uint64_t work;  /* this one */
	uint64_t spent; /* bytes of the last tick */
};

void kr_preparation_init(struct kr_preparation *preparation);
void kr_preparation_finish(struct kr_preparation *preparation);
/* Once the size of pictures is known; and at each tick. */
void kr_preparation_set_size(struct kr_preparation *preparation, uint32_t width, uint32_t height);
void kr_preparation_begin_tick(struct kr_display *display);
/*
 * Whether a frame of a producer can be given to composers as it is: little enough work, or nobody
 * looks. What nobody sees of a frame costs nothing: `covered` lies under the producers above.
 */
bool kr_preparation_spares(const struct kr_producer *producer, const struct kr_frame *frame,
	pixman_region32_t *covered);
/* A tick's part of preparing the others, in turns. Whether one came on screen. */
bool kr_preparation_run(struct kr_display *display);
/* What the producer has on screen, or else has staged, isn't prepared any more. */
void kr_preparation_forget(struct kr_producer *producer, bool current);
/* Drops what it has. Safe on one that is zeroed with a fence of -1. */
void kr_prepared_finish(struct kr_prepared *prepared);

#endif
