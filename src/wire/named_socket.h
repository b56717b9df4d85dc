/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services that drivers reach by name (F-09), for both who give them: the client, by its parent's
 * list, and the loader service, by its configuration.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_WIRE_NAMED_SOCKET_H
#define KR_WIRE_NAMED_SOCKET_H

#include <stdbool.h>
#include "util/macros.h"

#define KR_NAMED_SOCKET_NAME_MAX  63
#define KR_NAMED_SOCKET_PATH_SIZE 108 /* sun_path of unix(7) */

/* 1 to 63 of the letters a to z, digits, `.`, `_` and `-`. */
bool kr_named_socket_is_name(const char *name);
/*
 * A connected socket that doesn't wait, of whichever type listens there. `path` is shorter than
 * KR_NAMED_SOCKET_PATH_SIZE. 0 or -errno of connect.
 */
int kr_named_socket_connect(const char *path, int *fd) KR_MUST_CHECK;

#endif
