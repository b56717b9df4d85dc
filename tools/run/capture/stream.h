/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where pictures go one behind the other: standard output, a FIFO, a device, a descriptor of
 * /dev/fd, or a file, which gets its name at the end. As far as it can be helped it ends where a
 * picture ends. One thread at a time.
 */
#ifndef KR_TOOLS_RUN_CAPTURE_STREAM_H
#define KR_TOOLS_RUN_CAPTURE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/run/place.h"
#include "util/macros.h"

struct kr_capture_stream {
	int fd;                /* -1: not open */
	struct kr_place place; /* of a file: place.part is there until the end */
	bool file;
};

/* Standard output, of which this takes a duplicate. 0 or -errno. */
int kr_capture_stream_open_output(struct kr_capture_stream *stream) KR_MUST_CHECK;
/*
 * What the place is: takes it. A FIFO is waited for until somebody reads it (told on stderr). 0 or
 * -errno.
 */
int kr_capture_stream_open(struct kr_capture_stream *stream, struct kr_place *take_place,
	const char *path) KR_MUST_CHECK;
/* All of it, or nothing where a file is behind it. 0 or -errno. */
int kr_capture_stream_write(struct kr_capture_stream *stream, const void *data, size_t size)
	KR_MUST_CHECK;
/* Closes it, if it is open. A file gets its name if `keep`, else it goes. 0 or -errno. */
int kr_capture_stream_end(struct kr_capture_stream *stream, bool keep) KR_MUST_CHECK;

#endif
