/* SPDX-License-Identifier: Apache-2.0 */
/* A Wayland compositor of the test's own, without a screen: ended with the case. */
#ifndef KR_TESTS_WESTON_H
#define KR_TESTS_WESTON_H

#include <sys/types.h>

struct weston {
	pid_t pid;               /* 0: not running */
	const char *runtime_dir; /* "XDG_RUNTIME_DIR=..." for its clients */
	const char *display;     /* "WAYLAND_DISPLAY=..." */
};

/* Starts one; skips the case with no-weston when it can't be started. */
void weston_start(struct weston *w);
void weston_stop(struct weston *w);

#endif
