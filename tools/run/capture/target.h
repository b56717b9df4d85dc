/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One --capture: a file for each picture, or a stream that gets one behind the other. Writers work
 * on many pictures at once; a stream's are put there in order.
 */
#ifndef KR_TOOLS_RUN_CAPTURE_TARGET_H
#define KR_TOOLS_RUN_CAPTURE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include "tools/run/capture/format.h"
#include "tools/run/capture/pattern.h"
#include "tools/run/capture/stream.h"
#include "util/mutex.h"

struct kr_capture_request;

struct kr_capture_target {
	const char *text; /* as it was typed */
	const char *name; /* for people; points to text or a constant */
	const struct kr_capture_format *format;
	const struct kr_capture_settings *settings;
	struct kr_capture_pattern pattern;
	bool streams;
	struct kr_capture_stream stream; /* whose turn it is has it */
	struct kr_mutex lock;
	struct kr_cond turn;
	uint64_t next KR_GUARDED_BY(lock); /* the place of the picture that a stream waits for */
	int error KR_GUARDED_BY(lock);     /* the first; nothing is written any more */
	uint64_t pictures KR_GUARDED_BY(lock);
	uint64_t bytes KR_GUARDED_BY(lock);
};

/* A picture to be put into a target. `place`: how many pictures came before it, here. */
struct kr_capture_job {
	const struct kr_capture_picture *picture;
	uint64_t number; /* the picture's, for when its pixels have gone */
	uint64_t place;
};

/*
 * Opens what it names, which may take as long as the path's file system, or the reader of a FIFO,
 * does. `pictures`: how many will come (UINT64_MAX: not known).
 * `text` and `settings` stay the caller's. 0 or an exit code, the reason told on stderr;
 * finish the target in any case.
 */
int kr_capture_target_init(struct kr_capture_target *target, const char *text,
	const struct kr_capture_request *request, uint64_t pictures,
	const struct kr_capture_settings *settings) KR_MUST_CHECK;
/* What wasn't ended goes, but for the pictures of numbered files. */
void kr_capture_target_finish(struct kr_capture_target *target);

/*
 * Any thread, for a job the first of the two: true when the picture's pixels aren't needed any
 * more.
 */
bool kr_capture_target_encode(struct kr_capture_target *target, const struct kr_capture_job *job,
	struct kr_capture_buffer *out);
/* ... and the second. With streams it waits until the jobs with lower places were put. */
void kr_capture_target_put(struct kr_capture_target *target, const struct kr_capture_job *job,
	struct kr_capture_buffer *out);

/* The first error (told), or 0. Any thread. */
int kr_capture_target_error(struct kr_capture_target *target);
/* How many are there, and their bytes (NULL: not asked). Any thread. */
uint64_t kr_capture_target_pictures(struct kr_capture_target *target, uint64_t *bytes);
/* No writer is there any more. What was written stays. The first error (told). */
int kr_capture_target_end(struct kr_capture_target *target);

#endif
