/* SPDX-License-Identifier: Apache-2.0 */
/* See curves.h. */
#include "colour/curves.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>

#include "util/macros.h"

/* --- formulas --- */

/* IEC 61966-2-1. */
#define SRGB_EDGE 0.04045
/* SMPTE ST 2084. */
#define PQ_M1 (2610.0 / 16384)
#define PQ_M2 (2523.0 / 4096 * 128)
#define PQ_C1 (3424.0 / 4096)
#define PQ_C2 (2413.0 / 4096 * 32)
#define PQ_C3 (2392.0 / 4096 * 32)
/* ITU-R BT.2100, table 5. */
#define HLG_A     0.17883277
#define HLG_B     (1 - 4 * HLG_A)
#define HLG_GAMMA 1.2
/* Adobe RGB (1998), 4.3.4.2; SMPTE RP 431-2, 7.5. */
#define ADOBE_GAMMA (563.0 / 256)
#define DCI_GAMMA   2.6

static double
hlg_c(void)
{
	return 0.5 - HLG_A * log(4 * HLG_A);
}

static double
light_of_pq(double signal)
{
	double root = pow(signal, 1 / PQ_M2);

	return pow(fmax(root - PQ_C1, 0) / (PQ_C2 - PQ_C3 * root), 1 / PQ_M1) * KR_COLOUR_PQ_PEAK;
}

static double
pq_of_light(double light)
{
	double root = pow(light / KR_COLOUR_PQ_PEAK, PQ_M1);

	return pow((PQ_C1 + PQ_C2 * root) / (1 + PQ_C3 * root), PQ_M2);
}

double
kr_colour_light_of(enum kr_colour_transfer transfer, double signal)
{
	switch (transfer) {
	case KR_TRANSFER_SRGB:
		return signal <= SRGB_EDGE ? signal / 12.92 : pow((signal + 0.055) / 1.055, 2.4);
	case KR_TRANSFER_GAMMA_2_2:
		return pow(signal, ADOBE_GAMMA);
	case KR_TRANSFER_GAMMA_2_6:
		return pow(signal, DCI_GAMMA);
	case KR_TRANSFER_PQ:
		return light_of_pq(fmin(signal, 1));
	case KR_TRANSFER_HLG:
		signal = fmin(signal, 1);
		return signal <= 0.5 ? signal * signal / 3
				     : (exp((signal - hlg_c()) / HLG_A) + HLG_B) / 12;
	default:
		return signal;
	}
}

double
kr_colour_signal_of(enum kr_colour_transfer transfer, double light)
{
	switch (transfer) {
	case KR_TRANSFER_SRGB:
		return light <= SRGB_EDGE / 12.92 ? light * 12.92
						  : 1.055 * pow(light, 1 / 2.4) - 0.055;
	case KR_TRANSFER_GAMMA_2_2:
		return pow(light, 1 / ADOBE_GAMMA);
	case KR_TRANSFER_GAMMA_2_6:
		return pow(light, 1 / DCI_GAMMA);
	case KR_TRANSFER_PQ:
		return pq_of_light(fmin(light, KR_COLOUR_PQ_PEAK));
	case KR_TRANSFER_HLG:
		light = fmin(light, 1);
		return light <= 1.0 / 12 ? sqrt(3 * light)
					 : HLG_A * log(12 * light - HLG_B) + hlg_c();
	default:
		return light;
	}
}

/* --- tables --- */

#define FIRST_SIGNAL (-24) /* powers of 2: of the smallest half */
#define FIRST_LIGHT  (-32)
#define END          17 /* above the largest half, and what primaries make of it */
#define SIGNAL_FINE  8  /* powers of 2: points from one power of 2 to the next */
#define LIGHT_FINE   6
#define MANTISSA     23

#define SIGNAL_POINTS (((END - FIRST_SIGNAL) << SIGNAL_FINE) + 1)
#define LIGHT_POINTS  (((END - FIRST_LIGHT) << LIGHT_FINE) + 1)

typedef double (*function)(enum kr_colour_transfer transfer, double value);

/* The first point is what the function is at 0. */
static struct kr_colour_curve
make_curve(float *points, int first, int fine, function f, enum kr_colour_transfer transfer)
{
	struct kr_colour_curve curve = {
		.points = points,
		.shift = (uint32_t)(MANTISSA - fine),
		.lowest = ldexpf(1, first),
		.highest = ldexpf(1, END) * 0.999f,
	};
	int count = (END - first) << fine;

	points[0] = (float)f(transfer, 0);
	for (int i = 1; i <= count; i++) {
		int power = first + (i >> fine);
		double part = (double)(i & ((1 << fine) - 1)) / (1 << fine);

		points[i] = (float)f(transfer, ldexp(1 + part, power));
	}
	memcpy(&curve.first, &curve.lowest, sizeof(curve.first));
	curve.first >>= curve.shift;
	return curve;
}

static float signals[KR_TRANSFER_COUNT][SIGNAL_POINTS];
static float lights[KR_TRANSFER_COUNT][LIGHT_POINTS];
static struct kr_colour_curves curves[KR_TRANSFER_COUNT];

static void
make_codes(enum kr_colour_transfer transfer, float *codes, int count)
{
	for (int i = 0; i < count; i++)
		codes[i] = (float)kr_colour_light_of(transfer, (double)i / (count - 1));
}

