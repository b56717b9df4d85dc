/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptors: borrowed unless a name says `take_`, always O_CLOEXEC, -1 means none. */
#ifndef KR_UTIL_FD_H
#define KR_UTIL_FD_H

#include "util/macros.h"

/* Closes *fd unless it is negative, leaves -1 there and errno as it was. */
void kr_fd_close(int *fd);
/*
 * Duplicates `fd` (CLOEXEC) into *out: 0, or -errno with *out untouched. A negative fd duplicates
 * to -1.
 */
int kr_fd_dup(int fd, int *out) KR_MUST_CHECK;

#endif
