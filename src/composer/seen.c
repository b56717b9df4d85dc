/* SPDX-License-Identifier: Apache-2.0 */
/* Which windows are seen, and which frames of them that came on screen. */
#include "composer/display.h"

static bool
is_seen(const struct kr_producer *producer, pixman_region32_t *covered)
{
	const android_native_rect_t *box = kr_producer_box(producer);
	pixman_box32_t at = {box->left, box->top, box->right, box->bottom};

	return kr_producer_is_layer(producer) && box->left < box->right && box->top < box->bottom &&
		pixman_region32_contains_rectangle(covered, &at) != PIXMAN_REGION_IN;
}

uint32_t
kr_display_count_seen(struct kr_display *display, int64_t now)
{
	struct kr_producer *producer;
	pixman_region32_t covered;
	uint32_t layers = 0;

	pixman_region32_init(&covered);
	kr_list_for_each_back (producer, &display->stack, in_stack) {
		if (producer->fresh)
			kr_producer_count_shown(producer, is_seen(producer, &covered), now);
		producer->fresh = false;
		layers += kr_producer_is_layer(producer);
		kr_producer_add_cover(producer, &covered);
	}
	pixman_region32_fini(&covered);
	return layers;
}

void
kr_display_find_seen(struct kr_display *display)
{
	struct kr_producer *producer;
	pixman_region32_t covered;

	pixman_region32_init(&covered);
	kr_list_for_each_back (producer, &display->stack, in_stack) {
		producer->seen = is_seen(producer, &covered);
		kr_producer_add_cover(producer, &covered);
	}
	pixman_region32_fini(&covered);
}
