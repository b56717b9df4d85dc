/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of files, mapped to be read. Thread-safety: no state. */
#ifndef KR_DELIVERY_MAPPING_H
#define KR_DELIVERY_MAPPING_H

#include <stddef.h>
#include "util/macros.h"

struct kr_mapping {
	const void *bytes; /* NULL: nothing is mapped */
	size_t size;
};

/*
 * 0; -errno; -EINVAL for an empty file or no regular one. A file that gets shorter under its reader
 * raises SIGBUS: for libraries, which are about to be mapped by the dynamic linker, and for what
 * nobody can make shorter.
 */
int kr_mapping_open(const char *path, struct kr_mapping *mapping) KR_MUST_CHECK;
void kr_mapping_close(struct kr_mapping *mapping);

#endif
