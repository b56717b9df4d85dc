/* SPDX-License-Identifier: Apache-2.0 */
/* A window that stands before another one and lies about it, as it is told. */
#ifndef KR_TESTS_EGL_WINDOW_ODD_H
#define KR_TESTS_EGL_WINDOW_ODD_H

#include "harness.h"

#include <krafla/native_window.h>

struct odd_window {
	ANativeWindow base; /* first */
	ANativeWindow *real;
	int refs;
	int dequeue_err, queue_err; /* what these answer; 0: as the real one does */
	int refused;                /* the operation of perform that fails with -EINVAL; 0: none */
	int format, width, height;  /* what is asked of the real one instead; 0: as it is said */
	bool foreign;               /* buffers look like another platform's */
	bool unseen;                /* nobody wants pixels */
	bool mute;                  /* it answers no questions of size */
	unsigned dequeued, queued, cancelled, without_pixels;
	const char *device; /* that was told last */
};

void odd_window_init(struct odd_window *odd, ANativeWindow *real);

#endif
