/* SPDX-License-Identifier: Apache-2.0 */
/* See wants.h. */
#include "window/queue/wants.h"

static const struct kr_wants all = {.from = 0, .every = 1};

void
kr_wanted_init(struct kr_wanted *wanted)
{
	wanted->before = all;
	wanted->last = all;
}

void
kr_wanted_set(struct kr_wanted *wanted, const struct kr_wants *wants, uint64_t past)
{
	/* From the frame that comes next on, the last one holds. */
	if (past >= wanted->last.from || wanted->last.from - past == 1)
		wanted->before = wanted->last;
	wanted->last = *wants;
}

bool
kr_wanted_frame(const struct kr_wanted *wanted, uint64_t number)
{
	const struct kr_wants *w = number < wanted->last.from ? &wanted->before : &wanted->last;

	return w->every && number >= w->from && (number - w->from) % w->every == 0;
}
