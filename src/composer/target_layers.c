/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layers that a producer has on a target: its window's, and one behind it. Where the image of
 * an opaque window doesn't reach (a swapchain's scaling and gravity), the window is black: that is
 * a layer of this colour under its own. Of a translucent window nothing is there. Composers have no
 * room for as many of them as for windows, and these come first.
 */
#include "composer/target.h"

#include "composer/display.h"

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
is_wanted(const struct kr_target_layer *layer, const struct kr_producer *producer)
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

int
kr_target_push_bare(struct kr_target *target, const struct kr_producer *producer, uint32_t z)
{
	const struct kr_target_layer *layer = kr_target_layer_of(target, producer);
	struct kr_target_layer *bare = kr_target_bare_of(target, producer);
	int error;

	if (!is_wanted(layer, producer)) {
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

void
kr_target_drop_bare(struct kr_target *target)
{
	target->crowded = true;
	for (unsigned i = 1; i < target->used; i += KR_TARGET_EACH)
		kr_target_close_layer(target, &target->layers[i]);
}
