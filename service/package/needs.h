/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a package wants of a process: libraries and their symbol versions. For the package part
 * alone.
 */
#ifndef KR_SERVICE_PACKAGE_NEEDS_H
#define KR_SERVICE_PACKAGE_NEEDS_H

#include "service/package/graph.h"

struct kr_package_needs {
	struct kr_index_need *needs; /* sorted by library, versions too */
	size_t count, room;
};

/*
 * Gathers what all ordered libraries want. Of libraries outside of the package: each that is
 * needed. Of those inside: each of which versions are wanted, for a process that has another copy
 * of it. 0 or -ENOMEM.
 */
int kr_package_needs_gather(const struct kr_package_graph *graph, struct kr_package_needs *needs)
	KR_MUST_CHECK;
void kr_package_needs_finish(struct kr_package_needs *needs);

/*
 * The highest version of those that begin with `prefix` ("GLIBC_"), of all libraries that `is_of`
 * is true for: "2.34" as a new string, *version NULL when there is none. 0 or -ENOMEM.
 */
int kr_package_needs_highest(const struct kr_package_needs *needs,
	bool (*is_of)(const char *soname), const char *prefix, char **version) KR_MUST_CHECK;
/* strcmp for versions: numbers with dots. */
int kr_package_version_compare(const char *a, const char *b);

#endif