static void
make(enum kr_colour_transfer transfer)
{
	struct kr_colour_curves *made = &curves[transfer];

	make_codes(transfer, made->of_5, KR_ARRAY_LEN(made->of_5));
	make_codes(transfer, made->of_6, KR_ARRAY_LEN(made->of_6));
	make_codes(transfer, made->of_8, KR_ARRAY_LEN(made->of_8));
	make_codes(transfer, made->of_10, KR_ARRAY_LEN(made->of_10));
	if (transfer == KR_TRANSFER_LINEAR)
		return;
	made->to_light = make_curve(
		signals[transfer], FIRST_SIGNAL, SIGNAL_FINE, kr_colour_light_of, transfer);
	made->to_signal = make_curve(
		lights[transfer], FIRST_LIGHT, LIGHT_FINE, kr_colour_signal_of, transfer);
}

#define MAKER(name, transfer)                                                                      \
	static void name(void)                                                                     \
	{                                                                                          \
		make(transfer);                                                                    \
	}

MAKER(make_linear, KR_TRANSFER_LINEAR)
MAKER(make_srgb, KR_TRANSFER_SRGB)
MAKER(make_2_2, KR_TRANSFER_GAMMA_2_2)
MAKER(make_2_6, KR_TRANSFER_GAMMA_2_6)
MAKER(make_pq, KR_TRANSFER_PQ)
MAKER(make_hlg, KR_TRANSFER_HLG)

const struct kr_colour_curves *
kr_colour_curves_get(enum kr_colour_transfer transfer)
{
	static pthread_once_t once[KR_TRANSFER_COUNT] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT,
		PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
	static void (*const makers[KR_TRANSFER_COUNT])(void) = {
		[KR_TRANSFER_LINEAR] = make_linear,
		[KR_TRANSFER_SRGB] = make_srgb,
		[KR_TRANSFER_GAMMA_2_2] = make_2_2,
		[KR_TRANSFER_GAMMA_2_6] = make_2_6,
		[KR_TRANSFER_PQ] = make_pq,
		[KR_TRANSFER_HLG] = make_hlg,
	};

	pthread_once(&once[transfer], makers[transfer]);
	return &curves[transfer];
}

/* --- HLG's display: ITU-R BT.2100, table 5, the OOTF --- */

static double
gain(enum kr_colour_transfer transfer, double luminance)
{
	return pow(luminance, HLG_GAMMA - 1) * KR_COLOUR_HLG_PEAK;
}

static double
loss(enum kr_colour_transfer transfer, double luminance)
{
	double part = luminance / KR_COLOUR_HLG_PEAK;

	return part > 0 ? pow(part, (1 - HLG_GAMMA) / HLG_GAMMA) / KR_COLOUR_HLG_PEAK : 0;
}

static float gains[LIGHT_POINTS], losses[LIGHT_POINTS];
static struct kr_colour_curve gain_curve, loss_curve;

static void
make_display(void)
{
	gain_curve = make_curve(gains, FIRST_LIGHT, LIGHT_FINE, gain, KR_TRANSFER_HLG);
	loss_curve = make_curve(losses, FIRST_LIGHT, LIGHT_FINE, loss, KR_TRANSFER_HLG);
}

static pthread_once_t display_once = PTHREAD_ONCE_INIT;

const struct kr_colour_curve *
kr_colour_hlg_gain(void)
{
	pthread_once(&display_once, make_display);
	return &gain_curve;
}

const struct kr_colour_curve *
kr_colour_hlg_loss(void)
{
	pthread_once(&display_once, make_display);
	return &loss_curve;
}

/* --- parabolas --- */

static struct kr_colour_parabolas parabolas;

static double
srgb_255(double light)
{
	return kr_colour_signal_of(KR_TRANSFER_SRGB, light) * 255 + 0.5;
}

/* Through three points, as Newton has it. */
static void
make_parabola(unsigned at, const double x[3])
{
	double y = srgb_255(x[0]);
	double slope = (srgb_255(x[1]) - y) / (x[1] - x[0]);
	double next = (srgb_255(x[2]) - srgb_255(x[1])) / (x[2] - x[1]);
	double bend = (next - slope) / (x[2] - x[0]);

	parabolas.a[at] = (float)(y - slope * x[0] + bend * x[0] * x[1]);
	parabolas.b[at] = (float)(slope - bend * (x[0] + x[1]));
	parabolas.c[at] = (float)bend;
}

/*
 * By the places at which a parabola is least off; in the lowest, where the function is a line at
 * first, by those that were found to be best. Nowhere off by more than 0.19.
 */
static void
make_parabolas(void)
{
	static const double best[3] = {0.06, 0.38, 0.80};

	for (int power = -KR_COLOUR_SEGMENTS; power < 0; power++) {
		double low = ldexp(1, power), x[3];

		for (int i = 0; i < 3; i++) {
			if (power == -KR_COLOUR_SEGMENTS)
				x[i] = 2 * low * best[i];
			else
				x[i] = low * (1.5 - cos((2 * i + 1) * M_PI / 6) / 2);
		}
		/* A float's exponent is 127 more than the power. */
		make_parabola((unsigned)(power + 127) % KR_COLOUR_SEGMENTS, x);
	}
}

const struct kr_colour_parabolas *
kr_colour_srgb_255(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_parabolas);
	return &parabolas;
}
