/* SPDX-License-Identifier: Apache-2.0 */
/* The line that tells on a terminal how far a `krafla run` is. On anything else nothing is told. */
#ifndef KR_TOOLS_RUN_PROGRESS_H
#define KR_TOOLS_RUN_PROGRESS_H

#include <stdint.h>

struct kr_display;

struct kr_progress {
	int64_t next_ns; /* when to update; KR_FOREVER: never */
	struct kr_display *display;
	uint64_t wanted; /* frames; 0 without end */
	uint64_t frames; /* at since_ns */
	int64_t since_ns;
};

/* `display` is borrowed; NULL: there is nothing to tell. */
void kr_progress_init(
	struct kr_progress *progress, struct kr_display *display, uint64_t wanted, int64_t now);
/* Shows the line when it is due. */
void kr_progress_update(struct kr_progress *progress, int64_t now);
/* Takes the line away, if there may be one. */
void kr_progress_clear(const struct kr_progress *progress);

#endif
