/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a picture is different from the one before.
 *
 * Layers that came, went or are different change what they cover, and what they covered; a layer in
 * its place with another buffer changes its damage. What lies under an opaque layer that was above
 * before and still is isn't seen, and doesn't count:
 *
 *   from the top down: changed += (what this layer changes) - covered; opaque: covered += its box
 *
 * A layer above that is different itself counts anyway, and one that went counts whole.
 */
#include "hwc/changes.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"

void
kr_soft_add_frame(const struct kr_soft_display *display, const struct kr_render_layer *layer,
	pixman_region32_t *region)
{
	kr_render_layer_add_frame(layer, display->state->width, display->state->height, region);
}

/* --- what a state's layers are --- */

static struct kr_render_layer
layer_from_state(const struct kr_hwc_layer_state *state)
{
	struct kr_render_layer layer = {
		.frame = state->frame,
		.blend = (int32_t)state->blend,
		.alpha = state->plane_alpha,
		.dataspace = state->dataspace,
	};

	if (state->composition == KRAFLA_COMPOSITION_SOLID_COLOR) {
		layer.color = (struct kr_render_color){
			state->color.r, state->color.g, state->color.b, state->color.a};
		return layer;
	}
	layer.buffer = state->buffer;
	layer.no_content = state->no_content;
	layer.crop = (struct kr_render_crop){
		state->crop.left, state->crop.top, state->crop.right, state->crop.bottom};
	layer.transform = state->transform;
	return layer;
}

bool
kr_soft_is_opaque(const struct kr_hwc_layer_state *state)
{
	struct kr_render_layer layer = layer_from_state(state);

	if (state->composition != KRAFLA_COMPOSITION_SOLID_COLOR && !state->buffer)
		return false;
	return kr_render_layer_is_opaque(&layer);
}

static bool
is_seen(const struct kr_soft_display *display, const struct kr_hwc_layer_state *state)
{
	const ARect *frame = &state->frame;

	if (state->composition != KRAFLA_COMPOSITION_SOLID_COLOR && !state->buffer &&
		!state->no_content)
		return false;
	return frame->left < frame->right && frame->top < frame->bottom && frame->right > 0 &&
		frame->bottom > 0 && frame->left < (int32_t)display->state->width &&
		frame->top < (int32_t)display->state->height && state->plane_alpha > 0;
}

static struct kr_soft_layer
target_from_state(const struct kr_hwc_display_state *state)
{
	return (struct kr_soft_layer){
		.layer =
			{
				.buffer = state->target,
				.frame = {0, 0, (int32_t)state->width, (int32_t)state->height},
				.blend = KR_RENDER_BLEND_PREMULTIPLIED,
				.alpha = 1,
				.dataspace = state->target_dataspace,
			},
		.serial = state->target_serial,
		.fence = state->target_fence,
	};
}

static bool
is_for_gpus_alone(const struct kr_hwc_layer_state *state)
{
	return state->composition != KRAFLA_COMPOSITION_SOLID_COLOR && state->buffer &&
		(state->no_pixels || kr_buffer_get_info(state->buffer)->backend == KR_BUFFER_GPU);
}

static void
add_layer(const struct kr_soft_display *display, struct kr_soft_picture *picture,
	const struct kr_hwc_layer_state *state, uint32_t order, uint32_t *z)
{
	if (!is_seen(display, state))
		return;
	z[picture->count] = order;
	picture->layers[picture->count++] = (struct kr_soft_layer){
		.handle = state->handle,
		.layer = layer_from_state(state),
		.no_pixels = is_for_gpus_alone(state),
		.serial = state->composition == KRAFLA_COMPOSITION_SOLID_COLOR
			? 0
			: state->buffer_serial,
		.fence = state->acquire_fence,
	};
}

static bool
is_under_target(const struct kr_hwc_layer_state *state)
{
	return state->requests & KRAFLA_REQUEST_CLEAR_CLIENT_TARGET;
}

/*
 * The picture's layers; the client target lies where the lowest of its layers does, and under it
 * those that are seen through holes in it.
 */
static void
read_layers(const struct kr_soft_display *display, struct kr_soft_picture *picture, uint32_t *z)
{
	const struct kr_hwc_display_state *state = display->state;
	bool has_target = false;

	picture->count = 0;
	for (unsigned i = 0; i < state->count; i++) {
		const struct kr_hwc_layer_state *layer = state->layers[i];

		if (layer->composition != KRAFLA_COMPOSITION_CLIENT) {
			if (!is_under_target(layer))
				add_layer(display, picture, layer, layer->z, z);
			continue;
		}
		if (has_target)
			continue;
		has_target = true;
		for (unsigned k = 0; k < state->count; k++) {
			if (is_under_target(state->layers[k]))
				add_layer(display, picture, state->layers[k], layer->z, z);
		}
		z[picture->count] = layer->z;
		picture->layers[picture->count++] = target_from_state(state);
	}
}

/* --- what is remembered --- */

