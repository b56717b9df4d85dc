/* SPDX-License-Identifier: Apache-2.0 */
/* One descriptor of a process: is it a fence, and which? For fences_sample.c. */
#ifndef KR_TOOLS_FENCES_LOOK_H
#define KR_TOOLS_FENCES_LOOK_H

#include "fences.h"
#include "fences_sockets.h"

struct kr_fences_look {
	struct kr_fences_sample *sample;
	const struct kr_sockets *table;
	struct kr_fences_process *process;
	int pidfd;
	bool other_network; /* its sockets aren't in the table */
	int denied;         /* -errno: its descriptors may not be looked at */
};

/*
 * Adds what descriptor `fd`, which is a link to `target`, is: to the sample when it is a fence, to the
 * counts of the process otherwise. What is closed by now is nothing. 0 or -ENOMEM.
 */
int kr_fences_look_at(struct kr_fences_look *look, int fd, const char *target) KR_MUST_CHECK;

#endif
