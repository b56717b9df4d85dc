/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pictures of an output that another process shows: memory that is shared with that process,
 * each piece for one picture.
 *
 *            slots_take        the module           slot_idle
 *     FREE ─────────────► WAITING ──────► SENT ───────────────► FREE
 *                         │     ▲                slot_complete in between: it is on screen
 *                         └─────┘ slots_take: a newer picture in its place, this one is dropped
 *
 * One waits at most. A picture that comes while the other process is slow takes its place, so that
 * the last one of a program that pauses is seen in the end, whatever was dropped before it.
 *
 * Memory is filled where it differs from the picture: each piece knows where it has fallen behind
 * the pictures that came since it was filled.
 */
#ifndef KR_OUTPUTS_DISPLAY_SLOTS_H
#define KR_OUTPUTS_DISPLAY_SLOTS_H

#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>
#include "composer/output/module.h"
#include "util/macros.h"

/*
 * One is on screen, one is on its way there, one waits, and one is there for servers that keep the
 * one before.
 */
#define SLOTS 4

enum slot_state { SLOT_FREE, SLOT_WAITING, SLOT_SENT };

struct slot {
	enum slot_state state;
	uint64_t number; /* of the picture in it; 0: there was none */
	bool counted;    /* the picture has been on screen, or was dropped */
	uint64_t order;
	int signal; /* of the fence that says that it is on screen; -1: nobody has asked */
	/* The picture, when it isn't copied: somebody else's pixels. NULL: it is in `pixels`. */
	struct kr_picture_hold *hold;
	void *pixels; /* B8G8R8X8; NULL: there is no memory yet */
	int fd;       /* of the memory, for the other process; whoever has handed it on closes it */
	pixman_region32_t stale;
};

/* What became of a picture. */
struct slots_fate {
	uint64_t number;
	int64_t shown_ns; /* 0: it was dropped, or nobody has said when */
};

struct slots {
	const struct kr_display_output_host *host;
	struct kr_display_output *output; /* whose pictures they are: drops are counted there */
	uint32_t width;
	uint32_t height;
	uint32_t row_bytes;
	uint64_t last; /* the number of the newest picture */
	uint64_t orders;
	uint64_t shown;
	struct slot items[SLOTS];
	struct slots_fate fates[KR_DISPLAY_OUTPUT_SHOWN]; /* by number */
};

void slots_init(struct slots *slots, const struct kr_display_output_host *host,
	struct kr_display_output *output);
void slots_finish(struct slots *slots);
/* Memory of another size, none of it shared yet. What was there is gone, and counted. */
void slots_resize(struct slots *slots, uint32_t width, uint32_t height);

/*
 * A picture of the slots' size. With `lend` its pixels stay where they are, if they may; *slot
 * waits to be sent then, or is NULL: the other process has all of them, and the picture is dropped.
 * 0 or -errno.
 */
int slots_take(struct slots *slots, const struct kr_composed_frame *frame, bool lend,
	struct slot **slot) KR_MUST_CHECK;
/* NULL: none. */
struct slot *slots_waiting(struct slots *slots);
/* The newest that was sent, for who lends nothing: its picture is there still. NULL: none. */
struct slot *slots_newest(struct slots *slots);
/* Whether of each picture it is known whether it was on screen. */
bool slots_settled(const struct slots *slots);
unsigned slots_sent(const struct slots *slots);

/* What has become of a slot that was sent; shown_ns: when, 0 it isn't known. */
void slot_complete(struct slots *slots, struct slot *slot, bool shown, int64_t shown_ns);
void slot_idle(struct slots *slots, struct slot *slot);
/* A server's time, or 0 when that is of another clock than ours: none of these seconds. */
int64_t slots_time(uint64_t seconds, uint64_t nanoseconds);

/* As kr_display_output_impl has them. */
int slots_shown_fence(struct slots *slots, uint64_t number);
int slots_shown_time(const struct slots *slots, uint64_t number, int64_t *time_ns);

static inline unsigned
slot_index(const struct slots *slots, const struct slot *slot)
{
	return (unsigned)(slot - slots->items);
}

#endif
