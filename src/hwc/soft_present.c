/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How device `soft` presents.
 *
 *   a picture is on its way already       this one queues behind it
 *   nobody wants to see it                at once: nothing is waited for or touched
 *   a fence is active, or much to draw    on its way
 *   else                                  at once
 */
#include "hwc/soft_present.h"

#include <errno.h>
#include <stdlib.h>

#include "gralloc/buffer.h"
#include "hwc/changes.h"
#include "hwc/picture.h"
#include "hwc/ready.h"
#include "hwc/show.h"
#include "hwc/way.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

static struct kr_soft_display *
display_of(const struct kr_hwc_display_state *state)
{
	return state->device_data;
}

static bool
is_wanted(const struct kr_soft_display *display)
{
	const struct krafla_screen *screen = &display->screen;

	if (display->state->type == KRAFLA_DISPLAY_VIRTUAL)
		return true;
	return !display->off &&
		(!screen->wants || screen->wants(screen->data, display->state->number));
}

/* A picture of what is set, which borrows everything. *wait: for a fence. */
static int
begin(struct kr_soft_display *display, struct kr_soft_picture *picture, bool *wait)
{
	const struct kr_hwc_display_state *state = display->state;
	int err;

	picture->number = state->number;
	picture->time_ns = state->expected_ns ? state->expected_ns : kr_clock_now();
	picture->made = picture->older = false;
	picture->error = 0;
	picture->written = 0;
	picture->offset = 0;
	pixman_region32_clear(&picture->damage);
	if (display->fresh)
		pixman_region32_union_rect(
			&picture->damage, &picture->damage, 0, 0, state->width, state->height);
	picture->pixels = NULL;
	picture->lent = picture->drawn_in = NULL;
	picture->format = picture->row_bytes = 0;
	picture->output = state->output;
	picture->output_fence = state->output_fence;
	picture->present_signal = -1;
	picture->wanted = is_wanted(display);
	kr_mutex_lock(&display->lock);
	err = kr_soft_collect_locked(display, picture, &display->changed);
	*wait = !err && picture->wanted && kr_soft_look_locked(display, picture);
	kr_mutex_unlock(&display->lock);
	*wait |= picture->output_fence != -1;
	return err;
}

/* --- release fences --- */

/* Of buffers that a picture on its way reads; what signals them is that picture's. */
static int
make_release_fences(struct kr_soft_display *display)
{
	const struct kr_hwc_display_state *state = display->state;

	for (unsigned i = 0; i < state->count; i++) {
		struct kr_hwc_layer_state *layer = state->layers[i];
		int err = 0;

		if (layer->replaced && layer->previous != layer->buffer)
			err = kr_soft_way_owe(display, layer->handle, layer->previous,
				state->number, &layer->release_fence);
		if (err)
			return err;
	}
	return 0;
}

static void
drop_release_fences(struct kr_soft_display *display)
{
	kr_soft_way_disown(display, display->state->number);
	for (unsigned i = 0; i < display->state->count; i++)
		kr_fd_close(&display->state->layers[i]->release_fence);
}

/* Of the others: of buffers that somebody looks at. */
static void
give_back(struct kr_soft_display *display)
{
	const struct kr_hwc_display_state *state = display->state;

	for (unsigned i = 0; i < state->count; i++) {
		struct kr_hwc_layer_state *layer = state->layers[i];

		if (layer->replaced && layer->previous != layer->buffer &&
			layer->release_fence == -1)
			layer->release_fence = kr_hwc_holds_give_back(
				display->device->holds, layer->handle, layer->previous);
	}
}

/* --- at once --- */

static void
move_changes(struct kr_soft_display *display, struct kr_soft_picture *picture)
{
	pixman_region32_union(&picture->changed, &picture->changed, &display->changed);
	pixman_region32_clear(&display->changed);
}

/* KR_SOFT_TOO_MUCH, 0, or -errno: it isn't shown. */
static int
present_at_once(struct kr_soft_display *display, int *present_fence)
{
	struct kr_soft_picture *picture = &display->at_once;
	int err;

	move_changes(display, picture);
	err = kr_soft_compose(display, picture, true);
	if (err == KR_SOFT_TOO_MUCH)
		return err;
	give_back(display);
	display->fresh = false;
	if (!err && display->state->type != KRAFLA_DISPLAY_VIRTUAL)
		err = kr_soft_show(display, picture, present_fence);
	kr_soft_picture_end(display, picture);
	return err;
}

/* --- on its way --- */

/* A copy that owns what it has. */
static int
copy(struct kr_soft_picture *from, struct kr_soft_picture **out)
{
	struct kr_soft_picture *picture = malloc(sizeof(*picture));
	int err = 0;

	if (!picture)
		return -ENOMEM;
	*picture = *from;
	pixman_region32_init(&picture->changed);
	pixman_region32_init(&picture->damage);
	pixman_region32_copy(&picture->damage, &from->damage);
	kr_list_init(&picture->owed);
	picture->output_fence = -1;
	for (unsigned i = 0; i < picture->count; i++) {
		picture->layers[i].fence = -1;
		if (picture->layers[i].layer.buffer)
			kr_buffer_ref(picture->layers[i].layer.buffer);
	}
	if (picture->output)
		kr_buffer_ref(picture->output);
	for (unsigned i = 0; i < picture->count && !err && picture->wanted; i++)
		err = kr_fd_dup(from->layers[i].fence, &picture->layers[i].fence);
	if (!err)
		err = kr_fd_dup(from->output_fence, &picture->output_fence);
	*out = picture;
	return err;
}

static int
present_on_the_way(struct kr_soft_display *display, int *present_fence)
{
	struct kr_fence_label label = {"composer", display->state->number, "present"};
	struct kr_soft_picture *picture = NULL;
	int err = kr_soft_way_start(display);

	if (!err)
		err = copy(&display->at_once, &picture);
	if (!err)
		err = kr_fence_create(&label, &picture->present_signal, present_fence);
	if (!err)
		err = make_release_fences(display);
	if (err) {
		drop_release_fences(display);
		kr_fd_close(present_fence);
		if (picture)
			kr_soft_over(display, picture, err, -1);
		return err;
	}
	move_changes(display, picture);
	give_back(display);
	display->fresh = false;
	kr_soft_way_add(display, picture);
	return 0;
}

int
kr_soft_present(struct kr_hwc_device *device, struct kr_hwc_display_state *state,
	int *present_fence, bool *over)
{
	struct kr_soft_display *display = display_of(state);
	bool queued, wait;
	int err;

	kr_soft_way_show(display);
	queued = kr_soft_way_count(display) > 0;
	if (kr_soft_way_count(display) >= KR_SOFT_MAX_ON_THE_WAY)
		return KRAFLA_COMPOSER_NO_RESOURCES;
	err = begin(display, &display->at_once, &wait);
	if (err)
		return KRAFLA_COMPOSER_NO_RESOURCES;
	err = KR_SOFT_TOO_MUCH;
	if (!queued && !wait)
		err = present_at_once(display, present_fence);
	if (err != KR_SOFT_TOO_MUCH) {
		*over = true;
		return err ? KRAFLA_COMPOSER_NO_RESOURCES : KRAFLA_COMPOSER_NONE;
	}
	err = present_on_the_way(display, present_fence);
	return err ? KRAFLA_COMPOSER_NO_RESOURCES : KRAFLA_COMPOSER_NONE;
}
