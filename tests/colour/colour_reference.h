/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of one pixel in double precision, by the standards' own words and apart from the code
 * that is tested: IEC 61966-2-1, Adobe RGB (1998), SMPTE RP 431-2, SMPTE ST 2084, ITU-R BT.2100,
 * BT.2408 (where reference white lies).
 */
#ifndef KR_TESTS_COLOUR_COLOUR_REFERENCE_H
#define KR_TESTS_COLOUR_COLOUR_REFERENCE_H

#include <stdint.h>

#define REFERENCE_SPACES 13

extern const int32_t reference_spaces[REFERENCE_SPACES];
/* Signals to signals, red, green and blue; not rounded, but clipped as the target is. */
void reference_convert(int32_t from, int32_t to, const double in[3], double out[3]);

#endif
