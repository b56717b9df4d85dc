/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of one fence brought together. */
#ifndef KR_TOOLS_FENCES_ROWS_H
#define KR_TOOLS_FENCES_ROWS_H

#include "tools/fences/sample.h"

/* One fence: its descriptors are seen[first] to seen[first + count - 1]. */
struct kr_fences_row {
	size_t first, count;
	const struct kr_fences_seen *best; /* the one that tells most */
	bool late;
	bool held; /* by a process that was looked at */
	/* not so, but it isn't closed: on its way in a message, or with who wasn't seen */
	bool elsewhere;
	int64_t age_ns; /* -1 not known */
};

struct kr_fences_rows {
	struct kr_fences_row *rows;
	size_t count;
	size_t active;
};

/* Orders sample->seen by fence, and the rows as they are shown. 0 or -ENOMEM. */
int kr_fences_rows_make(struct kr_fences_rows *rows, struct kr_fences_sample *sample,
	int64_t budget_ns) KR_MUST_CHECK;
void kr_fences_rows_finish(struct kr_fences_rows *rows);

#endif
