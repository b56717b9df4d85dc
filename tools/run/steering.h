/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `krafla layout` may see and change of a run: its display's layout, and where windows of its
 * programs lie. The main thread's.
 */
#ifndef KR_TOOLS_RUN_STEERING_H
#define KR_TOOLS_RUN_STEERING_H

#include "tools/run/control.h"
#include "tools/run/session.h"

struct kr_steering {
	struct kr_session *session;
	struct kr_control control;
	struct kr_layout_place places[KR_DISPLAY_MAX_GROUPS]; /* asked for, by program */
};

/* Nothing is served yet, and nothing is polled. */
void kr_steering_init(struct kr_steering *steering, struct kr_session *session);
/*
 * Listens beside the display's socket. A run goes on without: that there is none is logged, and
 * `krafla layout` doesn't find it.
 */
void kr_steering_listen(struct kr_steering *steering);
/* Also of one that is all zero. */
void kr_steering_finish(struct kr_steering *steering);

#endif
