/* SPDX-License-Identifier: Apache-2.0 */
/* A picture on its way to a screen (display.h): what planes show in it, and what it waits for. */
#include <drm_fourcc.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <xf86drmMode.h>

#include "outputs/kms/commit.h"
#include "outputs/kms/display.h"
#include "outputs/kms/log.h"
#include "sync/fence/fence.h"
#include "sync/fence/status.h"
#include "util/fd.h"

/* Where a fence goes: -1 in both when it is done. A failed one is waited for, and found failed. */
static int
sort_fence(int fence, int *in_fence, int *wait_fence)
{
	int32_t status = KR_FENCE_SIGNALLED;
	bool kernel = false;

	*in_fence = *wait_fence = -1;
	if (fence < 0)
		return 0;
	if (kr_sync_status_and_kind(fence, &status, &kernel))
		return -EINVAL;
	if (status == KR_FENCE_SIGNALLED)
		return 0;
	return kr_fd_dup(fence, kernel && status == KR_FENCE_ACTIVE ? in_fence : wait_fence);
}

struct kms_framebuffer *
kms_display_framebuffer(void *data, struct kms_screen *screen,
	const struct kr_hwc_layer_state *state, const void *owner)
{
	struct kms_display *display = data;
	const native_handle_t *handle = display->host->buffer_handle(state->buffer);
	struct kr_buffer_info info;

	if (!handle || kr_buffer_info_from_handle(handle, &info))
		return NULL;
	return kms_framebuffer_get(screen->framebuffers, &info,
		kms_fourcc(info.desc.format, kms_plan_is_opaque(state)), owner);
}

static int
add_part(struct kms_picture *picture, struct kms_display *display,
	const struct kr_hwc_layer_state *state, struct kms_layer *layer)
{
	struct kms_part *part = &picture->parts[picture->count];
	struct kms_framebuffer *framebuffer;
	int ret;

	if (layer->left_out == state->buffer_serial &&
		kr_fence_status(state->acquire_fence) != KR_FENCE_SIGNALLED)
		return 0;
	framebuffer = kms_display_framebuffer(display, &display->screen, state, layer);
	if (!framebuffer)
		return -ENOMEM;
	kms_plan_scanout(state, framebuffer, layer->plane, &part->scanout);
	ret = sort_fence(state->acquire_fence, &part->scanout.in_fence, &part->wait_fence);
	if (ret)
		return ret;
	part->layer = layer;
	part->serial = state->buffer_serial;
	kms_framebuffer_pin(framebuffer);
	picture->count++;
	return 0;
}

int
kms_picture_make(struct kms_picture *picture, struct kms_display *display,
	const struct kr_hwc_display_state *state)
{
	memset(picture, 0, sizeof(*picture));
	picture->producer = picture->target_fence = -1;
	picture->deadline_ns = kr_deadline_in(KMS_ACQUIRE_LIMIT_NS);
	for (unsigned i = 0; i < state->count; i++) {
		struct kms_layer *layer = state->layers[i]->device_data;

		if (!layer || !layer->plane || !state->layers[i]->buffer)
			continue;
		if (add_part(picture, display, state->layers[i], layer))
			goto err_finish;
	}
	if (display->plan.target_plane && state->target) {
		if (kr_fd_dup(state->target_fence, &picture->target_fence))
			goto err_finish;
		picture->target_plane = display->plan.target_plane;
		picture->target = display->host->buffer_ref(state->target);
		picture->target_serial = state->target_serial;
	}
	return 0;

err_finish:
	kms_picture_finish(picture, display);
	return KRAFLA_COMPOSER_NO_RESOURCES;
}

void
kms_picture_finish(struct kms_picture *picture, struct kms_display *display)
{
	for (unsigned i = 0; i < picture->count; i++) {
		kms_framebuffer_unpin(picture->parts[i].scanout.framebuffer);
		kr_fd_close(&picture->parts[i].scanout.in_fence);
		kr_fd_close(&picture->parts[i].wait_fence);
	}
	picture->count = 0;
	if (picture->target)
		display->host->buffer_unref(picture->target);
	picture->target = NULL;
	kr_fd_close(&picture->target_fence);
}

bool
kms_picture_is_ready(const struct kms_picture *picture)
{
	if (kr_clock_now() >= picture->deadline_ns)
		return true;
	for (unsigned i = 0; i < picture->count; i++) {
		if (kr_fence_status(picture->parts[i].wait_fence) == KR_FENCE_ACTIVE)
			return false;
	}
	return kr_fence_status(picture->target_fence) != KR_FENCE_ACTIVE;
}

