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
 * Opens a file with fopen, which whoever tests a loader interposes. 0, -errno of opening it, or -ENODEV for a
 * device or a socket, also behind links: to read it may have no end, or do something. The caller closes *file.
 * A FIFO is waited for, as by any program: none of the calls that the loader may use tells it beforehand.
 */
int kr_file_open(const char *path, FILE **file) KR_MUST_CHECK;

#endif
