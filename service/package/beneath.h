/* SPDX-License-Identifier: Apache-2.0 */
/* Opening below a directory and never outside of it. For the package part alone. */
#ifndef KR_SERVICE_PACKAGE_BENEATH_H
#define KR_SERVICE_PACKAGE_BENEATH_H

#include "util/macros.h"

/*
 * Opens what is at `path` below the directory `root`, links followed. `flags`: O_PATH, or O_RDONLY
 * | O_DIRECTORY. A descriptor, or -errno: -EXDEV something leads out of root.
 */
int kr_package_open_beneath(int root, const char *path, int flags) KR_MUST_CHECK;

/* The same without openat2: what the former does where that is denied. */
int kr_package_open_beneath_by_steps(int root, const char *path, int flags) KR_MUST_CHECK;

#endif
