/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line asks of captures. The main thread fills it in; then nobody changes it. */
#ifndef KR_TOOLS_RUN_CAPTURE_REQUEST_H
#define KR_TOOLS_RUN_CAPTURE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_capture_format;

/* --capture may be said so often. */
#define KR_CAPTURE_TARGETS 8

struct kr_capture_request {
	const char *targets[KR_CAPTURE_TARGETS]; /* as they were typed */
	unsigned count;
	const struct kr_capture_format *format; /* of what has no name; NULL: not said */
	uint64_t from;                          /* from 1; 0: not said */
	uint64_t every;                         /* likewise */
	int level;                              /* of what compresses; -1: not said */
};

#define KR_CAPTURE_REQUEST_NONE ((struct kr_capture_request){.level = -1})

/* 0 or an exit code, told, as all of these. The text stays the caller's. */
int kr_capture_request_add(struct kr_capture_request *request, const char *target) KR_MUST_CHECK;
int kr_capture_request_set_format(struct kr_capture_request *request, const char *name)
	KR_MUST_CHECK;
int kr_capture_request_set_level(struct kr_capture_request *request, const char *text)
	KR_MUST_CHECK;
/*
 * When all was said: whether it fits together, and --frames and --summary, too (0, NULL: not said),
 * and how many rates the display has. Puts the defaults for what wasn't said.
 */
int kr_capture_request_complete(struct kr_capture_request *request, uint64_t frames,
	const char *summary, int32_t dataspace, unsigned rates) KR_MUST_CHECK;

/* How many pictures it takes of so many; of 0, which is without end: UINT64_MAX. */
uint64_t kr_capture_request_pictures(const struct kr_capture_request *request, uint64_t frames);
/* Whether one of its targets is krafla's standard output. */
bool kr_capture_request_has_output(const struct kr_capture_request *request);
/* Whether a path stands for that. */
bool kr_capture_names_output(const char *path);

#endif
