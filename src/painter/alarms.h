/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the parent is to look at its painter: an epoll descriptor stands for its socket, and for a
 * clock with two times. One is the deadline of what it owes. The other, while it owes something, is
 * the next look at whether it stands still, because somebody has stopped it.
 */
#ifndef KR_PAINTER_ALARMS_H
#define KR_PAINTER_ALARMS_H

#include <stdbool.h>
#include <stdint.h>
#include "painter/process.h"
#include "util/macros.h"

struct kr_painter_alarms {
	int epoll, timer;
	bool waits_for_room; /* epoll looks for that, too */
	int64_t look_at;     /* KR_FOREVER: not at all */
	bool stood_still;    /* at the last look */
};

/* 0 or -errno; to be finished either way. */
int kr_painter_alarms_open(struct kr_painter_alarms *alarms) KR_MUST_CHECK;
void kr_painter_alarms_finish(struct kr_painter_alarms *alarms);

/* 0 or -errno. */
int kr_painter_alarms_watch(struct kr_painter_alarms *alarms, int socket) KR_MUST_CHECK;
/* Before the socket, if it is one, is closed. */
void kr_painter_alarms_forget(struct kr_painter_alarms *alarms, int socket);

/* `deadline`: KR_FOREVER while no answer is owed. `waits`: for room in the socket, or -1. */
void kr_painter_alarms_set(
	struct kr_painter_alarms *alarms, int socket, int64_t deadline, bool waits);
/* It has said something. */
void kr_painter_alarms_heard(struct kr_painter_alarms *alarms);
/* At two looks, one after the other, with nothing said in between. */
bool kr_painter_alarms_stands_still(
	struct kr_painter_alarms *alarms, const struct kr_painter_process *process);

#endif
