/* SPDX-License-Identifier: Apache-2.0 */
/* Layers on planes that lie in the order of their numbers (plan.c says when). */
#ifndef KR_OUTPUTS_KMS_STACK_H
#define KR_OUTPUTS_KMS_STACK_H

#include "outputs/kms/plan.h"

/*
 * Puts the topmost layers onto overlay planes without a zpos, in order, and the client's target
 * below them; all layers, if there are planes enough, with the lowest on the primary plane. Nothing
 * is changed unless it gets more than `found` layers onto planes.
 */
void kms_stack_try(struct kms_plan *plan, struct kms_screen *screen,
	struct kr_hwc_display_state *display, unsigned found);

#endif
