/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-bench: what things cost, as ratios measured in one run (DESIGN 7). A benchmark adds rows to a
 * report; a row has a value, its unit, and where there is one the value of what it is compared with.
 */
#ifndef KR_BENCH_BENCH_H
#define KR_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

struct kr_bench {
	json_t *rows;              /* array of objects */
	const char *krafla;        /* path of Krafla's libvulkan.so.1 */
	const char *other;         /* path of the loader that it is compared with */
	const char *null_manifest; /* the null driver as an ICD */
	const char *self;          /* this program, for children */
	unsigned repeat;           /* runs of which the median counts */
	bool quick;                /* a tenth of the work */
};

/* goal: the ratio that DESIGN 7 asks for, 0 when it names none. reference NULL: no comparison. */
void kr_bench_row(struct kr_bench *bench, const char *name, const char *unit, double value,
	const char *reference, double reference_value, double goal);
/* The same for what could not be measured here; the reason is part of the report. */
void kr_bench_skip(struct kr_bench *bench, const char *name, const char *reason);

int64_t kr_bench_now(void);
double kr_bench_median(double *values, unsigned count);
/* Runs a child of this program with extra `NAME=value` environment; its stdout in `out`. Its status. */
int kr_bench_child(struct kr_bench *bench, const char *const *arguments,
	const char *const *environment, char *out, unsigned size);

void kr_bench_calls(struct kr_bench *bench);
void kr_bench_instances(struct kr_bench *bench);
void kr_bench_cold(struct kr_bench *bench);
void kr_bench_fences(struct kr_bench *bench);
void kr_bench_frames(struct kr_bench *bench);

/* Children: `--child cold LOADER|empty`, `--child frames LOADER WIDTH HEIGHT COUNT xcb|headless`. */
int kr_bench_child_cold(int argc, char **argv);
int kr_bench_child_frames(int argc, char **argv);
int kr_bench_child_instances(int argc, char **argv);
int kr_bench_child_calls(int argc, char **argv);

#endif
