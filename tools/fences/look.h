/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors of a process: is one a fence, and which? */
#ifndef KR_TOOLS_FENCES_LOOK_H
#define KR_TOOLS_FENCES_LOOK_H

#include "tools/fences/sample.h"
#include "tools/fences/sockets.h"
#include "util/hash.h"

struct kr_fences_look {
	struct kr_fences_sample *sample;
	const struct kr_sockets *table;
	struct kr_fences_process *process;
	int pidfd;
	bool other_network;           /* its sockets aren't in the table */
	int denied;                   /* -errno: its descriptors may not be looked at */
	const struct kr_hash *wanted; /* inodes of sockets, the others don't matter; NULL: all do */
	bool wants_kernel;            /* then: kernel fences too, */
	bool wants_foreign;           /* and sockets that aren't in the table */
};

/*
 * Adds what the descriptors of look->process are: to the sample those that are fences, to
 * the counts of the process the others. What is closed by now is nothing. 0, -ENOMEM, or
 * -errno: they can't be listed.
 */
int kr_fences_look_at_all(struct kr_fences_look *look) KR_MUST_CHECK;

#endif
