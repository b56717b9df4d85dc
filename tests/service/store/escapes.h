/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client may try with what it was given. Each function runs in the client's process and
 * returns 0 when all that it tried was refused; else the line of the first thing that wasn't.
 */
#ifndef KR_TESTS_SERVICE_STORE_ESCAPES_H
#define KR_TESTS_SERVICE_STORE_ESCAPES_H

#include <stddef.h>
#include "rig.h"

/*
 * A mount with the files "libgood.so" and "share/data.bin", or a memory object that holds "good".
 */
struct target {
	int fd;
};

struct escape {
	const char *name;
	int (*try)(void *target);
};

extern const struct escape mount_escapes[];
extern const size_t mount_escape_count;
extern const struct escape memory_escapes[];
extern const size_t memory_escape_count;

#endif
