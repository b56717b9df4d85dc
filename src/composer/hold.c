/* SPDX-License-Identifier: Apache-2.0 */
/* See hold.h. */
#include "composer/hold.h"

#include <krafla/composer.h>
#include <stdlib.h>

#include "util/mutex.h"

struct kr_picture_hold {
	struct kr_display_holds *all;
	struct krafla_picture_hold *hold;
	uint64_t owner;
	unsigned holders;
};

struct kr_display_holds {
	struct kr_mutex lock;
	bool left KR_GUARDED_BY(lock);
	unsigned held KR_GUARDED_BY(lock); /* items with holders */
	uint64_t taken KR_GUARDED_BY(lock);
	uint64_t refused KR_GUARDED_BY(lock);
	/* One more: of a picture that can't be held any more somebody has to be told so. */
	struct kr_picture_hold items[KR_DISPLAY_HOLDS + 1] KR_GUARDED_BY(lock);
};

struct kr_display_holds *
kr_display_holds_create(void)
{
	struct kr_display_holds *holds = calloc(1, sizeof(*holds));

	if (!holds)
		return NULL;
	kr_mutex_init(&holds->lock);
	for (unsigned i = 0; i < KR_ARRAY_LEN(holds->items); i++)
		holds->items[i].all = holds;
	return holds;
}

static void
destroy(struct kr_display_holds *holds)
{
	kr_mutex_finish(&holds->lock);
	free(holds);
}

void
kr_display_holds_leave(struct kr_display_holds *holds)
{
	bool last;

	if (!holds)
		return;
	kr_mutex_lock(&holds->lock);
	holds->left = true;
	last = holds->held == 0;
	kr_mutex_unlock(&holds->lock);
	if (last)
		destroy(holds);
}

struct kr_picture_hold *
kr_display_holds_offer(
	struct kr_display_holds *holds, struct krafla_picture_hold *hold, uint64_t owner)
{
	struct kr_picture_hold *empty = NULL, *same = NULL;

	if (!hold)
		return NULL;
	kr_mutex_lock(&holds->lock);
	for (unsigned i = 0; i < KR_ARRAY_LEN(holds->items); i++) {
		struct kr_picture_hold *item = &holds->items[i];

		if (!item->holders)
			empty = item;
		else if (item->hold == hold)
			same = item;
	}
	if (!same && empty) {
		empty->hold = hold;
		empty->owner = owner;
	}
	kr_mutex_unlock(&holds->lock);
	return same ? same : empty;
}

bool
kr_picture_hold_take(struct kr_picture_hold *hold)
{
	bool taken;

	if (!hold)
		return false;
	kr_mutex_lock(&hold->all->lock);
	taken = krafla_picture_hold_take(hold->hold);
	hold->all->held += taken && !hold->holders;
	hold->holders += taken;
	hold->all->taken += taken;
	hold->all->refused += !taken;
	kr_mutex_unlock(&hold->all->lock);
	return taken;
}

void
kr_picture_hold_drop(struct kr_picture_hold *hold)
{
	struct kr_display_holds *holds = hold->all;
	struct krafla_picture_hold *composers;
	bool last = false;

	kr_mutex_lock(&holds->lock);
	composers = hold->hold;
	if (--hold->holders == 0) {
		holds->held--;
		last = holds->left && !holds->held;
	}
	kr_mutex_unlock(&holds->lock);
	krafla_picture_hold_drop(composers);
	if (last)
		destroy(holds);
}

bool
kr_display_holds_any(struct kr_display_holds *holds, uint64_t owner)
{
	bool any = false;

	kr_mutex_lock(&holds->lock);
	for (unsigned i = 0; i < KR_ARRAY_LEN(holds->items); i++)
		any |= holds->items[i].holders && holds->items[i].owner == owner;
	kr_mutex_unlock(&holds->lock);
	return any;
}

void
kr_display_holds_count(struct kr_display_holds *holds, uint64_t *taken, uint64_t *refused)
{
	kr_mutex_lock(&holds->lock);
	*taken = holds->taken;
	*refused = holds->refused;
	kr_mutex_unlock(&holds->lock);
}
