/* SPDX-License-Identifier: Apache-2.0 */
/* Composing one picture. Thread-safety: who has the display's canvas (soft.h). */
#ifndef KR_HWC_PICTURE_H
#define KR_HWC_PICTURE_H

#include "hwc/soft.h"

/* What a picture shall be composed with. */
#define KR_SOFT_TOO_MUCH 1

/*
 * Draws what is wanted, in pieces; or finds that it is somebody's buffer. Layers that can't be read
 * are left out. `at_once`: KR_SOFT_TOO_MUCH when that is too much work, and nothing is drawn. 0;
 * -errno: there is no picture; -ECANCELED the display ends.
 */
int kr_soft_compose(struct kr_soft_display *display, struct kr_soft_picture *picture, bool at_once)
	KR_MUST_CHECK;
/* It was shown: pixels that are somebody's buffer aren't used any more. */
void kr_soft_picture_end(struct kr_soft_display *display, struct kr_soft_picture *picture);

#endif
