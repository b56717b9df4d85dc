/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path by which the dynamic linker, and a debugger in a process of its own, opens what a
 * descriptor of this process is: /proc/<pid>/fd/<N>. The pid is asked of /proc (its link `self`),
 * which may be of another pid namespace than getpid() is.
 *
 * Thread-safety: any thread. In a forked child the parent's names are still the parent's; made anew
 * they are the child's.
 */
#ifndef KR_DELIVERY_FD_NAME_H
#define KR_DELIVERY_FD_NAME_H

#include <stdbool.h>
#include "util/macros.h"

#define KR_DELIVERY_FD_NAME_SIZE 96

/*
 * The path of the descriptor, after it was opened once and found to be the same file: 0, or -ENOENT
 * with a sentence in *reason (free) that says what is wrong with /proc.
 */
int kr_delivery_fd_name(int fd, char name[KR_DELIVERY_FD_NAME_SIZE], char **reason) KR_MUST_CHECK;

/* Whether a path leads to the very file that the descriptor is. */
bool kr_delivery_fd_is_at(int fd, const char *path);

#endif
