/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a case leaves in memory that it shares with the runner: it is there however the case ends.
 * The runner believes nothing in it: texts may lack their end, numbers may be anything.
 */
#ifndef KR_CHECK_RIG_SHARED_H
#define KR_CHECK_RIG_SHARED_H

#include <stdatomic.h>
#include <stdint.h>
#include "check/rig/check.h"

enum check_verdict {
	CHECK_NO_VERDICT,
	CHECK_HELD,
	CHECK_FAILED,
	CHECK_NOT_APPLICABLE,
	CHECK_SKIPPED,
	CHECK_VERDICTS
};

#define CHECK_TEXT    1024
#define CHECK_CALLS   16u
#define CHECK_REMARKS 8u

struct check_called {
	char name[56];
	int32_t thread;
	int64_t at_ns; /* kr_clock_now */
};

struct check_shared {
	_Atomic int claimed;           /* somebody gives the verdict */
	_Atomic int verdict;           /* enum check_verdict: `seen` is complete */
	char seen[CHECK_TEXT];         /* for all but "held" */
	_Atomic uint32_t remark_count; /* may be more than there is room for */
	char remarks[CHECK_REMARKS][256];
	_Atomic uint32_t call_count; /* the last one is at (count - 1) % CHECK_CALLS */
	struct check_called calls[CHECK_CALLS];
	struct check_facts facts; /* of check_inspect */
};

#endif
