/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A role that opens a window on a display and shows some frames in it, whose acquire fences end
 * late, in error, or not by anybody's will. A dequeue ends with a buffer whose release fence ends,
 * or with an error that may be.
 */
#ifndef KR_TESTS_KILL_APP_H
#define KR_TESTS_KILL_APP_H

#include "kill.h"

struct kill_app {
	const char *socket;
	uint32_t width; /* 0: the display's */
	uint32_t height;
	/* Whether connecting, dequeueing or queueing may have failed in this round so far. */
	bool (*may_fail)(const struct kill_actor *actor);
	unsigned frames; /* what counts them, for kill_count */
	unsigned fences;
};

void kill_app_play(struct kill_actor *actor, const struct kill_app *how);

#endif
