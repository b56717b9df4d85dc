/* SPDX-License-Identifier: Apache-2.0 */
/* See stack.h. */
#include "outputs/kms/stack.h"

#include <xf86drmMode.h>

#include "outputs/kms/commit.h"

/* From the bottom to the top. */
struct stack {
	const struct kms_plane *planes[KMS_MAX_PLANES]; /* overlays */
	unsigned plane_count;
	struct kr_hwc_layer_state
		*layers[KMS_MAX_PLANES]; /* what may be on them; none lies above */
	unsigned layer_count;
	bool all; /* nobody else is seen */
};

static void
find_planes(struct stack *stack, const struct kms_screen *screen)
{
	const struct kms_card *card = screen->card;
	uint32_t bit = UINT32_C(1) << (screen->crtc - card->crtcs);

	/* The kernel's list is in the order of their numbers. */
	for (unsigned i = 0; i < card->plane_count; i++) {
		const struct kms_plane *plane = &card->planes[i];

		if (plane->possible_crtcs & bit && !plane->property[KMS_PLANE_ZPOS].id &&
			plane->property[KMS_PLANE_TYPE].value == DRM_PLANE_TYPE_OVERLAY)
			stack->planes[stack->plane_count++] = plane;
	}
}

static void
find_layers(struct stack *stack, const struct kms_screen *screen,
	const struct kr_hwc_display_state *display)
{
	struct kr_hwc_layer_state *down[KMS_MAX_PLANES];
	unsigned most = KR_MIN(stack->plane_count + 1, (unsigned)KMS_MAX_PLANES), count = 0;

	stack->all = true;
	for (unsigned i = display->count; i-- && stack->all;) {
		struct kr_hwc_layer_state *state = display->layers[i];
		const struct kms_layer *layer = state->device_data;

		if (!kms_plan_is_seen(state, screen))
			continue;
		if (!layer->offered || count == most)
			stack->all = false;
		else
			down[count++] = state;
	}
	stack->layer_count = count;
	for (unsigned i = 0; i < count; i++)
		stack->layers[i] = down[count - 1 - i];
}

/* The scanouts of the `count` topmost layers; `first` is the plane that the lowest of them gets. */
static unsigned
put(const struct stack *stack, const struct kms_screen *screen, unsigned count, bool with_primary,
	struct kms_scanout scanouts[KMS_MAX_PLANES])
{
	struct kr_hwc_layer_state *const *layers = &stack->layers[stack->layer_count - count];

	for (unsigned i = 0; i < count; i++) {
		const struct kms_layer *layer = layers[i]->device_data;
		const struct kms_plane *plane = screen->primary;

		/* The first is the primary one's, if that has a layer. */
		if (i || !with_primary)
			plane = stack->planes[i - with_primary];
		kms_plan_scanout(layers[i], layer->framebuffer, plane, &scanouts[i]);
	}
	if (!with_primary) {
		const struct kms_dumb *dumb = &screen->dumbs[0];

		kms_commit_cover(
			&scanouts[count], screen->primary, dumb->id, dumb->width, dumb->height);
	}
	return with_primary ? count : count + 1;
}

static void
take_over(const struct stack *stack, struct kms_plan *plan, const struct kms_screen *screen,
	struct kr_hwc_display_state *display, const struct kms_scanout *scanouts, unsigned count)
{
	for (unsigned i = 0; i < display->count; i++) {
		struct kms_layer *layer = display->layers[i]->device_data;

		if (layer)
			layer->plane = NULL;
	}
	for (unsigned i = 0; i < count; i++) {
		struct kms_layer *layer =
			stack->layers[stack->layer_count - count + i]->device_data;

		layer->plane = scanouts[i].plane;
	}
	plan->target_plane = count == stack->layer_count && stack->all ? NULL : screen->primary;
}

void
kms_stack_try(struct kms_plan *plan, struct kms_screen *screen,
	struct kr_hwc_display_state *display, unsigned found)
{
	struct kms_scanout scanouts[KMS_MAX_PLANES + 1];
	struct stack stack = {0};

	if (!screen->lit)
		return;
	find_planes(&stack, screen);
	find_layers(&stack, screen, display);
	for (unsigned count = stack.layer_count; count > found; count--) {
		bool with_primary = count == stack.layer_count && stack.all;
		unsigned used;

		if (count > stack.plane_count + with_primary)
			continue;
		used = put(&stack, screen, count, with_primary, scanouts);
		if (kms_commit_test(screen, scanouts, used)) {
			take_over(&stack, plan, screen, display, scanouts, count);
			return;
		}
	}
}
