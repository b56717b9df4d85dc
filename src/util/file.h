/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a path leads to, for whoever is about to open it because a manifest, a directory or a variable names it.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_UTIL_FILE_H
#define KR_UTIL_FILE_H

#include <stdbool.h>

/*
 * Whether it is a FIFO, a socket or a device, also behind links: to open it, or to read it, may wait for ever
 * or do something. False for what isn't there: opening it will tell.
 */
bool kr_file_is_special(const char *path);

#endif
