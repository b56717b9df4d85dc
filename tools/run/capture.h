/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes composed frames as PNG files. Compressing takes longer than composing, so a thread does
 * it; a few frames may wait for it, then whoever brings the next one waits: no frame is lost. The
 * bytes of a file depend on its picture alone.
 */
#ifndef KR_TOOLS_RUN_CAPTURE_H
#define KR_TOOLS_RUN_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_composed_frame;
struct kr_capture;

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

/* The pattern is borrowed and must outlive the capture. 0 or -errno. */
int kr_capture_create(const struct kr_capture_pattern *pattern, struct kr_capture **capture)
	KR_MUST_CHECK;
/* Takes a copy of the frame. 0, or the error of an earlier frame (told on stderr once). */
int kr_capture_frame(struct kr_capture *capture, const struct kr_composed_frame *frame)
	KR_MUST_CHECK;
/* Waits until all frames are written. 0 or the first error; *written (may be NULL) counts files. */
int kr_capture_finish(struct kr_capture *capture, uint64_t *written);
void kr_capture_destroy(struct kr_capture *capture);

#endif
