/* SPDX-License-Identifier: Apache-2.0 */
/* Which Vulkan loaders a program and what it has started have mapped, as /proc tells. */
#ifndef KR_TOOLS_RUN_LOADERS_H
#define KR_TOOLS_RUN_LOADERS_H

#include <stdbool.h>
#include <sys/types.h>

struct kr_loaders {
	unsigned processes; /* that could be looked at */
	bool ours;          /* one of them has mapped ours */
	char *other;        /* the first other one: a new string, or NULL */
	pid_t other_pid;
	char other_name[32]; /* of that process, printable */
};

/*
 * `program` and its descendants, `ours` a path without links. Without /proc there is
 * nothing to find.
 */
void kr_loaders_find(pid_t program, const char *ours, struct kr_loaders *found);

#endif
