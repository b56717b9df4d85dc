/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of a conversion several numbers at a time, for processors that can: to the same bytes as
 * the plain loops that stand in for them elsewhere. Thread-safe.
 */
#ifndef KR_COLOUR_LANES_H
#define KR_COLOUR_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "colour/curves.h"

/* Whether this processor can; the functions below are called there alone. */
bool kr_colour_has_lanes(void);
/* For tests: from now on as where it can't, or as it is. */
void kr_colour_without_lanes(bool without);

/* As kr_colour_curve_at for each number, what is below 0 mirrored. */
void kr_colour_lanes_follow(const struct kr_colour_curve *curve, float *plane, uint32_t count);
/* As kr_colour_pack, for AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM. */
void kr_colour_lanes_pack_10(const float *from, uint32_t *restrict to, uint32_t width);
/* As kr_colour_to_halves. */
void kr_colour_lanes_to_halves(const float *from, uint16_t *restrict to, size_t count);

#endif
