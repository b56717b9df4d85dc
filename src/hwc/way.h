/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures on their way, which a thread of the display's waits for and composes, one after the
 * other. A screen's picture that is made waits for the thread that calls the composer, to be shown;
 * a virtual display's is over then.
 */
#ifndef KR_HWC_WAY_H
#define KR_HWC_WAY_H

#include "hwc/soft.h"

void kr_soft_way_init(struct kr_soft_display *display);
/* The thread ends, and pictures on their way with it: they were never shown. */
void kr_soft_way_stop(struct kr_soft_display *display);
void kr_soft_way_finish(struct kr_soft_display *display);
/* How many there are. */
unsigned kr_soft_way_count(struct kr_soft_display *display);
/* The thread runs from then on. 0 or -errno. */
int kr_soft_way_start(struct kr_soft_display *display) KR_MUST_CHECK;
/* Behind the others; it owns all that it has. The thread runs. */
void kr_soft_way_add(struct kr_soft_display *display, struct kr_soft_picture *take_picture);
/* Calls the brush's `work` on the thread, once it runs. Any thread. */
void kr_soft_way_call(struct kr_soft_display *display);
/* Shows those that are made. 0, or the first error of `show`, -errno. */
int kr_soft_way_show(struct kr_soft_display *display);
/*
 * A layer gives up a buffer in present `number`: its release fence, if pictures on their way read
 * it still, in *fence, the caller's; the last of them signals it. -1 when none does. 0 or -errno.
 */
int kr_soft_way_owe(struct kr_soft_display *display, krafla_layer_t layer, struct kr_buffer *buffer,
	uint64_t number, int *fence) KR_MUST_CHECK;
/* Nothing was given up in that present: what signals these fences goes, and they with it. */
void kr_soft_way_disown(struct kr_soft_display *display, uint64_t number);

#endif
