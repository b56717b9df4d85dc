/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `--output window:SOCKET`: the pictures as buffers, for the program whose reader listens there. As
 * outputs go it is shown nothing: a display writes its pictures into the queue
 * (composer/output/queue.h).
 */
#ifndef KR_TOOLS_RUN_WINDOW_OUTPUT_H
#define KR_TOOLS_RUN_WINDOW_OUTPUT_H

#include "util/macros.h"

struct kr_display_output;
struct kr_display_queue;
struct kr_run_options;

/* Connects to the reader. 0 or an exit code, told. */
int kr_run_open_window_output(const struct kr_run_options *options, const char *socket,
	struct kr_display_output **output) KR_MUST_CHECK;
/* The queue of such an output, borrowed; NULL for any other. */
struct kr_display_queue *kr_run_output_queue(struct kr_display_output *output);

#endif