struct kr_soft_seen *
kr_soft_seen_find_locked(struct kr_soft_display *display, krafla_layer_t handle)
{
	struct kr_soft_seen *seen;

	kr_list_for_each (seen, &display->seen, link) {
		if (seen->handle == handle)
			return seen;
	}
	return NULL;
}

static void
forget_one(struct kr_soft_seen *seen)
{
	kr_buffer_unref(seen->layer.buffer);
	kr_list_remove(&seen->link);
	free(seen);
}

void
kr_soft_forget(struct kr_soft_display *display)
{
	struct kr_soft_seen *seen, *next;

	kr_list_for_each_safe (seen, next, &display->seen, link)
		forget_one(seen);
}

/* One for each layer of the picture, so that nothing fails later. */
static int
remember(struct kr_soft_display *display, const struct kr_soft_picture *picture)
	KR_REQUIRES(display->lock)
{
	for (unsigned i = 0; i < picture->count; i++) {
		struct kr_soft_seen *seen;

		if (kr_soft_seen_find_locked(display, picture->layers[i].handle))
			continue;
		seen = calloc(1, sizeof(*seen));
		if (!seen)
			return -ENOMEM;
		seen->handle = picture->layers[i].handle;
		kr_list_append(&display->seen, &seen->link);
	}
	return 0;
}

/* --- what is different --- */

/* Whether a layer is drawn as it was, but for its pixels. */
static bool
same_look(const struct kr_render_layer *a, const struct kr_render_layer *b)
{
	return kr_render_layer_same_place(a, b) && a->blend == b->blend && a->alpha == b->alpha &&
		a->dataspace == b->dataspace && memcmp(&a->color, &b->color, sizeof(a->color)) == 0;
}

struct damage {
	uint32_t count; /* 0: all of it */
	const ARect *rects;
};

static struct damage
damage_of(const struct kr_hwc_display_state *state, krafla_layer_t handle)
{
	if (!handle)
		return (struct damage){state->target_damage_count, state->target_damage};
	for (unsigned i = 0; i < state->count; i++) {
		if (state->layers[i]->handle == handle)
			return (struct damage){
				state->layers[i]->damage_count, state->layers[i]->damage};
	}
	return (struct damage){0, NULL};
}

/* What a layer changes; before, it was in the picture, or had an empty frame. */
static void
add_difference(const struct kr_soft_display *display, const struct kr_soft_seen *before,
	const struct kr_soft_layer *now, uint32_t z, pixman_region32_t *region)
{
	const struct kr_hwc_display_state *state = display->state;
	struct damage damage = damage_of(state, now->handle);

	if (!same_look(&before->layer, &now->layer) || before->z != z ||
		(before->serial != now->serial &&
			(!damage.count || before->layer.no_content || now->layer.no_content))) {
		kr_soft_add_frame(display, &now->layer, region);
		kr_soft_add_frame(display, &before->layer, region);
	} else if (before->serial != now->serial) {
		for (uint32_t i = 0; i < damage.count; i++)
			kr_render_layer_add_damage(
				&now->layer, state->width, state->height, &damage.rects[i], region);
	}
}

static void
now_seen(struct kr_soft_seen *seen, const struct kr_soft_layer *layer, uint32_t z)
{
	if (layer->layer.buffer)
		kr_buffer_ref(layer->layer.buffer);
	kr_buffer_unref(seen->layer.buffer);
	seen->layer = layer->layer;
	seen->serial = layer->serial;
	seen->z = z;
	seen->present = true;
}

static void
drop_unseen(struct kr_soft_display *display, pixman_region32_t *changed)
{
	struct kr_soft_seen *seen, *next;

	kr_list_for_each_safe (seen, next, &display->seen, link) {
		if (!seen->present) {
			kr_soft_add_frame(display, &seen->layer, changed);
			forget_one(seen);
			continue;
		}
		seen->present = false;
	}
}

int
kr_soft_collect_locked(struct kr_soft_display *display, struct kr_soft_picture *picture,
	pixman_region32_t *changed)
{
	uint32_t z[KR_HWC_MAX_LAYERS];
	pixman_region32_t covered, part;
	int err;

	read_layers(display, picture, z);
	err = remember(display, picture);
	if (err)
		return err;
	pixman_region32_init(&covered);
	pixman_region32_init(&part);
	for (unsigned i = picture->count; i-- > 0;) {
		struct kr_soft_layer *layer = &picture->layers[i];
		struct kr_soft_seen *seen = kr_soft_seen_find_locked(display, layer->handle);

		pixman_region32_clear(&part);
		add_difference(display, seen, layer, z[i], &part);
		pixman_region32_subtract(&part, &part, &covered);
		pixman_region32_union(changed, changed, &part);
		if (kr_render_layer_is_opaque(&layer->layer))
			kr_soft_add_frame(display, &layer->layer, &covered);
		now_seen(seen, layer, z[i]);
	}
	drop_unseen(display, changed);
	pixman_region32_fini(&covered);
	pixman_region32_fini(&part);
	return 0;
}
