/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A descriptor that a library keeps for long, in a process that isn't its own. Programs that become
 * daemons, or tidy up before exec, close descriptors they don't know, and then have the number for
 * a file of theirs: using it would send to a stranger, closing it would take it from the program.
 * So it is known by the file that it is, and asked before each use, which is one fstat. What
 * another thread does between question and use isn't seen.
 *
 * Thread-safety: one thread at a time.
 */
#ifndef KR_UTIL_KEPT_FD_H
#define KR_UTIL_KEPT_FD_H

#include <stdbool.h>
#include <sys/types.h>

struct kr_kept_fd {
	int fd; /* -1: none */
	dev_t device;
	ino_t inode;
};
#define KR_KEPT_FD_NONE ((struct kr_kept_fd){.fd = -1})

/* In a program that has closed a standard descriptor it gets another number than that. */
struct kr_kept_fd kr_kept_fd_take(int take_fd);
/* Whether the number still is what was taken; false for none. Leaves errno as it was. */
bool kr_kept_fd_is_there(const struct kr_kept_fd *kept);
/* Closes it if it is still there, and leaves none. */
void kr_kept_fd_close(struct kr_kept_fd *kept);

#endif
