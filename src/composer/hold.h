/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers that are pictures, for who looks at them longer than the call that shows them. A buffer
 * that a producer gets back meanwhile has a release fence, which signals when nobody looks any
 * more: a slow writer costs its producer that one buffer, and of a second one of it gets a copy.
 *
 * Thread-safety: all of it, any thread. Holds may outlive what they are of: the producer and the
 * display.
 */
#ifndef KR_COMPOSER_HOLD_H
#define KR_COMPOSER_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include "composer/output/output.h"
#include "util/macros.h"

struct kr_buffer;
struct kr_holds;

/*
 * What a display tells producers that it keeps of theirs: what is on screen. As many that aren't
 * any more may be looked at.
 */
#define KR_DISPLAY_MAX_ACQUIRED 1
/* Of all producers of a display together. */
#define KR_HOLDS_MAX 16

/* Of a display. NULL: no memory. */
struct kr_holds *kr_holds_create(void);
/* The display needs them no more; they go with the last hold. NULL is nothing. */
void kr_holds_leave(struct kr_holds *holds);

/*
 * A buffer of a producer is a picture now: what whoever looks at it may take, valid during the
 * call that shows it. `owner` is the producer's own number, `frame` the frame's. NULL: none left.
 */
struct kr_picture_hold *kr_holds_offer(
	struct kr_holds *holds, uint64_t owner, uint64_t frame, struct kr_buffer *buffer);
/*
 * The buffer goes back to its producer: the fence that signals when nobody looks at it any more,
 * the caller's. -1: nobody does.
 */
int kr_holds_give_back(struct kr_holds *holds, uint64_t owner, const struct kr_buffer *buffer);
/* Whether a producer waits for one of its buffers because somebody looks at it. */
bool kr_holds_any(struct kr_holds *holds, uint64_t owner);
/* How many were taken, and how many could not be. */
void kr_holds_count(struct kr_holds *holds, uint64_t *taken, uint64_t *refused);

#endif
