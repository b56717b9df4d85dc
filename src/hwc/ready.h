/* SPDX-License-Identifier: Apache-2.0 */
/* The acquire fences of a picture's layers: nothing is read before its own has signalled (H-01). */
#ifndef KR_HWC_READY_H
#define KR_HWC_READY_H

#include "hwc/soft.h"

/*
 * Looks at the fences, and waits for none: layers whose fence has failed, or was late before and
 * still is, are left out of the picture. True when there is one to wait for.
 */
bool kr_soft_look_locked(struct kr_soft_display *display, struct kr_soft_picture *picture)
	KR_REQUIRES(display->lock);
/*
 * On the display's thread: waits for them, each until its deadline; who fails or is late leaves its
 * layer out. False: the display ends.
 */
bool kr_soft_wait(struct kr_soft_display *display, struct kr_soft_picture *picture);
/*
 * Waits for one fence until the deadline, and names it when it is late as `what`. 0; -ETIME;
 * -ECANCELED the display ends; what the fence has failed with.
 */
int kr_soft_wait_fence(struct kr_soft_display *display, int fence, int64_t deadline_ns,
	const char *what) KR_MUST_CHECK;

#endif
