/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layers planes show. libliftoff looks for a plane for each, by asking the kernel of every
 * try whether it would take it; the layers that it finds none for are the client's, whose target is
 * on the plane at the bottom.
 */
#ifndef KR_OUTPUTS_KMS_PLAN_H
#define KR_OUTPUTS_KMS_PLAN_H

#include <libliftoff.h>
#include <stdbool.h>
#include <stdint.h>
#include "hwc/device.h"
#include "outputs/kms/screen.h"
#include "util/macros.h"

/* More layers than this, from the top down, aren't tried: each try is a question to the kernel. */
#define KMS_MAX_TRIED 12

/* Of a layer: what its device_data is. */
struct kms_layer {
	struct liftoff_layer *liftoff;
	const struct kms_plane *plane;       /* that shows it, as validated; NULL: none */
	struct kms_framebuffer *framebuffer; /* while a plan is made */
	bool offered;                        /* while a plan is made: it may be on a plane */
	bool wanted;                         /* while a plan is made: and isn't the client's yet */
	uint64_t left_out; /* the serial of a buffer whose fence took too long; 0 */
	uint64_t on_plane; /* the number of the last picture that it was on a plane in; 0 */
};

struct kms_plan {
	struct liftoff_device *liftoff; /* borrowed */
	struct liftoff_output *output;
	struct liftoff_layer *target;
	const struct kms_plane *target_plane; /* NULL: no layer is the client's */
};

/* What else has to be known of a buffer of the composer's. */
typedef struct kms_framebuffer *(*kms_plan_framebuffer_fn)(void *data, struct kms_screen *screen,
	const struct kr_hwc_layer_state *state, const void *owner);

/* For a screen. 0 or -ENOMEM. */
int kms_plan_init(struct kms_plan *plan, struct liftoff_device *liftoff,
	const struct kms_screen *screen) KR_MUST_CHECK;
void kms_plan_finish(struct kms_plan *plan);
/*
 * Sets the plane of each layer, and changed_to of each that has none. `framebuffer` gives those of
 * the layers' buffers; NULL: none is to be on a plane, and the kernel isn't asked.
 */
void kms_plan_make(struct kms_plan *plan, struct kms_screen *screen,
	struct kr_hwc_display_state *display, kms_plan_framebuffer_fn framebuffer, void *data);
/* The layer's, made when it isn't there; NULL: no memory. */
struct kms_layer *kms_plan_layer(struct kms_plan *plan, struct kr_hwc_layer_state *state);
void kms_plan_layer_gone(struct kr_hwc_layer_state *state);

/* What the plane of a layer shall show, but for its fence. */
void kms_plan_scanout(const struct kr_hwc_layer_state *state, struct kms_framebuffer *framebuffer,
	const struct kms_plane *plane, struct kms_scanout *scanout);
/* Whether anything of it is on the screen, whoever draws it. */
bool kms_plan_is_seen(const struct kr_hwc_layer_state *state, const struct kms_screen *screen);
/* Whether alpha of the layer's pixels means nothing. */
bool kms_plan_is_opaque(const struct kr_hwc_layer_state *state);

#endif
