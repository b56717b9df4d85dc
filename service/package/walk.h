/* SPDX-License-Identifier: Apache-2.0 */
/* All files below a directory, in the order of their names. For the package part alone. */
#ifndef KR_SERVICE_PACKAGE_WALK_H
#define KR_SERVICE_PACKAGE_WALK_H

#include <sys/stat.h>
#include "util/macros.h"

/*
 * One file: its path from the root, and an O_PATH descriptor of what is behind it, links followed;
 * both borrowed. Ends the walk when it returns other than 0.
 */
typedef int (*kr_package_walk_fn)(
	void *data, const char *path, int path_fd, const struct stat *status, char **reason);

/*
 * Calls fn for everything below `root` that is no directory. Links are followed within root; one
 * that leads out of it, or nowhere, is an error. What root is called in messages is `name`. 0, what
 * fn returned, or -errno with a sentence; -EAGAIN: something was removed meanwhile.
 */
int kr_package_walk(int root, const char *name, kr_package_walk_fn fn, void *data, char **reason)
	KR_MUST_CHECK;

#endif
