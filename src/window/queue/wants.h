/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the far end of a queue wants of the frames to come. Pixels that nobody reads needn't be
 * there: a driver whose memory the CPU doesn't share makes them by a copy, which it then leaves.
 *
 * Both ends of a queue keep a kr_wanted and answer by it for any frame's number. A change holds
 * from a number on, and what was said about the numbers before it stays, so that it doesn't matter
 * when within that time a producer hears of it.
 *
 * Thread-safety: none of its own.
 */
#ifndef KR_WINDOW_QUEUE_WANTS_H
#define KR_WINDOW_QUEUE_WANTS_H

#include <stdbool.h>
#include <stdint.h>

/* The pixels of frame `from`, and from there on of every `every`th; 0: of none of them. */
struct kr_wants {
	uint64_t from;
	uint64_t every;
};

struct kr_wanted {
	struct kr_wants before; /* holds for what comes before last.from */
	struct kr_wants last;
};

/* All frames: what holds until somebody says otherwise. */
void kr_wanted_init(struct kr_wanted *wanted);
/*
 * A change; the frames up to `past` have been. One that replaces another before that was reached
 * leaves what holds until then as it is.
 */
void kr_wanted_set(struct kr_wanted *wanted, const struct kr_wants *wants, uint64_t past);
/* Whether the pixels of a frame are wanted. */
bool kr_wanted_frame(const struct kr_wanted *wanted, uint64_t number);

#endif
