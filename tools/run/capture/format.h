/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats of captures. What comes out depends on the picture, its place in a stream (first or
 * not) and the settings, and on nothing else. A new format is a file and a row of the table in
 * format.c. Thread-safe: each call has memory of its own.
 */
#ifndef KR_TOOLS_RUN_CAPTURE_FORMAT_H
#define KR_TOOLS_RUN_CAPTURE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include "tools/run/capture/buffer.h"
#include "tools/run/capture/picture.h"
#include "util/macros.h"

/* As in --help and messages. */
#define KR_CAPTURE_FORMATS "png, ppm, exr, pfm, raw or y4m"

struct kr_capture_settings {
	int level;            /* of what compresses: 0 to 9 */
	uint32_t refresh_mhz; /* of the display */
	uint64_t every;       /* which of its pictures are taken */
};

struct kr_capture_format {
	const char *name;
	bool stream;     /* readers expect one picture behind the other in a file */
	bool compresses; /* the level means something */
	bool one_rate;   /* it says how far pictures are apart */
	/*
	 * Puts the picture's bytes into `out`, which is empty; `first`: what begins a file or
	 * stream is in front. 0; -ENOMEM or -EIO. NULL: the pixels are the bytes.
	 */
	int (*encode)(const struct kr_capture_settings *settings,
		const struct kr_capture_picture *picture, bool first,
		struct kr_capture_buffer *out);
	/*
	 * Why it can't hold pictures of a display of that colour, to go behind "a .png"; NULL: it
	 * can. NULL for all that it can.
	 */
	const char *(*refuses)(int32_t dataspace);
};

extern const struct kr_capture_format kr_capture_exr, kr_capture_pfm, kr_capture_png,
	kr_capture_ppm, kr_capture_raw, kr_capture_y4m;

/* For formats whose numbers end at 1: floats go beyond. */
const char *kr_capture_refuses_floats(int32_t dataspace);

/* NULL: there is no format of that name. */
const struct kr_capture_format *kr_capture_format_find(const char *name);
/* By the end of a file's name. */
const struct kr_capture_format *kr_capture_format_of_file(const char *name);

#endif
