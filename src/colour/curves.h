/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfer functions: from what pixels have (signals) to light, and back. As formulas, and as the
 * tables that rows of pixels are converted with, which are made of these when they are needed
 * first and stay. Thread-safe.
 */
#ifndef KR_COLOUR_CURVES_H
#define KR_COLOUR_CURVES_H

#include <stdint.h>
#include <string.h>
#include "colour/space.h"

/* HLG: the signals of a pixel are light of the scene; what a display of 1000 cd/m2 makes of it. */
#define KR_COLOUR_HLG_PEAK (1000.0 / 203)
#define KR_COLOUR_PQ_PEAK  (10000.0 / 203)

/* Of one channel, not below 0. HLG: light of the scene, at most 1. */
double kr_colour_light_of(enum kr_colour_transfer transfer, double signal);
double kr_colour_signal_of(enum kr_colour_transfer transfer, double light);

/*
 * A function of numbers above 0 with 2^(23 - shift) points from each power of 2 to the next, and
 * straight lines between them: a point is found by a float's upper bits. Below the first point it
 * is what it is at 0.
 */
struct kr_colour_curve {
	const float *points;
	uint32_t first; /* a float's upper bits of the first point */
	uint32_t shift;
	float lowest; /* the first point; a power of 2 */
	float highest;
};

/* `value` is a number, up to `highest`. */
static inline float
kr_colour_curve_at(const struct kr_colour_curve *curve, float value)
{
	float above = value < curve->lowest ? curve->lowest : value, part;
	uint32_t bits, at;

	memcpy(&bits, &above, sizeof(bits));
	at = (bits >> curve->shift) - curve->first;
	part = (float)(int32_t)(bits & ((UINT32_C(1) << curve->shift) - 1)) *
		(1.0f / (float)(UINT32_C(1) << curve->shift));
	return curve->points[at] + part * (curve->points[at + 1] - curve->points[at]);
}

#define KR_COLOUR_SEGMENTS 8
#define KR_COLOUR_CODES    1024

struct kr_colour_curves {
	struct kr_colour_curve to_light;  /* of signals up to the largest half */
	struct kr_colour_curve to_signal; /* of light */
	/* Light of the signal n/31, n/63, n/255, n/1023. */
	float of_5[32], of_6[64], of_8[256], of_10[KR_COLOUR_CODES];
};

/* NULL for KR_TRANSFER_LINEAR's curves, which are no such thing; but it has the codes. */
const struct kr_colour_curves *kr_colour_curves_get(enum kr_colour_transfer transfer);
/* HLG's display: light is the scene's times this of the scene's luminance; and the way back. */
const struct kr_colour_curve *kr_colour_hlg_gain(void);
const struct kr_colour_curve *kr_colour_hlg_loss(void);

/*
 * sRGB's signal of light from 0 to 1 as 255ths, plus a half: a parabola from each power of 2 to
 * the next, from 1/256 on, which the first one reaches below, too.
 */
struct kr_colour_parabolas {
	float a[KR_COLOUR_SEGMENTS]; /* by the lowest three bits of the exponent */
	float b[KR_COLOUR_SEGMENTS];
	float c[KR_COLOUR_SEGMENTS]; /* (c * light + b) * light + a */
};

const struct kr_colour_parabolas *kr_colour_srgb_255(void);

#endif
