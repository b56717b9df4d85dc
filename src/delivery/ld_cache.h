/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glibc's list of the libraries in the system's directories, which ldconfig makes. Thread-safety:
 * no state.
 */
#ifndef KR_DELIVERY_LD_CACHE_H
#define KR_DELIVERY_LD_CACHE_H

#include <stddef.h>
#include "util/macros.h"

#define KR_LD_CACHE "/etc/ld.so.cache"

/*
 * Calls each() for the paths that the bytes of a cache have for a SONAME, those for newer
 * processors left out; other machines' libraries are among them. Ends when each() returns other
 * than 0, and returns that. What is no cache, or a broken one, has none.
 */
int kr_ld_cache_for_each(const void *bytes, size_t size, const char *soname,
	int (*each)(void *data, const char *path), void *data);

#endif
