/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptors: borrowed unless a name says `take_`, always O_CLOEXEC, -1 means none. */
#ifndef KR_UTIL_FD_H
#define KR_UTIL_FD_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "util/macros.h"

/* Closes *fd unless it is negative, leaves -1 there and errno as it was. */
void kr_fd_close(int *fd);
/*
 * Duplicates `fd` (CLOEXEC) into *out: 0, or -errno with *out untouched. A negative fd duplicates
 * to -1.
 */
int kr_fd_dup(int fd, int *out) KR_MUST_CHECK;
/*
 * A new memfd of `size` bytes, which can be sealed. -EFBIG when the limit of this process
 * (RLIMIT_FSIZE) is lower: the kernel would end the program by a signal, SIGXFSZ, whose handler
 * belongs to the application. 0 or -errno.
 */
int kr_memfd_create(const char *name, uint64_t size, int *fd) KR_MUST_CHECK;
/*
 * What fstat says of a descriptor that somebody else has sent, without asking the server of its
 * file system (FUSE), who may be the sender and never answer: type, size and mode are then those
 * that are known. 0 or -errno.
 */
int kr_fd_stat(int fd, struct stat *status) KR_MUST_CHECK;
/*
 * poll until the deadline, whatever signals come: how many are ready, 0 at the deadline, -errno.
 * Where a filter denies one of the kernel's two calls the other is taken; when both are denied a
 * caller must end what it waits for, since it would only ask in a circle.
 */
int kr_fd_poll(struct pollfd *fds, nfds_t count, int64_t deadline_ns) KR_MUST_CHECK;
/*
 * Reads what comes until the other end is closed, `text` is full, or the deadline; ends it with a
 * NUL. 0, -ETIMEDOUT or -errno, what has come by then standing there. size is at least 1.
 */
int kr_fd_read_text(int fd, char *text, size_t size, int64_t deadline_ns) KR_MUST_CHECK;

#endif
