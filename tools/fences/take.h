/* SPDX-License-Identifier: Apache-2.0 */
/* A look at processes. */
#ifndef KR_TOOLS_FENCES_TAKE_H
#define KR_TOOLS_FENCES_TAKE_H

#include "tools/fences/sample.h"

/*
 * A look at these processes, or at all but krafla itself (count 0). 0; -ESRCH, -EACCES: a process
 * that was named is gone, or can't be inspected: the sample is good, and tells; -ENOMEM. `before`
 * may be NULL: what it has seen is as old as it was then.
 */
int kr_fences_sample_take(struct kr_fences_sample *sample, const pid_t *pids, size_t count,
	const struct kr_fences_sample *before) KR_MUST_CHECK;

#endif
