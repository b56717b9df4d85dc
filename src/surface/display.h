/* SPDX-License-Identifier: Apache-2.0 */
/* The producer's end of a display: a queue whose frames go to it. */
#ifndef KR_SURFACE_DISPLAY_H
#define KR_SURFACE_DISPLAY_H

#include <stdint.h>
#include "util/macros.h"
#include "window/queue/queue.h"
#include "window/remote/remote.h"

/*
 * Connects to the display at `path` and makes a queue of its size, or of width x height when
 * these aren't 0. `title` NULL: the program's name. 0; -ENOENT, -ECONNREFUSED, -ETIMEDOUT (5
 * s), -EPROTO, ... (logged).
 */
int kr_surface_connect_display(const char *path, const char *title, uint32_t width, uint32_t height,
	struct kr_queue **queue) KR_MUST_CHECK;

/*
 * What the display at `path` is; the connection goes with the answer. 0; -ENOENT, -ECONNREFUSED,
 * -ETIMEDOUT (5 s), -EPROTO, ... (logged).
 */
int kr_surface_ask_display(const char *path, struct kr_remote_display *is) KR_MUST_CHECK;

#endif
