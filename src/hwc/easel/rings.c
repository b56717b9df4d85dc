/* SPDX-License-Identifier: Apache-2.0 */
/* The painter's memory of pictures, which is lent to who looks at them. */
#include "hwc/easel/internal.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

void
kr_easel_rings_lend(struct kr_easel *easel, unsigned ring)
{
	kr_mutex_lock(&easel->lock);
	easel->rings[ring] = (struct kr_easel_ring){.lent = true, .fence = -1};
	kr_mutex_unlock(&easel->lock);
}

void
kr_easel_give_back(struct kr_easel *easel, unsigned ring, int take_fence)
{
	kr_mutex_lock(&easel->lock);
	if (ring < KR_PAINTER_RING && easel->rings[ring].lent) {
		easel->rings[ring].lent = false;
		easel->rings[ring].fence = take_fence;
		easel->rings[ring].due = true;
		take_fence = -1;
	}
	kr_mutex_unlock(&easel->lock);
	kr_fd_close(&take_fence);
}

static bool
is_due(struct kr_easel *easel, unsigned ring)
{
	struct kr_easel_ring *at = &easel->rings[ring];
	bool due;

	kr_mutex_lock(&easel->lock);
	due = at->due && (at->fence < 0 || kr_fence_status(at->fence) != KR_FENCE_ACTIVE);
	if (due) {
		kr_fd_close(&at->fence);
		at->due = false;
	}
	kr_mutex_unlock(&easel->lock);
	return due;
}

void
kr_easel_rings_settle(struct kr_easel *easel)
{
	for (unsigned i = 0; i < KR_PAINTER_RING; i++) {
		if (is_due(easel, i))
			kr_painter_give_back(easel->painter, i);
	}
}

void
kr_easel_rings_drop(struct kr_easel *easel)
{
	kr_mutex_lock(&easel->lock);
	for (unsigned i = 0; i < KR_PAINTER_RING; i++) {
		kr_fd_close(&easel->rings[i].fence);
		easel->rings[i] = (struct kr_easel_ring){.fence = -1};
	}
	kr_mutex_unlock(&easel->lock);
}
