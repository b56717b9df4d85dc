/* SPDX-License-Identifier: Apache-2.0 */
/* The vertical blanks of screens: one timer for all of a device's. Composer's lock. */
#ifndef KR_HWC_VSYNC_H
#define KR_HWC_VSYNC_H

#include "hwc/soft.h"

/* The device's timer. 0 or -errno. */
int kr_soft_vsync_init(struct kr_soft *soft) KR_MUST_CHECK;
void kr_soft_vsync_finish(struct kr_soft *soft);
/* A display wants to be told, or no longer. */
void kr_soft_vsync_set(struct kr_soft_display *display, bool enabled);
/* The next one comes so long after the last. */
void kr_soft_vsync_set_period(struct kr_soft_display *display, uint32_t period_ns);
/* Tells of those that have come since; of each display the last one. */
void kr_soft_vsync_dispatch(struct kr_soft *soft);

#endif
