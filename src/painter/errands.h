/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a painter was asked and hasn't answered, in order: looks and pictures. When it dies, the
 * first of them says what it had in its hands: it looks at nothing while it draws. Thread-safety:
 * one thread at a time.
 */
#ifndef KR_PAINTER_ERRANDS_H
#define KR_PAINTER_ERRANDS_H

#include <stdbool.h>
#include <stdint.h>
#include "render/render.h"
#include "util/list.h"
#include "util/macros.h"

struct kr_painter_errand {
	struct kr_list link; /* kr_painter_errands.list */
	int64_t deadline;    /* when it is the first: counts from when it became that */
	bool look;
	uint64_t id;     /* of a look: the buffer's */
	uint64_t serial; /* the same: which look at a buffer of that number */
	uint64_t number; /* of a picture */
	unsigned ring;   /* KR_PAINTER_RING: no readback */
	unsigned gpu_count;
	uint64_t gpu_ids[KR_RENDER_MAX_LAYERS]; /* its buffers with memory of GPUs */
};

struct kr_painter_errands {
	struct kr_list list; /* kr_painter_errand.link */
	unsigned pictures;
	struct kr_painter_errand *spare; /* one that is done, for the next; NULL: none */
	uint64_t limit_ns;               /* of an answer; 0: it isn't ready */
};

void kr_painter_errands_init(struct kr_painter_errands *errands);
void kr_painter_errands_finish(struct kr_painter_errands *errands);
/* It is ready: from now on each answer has that limit. */
void kr_painter_errands_start(struct kr_painter_errands *errands, uint64_t limit_ns);
/* A zeroed one, the caller's; NULL without memory. */
struct kr_painter_errand *kr_painter_errands_make(struct kr_painter_errands *errands);
/* Takes it. */
void kr_painter_errands_add(
	struct kr_painter_errands *errands, struct kr_painter_errand *take_errand);
/* NULL: there is none. */
struct kr_painter_errand *kr_painter_errands_first(const struct kr_painter_errands *errands);
/* The first one is done. */
void kr_painter_errands_pop(struct kr_painter_errands *errands);
/* When the first one's answer is due; KR_FOREVER for none. */
int64_t kr_painter_errands_deadline(const struct kr_painter_errands *errands);
/* Each id once. */
unsigned kr_painter_errands_suspects(
	const struct kr_painter_errands *errands, uint64_t *ids, unsigned room);

#endif
