/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the dynamic linker of this system finds libraries, read from its configuration: so that the
 * libraries of an installed driver are found as dlopen finds them. LD_LIBRARY_PATH, the cache and
 * the subdirectories for newer processors are left aside: a package is for everyone. For the
 * package part alone.
 */
#ifndef KR_SERVICE_PACKAGE_SEARCH_H
#define KR_SERVICE_PACKAGE_SEARCH_H

#include <stddef.h>
#include "util/macros.h"

struct kr_package_search {
	char **directories; /* NULL-terminated, in order */
};

/* Reads the file and those that it includes; one that isn't there is empty. 0 or -ENOMEM. */
int kr_package_search_init(struct kr_package_search *search, const char *configuration)
	KR_MUST_CHECK;
void kr_package_search_finish(struct kr_package_search *search);

/*
 * The library `name` (without a slash) for somebody with that RUNPATH (NULL: none) who lies in the
 * directory `origin`: the first that is for this machine. *path is new. 0, -ENOENT or -ENOMEM.
 */
int kr_package_search_find(const struct kr_package_search *search, const char *run_path,
	const char *origin, const char *name, char **path) KR_MUST_CHECK;

#endif
