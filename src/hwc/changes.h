/* SPDX-License-Identifier: Apache-2.0 */
/* What of a display's picture is different from the one before. The display's lock is held. */
#ifndef KR_HWC_CHANGES_H
#define KR_HWC_CHANGES_H

#include "hwc/soft.h"

/* Whether a layer that has content hides what lies below it. */
bool kr_soft_is_opaque(const struct kr_hwc_layer_state *state);
/* Adds what a layer covers of the display. */
void kr_soft_add_frame(const struct kr_soft_display *display, const struct kr_render_layer *layer,
	pixman_region32_t *region);
/*
 * The layers of a picture as the display's state has them, from the bottom to the top, all
 * borrowed; what is different from the picture before is added to `changed`. What the display
 * remembers of its layers is this picture from then on. -ENOMEM, and nothing has happened.
 */
int kr_soft_collect_locked(struct kr_soft_display *display, struct kr_soft_picture *picture,
	pixman_region32_t *changed) KR_REQUIRES(display->lock) KR_MUST_CHECK;
/* What is remembered of a layer; NULL: nothing. */
struct kr_soft_seen *kr_soft_seen_find_locked(
	struct kr_soft_display *display, krafla_layer_t handle) KR_REQUIRES(display->lock);
/* Forgets all of it. */
void kr_soft_forget(struct kr_soft_display *display);

#endif
