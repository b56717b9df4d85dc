/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors counted by process, kind and timeline, and how these numbers grow. */
#ifndef KR_TOOLS_FENCES_GROUPS_H
#define KR_TOOLS_FENCES_GROUPS_H

#include "tools/fences/sample.h"

#define KR_FENCES_HISTORY 5 /* looks that growth is judged by */

enum kr_fences_class {
	KR_FENCES_ACTIVE,
	KR_FENCES_DONE,
	KR_FENCES_ENDS,  /* that should signal */
	KR_FENCES_OTHER, /* no fences: others[kind] */
};

/* Descriptors of a process that are alike. */
struct kr_fences_group {
	pid_t pid;
	enum kr_fences_class class;
	enum kr_fences_kind kind; /* of KR_FENCES_OTHER */
	pid_t owner;
	char timeline[KR_SYNC_TEXT];
	uint32_t old;                       /* older than the budget */
	uint32_t counts[KR_FENCES_HISTORY]; /* now, and the looks before */
	int64_t times[KR_FENCES_HISTORY];   /* of those looks; 0: there was none */
};

struct kr_fences_groups {
	struct kr_fences_group *groups;
	size_t count, room;
};

/* The groups of a sample; what they were before comes from `before` (may be NULL). 0 or -ENOMEM. */
int kr_fences_groups_make(struct kr_fences_groups *groups, const struct kr_fences_sample *sample,
	int64_t budget_ns, const struct kr_fences_groups *before) KR_MUST_CHECK;
void kr_fences_groups_finish(struct kr_fences_groups *groups);

#endif
