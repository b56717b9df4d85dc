/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong: late fences and leaks. */
#ifndef KR_TOOLS_FENCES_FINDINGS_H
#define KR_TOOLS_FENCES_FINDINGS_H

#include "tools/fences/groups.h"
#include "tools/fences/rows.h"

struct kr_fences_finding {
	bool leak;                           /* else late */
	pid_t pid;                           /* 0 not known */
	uint64_t identity;                   /* the same in the next sample */
	const struct kr_fences_group *group; /* of a leak; else NULL */
	uint32_t grown;
	const struct kr_fences_row *row; /* of a late fence, the oldest; else NULL */
	uint32_t fences;                 /* that are late alike: of its owner and timeline */
	char text[448];
};

struct kr_fences_findings {
	struct kr_fences_finding *findings;
	size_t count, room;
};

/* 0 or -ENOMEM. Borrows the groups. */
int kr_fences_findings_make(struct kr_fences_findings *findings,
	const struct kr_fences_sample *sample, const struct kr_fences_rows *rows,
	const struct kr_fences_groups *groups) KR_MUST_CHECK;
void kr_fences_findings_finish(struct kr_fences_findings *findings);

#endif
