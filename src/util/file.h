/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a manifest, a directory or a variable names, opened to be read.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_UTIL_FILE_H
#define KR_UTIL_FILE_H

#include <stdio.h>
#include "util/macros.h"

/*
 * -ENODEV for a FIFO, device or socket, also behind links: to open it may wait for ever or do
 * something, to read it may have no end. For what will be opened by others (dlopen). 0 for all
 * else, also for what isn't there.
 */
int kr_file_check(const char *path) KR_MUST_CHECK;
/*
 * Opens a file with fopen, which whoever tests a loader interposes. 0, -errno of opening it, or
 * -ENODEV as above. The caller closes *file.
 */
int kr_file_open(const char *path, FILE **file) KR_MUST_CHECK;

#endif
