/* SPDX-License-Identifier: Apache-2.0 */
/* A file name with a place for the picture's number, like "out/%05d.png". One thread, or many that
 * only name. */
#ifndef KR_TOOLS_RUN_CAPTURE_PATTERN_H
#define KR_TOOLS_RUN_CAPTURE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_capture_pattern {
	char *before;
	char *after;
	bool numbered; /* false: the name is `before` alone */
	bool zeros;
	int width;
};

/*
 * Takes a pattern apart: one conversion (%d, %5d, %05d) at most, %% for a percent sign. 0; -EINVAL
 * with a sentence in *why (static); -ENOMEM.
 */
int kr_capture_pattern_init(struct kr_capture_pattern *pattern, const char *text, const char **why)
	KR_MUST_CHECK;
void kr_capture_pattern_finish(struct kr_capture_pattern *pattern);
/* What stands behind the number, or all of it: its end says the format. Borrowed. */
const char *kr_capture_pattern_end(const struct kr_capture_pattern *pattern);
/* The name of the file of a picture: a new string, NULL without memory. */
char *kr_capture_pattern_name(const struct kr_capture_pattern *pattern, uint64_t number);

#endif
