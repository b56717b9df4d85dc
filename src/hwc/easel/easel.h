/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A painter (painter/painter.h) for one display: started when it is needed, started anew when it
 * dies, and told of buffers. Whose buffer a painter dies of is found out here:
 *
 *   one owner had a buffer in its hands      that one is guilty
 *   several had                              the next painter looks at each of these buffers alone
 *
 * What a guilty owner has is never shown to a painter again. After KR_EASEL_PAINTERS of them there
 * is none any more.
 *
 *   easel.c      the painter's life
 *   buffers.c    what it knows: buffers by their numbers
 *   picture.c    having one drawn
 *   rings.c      the memory of pictures, which is lent
 *
 * Thread-safety: one thread, the display's, but for the functions that say otherwise.
 */
#ifndef KR_HWC_EASEL_EASEL_H
#define KR_HWC_EASEL_EASEL_H

#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>
#include "gralloc/gpu_memory.h"
#include "painter/painter.h"
#include "render/render.h"
#include "util/macros.h"

struct kr_buffer;
struct kr_easel;

/* The first one, and so many in its place. */
#define KR_EASEL_PAINTERS (1u + 3)
/* So many buffers of an owner a painter knows at a time. */
#define KR_EASEL_BUFFERS 8u
/* One that was in no picture for so long is forgotten. */
#define KR_EASEL_KEEP_NS (INT64_C(2) * 1000 * 1000 * 1000)
/* Owners that are remembered because they are gone. */
#define KR_EASEL_OWNERS 64u
/* As guilty, or because a painter can't use what they have: all of a picture, and the guilty. */
#define KR_EASEL_NOTES (KR_RENDER_MAX_LAYERS + KR_EASEL_PAINTERS)
#define KR_EASEL_TEXT  256

enum kr_easel_state {
	KR_EASEL_EMPTY,    /* nobody was needed yet */
	KR_EASEL_STARTING, /* or it looks at buffers that another one may have died of */
	KR_EASEL_READY,
	KR_EASEL_GIVEN_UP, /* for good */
};

/* -ENOMEM, -EMFILE. `processors`: a device will do that is a processor. */
int kr_easel_create(bool processors, struct kr_easel **easel) KR_MUST_CHECK;
/* Waits for the painter's end as kr_painter_stop does. NULL is nothing. */
void kr_easel_destroy(struct kr_easel *easel);

/*
 * Readable once when the painter has something: whoever polls it calls kr_easel_heard, which says
 * whether kr_easel_look is to be called. Both are for any thread.
 */
int kr_easel_get_fd(const struct kr_easel *easel);
bool kr_easel_heard(struct kr_easel *easel);

/* Any thread. */
enum kr_easel_state kr_easel_get_state(struct kr_easel *easel);
/* Starts the first painter, on the device of such memory (NULL: any). Waits for nothing. */
void kr_easel_start(struct kr_easel *easel, const struct kr_gpu_memory *like);
/* Takes in what the painter has said. */
void kr_easel_look(struct kr_easel *easel);
/*
 * Waits until it is ready or given up; what `stop_fd` (-1: none) becomes readable for ends it: 0;
 * -ECANCELED. Bounded: a painter that isn't ready within its time has died.
 */
int kr_easel_wait(struct kr_easel *easel, int stop_fd) KR_MUST_CHECK;
/* There shall be none from now on: why. */
void kr_easel_give_up(struct kr_easel *easel, const char *why);

struct kr_easel_layer {
	uint64_t owner;
	bool no_pixels;   /* the buffer's picture is in its memory of a GPU alone */
	uint64_t content; /* another one with each content of the buffer */
};

struct kr_easel_request {
	uint32_t width;
	uint32_t height;
	enum kr_pixels_order order;
	bool has_alpha;
	const struct kr_render_layer *layers; /* from the top down */
	const struct kr_easel_layer *about;
	unsigned count;
	pixman_region32_t *stale; /* what isn't on the canvas as it is to be */
};

struct kr_easel_picture {
	struct kr_buffer *buffer; /* a reference, the caller's, who gives `ring` back */
	const void *pixels;
	uint32_t row_bytes;
	unsigned ring;
	bool anew;  /* its canvas was empty: all of it was drawn, whatever was stale */
	bool older; /* a layer that has content had none that can be used */
};

/*
 * Has a picture drawn. What layers have in memory that can't be used has no content. 0; -EAGAIN:
 * its memory is all lent; -ECANCELED: stop_fd; else there is no picture: -EPIPE the painter died,
 * and the state says what comes; other errors: it couldn't draw it.
 */
int kr_easel_draw(struct kr_easel *easel, const struct kr_easel_request *request, int stop_fd,
	struct kr_easel_picture *picture) KR_MUST_CHECK;
/* Any thread: the memory of a picture is free when the fence has signalled (-1: it is). */
void kr_easel_give_back(struct kr_easel *easel, unsigned ring, int take_fence);

/* Any thread: nothing more comes of an owner. */
void kr_easel_forget(struct kr_easel *easel, uint64_t owner);
/* What there is to tell of it; any thread. */
struct kr_easel_report {
	bool lost;                  /* given up: `why` */
	char device[KR_EASEL_TEXT]; /* empty: none was ready ever */
	char why[KR_EASEL_TEXT];    /* of the last death, or of giving up */
	uint64_t guilty;            /* an owner that wasn't told of yet; 0 none */
	uint64_t refused;           /* likewise: whose memory the painter can't use */
};
void kr_easel_describe(struct kr_easel *easel, struct kr_easel_report *report);

#endif
