/* SPDX-License-Identifier: Apache-2.0 */
/* Light of one set of primaries as light of another. No state. */
#ifndef KR_COLOUR_PRIMARIES_H
#define KR_COLOUR_PRIMARIES_H

#include "colour/space.h"

/* CIE 1931 x, y of red, green, blue and white. */
void kr_colour_chromaticities(enum kr_colour_primaries primaries, double xy[4][2]);
/* By rows. White stays white: the matrix of a set and itself is the unit's. */
void kr_colour_matrix(enum kr_colour_primaries from, enum kr_colour_primaries to, float matrix[9]);

#endif
