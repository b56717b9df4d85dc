/* SPDX-License-Identifier: Apache-2.0 */
/* See hold.h. */
#include "hwc/hold.h"

#include <stdlib.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "sync/fence/producers.h"
#include "util/fd.h"
#include "util/mutex.h"

struct krafla_picture_hold {
	struct kr_hwc_holds *all;
	krafla_layer_t layer;
	uint64_t number;
	struct kr_buffer *buffer; /* a reference while there are holders, else that was offered */
	unsigned holders;
	bool given_back;
	/* While there are holders: a fence that is ready to go, and what signals it. */
	int fence;
	int signal;
	int owed; /* what signals a fence that was out before; -1 none */
};

struct kr_hwc_holds {
	struct kr_mutex lock;
	bool left KR_GUARDED_BY(lock);
	unsigned held KR_GUARDED_BY(lock); /* items with holders */
	struct krafla_picture_hold items[KR_HWC_HOLDS_MAX] KR_GUARDED_BY(lock);
};

struct kr_hwc_holds *
kr_hwc_holds_create(void)
{
	struct kr_hwc_holds *holds = calloc(1, sizeof(*holds));

	if (!holds)
		return NULL;
	kr_mutex_init(&holds->lock);
	for (unsigned i = 0; i < KR_HWC_HOLDS_MAX; i++)
		holds->items[i] = (struct krafla_picture_hold){
			.all = holds, .fence = -1, .signal = -1, .owed = -1};
	return holds;
}

static void
destroy(struct kr_hwc_holds *holds)
{
	kr_mutex_finish(&holds->lock);
	free(holds);
}

void
kr_hwc_holds_leave(struct kr_hwc_holds *holds)
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

static bool
is_of(const struct krafla_picture_hold *hold, krafla_layer_t layer, const struct kr_buffer *buffer)
{
	return hold->holders && !hold->given_back && hold->layer == layer && hold->buffer == buffer;
}

struct krafla_picture_hold *
kr_hwc_holds_offer(
	struct kr_hwc_holds *holds, krafla_layer_t layer, uint64_t number, struct kr_buffer *buffer)
{
	struct krafla_picture_hold *empty = NULL, *same = NULL;

	kr_mutex_lock(&holds->lock);
	for (unsigned i = 0; i < KR_HWC_HOLDS_MAX; i++) {
		struct krafla_picture_hold *item = &holds->items[i];

		if (!item->holders)
			empty = item;
		else if (is_of(item, layer, buffer))
			same = item;
	}
	if (!same && empty) {
		empty->layer = layer;
		empty->number = number;
		empty->buffer = buffer;
	}
	kr_mutex_unlock(&holds->lock);
	return same ? same : empty;
}

static unsigned
others_locked(const struct krafla_picture_hold *hold) KR_REQUIRES(hold->all->lock)
{
	const struct kr_hwc_holds *holds = hold->all;
	unsigned others = 0;

	for (unsigned i = 0; i < KR_HWC_HOLDS_MAX; i++) {
		const struct krafla_picture_hold *item = &holds->items[i];

		others += item != hold && item->holders && item->layer == hold->layer;
	}
	return others;
}

/* The first to look at it. The fence is made now, so that giving the buffer back can't fail. */
static bool
begin_locked(struct krafla_picture_hold *hold) KR_REQUIRES(hold->all->lock)
{
	struct kr_fence_label label = {"composer", hold->number, "release"};

	if (others_locked(hold) >= KR_HWC_HOLDS_OF_LAYER ||
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

KR_EXPORT bool
krafla_picture_hold_take(struct krafla_picture_hold *hold)
{
	bool taken;

	if (!hold)
		return false;
	kr_mutex_lock(&hold->all->lock);
	taken = hold->holders || begin_locked(hold);
	hold->holders += taken;
	kr_mutex_unlock(&hold->all->lock);
	return taken;
}

/* Nobody looks at it any more. */
static void
end(const struct krafla_picture_hold *was)
{
	int fence = was->fence;

	kr_buffer_end_cpu(kr_buffer_get_info(was->buffer), KR_DMA_BUF_READ);
	if (was->given_back && was->owed == -1)
		kr_fence_signal(was->signal, KR_FENCE_SIGNALLED);
	else
		kr_sync_producers_close(was->signal);
	if (was->owed != -1)
		kr_fence_signal(was->owed, KR_FENCE_SIGNALLED);
	kr_fd_close(&fence);
	kr_buffer_unref(was->buffer);
}

KR_EXPORT void
krafla_picture_hold_drop(struct krafla_picture_hold *hold)
{
	struct krafla_picture_hold was = {0};
	struct kr_hwc_holds *holds;
	bool last = false;

	if (!hold)
		return;
	holds = hold->all;
	kr_mutex_lock(&holds->lock);
	if (--hold->holders == 0) {
		/* The buffer stays named: who was offered this may take it yet. */
		was = *hold;
		hold->fence = hold->signal = hold->owed = -1;
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
kr_hwc_holds_give_back(
	struct kr_hwc_holds *holds, krafla_layer_t layer, const struct kr_buffer *buffer)
{
	int fence = -1;

	kr_mutex_lock(&holds->lock);
	for (unsigned i = 0; i < KR_HWC_HOLDS_MAX; i++) {
		struct krafla_picture_hold *item = &holds->items[i];

		if (!is_of(item, layer, buffer))
			continue;
		item->given_back = true;
		fence = item->fence;
		item->fence = -1;
	}
	kr_mutex_unlock(&holds->lock);
	return fence;
}

void
kr_hwc_holds_owe(struct kr_hwc_holds *holds, krafla_layer_t layer, const struct kr_buffer *buffer,
	int take_signal)
{
	bool owed = false;

	kr_mutex_lock(&holds->lock);
	for (unsigned i = 0; i < KR_HWC_HOLDS_MAX && !owed; i++) {
		struct krafla_picture_hold *item = &holds->items[i];

		if (!is_of(item, layer, buffer))
			continue;
		item->given_back = owed = true;
		item->owed = take_signal;
	}
	kr_mutex_unlock(&holds->lock);
	if (!owed)
		kr_fence_signal(take_signal, KR_FENCE_SIGNALLED);
}
