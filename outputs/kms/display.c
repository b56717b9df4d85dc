/* SPDX-License-Identifier: Apache-2.0 */
/* See display.h. */
#include "outputs/kms/display.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "outputs/kms/log.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/fd.h"

int
kms_display_open(struct kms_display *display, struct kms_card *card,
	struct kms_framebuffers *framebuffers, struct liftoff_device *liftoff,
	const struct kms_connector *connector)
{
	int ret = kms_screen_open(
		&display->screen, card, framebuffers, &display->listener, connector, 0);

	if (ret)
		return ret;
	ret = kms_plan_init(&display->plan, liftoff, &display->screen);
	if (ret) {
		kms_screen_close(&display->screen, true);
		return ret;
	}
	display->targets.host = display->host;
	display->flying = -1;
	return 0;
}

static void
end_flying(struct kms_display *display, int status, int64_t time_ns)
{
	if (display->flying >= 0)
		kr_fence_signal_at(display->flying, status, time_ns);
	display->flying = -1;
}

void
kms_display_cancel(struct kms_display *display)
{
	while (display->queued) {
		struct kms_picture *picture = &display->queue[--display->queued];

		kms_picture_watch(picture, display->epoll, false);
		if (picture->producer >= 0)
			kr_fence_signal(picture->producer, KR_FENCE_SIGNALLED);
		kms_picture_finish(picture, display);
		display->screen.counts.unseen++;
	}
	display->target_serial = 0;
	memset(&display->target, 0, sizeof(display->target));
}

static void
drop_late(struct kms_display *display, unsigned i)
{
	(void)epoll_ctl(display->epoll, EPOLL_CTL_DEL, display->late[i], NULL);
	kr_fd_close(&display->late[i]);
	display->late[i] = display->late[--display->lates];
}

void
kms_display_close(struct kms_display *display, bool ours)
{
	kms_display_cancel(display);
	while (display->lates)
		drop_late(display, 0);
	kms_plan_finish(&display->plan);
	kms_screen_close(&display->screen, ours && display->connected);
	end_flying(display, KR_FENCE_SIGNALLED, kr_clock_now());
	kms_targets_finish(&display->targets);
	kms_framebuffers_forget(display->screen.framebuffers, display);
	display->used = false;
}

int
kms_display_validate(struct kms_display *display, struct kr_hwc_display_state *state, bool seen)
{
	kms_plan_make(&display->plan, &display->screen, state,
		seen ? kms_display_framebuffer : NULL, display);
	return 0;
}

/*
 * The buffer before was read by a plane until this picture: also when the picture between the two
 * left it out and isn't on the screen yet.
 */
static bool
was_on_a_plane(const struct kms_display *display, const struct kr_hwc_display_state *state,
	const struct kms_layer *layer)
{
	if (!layer || !layer->on_plane)
		return false;
	return layer->on_plane + 1 >= state->number ||
		(layer->on_plane + 2 >= state->number &&
			(display->screen.pending || display->queued));
}

/* Gives each layer whose buffer it replaces a duplicate of the picture's fence. */
static void
give_releases(
	const struct kms_display *display, struct kr_hwc_display_state *state, int present_fence)
{
	for (unsigned i = 0; i < state->count; i++) {
		struct kr_hwc_layer_state *one = state->layers[i];
		struct kms_layer *layer = one->device_data;

		if (one->replaced && one->previous && was_on_a_plane(display, state, layer) &&
			kr_fd_dup(present_fence, &one->release_fence))
			(void)kr_fence_wait(present_fence, kr_deadline_in(KMS_FLIP_LIMIT_NS));
	}
	for (unsigned i = 0; i < state->count; i++) {
		struct kms_layer *layer = state->layers[i]->device_data;

		if (layer && layer->plane && state->layers[i]->buffer)
			layer->on_plane = state->number;
	}
}

static int
show_now(struct kms_display *display, struct kr_hwc_display_state *state,
	struct kms_picture *picture, int *present_fence)
{
	int ret = kms_picture_show(picture, display, present_fence);

	kms_picture_finish(picture, display);
	if (ret == -EACCES || ret == -EPERM) {
		/* Another has the screen; that it is so comes by the seat. */
		display->screen.counts.unseen++;
		return 0;
	}
	if (ret) {
		kms_error("kms: %s refuses a picture: %s", display->screen.connector.name,
			strerror(-ret));
		return KRAFLA_COMPOSER_NO_RESOURCES;
	}
	give_releases(display, state, *present_fence);
	return 0;
}

