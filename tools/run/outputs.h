/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of `krafla run`: what its options ask for. */
#ifndef KR_TOOLS_RUN_OUTPUTS_H
#define KR_TOOLS_RUN_OUTPUTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "util/macros.h"

struct kr_display;
struct kr_display_output;
struct kr_run_options;

/* --output may be said so often. */
#define KR_RUN_OUTPUTS_ASKED 4

/* What the command line asks for: KIND or KIND:ARGUMENT, as they were typed. */
struct kr_run_output_request {
	const char *texts[KR_RUN_OUTPUTS_ASKED];
	unsigned count;
};

/* Places of the outputs of a run: captures, then what --output asks for. */
enum kr_run_output {
	KR_RUN_OUTPUT_CAPTURE,
	KR_RUN_OUTPUT_ASKED,
	KR_RUN_OUTPUT_COUNT = KR_RUN_OUTPUT_ASKED + KR_RUN_OUTPUTS_ASKED,
};

struct kr_run_outputs {
	struct kr_display_output *open[KR_RUN_OUTPUT_COUNT]; /* NULL: not asked for */
	uint64_t shown[KR_RUN_OUTPUT_COUNT];                 /* pictures, after finish */
};

/* One more --output. 0 or an exit code (told). */
int kr_run_output_request_add(struct kr_run_output_request *request, const char *text)
	KR_MUST_CHECK;
/* Whether it asks for a place where pictures are seen. */
bool kr_run_output_request_shows(const struct kr_run_output_request *request);

/*
 * Opens what is asked for, before anything is started; it may wait for whoever reads a FIFO. 0 or
 * an exit code (told).
 */
int kr_run_outputs_open(struct kr_run_outputs *outputs, const struct kr_run_options *options)
	KR_MUST_CHECK;
/* Gives it to a display that doesn't run yet. 0 or -errno. */
int kr_run_outputs_add(const struct kr_run_outputs *outputs, struct kr_display *display)
	KR_MUST_CHECK;
/* Opens the devices among what is asked for, before it runs. 0 or an exit code (told). */
int kr_run_outputs_add_devices(const struct kr_run_options *options, struct kr_display *display)
	KR_MUST_CHECK;
/* All pictures of a display that has stopped are where they go. 0 or the first error (told). */
int kr_run_outputs_finish(struct kr_run_outputs *outputs);
/* What became of those that --output asked for: nothing without any. */
void kr_run_outputs_print(
	const struct kr_run_outputs *outputs, const struct kr_run_options *options, FILE *out);
json_t *kr_run_outputs_json(
	const struct kr_run_outputs *outputs, const struct kr_run_options *options);
/* The display is gone by then. */
void kr_run_outputs_destroy(struct kr_run_outputs *outputs);

#endif