static void
watch_fence(int fence, int epoll, bool watch)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};

	if (fence >= 0)
		(void)epoll_ctl(epoll, watch ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fence, &event);
}

void
kms_picture_watch(const struct kms_picture *picture, int epoll, bool watch)
{
	for (unsigned i = 0; i < picture->count; i++)
		watch_fence(picture->parts[i].wait_fence, epoll, watch);
	watch_fence(picture->target_fence, epoll, watch);
}

/* Whether what the fence guards can be shown; else why not is told. */
static bool
is_done(int fence, const char *what)
{
	int status = kr_fence_status(fence);

	if (status == KR_FENCE_SIGNALLED)
		return true;
	kms_warn("kms: %s is left out of a picture: its fence %s%s", what,
		status == KR_FENCE_ACTIVE ? "hasn't signalled within 5 s" : "has failed: ",
		status == KR_FENCE_ACTIVE ? "" : strerror(-status));
	return false;
}

/* It isn't waited for again; when its fence does signal a picture is asked for. */
static void
leave_out(struct kms_part *part, struct kms_display *display)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};

	if (part->layer)
		part->layer->left_out = part->serial;
	if (kr_fence_status(part->wait_fence) != KR_FENCE_ACTIVE || display->lates == KMS_MAX_LATE)
		return;
	display->late[display->lates++] = part->wait_fence;
	(void)epoll_ctl(display->epoll, EPOLL_CTL_ADD, part->wait_fence, &event);
	part->wait_fence = -1;
}

/* The client's own memory, where the card takes it. */
static struct kms_framebuffer *
import_target(struct kms_display *display, struct kr_buffer *buffer, const struct kms_plane *plane)
{
	const native_handle_t *handle = display->host->buffer_handle(buffer);
	struct kr_buffer_info info;
	uint32_t fourcc;

	if (display->copies || !handle || kr_buffer_info_from_handle(handle, &info))
		return NULL;
	fourcc = kms_fourcc(info.desc.format, true);
	if (!fourcc || !kms_plane_takes(plane, fourcc))
		return NULL;
	return kms_framebuffer_get(display->screen.framebuffers, &info, fourcc, display);
}

/* What the target's plane shows: what it did, unless the client has set another one. */
static int
show_target(struct kms_picture *picture, struct kms_display *display, struct kms_scanout *scanout)
{
	struct kms_dumb *dumb = kms_screen_next_dumb(&display->screen);
	struct kms_framebuffer *framebuffer;
	int ret;

	*scanout = display->target;
	scanout->plane = picture->target_plane;
	if (picture->target_serial == display->target_serial && scanout->fb)
		return 0;
	if (!is_done(picture->target_fence, "the client's target"))
		return scanout->fb ? 0 : -ETIME;
	framebuffer = import_target(display, picture->target, picture->target_plane);
	if (framebuffer) {
		kms_commit_cover(scanout, picture->target_plane, framebuffer->id,
			framebuffer->width, framebuffer->height);
		scanout->framebuffer = framebuffer;
		return 0;
	}
	ret = kms_targets_copy(&display->targets, picture->target, dumb);
	if (!ret)
		kms_commit_cover(
			scanout, picture->target_plane, dumb->id, dumb->width, dumb->height);
	return ret;
}

static void
show_black(struct kms_display *display, struct kms_scanout *scanout)
{
	struct kms_dumb *dumb = kms_screen_next_dumb(&display->screen);

	memset(dumb->pixels, 0, dumb->size);
	kms_commit_cover(scanout, display->screen.primary, dumb->id, dumb->width, dumb->height);
}

int
kms_picture_show(struct kms_picture *picture, struct kms_display *display, int *out)
{
	struct kms_scanout scanouts[KMS_MAX_PLANES + 1], target = {0};
	unsigned count = 0;
	int ret;

	if (picture->target_plane) {
		ret = show_target(picture, display, &target);
		if (ret)
			return ret;
		scanouts[count++] = target;
	}
	for (unsigned i = 0; i < picture->count; i++) {
		if (is_done(picture->parts[i].wait_fence, "a layer"))
			scanouts[count++] = picture->parts[i].scanout;
		else
			leave_out(&picture->parts[i], display);
	}
	if (!count)
		show_black(display, &scanouts[count++]);
	ret = kms_screen_commit(&display->screen, scanouts, count, out);
	if (ret) {
		/* Planes are refused for many reasons; a copy of the target for none of them. */
		display->copies |= target.framebuffer && ret == -EINVAL;
		return ret;
	}
	display->target = target;
	display->target_serial = picture->target_plane ? picture->target_serial : 0;
	return 0;
}
