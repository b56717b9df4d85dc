/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of its rates a display has for what its windows wish (docs/composer.md, "Frame rates"). A
 * function of that alone: no state, any thread.
 */
#ifndef KR_COMPOSER_RATE_H
#define KR_COMPOSER_RATE_H

#include <stdint.h>
#include "window/queue/notice.h"

#define KR_DISPLAY_MAX_RATES 16

/*
 * The place in `rates_mhz` (millihertz, all different, the first is the one to start with) of the
 * best for the wishes, all of them of rates above 0. Without any, and where others are no better:
 * 0.
 */
unsigned kr_rate_choose(const uint32_t *rates_mhz, unsigned rate_count,
	const struct kr_frame_rate *wishes, unsigned wish_count);

#endif
