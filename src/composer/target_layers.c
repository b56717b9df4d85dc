/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layers that a producer has on a target, and what the composer is told of them: that which has
 * changed since it was set. They are its window's, and one behind it. Where the image of an opaque
 * window doesn't reach (a swapchain's scaling and gravity), the window is black: that is a layer of
 * this colour under its own. Of a translucent window nothing is there. Composers have no room for
 * as many of them as for windows, and these come first.
 */
#include "composer/target.h"

#include <krafla/hardware_buffer.h>

#include "composer/display.h"
#include "gralloc/buffer.h"

struct kr_target_layer *
kr_target_layer_of(struct kr_target *target, const struct kr_producer *producer)
{
	return &target->layers[kr_producer_slot(producer) * KR_TARGET_EACH];
}

struct kr_target_layer *
kr_target_bare_of(struct kr_target *target, const struct kr_producer *producer)
{
	return kr_target_layer_of(target, producer) + 1;
}

void
kr_target_close_layer(struct kr_target *target, struct kr_target_layer *layer)
{
	if (!layer->handle)
		return;
	(void)krafla_display_destroy_layer(target->composer, target->handle, layer->handle);
	*layer = (struct kr_target_layer){0};
	target->changed = target->client.stale = true;
}

/* --- behind the window --- */

static bool
has_bare(const struct kr_target_layer *layer, const struct kr_producer *producer)
{
	const ARect *a = &layer->frame, *b = &layer->seen;

	return layer->pushed && producer->current.presentation.scaling != KR_SCALING_WINDOW &&
		layer->blend == KRAFLA_BLEND_NONE && layer->alpha >= 1 && b->left < b->right &&
		(a->left != b->left || a->top != b->top || a->right != b->right ||
			a->bottom != b->bottom);
}

static int
open_bare(struct kr_target *target, struct kr_target_layer *bare)
{
	const krafla_color black = {.a = UINT8_MAX};
	int error = krafla_display_create_layer(target->composer, target->handle, &bare->handle);

	if (error)
		return error;
	target->changed = true;
	error = krafla_layer_set_composition_type(
		target->composer, target->handle, bare->handle, KRAFLA_COMPOSITION_SOLID_COLOR);
	return error
		? error
		: krafla_layer_set_color(target->composer, target->handle, bare->handle, black);
}

/* As large as what is seen of the window, of which the image hides its part. */
static int
place(struct kr_target *target, struct kr_target_layer *bare, const ARect *seen, uint32_t z)
{
	const ARect *now = &bare->frame;
	int error = 0;

	if (now->left != seen->left || now->top != seen->top || now->right != seen->right ||
		now->bottom != seen->bottom) {
		error = krafla_layer_set_display_frame(
			target->composer, target->handle, bare->handle, *seen);
		target->changed = true;
	}
	if (!error && bare->z != z) {
		error = krafla_layer_set_z_order(target->composer, target->handle, bare->handle, z);
		target->changed = true;
	}
	if (error)
		return error;
	bare->frame = *seen;
	bare->z = z;
	bare->pushed = true;
	return 0;
}

/* After the window's layer was pushed; this one lies at z. An error of the composer. */
static int
push_bare(struct kr_target *target, const struct kr_producer *producer, uint32_t z)
{
	const struct kr_target_layer *layer = kr_target_layer_of(target, producer);
	struct kr_target_layer *bare = kr_target_bare_of(target, producer);
	int error;

	if (!has_bare(layer, producer)) {
		kr_target_close_layer(target, bare);
		return 0;
	}
	if (!bare->handle) {
		error = target->crowded ? KRAFLA_COMPOSER_NO_RESOURCES : open_bare(target, bare);
		if (error) {
			kr_target_close_layer(target, bare);
			return 0;
		}
	}
	return place(target, bare, &layer->seen, z);
}

/* Makes room for windows. */
static void
drop_bare(struct kr_target *target)
{
	target->crowded = true;
	for (unsigned i = 1; i < target->used; i += KR_TARGET_EACH)
		kr_target_close_layer(target, &target->layers[i]);
}

/* --- the window --- */

/* One of a layer's setters, if all went well before. */
#define SET(name, ...)                                                                             \
	do {                                                                                       \
		if (!error)                                                                        \
			error = krafla_layer_set_##name(                                           \
				target->composer, target->handle, layer->handle, __VA_ARGS__);     \
	} while (0)

/* Where the layer lies here: as on the picture, unless this is of another size. */
static void
find_spot(const struct kr_target *target, const struct kr_producer *producer,
	struct kr_layout_spot *spot)
{
	if (kr_producer_is_prepared(producer))
		kr_producer_prepared_spot(producer, target->width, target->height, spot);
	else if (target->is_screen)
		*spot = producer->spot;
	else
		kr_producer_find_spot(
			producer, &producer->shape, target->width, target->height, spot);
}

static bool
same_rect(const ARect *a, const ARect *b)
{
	return a->left == b->left && a->top == b->top && a->right == b->right &&
		a->bottom == b->bottom;
}

static int
push_spot(
	struct kr_target *target, struct kr_target_layer *layer, const struct kr_producer *producer)
{
	struct kr_layout_spot spot;
	ARect frame;
	krafla_frect crop;
	int error = 0;

