/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program `delivered` with a package, as another process with libraries of its own. */
#ifndef KR_TESTS_DELIVERY_CHILD_H
#define KR_TESTS_DELIVERY_CHILD_H

#include <sys/types.h>
#include "rig.h"

struct rig_child {
	pid_t pid;
	int input, output;
};

/* With LD_LIBRARY_PATH, unless that is NULL. */
void rig_child_start(struct rig_child *child, const char *what, const char *library_path,
	enum kr_delivery_kind kind, const struct rig_file *files, const char *needs);
/* Adds what it prints to `text` until `end` stands in it, or it ends. */
void rig_child_read(struct rig_child *child, char *text, size_t size, const char *end);
void rig_child_end(struct rig_child *child);
/* Start, read all (static memory), end. */
const char *rig_child_run(const char *what, const char *library_path, enum kr_delivery_kind kind,
	const struct rig_file *files, const char *needs);

#endif