static int
show_later(struct kms_display *display, struct kr_hwc_display_state *state,
	struct kms_picture *picture, int *present_fence)
{
	const struct kr_fence_label label = {.timeline = "kms", .name = "picture"};

	if (kr_fence_create(&label, &picture->producer, present_fence)) {
		kms_picture_finish(picture, display);
		return KRAFLA_COMPOSER_NO_RESOURCES;
	}
	kms_picture_watch(picture, display->epoll, true);
	display->queue[display->queued++] = *picture;
	give_releases(display, state, *present_fence);
	display->host->wake(display->host);
	return 0;
}

int
kms_display_present(struct kms_display *display, struct kr_hwc_display_state *state, bool seen,
	int *present_fence)
{
	struct kms_picture picture;
	int ret;

	if (!seen || display->asleep || !display->connected || !display->screen.lit) {
		display->screen.counts.unseen++;
		return 0;
	}
	kms_display_advance(display);
	if (display->screen.pending + display->queued >= KMS_ON_THEIR_WAY)
		return KRAFLA_COMPOSER_NO_RESOURCES;
	if (display->plan.target_plane && !state->target)
		return KRAFLA_COMPOSER_NO_RESOURCES;
	ret = kms_picture_make(&picture, display, state);
	if (ret)
		return ret;
	if (!display->queued && !display->screen.pending && kms_picture_is_ready(&picture))
		return show_now(display, state, &picture, present_fence);
	return show_later(display, state, &picture, present_fence);
}

/* The first of the queue. When the kernel refuses it, the screen goes black: nothing is read. */
static void
show_first(struct kms_display *display)
{
	struct kms_picture *picture = &display->queue[0];
	int fence = -1, producer = picture->producer;
	int ret;

	kms_picture_watch(picture, display->epoll, false);
	ret = kms_picture_show(picture, display, &fence);
	kr_fd_close(&fence);
	if (!ret) {
		end_flying(display, KR_FENCE_SIGNALLED, kr_clock_now());
		display->flying = producer;
	} else {
		kms_error("kms: %s refuses a picture that waited: %s",
			display->screen.connector.name, strerror(-ret));
		if (kms_screen_light(&display->screen))
			display->screen.counts.unseen++;
		display->target_serial = 0;
		kr_fence_signal(producer, ret);
		display->host->refresh(display->host, display->handle);
	}
	kms_picture_finish(picture, display);
	display->queue[0] = display->queue[1];
	display->queued--;
}

void
kms_display_advance(struct kms_display *display)
{
	for (unsigned i = display->lates; i--;) {
		if (kr_fence_status(display->late[i]) == KR_FENCE_ACTIVE)
			continue;
		drop_late(display, i);
		display->host->refresh(display->host, display->handle);
	}
	kms_screen_look(&display->screen);
	if (kms_events_read(display->screen.card->fd))
		return;
	while (display->queued && !display->screen.pending &&
		kms_picture_is_ready(&display->queue[0]))
		show_first(display);
}

int64_t
kms_display_next(const struct kms_display *display)
{
	int64_t next = KR_FOREVER;

	if (display->queued && !display->screen.pending)
		next = display->queue[0].deadline_ns;
	if (display->vsync && display->vsync_ns)
		next = KR_MIN(next, display->vsync_ns);
	return next;
}

void
kms_display_flipped(struct kms_display *display, int64_t time_ns)
{
	kms_screen_handle_flip(&display->screen, time_ns);
	end_flying(display, KR_FENCE_SIGNALLED, time_ns);
}

void
kms_display_layer_gone(struct kms_display *display, struct kr_hwc_layer_state *state)
{
	const struct kms_layer *layer = state->device_data;

	for (unsigned i = 0; i < display->queued; i++) {
		struct kms_picture *picture = &display->queue[i];

		for (unsigned k = 0; k < picture->count; k++) {
			if (picture->parts[k].layer == layer)
				picture->parts[k].layer = NULL;
		}
	}
	if (layer)
		kms_framebuffers_forget(display->screen.framebuffers, layer);
	kms_plan_layer_gone(state);
}
