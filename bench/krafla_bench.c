/* SPDX-License-Identifier: Apache-2.0 */
/* The command: options, the list of benchmarks, the report. */
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *name;
	void (*run)(struct kr_bench *bench);
	const char *help;
} benchmarks[] = {
	{"calls", kr_bench_calls, "exported call, ProcAddr call, lookup; null driver"},
	{"instances", kr_bench_instances, "vkCreateInstance and vkDestroyInstance; null driver"},
	{"cold", kr_bench_cold, "process start to first device; null driver"},
	{"fences", kr_bench_fences, "create, merge, status, wake, against eventfd"},
	{"frames", kr_bench_frames, "a triangle on lavapipe under Xvfb, frames a second"},
};

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} children[] = {
	{"calls", kr_bench_child_calls},
	{"instances", kr_bench_child_instances},
	{"cold", kr_bench_child_cold},
	{"frames", kr_bench_child_frames},
};

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
	}
	if (goal > 0) {
		json_object_set_new(row, "goal_ratio", json_real(goal));
		fprintf(stderr, " goal %.2fx", goal);
	}
	fputc('\n', stderr);
	json_array_append_new(bench->rows, row);
}

void
kr_bench_skip(struct kr_bench *bench, const char *name, const char *reason)
{
	fprintf(stderr, "%-44s not measured: %s\n", name, reason);
	json_array_append_new(
		bench->rows, json_pack("{s:s, s:s}", "name", name, "not_measured", reason));
}

static void
exec_child(struct kr_bench *bench, const char *const *arguments, const char *const *environment,
	int out)
{
	const char *argv[12] = {bench->self, "--child"};
	unsigned n = 2;

	while (*arguments && n < 11)
		argv[n++] = *arguments++;
	argv[n] = NULL;
	for (; environment && *environment; environment++)
		putenv((char *)*environment);
	dup2(out, STDOUT_FILENO);
	execv(bench->self, (char *const *)argv);
	_exit(127);
}

int
kr_bench_child(struct kr_bench *bench, const char *const *arguments, const char *const *environment,
	char *out, unsigned size)
{
	unsigned len = 0;
	int ends[2], status = -1;
	ssize_t got;
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (pid == 0)
		exec_child(bench, arguments, environment, ends[1]);
	close(ends[1]);
	while (len + 1 < size && (got = read(ends[0], out + len, size - 1 - len)) > 0)
		len += (unsigned)got;
	out[len] = '\0';
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
usage(FILE *to)
{
	fprintf(to,
		"usage: krafla-bench [--quick] [--repeat N] [--other LIBVULKAN] [--json FILE] "
		"[BENCHMARK...]\n\n");
	for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++)
		fprintf(to, "  %-10s %s\n", benchmarks[i].name, benchmarks[i].help);
	fprintf(to,
		"\n  --quick        a tenth of the work\n"
		"  --repeat N     runs of which the median counts (default 5)\n"
		"  --other FILE   the loader to compare with (default: the system's "
		"libvulkan.so.1)\n"
		"  --json FILE    where the report goes (default: standard output)\n");
}

static bool
wanted(int argc, char **argv, const char *name)
{
	for (int i = optind; i < argc; i++) {
		if (!strcmp(argv[i], name))
			return true;
	}
	return optind == argc;
}

static bool
known(const char *name)
{
	for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++) {
		if (!strcmp(benchmarks[i].name, name))
			return true;
	}
	return false;
}

static int
run_child(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof(children) / sizeof(children[0]); i++) {
		if (!strcmp(argv[2], children[i].name))
			return children[i].run(argc - 3, argv + 3);
	}
	fprintf(stderr, "krafla-bench: --child is for krafla-bench itself\n");
	return 2;
}

static const char *
system_loader(void)
{
	static const char *const places[] = {
		"/usr/lib/x86_64-linux-gnu/libvulkan.so.1",
		"/usr/lib/aarch64-linux-gnu/libvulkan.so.1",
		"/usr/lib64/libvulkan.so.1",
		"/usr/lib/libvulkan.so.1",
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!access(places[i], R_OK))
			return places[i];
	}
	return NULL;
}

static int
parse(int argc, char **argv, struct kr_bench *bench, const char **json)
{
	static const struct option options[] = {
		{"quick", no_argument, NULL, 'q'},
		{"repeat", required_argument, NULL, 'r'},
		{"other", required_argument, NULL, 'o'},
		{"json", required_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'q')
			bench->quick = true;
		else if (c == 'r')
			bench->repeat = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 'o')
			bench->other = optarg;
		else if (c == 'j')
			*json = optarg;
		else {
			usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	for (int i = optind; i < argc; i++) {
		if (!known(argv[i])) {
			fprintf(stderr, "krafla-bench: no benchmark '%s'; see --help\n", argv[i]);
			return 2;
		}
	}
	if (bench->repeat < 1 || bench->repeat > 100) {
		fprintf(stderr, "krafla-bench: --repeat takes a number from 1 to 100\n");
		return 2;
	}
	return -1;
}

int
main(int argc, char **argv)
{
	static char self[PATH_MAX], krafla[PATH_MAX + 32], manifest[PATH_MAX + 32];
	struct kr_bench bench = {.rows = json_array(), .repeat = 5, .other = system_loader()};
	const char *json = NULL;
	json_t *report;
	int ret;

	if (argc > 1 && !strcmp(argv[1], "--child"))
		return run_child(argc, argv);
	ret = parse(argc, argv, &bench, &json);
	if (ret >= 0)
		return ret;
	if (!realpath("/proc/self/exe", self)) {
		fprintf(stderr, "krafla-bench: /proc/self/exe: %s\n", strerror(errno));
		return 1;
	}
	bench.self = strdup(self);
	dirname(dirname(self));
	snprintf(krafla, sizeof(krafla), "%s/lib/libvulkan.so.1", self);
	snprintf(manifest, sizeof(manifest), "%s/share/krafla/null_icd.json", self);
	bench.krafla = krafla;
	bench.null_manifest = manifest;
	if (access(krafla, R_OK) || access(manifest, R_OK)) {
		fprintf(stderr, "krafla-bench: %s: run it from the installed prefix\n",
			access(krafla, R_OK) ? krafla : manifest);
		return 1;
	}
	for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++) {
		if (wanted(argc, argv, benchmarks[i].name))
			benchmarks[i].run(&bench);
	}
	report = json_pack("{s:s, s:s, s:O}", "krafla", krafla, "other",
		bench.other ? bench.other : "", "rows", bench.rows);
	ret = json ? json_dump_file(report, json, JSON_INDENT(1))
		   : json_dumpf(report, stdout, JSON_INDENT(1));
	if (ret)
		fprintf(stderr, "krafla-bench: %s can't be written\n", json ? json : "stdout");
	json_decref(report);
	json_decref(bench.rows);
	return ret ? 1 : 0;
}
