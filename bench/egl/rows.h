/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `krafla-bench egl` know of each other: ways that take turns, and their rows. */
#ifndef KR_BENCH_EGL_ROWS_H
#define KR_BENCH_EGL_ROWS_H

#include "bench/bench.h"

/* What `egl-calls` prints, in its order. */
#define EGL_CALLS 8

/* Whose EGL a child gets. */
enum egl_way {
	EGL_PLAIN,  /* the vendors that glvnd finds */
	EGL_KRAFLA, /* Krafla before them */
	EGL_WAYS,
};

/* What is told of several runs' values. */
typedef double (*egl_pick_fn)(double *values, unsigned count);
double egl_least(double *values, unsigned count);

/*
 * `--child WORDS...` in both ways, or with Krafla alone, bench->repeat times in turns: of the
 * numbers that it prints what `pick` picks (kr_bench_median); NAN where there are none. `more`:
 * NAME=value for its environment, or NULL.
 */
struct egl_asked {
	const char *const *words;
	const char *more;
	bool alone;
	egl_pick_fn pick;
};
void egl_measure(struct kr_bench *bench, const struct egl_asked *asked,
	double numbers[EGL_WAYS][KR_BENCH_NUMBERS]);
/* What a child's environment says of vendors: two words, the second one may be NULL. */
void egl_vendors(const struct kr_bench *bench, enum egl_way way, const char *words[2]);

void egl_rows_calls(struct kr_bench *bench);
void egl_rows_fences(struct kr_bench *bench);
void egl_rows_swaps(struct kr_bench *bench);
void egl_rows_gears(struct kr_bench *bench);

#endif
