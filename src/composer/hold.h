/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds on pictures, for who looks at them longer than the call that shows them: the composer's,
 * and counted here. Thread-safety: all of it, any thread. Holds may outlive their display.
 */
#ifndef KR_COMPOSER_HOLD_H
#define KR_COMPOSER_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include "composer/output/output.h"
#include "util/macros.h"

struct krafla_picture_hold;
struct kr_display_holds;

/*
 * What a display tells producers that it keeps of theirs: what is on screen. As many that aren't
 * any more may be looked at.
 */
#define KR_DISPLAY_MAX_ACQUIRED 1
/* Of all producers of a display together: as many as a composer gives. */
#define KR_DISPLAY_HOLDS 16

/* Of a display. NULL: no memory. */
struct kr_display_holds *kr_display_holds_create(void);
/* The display needs them no more; they go with the last hold. NULL is nothing. */
void kr_display_holds_leave(struct kr_display_holds *holds);
/*
 * What whoever looks at a picture may take, valid during the call that shows it. `owner` is the
 * number of the producer whose buffer it is. NULL: none left.
 */
struct kr_picture_hold *kr_display_holds_offer(
	struct kr_display_holds *holds, struct krafla_picture_hold *hold, uint64_t owner);
/* Whether a producer waits for one of its buffers because somebody looks at it. */
bool kr_display_holds_any(struct kr_display_holds *holds, uint64_t owner);
/* How many were taken, and how many could not be. */
void kr_display_holds_count(struct kr_display_holds *holds, uint64_t *taken, uint64_t *refused);

#endif
