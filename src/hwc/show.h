/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a picture: it is shown, and its fences signal. */
#ifndef KR_HWC_SHOW_H
#define KR_HWC_SHOW_H

#include "hwc/soft.h"

/*
 * Shows a picture of a screen that was made: *fence signals when it is on the screen, the caller's;
 * -1: it is. On the thread that calls the composer. 0, or -errno: it isn't shown.
 */
int kr_soft_show(struct kr_soft_display *display, struct kr_soft_picture *picture, int *fence)
	KR_MUST_CHECK;
/*
 * The end of one that was on its way: release fences signal when nobody looks at the buffer any
 * more, the present fence with `status` (KR_FENCE_SIGNALLED or -errno), or when `take_shown`
 * does. Frees it.
 */
void kr_soft_over(struct kr_soft_display *display, struct kr_soft_picture *picture, int status,
	int take_shown);

#endif
