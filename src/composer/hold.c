/* SPDX-License-Identifier: Apache-2.0 */
/* See hold.h. */
#include "composer/hold.h"

#include <stdio.h>
#include <stdlib.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "sync/fence/producers.h"
#include "util/fd.h"
#include "util/mutex.h"

struct kr_picture_hold {
	struct kr_holds *all;
	uint64_t owner;
	uint64_t frame;
	struct kr_buffer *buffer; /* a reference while there are holders */
	unsigned holders;
	bool given_back;
	/* While there are holders: a fence that is ready to go, and what signals it. */
	int fence;
	int signal;
};

struct kr_holds {
	struct kr_mutex lock;
	bool left KR_GUARDED_BY(lock);
	unsigned held KR_GUARDED_BY(lock); /* items with holders */
	uint64_t taken KR_GUARDED_BY(lock);
	uint64_t refused KR_GUARDED_BY(lock);
	struct kr_picture_hold items[KR_HOLDS_MAX] KR_GUARDED_BY(lock);
};

struct kr_holds *
kr_holds_create(void)
{
	struct kr_holds *holds = calloc(1, sizeof(*holds));

	if (!holds)
		return NULL;
	kr_mutex_init(&holds->lock);
	for (unsigned i = 0; i < KR_HOLDS_MAX; i++)
		holds->items[i] = (struct kr_picture_hold){.all = holds, .fence = -1, .signal = -1};
	return holds;
}

static void
destroy(struct kr_holds *holds)
{
	kr_mutex_finish(&holds->lock);
	free(holds);
}

void
kr_holds_leave(struct kr_holds *holds)
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
kr_holds_offer(struct kr_holds *holds, uint64_t owner, uint64_t frame, struct kr_buffer *buffer)
{
	struct kr_picture_hold *empty = NULL, *same = NULL;

	kr_mutex_lock(&holds->lock);
	for (unsigned i = 0; i < KR_HOLDS_MAX; i++) {
		struct kr_picture_hold *item = &holds->items[i];

		if (!item->holders)
			empty = item;
		else if (item->buffer == buffer && item->owner == owner && !item->given_back)
			same = item;
	}
	if (!same && empty) {
		empty->owner = owner;
		empty->frame = frame;
		empty->buffer = buffer;
	}
	kr_mutex_unlock(&holds->lock);
	return same ? same : empty;
}

static unsigned
others_locked(const struct kr_picture_hold *hold) KR_REQUIRES(hold->all->lock)
{
	const struct kr_holds *holds = hold->all;
	unsigned others = 0;

	for (unsigned i = 0; i < KR_HOLDS_MAX; i++) {
		const struct kr_picture_hold *item = &holds->items[i];

		others += item != hold && item->holders && item->owner == hold->owner;
	}
	return others;
}

/* The first to look at it. The fence is made now, so that giving the buffer back can't fail. */
static bool
begin_locked(struct kr_picture_hold *hold) KR_REQUIRES(hold->all->lock)
{
	struct kr_fence_label label = {"display", hold->frame, "shown"};

	if (others_locked(hold) >= KR_DISPLAY_MAX_ACQUIRED ||
		kr_buffer_begin_cpu(kr_buffer_get_info(hold->buffer), KR_DMA_BUF_READ, 0))
		return false;
	if (kr_fence_create(&label, &hold->signal, &hold->fence)) {
		kr_buffer_end_cpu(kr_buffer_get_info(hold->buffer), KR_DMA_BUF_READ);
		return false;
	}
	hold->given_back = false;
	kr_buffer_ref(hold->buffer);
	hold->all->held++;
	return true;
}

bool
kr_picture_hold_take(struct kr_picture_hold *hold)
{
	bool taken;

	if (!hold)
		return false;
	kr_mutex_lock(&hold->all->lock);
	taken = hold->holders || begin_locked(hold);
	hold->holders += taken;
	hold->all->taken += taken;
	hold->all->refused += !taken;
	kr_mutex_unlock(&hold->all->lock);
	return taken;
}

/* Nobody looks at it any more. */
static void
end(const struct kr_picture_hold *was)
{
	int fence = was->fence;

	kr_buffer_end_cpu(kr_buffer_get_info(was->buffer), KR_DMA_BUF_READ);
	if (was->given_back)
		kr_fence_signal(was->signal, KR_FENCE_SIGNALLED);
	else
		kr_sync_producers_close(was->signal);
	kr_fd_close(&fence);
	kr_buffer_unref(was->buffer);
}

void
kr_picture_hold_drop(struct kr_picture_hold *hold)
{
	struct kr_holds *holds = hold->all;
	struct kr_picture_hold was = {0};
	bool last = false;

	kr_mutex_lock(&holds->lock);
	if (--hold->holders == 0) {
		was = *hold;
		hold->buffer = NULL;
		hold->fence = hold->signal = -1;
		holds->held--;
		last = holds->left && !holds->held;
	}
	kr_mutex_unlock(&holds->lock);
	if (was.buffer)
		end(&was);
	if (last)
		destroy(holds);
}

int
kr_holds_give_back(struct kr_holds *holds, uint64_t owner, const struct kr_buffer *buffer)
{
	int fence = -1;

	kr_mutex_lock(&holds->lock);
	for (unsigned i = 0; i < KR_HOLDS_MAX; i++) {
		struct kr_picture_hold *item = &holds->items[i];

		if (!item->holders || item->given_back || item->owner != owner ||
			item->buffer != buffer)
			continue;
		item->given_back = true;
		fence = item->fence;
		item->fence = -1;
	}
	kr_mutex_unlock(&holds->lock);
	return fence;
}

bool
kr_holds_any(struct kr_holds *holds, uint64_t owner)
{
	bool any = false;

	kr_mutex_lock(&holds->lock);
	for (unsigned i = 0; i < KR_HOLDS_MAX; i++)
		any |= holds->items[i].holders && holds->items[i].owner == owner;
	kr_mutex_unlock(&holds->lock);
	return any;
}

void
kr_holds_count(struct kr_holds *holds, uint64_t *taken, uint64_t *refused)
{
	kr_mutex_lock(&holds->lock);
	*taken = holds->taken;
	*refused = holds->refused;
	kr_mutex_unlock(&holds->lock);
}
