/* SPDX-License-Identifier: Apache-2.0 */
/* Who else holds the fences that were seen. */
#ifndef KR_TOOLS_FENCES_ELSEWHERE_H
#define KR_TOOLS_FENCES_ELSEWHERE_H

#include "tools/fences/sample.h"
#include "tools/fences/sockets.h"

/*
 * Completes a sample of processes that were `named`, or of all, by who else holds their fences, and
 * by those that the table of sockets alone tells of. 0 or -ENOMEM.
 */
int kr_fences_look_elsewhere(
	struct kr_fences_sample *sample, const struct kr_sockets *table, bool named) KR_MUST_CHECK;

#endif
