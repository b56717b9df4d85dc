/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An output that writes PNG files. Compressing takes longer than composing, so a thread does it;
 * a few frames may wait for it, then whoever brings the next one waits: no frame is lost. The bytes
 * of a file depend on its picture alone.
 */
#ifndef KR_TOOLS_RUN_CAPTURE_H
#define KR_TOOLS_RUN_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_display_output;
struct kr_run_options;

/* A file name with a place for the frame's number, like "out/%05d.png". */
struct kr_capture_pattern {
	char *before;
	char *after;
	bool numbered; /* false: the name is `before` alone */
	bool zeros;
	int width;
};

/*
 * Takes a pattern apart: one conversion (%d, %5d, %05d) at most, %% for a percent sign, ".png" at
 * the end. 0; -EINVAL with a sentence in *why (static); -ENOMEM.
 */
int kr_capture_pattern_init(struct kr_capture_pattern *pattern, const char *text, const char **why)
	KR_MUST_CHECK;
void kr_capture_pattern_finish(struct kr_capture_pattern *pattern);
/* The name of the file of a frame: a new string, NULL without memory. */
char *kr_capture_pattern_name(const struct kr_capture_pattern *pattern, uint64_t number);

/* --capture: whether files can be written as it says. 0 or an exit code (told). */
int kr_capture_check(const struct kr_run_options *options) KR_MUST_CHECK;
/* Its output; *output stays as it is without. 0 or -errno. */
int kr_capture_open(const struct kr_run_options *options, struct kr_display_output **output)
	KR_MUST_CHECK;

#endif