	if (layer->spot_serial == producer->spot_serial)
		return 0;
	find_spot(target, producer, &spot);
	frame = (ARect){spot.frame.left, spot.frame.top, spot.frame.right, spot.frame.bottom};
	crop = (krafla_frect){spot.left, spot.top, spot.right, spot.bottom};
	if (!same_rect(&frame, &layer->frame)) {
		SET(display_frame, frame);
		target->changed = true;
	}
	if (crop.left != layer->crop.left || crop.top != layer->crop.top ||
		crop.right != layer->crop.right || crop.bottom != layer->crop.bottom) {
		SET(source_crop, crop);
		target->changed = true;
	}
	if (spot.transform != layer->transform) {
		SET(transform, spot.transform);
		target->changed = true;
	}
	if (error)
		return error;
	layer->spot_serial = producer->spot_serial;
	layer->frame = frame;
	layer->seen = (ARect){spot.seen.left, spot.seen.top, spot.seen.right, spot.seen.bottom};
	layer->crop = crop;
	layer->transform = spot.transform;
	return 0;
}

/* Which part of a buffer has changed: only if the layer has the one that it changed from. */
static int
push_damage(
	struct kr_target *target, struct kr_target_layer *layer, const struct kr_producer *producer)
{
	const struct kr_frame *frame = &producer->current;
	ARect damage[KR_FRAME_MAX_DAMAGE];
	uint32_t count = 0;
	int error = 0;

	if (layer->content == producer->damage_from && !kr_producer_is_prepared(producer)) {
		for (; count < frame->damage_count; count++)
			damage[count] = (ARect){frame->damage[count].left, frame->damage[count].top,
				frame->damage[count].right, frame->damage[count].bottom};
	}
	SET(surface_damage, count, damage);
	return error;
}

static int
push_content(
	struct kr_target *target, struct kr_target_layer *layer, const struct kr_producer *producer)
{
	const struct kr_content *content = &producer->content;
	/* Memory of a GPU is for our own composer alone. */
	bool by_gpu = content->no_pixels && target->composer == target->display->screen.composer &&
		target->display->draws_by_gpu && kr_buffer_get_info(content->buffer)->gpu;
	AHardwareBuffer *buffer =
		content->no_pixels && !by_gpu ? NULL : (AHardwareBuffer *)(void *)content->buffer;
	int error = 0;

	if (layer->content == content->serial)
		return 0;
	if (layer->dataspace != content->dataspace) {
		SET(dataspace, content->dataspace);
		target->changed = true;
	}
	/* What its fence said was heard before it came on screen. */
	SET(buffer, buffer, -1);
	if (!error && by_gpu)
		error = kr_hwc_set_no_pixels(target->composer, target->handle, layer->handle);
	if (!error)
		error = push_damage(target, layer, producer);
	if (error)
		return error;
	layer->dataspace = content->dataspace;
	layer->content = content->serial;
	return 0;
}

static int
push_rest(struct kr_target *target, struct kr_target_layer *layer,
	const struct kr_producer *producer, uint32_t z)
{
	enum krafla_blend blend = kr_producer_blend(producer);
	int error = 0;

	if (layer->blend != blend) {
		SET(blend_mode, blend);
		target->changed = true;
	}
	if (layer->alpha != producer->place.alpha) {
		SET(plane_alpha, producer->place.alpha);
		target->changed = true;
	}
	if (layer->z != z) {
		SET(z_order, z);
		target->changed = true;
	}
	/* What was handed back is offered again when anything is different. */
	if (error)
		return error;
	layer->blend = blend;
	layer->alpha = producer->place.alpha;
	layer->z = z;
	return 0;
}

static int
open_layer(struct kr_target *target, struct kr_target_layer *layer, struct kr_producer *producer)
{
	int error = krafla_display_create_layer(target->composer, target->handle, &layer->handle);

	if (error == KRAFLA_COMPOSER_NO_RESOURCES && !target->crowded) {
		drop_bare(target);
		error = krafla_display_create_layer(
			target->composer, target->handle, &layer->handle);
	}
	if (error)
		return error;
	target->used = KR_MAX(target->used, (kr_producer_slot(producer) + 1) * KR_TARGET_EACH);
	layer->producer = producer;
	layer->alpha = 1;
	target->changed = true;
	return 0;
}

/* Nothing is to be seen of it. Its buffer is let go with the next picture. */
static int
hide_layer(struct kr_target *target, struct kr_target_layer *layer)
{
	int error = 0;

	if (!layer->content)
		return 0;
	SET(buffer, NULL, -1);
	SET(display_frame, (ARect){0});
	layer->frame = (ARect){0};
	layer->content = layer->spot_serial = 0;
	target->changed = true;
	return error;
}

static int
push_layer(struct kr_target *target, struct kr_producer *producer, uint32_t z)
{
	struct kr_target_layer *layer = kr_target_layer_of(target, producer);
	int error = 0;

	layer->pushed = kr_producer_is_layer(producer);
	if (!layer->pushed)
		return hide_layer(target, layer);
	if (!layer->handle)
		error = open_layer(target, layer, producer);
	if (!error)
		error = push_spot(target, layer, producer);
	if (!error)
		error = push_rest(target, layer, producer, z);
	return error ? error : push_content(target, layer, producer);
}

/* The device may take what it has handed back, now that things are different. */
static int
offer_again(struct kr_target *target)
{
	int error = 0;

	for (unsigned i = 0; i < target->used && target->changed; i++) {
		struct kr_target_layer *layer = &target->layers[i];

		if (!layer->handle || !layer->by_client)
			continue;
		SET(composition_type,
			layer->producer ? KRAFLA_COMPOSITION_DEVICE
					: KRAFLA_COMPOSITION_SOLID_COLOR);
		layer->by_client = false;
	}
	return error;
}

int
kr_target_push(struct kr_target *target)
{
	struct kr_producer *producer;
	uint32_t z = 0;
	int error = 0;

	kr_list_for_each (producer, &target->display->stack, in_stack) {
		error = push_layer(target, producer, z + 1);
		if (!error)
			error = push_bare(target, producer, z);
		z += KR_TARGET_EACH;
		if (error)
			return error;
	}
	return offer_again(target);
}
