/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of `krafla run`: what its options ask for. */
#ifndef KR_TOOLS_RUN_OUTPUTS_H
#define KR_TOOLS_RUN_OUTPUTS_H

#include <stdint.h>
#include "util/macros.h"

struct kr_display;
struct kr_display_output;
struct kr_run_options;

/* Rows of the table in outputs.c. */
enum kr_run_output {
	KR_RUN_OUTPUT_CAPTURE,
	KR_RUN_OUTPUT_COUNT,
};

struct kr_run_outputs {
	struct kr_display_output *open[KR_RUN_OUTPUT_COUNT]; /* NULL: not asked for */
	uint64_t shown[KR_RUN_OUTPUT_COUNT];                 /* pictures, after finish */
};

/*
 * Opens what is asked for, before anything is started; it may wait for whoever reads a FIFO. 0 or
 * an exit code (told).
 */
int kr_run_outputs_open(struct kr_run_outputs *outputs, const struct kr_run_options *options)
	KR_MUST_CHECK;
/* Gives it to a display that doesn't run yet. 0 or -errno. */
int kr_run_outputs_add(const struct kr_run_outputs *outputs, struct kr_display *display)
	KR_MUST_CHECK;
/* All pictures of a display that has stopped are where they go. 0 or the first error (told). */
int kr_run_outputs_finish(struct kr_run_outputs *outputs);
/* The display is gone by then. */
void kr_run_outputs_destroy(struct kr_run_outputs *outputs);

#endif
