/* SPDX-License-Identifier: Apache-2.0 */
/* See show.h. */
#include "hwc/show.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "gralloc/buffer.h"
#include "hwc/picture.h"
#include "sync/fence/fence.h"
#include "sync/reactor/watchers.h"
#include "util/clock.h"
#include "util/fd.h"

_Static_assert(sizeof(ARect) == sizeof(pixman_box32_t) &&
		offsetof(ARect, right) == offsetof(pixman_box32_t, x2),
	"a box is a rectangle");

static void
find_damage(struct kr_soft_picture *picture, struct krafla_picture *shown)
{
	int count;
	const pixman_box32_t *boxes = pixman_region32_rectangles(&picture->damage, &count);

	if (count > KR_HWC_MAX_RECTS) {
		boxes = pixman_region32_extents(&picture->damage);
		count = 1;
	}
	shown->damage_count = (uint32_t)count;
	shown->damage = (const ARect *)boxes;
}

int
kr_soft_show(struct kr_soft_display *display, struct kr_soft_picture *picture, int *fence)
{
	struct krafla_picture shown = {
		.size = sizeof(shown),
		.number = picture->number,
		.width = display->state->width,
		.height = display->state->height,
		.format = picture->format,
		.row_bytes = picture->row_bytes,
		.pixels = picture->pixels,
		.time_ns = picture->time_ns,
		.written_bytes = picture->written,
		.older = picture->older,
		.dataspace = display->state->dataspace,
		.gpu_done_ns = picture->drawn_in ? picture->brushed_ns : 0,
	};
	int err;

	*fence = -1;
	if (display->off)
		return 0;
	find_damage(picture, &shown);
	if (picture->lent) {
		shown.buffer = (AHardwareBuffer *)(void *)picture->lent;
		shown.offset = picture->offset;
		shown.hold = kr_hwc_holds_offer(display->device->holds, picture->lent_layer,
			picture->number, picture->lent);
	}
	if (picture->drawn_in)
		shown.hold = kr_hwc_holds_offer(display->device->holds, display->state->handle,
			picture->number, picture->drawn_in);
	err = display->screen.show(display->screen.data, &shown, fence);
	if (err)
		kr_fd_close(fence);
	return err;
}

/* --- a present fence that follows a screen's own --- */

struct follower {
	struct kr_sync_watcher watcher;
	int signal;
};

static void
handle_shown(struct kr_sync_watcher *watcher, enum kr_sync_watcher_reason reason)
{
	struct follower *follower = kr_container_of(watcher, struct follower, watcher);
	int status = reason == KR_SYNC_WATCHER_READY ? kr_fence_status(watcher->fd) : -ECANCELED;

	kr_fence_signal(follower->signal, status == KR_FENCE_ACTIVE ? KR_FENCE_SIGNALLED : status);
	if (reason != KR_SYNC_WATCHER_LOST)
		kr_fd_close(&watcher->fd);
	free(follower);
}

static void
follow(int take_shown, int take_signal)
{
	struct follower *follower = malloc(sizeof(*follower));
	int err = -ENOMEM;

	if (follower) {
		*follower = (struct follower){
			.watcher = {.fd = take_shown,
				.events = EPOLLIN,
				.deadline_ns = KR_FOREVER,
				.handle = handle_shown},
			.signal = take_signal,
		};
		err = kr_sync_watcher_add(&follower->watcher);
	}
	if (!err)
		return;
	free(follower);
	kr_fd_close(&take_shown);
	kr_fence_signal(take_signal, err);
}

static void
pay(struct kr_soft_display *display, struct kr_soft_picture *picture)
{
	struct kr_soft_owed *owed, *next;

	kr_list_for_each_safe (owed, next, &picture->owed, link) {
		kr_hwc_holds_owe(display->device->holds, owed->layer, owed->buffer, owed->signal);
		kr_list_remove(&owed->link);
		free(owed);
	}
}

void
kr_soft_over(struct kr_soft_display *display, struct kr_soft_picture *picture, int status,
	int take_shown)
{
	kr_soft_picture_end(display, picture);
	pay(display, picture);
	if (take_shown != -1)
		follow(take_shown, picture->present_signal);
	else if (picture->present_signal != -1)
		kr_fence_signal(picture->present_signal, status);
	for (unsigned i = 0; i < picture->count; i++) {
		kr_buffer_unref(picture->layers[i].layer.buffer);
		kr_fd_close(&picture->layers[i].fence);
	}
	kr_buffer_unref(picture->output);
	kr_fd_close(&picture->output_fence);
	pixman_region32_fini(&picture->changed);
	pixman_region32_fini(&picture->damage);
	free(picture);
}
