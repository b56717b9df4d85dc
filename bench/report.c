/* SPDX-License-Identifier: Apache-2.0 */
/* The report: rows, medians, comparisons. */
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MARGIN 1.03

int64_t
kr_bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
kr_bench_median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

/* More than 3 % beyond a goal is a miss; of rates more is better, of all else less. */
static bool
misses(const char *unit, double ratio, double goal)
{
	return strstr(unit, "/s") ? ratio * MARGIN < goal : ratio > goal * MARGIN;
}

/* What a row with a goal says besides. */
static void
judge(struct kr_bench *bench, json_t *row, const char *unit, double ratio, double goal)
{
	bool missed = misses(unit, ratio, goal);

	json_object_set_new(row, "goal_ratio", json_real(goal));
	json_object_set_new(row, "missed", json_boolean(missed));
	fprintf(stderr, " goal %.2fx%s", goal, missed ? " MISSED" : "");
	bench->goals++;
	bench->missed += missed;
}

void
kr_bench_row(struct kr_bench *bench, const char *name, const char *unit, double value,
	const char *reference, double reference_value, double goal)
{
	json_t *row = json_pack("{s:s, s:s, s:f}", "name", name, "unit", unit, "value", value);

	fprintf(stderr, "%-44s %10.2f %-8s", name, value, unit);
	if (reference && reference_value > 0) {
		double ratio = value / reference_value;

		json_object_set_new(row, "reference", json_string(reference));
		json_object_set_new(row, "reference_value", json_real(reference_value));
		json_object_set_new(row, "ratio", json_real(ratio));
		fprintf(stderr, " %.2fx of %s (%.2f)", ratio, reference, reference_value);
		if (goal > 0)
			judge(bench, row, unit, ratio, goal);
	}
	fputc('\n', stderr);
	json_array_append_new(bench->rows, row);
}

void
kr_bench_none(struct kr_bench *bench, const char *name, const char *unit, double value, unsigned of)
{
	json_t *row = json_pack("{s:s, s:s, s:f, s:i, s:f, s:b}", "name", name, "unit", unit,
		"value", value, "of", (int)of, "goal", 0.0, "missed", value > 0);

	fprintf(stderr, "%-44s %10.0f %-8s of %u, goal 0%s\n", name, value, unit, of,
		value > 0 ? " MISSED" : "");
	bench->goals++;
	bench->missed += value > 0;
	json_array_append_new(bench->rows, row);
}

void
kr_bench_skip(struct kr_bench *bench, const char *name, const char *reason)
{
	fprintf(stderr, "%-44s not measured: %s\n", name, reason);
	json_array_append_new(
		bench->rows, json_pack("{s:s, s:s}", "name", name, "not_measured", reason));
}

const char *
kr_bench_loader_name(enum kr_bench_whose whose)
{
	static const char *const names[KR_BENCH_LOADERS] = {
		[KR_BENCH_KRAFLA] = "Krafla",
		[KR_BENCH_OTHER] = "other loader",
		[KR_BENCH_GIVEN] = "given loader",
	};

	return names[whose];
}

void
kr_bench_compare(struct kr_bench *bench, const char *name, const char *unit,
	const double values[KR_BENCH_LOADERS], const double *goals)
{
	bool compared = false;

	if (isnan(values[KR_BENCH_KRAFLA])) {
		kr_bench_skip(bench, name, "Krafla's loader failed");
		return;
	}
	for (unsigned i = KR_BENCH_OTHER; i < KR_BENCH_LOADERS; i++) {
		if (!bench->loaders[i])
			continue;
		if (isnan(values[i])) {
			kr_bench_skip(bench, name, "the loader it is compared with failed");
			continue;
		}
		kr_bench_row(bench, name, unit, values[KR_BENCH_KRAFLA], kr_bench_loader_name(i),
			values[i], goals ? goals[i] : 0);
		compared = true;
	}
	if (!compared)
		kr_bench_row(bench, name, unit, values[KR_BENCH_KRAFLA], NULL, 0, 0);
}
