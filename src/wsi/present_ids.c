/* SPDX-License-Identifier: Apache-2.0 */
/* Present ids of a swapchain. */
#include "wsi/present_ids.h"

#include <errno.h>

#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/window.h"

void
kr_wsi_present_ids_init(struct kr_wsi_present_ids *ids, ANativeWindow *window)
{
	uint64_t frame;

	ids->window = window;
	ids->tells = window->perform(window, KR_WINDOW_LAST_SHOWN, &frame) == 0;
	kr_mutex_init(&ids->lock);
	kr_cond_init(&ids->pushed);
}

static struct kr_wsi_present_id *
at_locked(struct kr_wsi_present_ids *ids, uint32_t place) KR_REQUIRES(ids->lock)
{
	return &ids->ring[(ids->first + place) % KR_WSI_PRESENT_IDS_MAX];
}

static void
drop_first_locked(struct kr_wsi_present_ids *ids) KR_REQUIRES(ids->lock)
{
	kr_fd_close(&ids->ring[ids->first].fence);
	ids->first = (ids->first + 1) % KR_WSI_PRESENT_IDS_MAX;
	ids->count--;
}

void
kr_wsi_present_ids_finish(struct kr_wsi_present_ids *ids)
{
	if (!ids->window)
		return;
	kr_mutex_lock(&ids->lock);
	while (ids->count)
		drop_first_locked(ids);
	kr_mutex_unlock(&ids->lock);
	kr_cond_finish(&ids->pushed);
	kr_mutex_finish(&ids->lock);
}

/* All up to this frame were shown. */
static void
note_frame_locked(struct kr_wsi_present_ids *ids, uint64_t frame) KR_REQUIRES(ids->lock)
{
	while (ids->count && ids->ring[ids->first].frame <= frame) {
		ids->shown = ids->ring[ids->first].id;
		drop_first_locked(ids);
	}
}

/* What has been shown by now, as far as that can be known without waiting. */
static void
look(struct kr_wsi_present_ids *ids)
{
	uint64_t frame = 0;

	if (ids->tells && ids->window->perform(ids->window, KR_WINDOW_LAST_SHOWN, &frame))
		return;
	kr_mutex_lock(&ids->lock);
	note_frame_locked(ids, frame);
	while (!ids->tells && ids->count &&
		kr_fence_status(ids->ring[ids->first].fence) != KR_FENCE_ACTIVE)
		note_frame_locked(ids, ids->ring[ids->first].frame);
	kr_mutex_unlock(&ids->lock);
}

static bool
is_full(struct kr_wsi_present_ids *ids)
{
	bool full;

	kr_mutex_lock(&ids->lock);
	full = ids->count == KR_WSI_PRESENT_IDS_MAX;
	kr_mutex_unlock(&ids->lock);
	return full;
}

void
kr_wsi_present_ids_push(struct kr_wsi_present_ids *ids, uint64_t id, uint64_t frame, int fence)
{
	struct kr_wsi_present_id new = {.id = id, .frame = frame, .fence = -1};
	bool grows;

	/* Without a duplicate the frame counts as shown at once, as one without a fence does. */
	if (!ids->tells && kr_fd_dup(fence, &new.fence))
		kr_warn("vkQueuePresentKHR: no descriptor to know by when a frame is done");
	if (is_full(ids))
		look(ids);
	kr_mutex_lock(&ids->lock);
	grows = id > ids->last;
	if (grows && ids->count == KR_WSI_PRESENT_IDS_MAX)
		kr_fd_close(&at_locked(ids, --ids->count)->fence);
	if (grows) {
		*at_locked(ids, ids->count++) = new;
		ids->last = id;
		kr_cond_broadcast(&ids->pushed);
	}
	kr_mutex_unlock(&ids->lock);
	if (grows)
		return;
	kr_fd_close(&new.fence);
	kr_error("vkQueuePresentKHR: the present id %llu isn't larger than those before it",
		(unsigned long long)id);
}

/* The first id that is large enough, waited for. 0: *found, its fence a duplicate. */
static int
find(struct kr_wsi_present_ids *ids, uint64_t id, int64_t deadline_ns,
	struct kr_wsi_present_id *found, bool *shown)
{
	int err = 0;

	*found = (struct kr_wsi_present_id){.fence = -1};
	*shown = false;
	kr_mutex_lock(&ids->lock);
	while (!err && id > ids->shown && id > ids->last)
		err = kr_cond_wait_until(&ids->pushed, &ids->lock, deadline_ns);
	*shown = id <= ids->shown;
	if (*shown)
		err = 0;
	for (uint32_t i = 0; !*shown && !err && i < ids->count; i++) {
		const struct kr_wsi_present_id *at = at_locked(ids, i);

		if (at->id < id)
			continue;
		found->id = at->id;
		found->frame = at->frame;
		if (at->fence >= 0)
			err = kr_fd_dup(at->fence, &found->fence);
		break;
	}
	kr_mutex_unlock(&ids->lock);
	return err;
}

static int
wait_for(struct kr_wsi_present_ids *ids, const struct kr_wsi_present_id *found, int64_t deadline_ns)
{
	if (ids->tells)
		return ids->window->perform(
			ids->window, KR_WINDOW_WAIT_SHOWN, found->frame, deadline_ns);
	return kr_fence_wait(found->fence, deadline_ns) == -ETIME ? -ETIMEDOUT : 0;
}

int
kr_wsi_present_ids_wait(
	struct kr_wsi_present_ids *ids, uint64_t id, int64_t deadline_ns, bool *presented)
{
	struct kr_wsi_present_id found;
	int err = find(ids, id, deadline_ns, &found, presented);

	if (err || *presented)
		return err;
	*presented = true;
	err = wait_for(ids, &found, deadline_ns);
	kr_fd_close(&found.fence);
	if (err)
		return err;
	kr_mutex_lock(&ids->lock);
	note_frame_locked(ids, found.frame);
	kr_mutex_unlock(&ids->lock);
	return 0;
}
