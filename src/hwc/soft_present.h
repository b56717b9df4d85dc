/* SPDX-License-Identifier: Apache-2.0 */
/* How device `soft` presents: at once, or on the way. */
#ifndef KR_HWC_SOFT_PRESENT_H
#define KR_HWC_SOFT_PRESENT_H

#include "hwc/soft.h"

/* The device's op `present`. */
int kr_soft_present(struct kr_hwc_device *device, struct kr_hwc_display_state *state,
	int *present_fence, bool *over);

#endif
