/* SPDX-License-Identifier: Apache-2.0 */
/* See colour_reference.h. */
#include "colour_reference.h"

#include <krafla/native_window.h>
#include <math.h>
#include <stdbool.h>

const int32_t reference_spaces[REFERENCE_SPACES] = {HAL_DATASPACE_SRGB, HAL_DATASPACE_SRGB_LINEAR,
	HAL_DATASPACE_SCRGB, HAL_DATASPACE_SCRGB_LINEAR, HAL_DATASPACE_DISPLAY_P3,
	HAL_DATASPACE_DCI_P3, HAL_DATASPACE_DCI_P3_LINEAR, HAL_DATASPACE_BT2020_LINEAR,
	HAL_DATASPACE_BT2020_LINEAR_EXTENDED, HAL_DATASPACE_BT2020_PQ, HAL_DATASPACE_BT2020_HLG,
	HAL_DATASPACE_ADOBE_RGB, HAL_DATASPACE_ADOBE_RGB_LINEAR};

/* Android's fields of a dataspace. */
enum { BT709 = 1, BT2020 = 6, P3 = 10, ADOBE = 11 };
enum { LINEAR = 1, SRGB = 2, GAMMA_2_2 = 4, GAMMA_2_6 = 5, ST2084 = 7, HLG = 8 };

static int
standard_of(int32_t dataspace)
{
	return dataspace >> 16 & 63;
}

static int
transfer_of(int32_t dataspace)
{
	return dataspace >> 22 & 31;
}

static bool
is_extended(int32_t dataspace)
{
	return (dataspace >> 27 & 7) == 3;
}

/* Of x, y: as bright as its part of white, by Cramer's rule. */
static double
determinant(const double a[3], const double b[3], const double c[3])
{
	return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) +
		c[0] * (a[1] * b[2] - a[2] * b[1]);
}

static void
primaries_of(int standard, double columns[3][3])
{
	static const struct {
		int standard;
		double xy[3][2];
	} all[] = {
		{BT709, {{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}}},
		{BT2020, {{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}}},
		{P3, {{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}}},
		{ADOBE, {{0.64, 0.33}, {0.21, 0.71}, {0.15, 0.06}}},
	};
	const double white[3] = {0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290};
	double c[3][3], whole;
	int at = 0;

	while (all[at].standard != standard)
		at++;
	for (int k = 0; k < 3; k++) {
		c[k][0] = all[at].xy[k][0];
		c[k][1] = all[at].xy[k][1];
		c[k][2] = 1 - c[k][0] - c[k][1];
	}
	whole = determinant(c[0], c[1], c[2]);
	for (int i = 0; i < 3; i++) {
		columns[0][i] = c[0][i] * determinant(white, c[1], c[2]) / whole;
		columns[1][i] = c[1][i] * determinant(c[0], white, c[2]) / whole;
		columns[2][i] = c[2][i] * determinant(c[0], c[1], white) / whole;
	}
}

static double
light_of(int transfer, double v)
{
	const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log(4 * a);
	double n;

	switch (transfer) {
	case SRGB:
		return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
	case GAMMA_2_2:
		return pow(v, 563.0 / 256);
	case GAMMA_2_6:
		return pow(v, 2.6);
	case ST2084:
		n = pow(v, 1 / 78.84375);
		return pow(fmax(n - 0.8359375, 0) / (18.8515625 - 18.6875 * n),
			       1 / 0.1593017578125) *
			10000 / 203;
	case HLG:
		return v <= 0.5 ? v * v / 3 : (exp((v - c) / a) + b) / 12;
	default:
		return v;
	}
}

static double
signal_of(int transfer, double light)
{
	const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log(4 * a);
	double n;

	switch (transfer) {
	case SRGB:
		return light <= 0.04045 / 12.92 ? light * 12.92
						: 1.055 * pow(light, 1 / 2.4) - 0.055;
	case GAMMA_2_2:
		return pow(light, 256.0 / 563);
	case GAMMA_2_6:
		return pow(light, 1 / 2.6);
	case ST2084:
		n = pow(fmin(light * 203 / 10000, 1), 0.1593017578125);
		return pow((0.8359375 + 18.8515625 * n) / (1 + 18.6875 * n), 78.84375);
	case HLG:
		return light <= 1.0 / 12 ? sqrt(3 * light) : a * log(12 * light - b) + c;
	default:
		return light;
	}
}

/* The scene's light on a display of 1000 cd/m2, and the reverse. */
static void
to_display(double rgb[3])
{
	double y = 0.2627 * rgb[0] + 0.6780 * rgb[1] + 0.0593 * rgb[2];

	for (int k = 0; k < 3; k++)
		rgb[k] *= pow(y, 0.2) * 1000 / 203;
}

static void
to_scene(double rgb[3])
{
	double y;

	for (int k = 0; k < 3; k++)
		rgb[k] *= 203 / 1000.0;
	y = 0.2627 * rgb[0] + 0.6780 * rgb[1] + 0.0593 * rgb[2];
	for (int k = 0; k < 3; k++)
		rgb[k] = y > 0 ? rgb[k] * pow(y, -1 / 6.0) : 0;
}

static void
change_primaries(int from, int to, double rgb[3])
{
	double columns[3][3], xyz[3], whole;

	primaries_of(from, columns);
	for (int i = 0; i < 3; i++)
		xyz[i] = columns[0][i] * rgb[0] + columns[1][i] * rgb[1] + columns[2][i] * rgb[2];
	primaries_of(to, columns);
	whole = determinant(columns[0], columns[1], columns[2]);
	rgb[0] = determinant(xyz, columns[1], columns[2]) / whole;
	rgb[1] = determinant(columns[0], xyz, columns[2]) / whole;
	rgb[2] = determinant(columns[0], columns[1], xyz) / whole;
}

void
reference_convert(int32_t from, int32_t to, const double in[3], double out[3])
{
	for (int k = 0; k < 3; k++)
		out[k] = copysign(light_of(transfer_of(from), fabs(in[k])), in[k]);
	if (transfer_of(from) == HLG)
		to_display(out);
	if (standard_of(from) != standard_of(to))
		change_primaries(standard_of(from), standard_of(to), out);
	for (int k = 0; k < 3 && !is_extended(to); k++)
		out[k] = fmax(out[k], 0);
	if (transfer_of(to) == HLG)
		to_scene(out);
	for (int k = 0; k < 3; k++) {
		out[k] = copysign(signal_of(transfer_of(to), fabs(out[k])), out[k]);
		if (!is_extended(to))
			out[k] = fmin(out[k], 1);
	}
}
