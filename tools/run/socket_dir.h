/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The private directory of a display's socket, krafla-run-XXXXXX. Its maker holds a lock on
 * it as long as it lives, so that one whose maker was killed is told apart from one in use,
 * by whoever makes the next.
 */
#ifndef KR_TOOLS_RUN_SOCKET_DIR_H
#define KR_TOOLS_RUN_SOCKET_DIR_H

#include <stdbool.h>
#include "util/macros.h"

#define KR_SOCKET_DIR_PREFIX  "krafla-run-"
#define KR_SOCKET_DIR_NAME    "display"         /* of the socket in it */
#define KR_SOCKET_DIR_CONTROL "display.control" /* of another, for control.h */
#define KR_SOCKET_DIR_REPORT  "report"          /* and of one for witness.h */

struct kr_socket_dir {
	char *path; /* NULL: none */
	int lock;   /* -1: none */
};

/*
 * A new one below `base`, an absolute path, short enough for a socket in it; and those there that
 * nobody holds any more are removed. False with errno when there can't be one.
 */
bool kr_socket_dir_make(struct kr_socket_dir *dir, const char *base) KR_MUST_CHECK;
/* Removes it, with a socket that is left in it. */
void kr_socket_dir_finish(struct kr_socket_dir *dir);

#endif
