/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See primaries.h. The matrix to XYZ is the one whose columns have the primaries' chromaticities,
 * each as bright as it takes for all of them together to be white (SMPTE RP 177).
 */
#include "colour/primaries.h"

#include <pthread.h>
#include <string.h>

/* ITU-R BT.709; SMPTE RP 431-2; ITU-R BT.2020; Adobe RGB (1998). White: D65. */
static const double reds_to_blues[KR_PRIMARIES_COUNT][3][2] = {
	[KR_PRIMARIES_BT709] = {{0.640, 0.330}, {0.300, 0.600}, {0.150, 0.060}},
	[KR_PRIMARIES_P3] = {{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}},
	[KR_PRIMARIES_BT2020] = {{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}},
	[KR_PRIMARIES_ADOBE] = {{0.640, 0.330}, {0.210, 0.710}, {0.150, 0.060}},
};
static const double white[2] = {0.3127, 0.3290};

void
kr_colour_chromaticities(enum kr_colour_primaries primaries, double xy[4][2])
{
	memcpy(xy, reds_to_blues[primaries], sizeof(reds_to_blues[primaries]));
	memcpy(xy[3], white, sizeof(white));
}

static void
invert(const double m[3][3], double inverse[3][3])
{
	double determinant = 0;

	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 3; k++) {
			int a = (i + 1) % 3, b = (i + 2) % 3, c = (k + 1) % 3, d = (k + 2) % 3;

			inverse[k][i] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
		}
	}
	for (int i = 0; i < 3; i++)
		determinant += m[0][i] * inverse[i][0];
	for (int i = 0; i < 9; i++)
		inverse[i / 3][i % 3] /= determinant;
}

static void
to_xyz(enum kr_colour_primaries primaries, double m[3][3])
{
	const double seen[3] = {white[0] / white[1], 1, (1 - white[0] - white[1]) / white[1]};
	double inverse[3][3];

	for (int k = 0; k < 3; k++) {
		const double *xy = reds_to_blues[primaries][k];

		m[0][k] = xy[0];
		m[1][k] = xy[1];
		m[2][k] = 1 - xy[0] - xy[1];
	}
	invert((const double(*)[3])m, inverse);
	for (int k = 0; k < 3; k++) {
		double times = 0;

		for (int i = 0; i < 3; i++)
			times += inverse[k][i] * seen[i];
		for (int i = 0; i < 3; i++)
			m[i][k] *= times;
	}
}

static void
make(enum kr_colour_primaries from, enum kr_colour_primaries to, float matrix[9])
{
	double there[3][3], other[3][3], back[3][3];

	to_xyz(from, there);
	to_xyz(to, other);
	invert((const double(*)[3])other, back);
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 3; k++) {
			double sum = 0;

			for (int j = 0; j < 3; j++)
				sum += back[i][j] * there[j][k];
			matrix[3 * i + k] = from == to ? i == k : (float)sum;
		}
	}
}

static float matrices[KR_PRIMARIES_COUNT][KR_PRIMARIES_COUNT][9];

static void
make_all(void)
{
	for (unsigned i = 0; i < KR_PRIMARIES_COUNT; i++) {
		for (unsigned k = 0; k < KR_PRIMARIES_COUNT; k++)
			make(i, k, matrices[i][k]);
	}
}

void
kr_colour_matrix(enum kr_colour_primaries from, enum kr_colour_primaries to, float matrix[9])
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_all);
	memcpy(matrix, matrices[from][to], sizeof(matrices[from][to]));
}
