/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libEGL_krafla costs: a child each with Krafla before the vendors and without, in turns. The
 * vendors are those that __EGL_VENDOR_LIBRARY_FILENAMES names, or glvnd finds.
 */
#include "bench/egl/rows.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/macros.h"

#define VARIABLE "__EGL_VENDOR_LIBRARY_FILENAMES"

static char given[4096]; /* by whoever runs the benchmark: "", or the list of vendors */

void
egl_vendors(const struct kr_bench *bench, enum egl_way way, const char *words[2])
{
	static char ours[PATH_MAX + 64], theirs[sizeof(given) + 64], behind[sizeof(given) + 64];

	words[0] = words[1] = NULL;
	snprintf(theirs, sizeof(theirs), VARIABLE "=%s", given);
	snprintf(behind, sizeof(behind), "KRAFLA_EGL_VENDORS=%s", given);
	snprintf(ours, sizeof(ours), VARIABLE "=%s/share/krafla/egl/10_krafla.json", bench->prefix);
	if (way == EGL_KRAFLA) {
		words[0] = ours;
		words[1] = given[0] ? behind : NULL;
	} else if (given[0]) {
		words[0] = theirs;
	}
}

static void
run_once(struct kr_bench *bench, enum egl_way way, const char *const *words, const char *more,
	double numbers[KR_BENCH_NUMBERS])
{
	const char *vendors[2], *environment[4] = {NULL};
	unsigned count = 0;

	egl_vendors(bench, way, vendors);
	for (unsigned i = 0; i < 2; i++) {
		if (vendors[i])
			environment[count++] = vendors[i];
	}
	environment[count] = more;
	kr_bench_child_numbers(bench, words, environment, numbers);
}

double
egl_least(double *values, unsigned count)
{
	double least = values[0];

	for (unsigned i = 1; i < count; i++)
		least = KR_MIN(least, values[i]);
	return least;
}

void
egl_measure(struct kr_bench *bench, const struct egl_asked *asked,
	double numbers[EGL_WAYS][KR_BENCH_NUMBERS])
{
	static double runs[EGL_WAYS][KR_BENCH_MAX_REPEAT][KR_BENCH_NUMBERS];
	enum egl_way first = asked->alone ? EGL_KRAFLA : EGL_PLAIN;
	double column[KR_BENCH_MAX_REPEAT];

	for (unsigned run = 0; run < bench->repeat; run++) {
		for (enum egl_way way = first; way < EGL_WAYS; way++)
			run_once(bench, way, asked->words, asked->more, runs[way][run]);
	}
	for (enum egl_way way = EGL_PLAIN; way < EGL_WAYS; way++) {
		for (unsigned n = 0; n < KR_BENCH_NUMBERS; n++) {
			bool missing = way < first;

			for (unsigned run = 0; run < bench->repeat; run++) {
				column[run] = way < first ? NAN : runs[way][run][n];
				missing |= isnan(column[run]);
			}
			numbers[way][n] = missing ? NAN : asked->pick(column, bench->repeat);
		}
	}
}

void
kr_bench_egl(struct kr_bench *bench)
{
	const char *list = getenv(VARIABLE);
	char manifest[PATH_MAX + 64];

	snprintf(given, sizeof(given), "%s", list ? list : "");
	unsetenv(VARIABLE);
	snprintf(manifest, sizeof(manifest), "%s/share/krafla/egl/10_krafla.json", bench->prefix);
	if (access(manifest, R_OK)) {
		kr_bench_skip(bench, "EGL", "this Krafla was installed without libEGL_krafla");
		return;
	}
	egl_rows_calls(bench);
	egl_rows_fences(bench);
	egl_rows_swaps(bench);
	egl_rows_gears(bench);
}
