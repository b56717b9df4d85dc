/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An output that writes what is shown: into files, or as a stream for another program. Encoding
 * takes longer than composing, so threads do it (writers.h); a few pictures may wait for them, then
 * whoever brings the next one waits: no picture is lost. The bytes of a file depend on its picture
 * and the level of compression alone.
 */
#ifndef KR_TOOLS_RUN_CAPTURE_CAPTURE_H
#define KR_TOOLS_RUN_CAPTURE_CAPTURE_H

#include <stdio.h>
#include "util/macros.h"

struct kr_display_output;
struct kr_run_options;

/*
 * What --capture asks for, its files or streams open or known to be possible; *output stays as it
 * is without. It may wait for whoever reads a FIFO. 0 or an exit code (told).
 */
int kr_capture_open(const struct kr_run_options *options, struct kr_display_output **output)
	KR_MUST_CHECK;

#endif
