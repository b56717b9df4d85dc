/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting to a SEQPACKET socket of the file system. Thread-safety: no state. */
#ifndef KR_WIRE_CONNECT_H
#define KR_WIRE_CONNECT_H

#include <stdint.h>
#include "util/macros.h"

/*
 * A new blocking socket (CLOEXEC, the caller's) connected to `path`. A listener whose backlog is
 * full is waited for until the deadline, which may be KR_FOREVER. 0; -ETIMEDOUT; -ENAMETOOLONG a
 * path of more than 107 bytes; -ENOENT (an empty path, too), -ECONNREFUSED nobody listens;
 * -EPROTOTYPE a socket of another type; another -errno.
 */
int kr_packet_connect(const char *path, int64_t deadline_ns, int *socket) KR_MUST_CHECK;

#endif
