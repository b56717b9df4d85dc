/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share. */
#ifndef KR_HWC_EASEL_INTERNAL_H
#define KR_HWC_EASEL_INTERNAL_H

#include "hwc/easel/easel.h"
#include "util/list.h"
#include "util/mutex.h"

/* A buffer that the painter knows. Nothing of it is kept but what it was in the last picture. */
struct kr_easel_buffer {
	struct kr_list link; /* kr_easel.buffers */
	uint64_t id;
	uint64_t owner;
	const struct kr_buffer *buffer; /* its name alone */
	uint64_t buffer_id;             /* and that of its maker: the name may come again */
	bool by_cpu;                    /* the painter has its memory of CPUs alone */
	int64_t used_ns;
	struct kr_buffer *held; /* a reference, while it is in the last picture */
};

/* What another painter may have died of. */
struct kr_easel_suspect {
	uint64_t owner;
	struct kr_buffer *buffer; /* a reference */
};

struct kr_easel_note {
	uint64_t owner; /* 0: none */
	bool guilty;    /* else: a painter can't use what it has */
	bool told;
	uint64_t used; /* grows with each use of any */
};

struct kr_easel_ring {
	bool lent;
	bool due; /* it was given back, and is free when `fence` has signalled (-1: it is) */
	int fence;
};

struct kr_easel {
	bool processors;
	bool has_like;
	struct kr_gpu_memory like;
	struct kr_painter *painter;
	unsigned painters; /* that were started */
	int epoll;
	uint64_t numbers;       /* of buffers and requests */
	struct kr_list buffers; /* kr_easel_buffer.link */
	/* The canvas of the last picture; a width of 0: there is none. */
	uint32_t width;
	uint32_t height;
	enum kr_pixels_order order;
	struct kr_easel_suspect suspects[KR_RENDER_MAX_LAYERS];
	unsigned suspect_count;
	uint64_t looks_at; /* the id of the first of them; 0: not yet */
	bool at_work;      /* on a picture: who dies while nothing is asked of him had no reason */

	struct kr_mutex lock;
	enum kr_easel_state state KR_GUARDED_BY(lock);
	/* The last of those that were forgotten: pictures on the way may still have them. */
	uint64_t gone[KR_EASEL_OWNERS] KR_GUARDED_BY(lock);
	unsigned gone_count KR_GUARDED_BY(lock);
	struct kr_easel_note notes[KR_EASEL_NOTES] KR_GUARDED_BY(lock);
	uint64_t notes_used KR_GUARDED_BY(lock);
	struct kr_easel_ring rings[KR_PAINTER_RING] KR_GUARDED_BY(lock);
	bool lost KR_GUARDED_BY(lock);
	char device[KR_EASEL_TEXT] KR_GUARDED_BY(lock);
	char why[KR_EASEL_TEXT] KR_GUARDED_BY(lock);
};

/* --- easel.c --- */

/* Waits for the painter to say something, and takes it in. 0; -ECANCELED; -EPIPE: it has died. */
int kr_easel_step(struct kr_easel *easel, int stop_fd) KR_MUST_CHECK;
/* The painter has died, or is taken for dead: why. Another one is started, or none any more. */
void kr_easel_bury(struct kr_easel *easel, int err, const char *why);

/* --- buffers.c --- */

/*
 * The number by which the painter knows a buffer, or of one with memory of CPUs and of a GPU the
 * former alone (`by_cpu`); it is told of it if it knows none. 0: nothing of it can be used. -errno.
 */
int kr_easel_buffer_find(struct kr_easel *easel, struct kr_buffer *buffer,
	const struct kr_easel_layer *about, bool by_cpu, uint64_t *id) KR_MUST_CHECK;
/* No buffer is in the last picture any more; before the next one's are found. */
void kr_easel_buffers_let_go(struct kr_easel *easel);
/* What is done with, and owners that were forgotten. */
void kr_easel_buffers_sweep(struct kr_easel *easel);
/* All of it; the painter is no more. */
void kr_easel_buffers_drop(struct kr_easel *easel);
struct kr_easel_buffer *kr_easel_buffer_of_id(const struct kr_easel *easel, uint64_t id);
/*
 * Notes that an owner is guilty, which stays, or that its memory can't be used, which is forgotten
 * with the owner, and when others need the room.
 */
void kr_easel_note_owner(struct kr_easel *easel, uint64_t owner, bool guilty);
bool kr_easel_is_noted(struct kr_easel *easel, uint64_t owner);

/* --- rings.c --- */

/* A picture of it was drawn, and goes out. */
void kr_easel_rings_lend(struct kr_easel *easel, unsigned ring);
/* Memory of pictures that is free goes back to the painter. */
void kr_easel_rings_settle(struct kr_easel *easel);
/* The painter is no more. */
void kr_easel_rings_drop(struct kr_easel *easel);

#endif
