/* SPDX-License-Identifier: Apache-2.0 */
/* Halves (IEEE 754's binary16) and floats. Thread-safe. */
#ifndef KR_COLOUR_HALF_H
#define KR_COLOUR_HALF_H

#include <stddef.h>
#include <stdint.h>

#define KR_COLOUR_HALF_MOST 65504.0f

/* What is infinite or no number becomes a float of that kind, or one above KR_COLOUR_HALF_MOST. */
void kr_colour_from_halves(const void *from, float *restrict to, size_t count);
/* To the nearest, the even one of two; too large: KR_COLOUR_HALF_MOST; no number: 0. */
void kr_colour_to_halves(const float *from, void *restrict to, size_t count);

#endif
