/* SPDX-License-Identifier: Apache-2.0 */
/* A Wayland compositor of the test's own, without a screen: ended with the case. */
#ifndef KR_TESTS_WESTON_H
#define KR_TESTS_WESTON_H

#include <sys/types.h>

struct kr_weston {
	pid_t pid;             /* 0: not running */
	char runtime_dir[128]; /* "XDG_RUNTIME_DIR=..." for its clients */
	char display[160];     /* "WAYLAND_DISPLAY=...", a path */
};

/* Starts one; skips the case with no-weston when it can't be started. */
void kr_weston_start(struct kr_weston *w);
/*
 * The same, and it draws what its clients show, on an empty desk; anybody may take pictures of its
 * screen.
 */
void kr_weston_start_drawing(struct kr_weston *w);
/* The same, drawing by OpenGL ES, with one more NAME=value in its environment, or NULL. */
void kr_weston_start_gl(struct kr_weston *w, const char *env);
void kr_weston_stop(struct kr_weston *w);

#endif
