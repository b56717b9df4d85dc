/* SPDX-License-Identifier: Apache-2.0 */
/*
 * src/egl/calls/jumps.S alone: each jump goes to its own number in the thread's table, with all
 * arguments. A program of its own, without the harness, so that it can be built for other machines
 * and run under an emulator.
 */
#include "egl/calls/jumps.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

typedef double (*sum_fn)(int64_t a, float b, const int64_t *c, double d, int e, int f, int g, int h,
	int i, int8_t j, double k, double l, double m, double n, double o, double p, double q);

static void *tables[2][KR_EGL_JUMPS];
_Thread_local void **kr_egl_jump_table = tables[0];

#define SUM(number)                                                                                \
	static double sum##number(int64_t a, float b, const int64_t *c, double d, int e, int f,    \
		int g, int h, int i, int8_t j, double k, double l, double m, double n, double o,   \
		double p, double q)                                                                \
	{                                                                                          \
		return (double)a + b + (double)*c + d + e + f + g + h + i + j + k + l + m + n +    \
			o + p + q + 1000 * number;                                                 \
	}
SUM(0)
SUM(1)
SUM(2)

static unsigned
calls_to(unsigned slot, double offset)
{
	sum_fn sum = (sum_fn)(kr_egl_jumps + (size_t)slot * KR_EGL_JUMP_SIZE);
	int64_t three = 3;

	/* 1 to 17. */
	return sum(1, 2, &three, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17) != 153 + offset;
}

/* The last function of both tables is another one. */
static unsigned
all_go_to(double offset)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i + 1 < KR_EGL_JUMPS; i++)
		wrong += calls_to(i, offset);
	return wrong + calls_to(KR_EGL_JUMPS - 1, 2000);
}

static void *
other_thread(void *data)
{
	unsigned *wrong = data;

	*wrong += all_go_to(0);
	kr_egl_jump_table = tables[1];
	*wrong += all_go_to(1000);
	return NULL;
}

int
main(void)
{
	unsigned wrong = 0;
	pthread_t thread;

	for (unsigned i = 0; i < KR_EGL_JUMPS; i++) {
		tables[0][i] = i + 1 < KR_EGL_JUMPS ? (void *)sum0 : (void *)sum2;
		tables[1][i] = i + 1 < KR_EGL_JUMPS ? (void *)sum1 : (void *)sum2;
	}
	if (pthread_create(&thread, NULL, other_thread, &wrong) || pthread_join(thread, NULL))
		wrong++;
	wrong += all_go_to(0);
	printf("1..1\n%sok 1 - jumps\n", wrong ? "not " : "");
	return wrong ? 1 : 0;
}
