/* SPDX-License-Identifier: Apache-2.0 */
/* The command: options, the list of benchmarks, the report. */
#include "bench/bench.h"

#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	void (*run)(struct kr_bench *bench);
	const char *help;
	bool alone; /* runs without an installed loader */
} benchmarks[] = {
	{"calls", kr_bench_calls, "exported call, ProcAddr call, lookup; null driver"},
	{"instances", kr_bench_instances, "vkCreateInstance and vkDestroyInstance, 1 to 8 threads"},
	{"devices", kr_bench_devices, "vkCreateDevice and vkDestroyDevice; null driver"},
	{"cold", kr_bench_cold, "process start to first device; null driver, many, Mesa's"},
	{"fences", kr_bench_fences, "create, merge, status, info, wake; eventfd, the kernel's",
		true},
	{"frames", kr_bench_frames, "a triangle under Xvfb, frames a second; acquire and present"},
	{"overlap", kr_bench_overlap, "a program's processor and its driver at once; null driver"},
	{"waits", kr_bench_waits, "waking by vkWaitForPresent2KHR, against a fence"},
	{"run", kr_bench_run, "frames under `krafla run`, as typed; against programs without it"},
	{"compose", kr_bench_compose, "drawing layers, against memcpy; ten windows at 60 Hz", true},
	{"composer", kr_bench_composer, "layers, ticks, memory of a display, an X window"},
	{"pacing", kr_bench_pacing, "frames that ask for a time: how late, and the cost",
		.alone = true},
	{"service", kr_bench_service, "drivers from the loader service: time, memory, hotplug"},
	{"painter", kr_bench_painter, "pictures of four layers by a GPU, against the processor",
		true},
	{"egl", kr_bench_egl, "EGL with libEGL_krafla in between, against without", true},
	{"shared", kr_bench_shared, "memory of a GPU to another process, against a bare pair"},
};

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} children[] = {
	{"calls", kr_bench_child_calls},
	{"instances", kr_bench_child_instances},
	{"cold", kr_bench_child_cold},
	{"devices", kr_bench_child_devices},
	{"egl-calls", kr_bench_child_egl_calls},
	{"egl-fences", kr_bench_child_egl_fences},
	{"egl-swaps", kr_bench_child_egl_swaps},
	{"frames", kr_bench_child_frames},
	{"first", kr_bench_child_first},
	{"encode", kr_bench_child_encode},
	{"program", kr_bench_child_program},
	{"overlap", kr_bench_child_overlap},
	{"libraries", kr_bench_child_libraries},
	{"shared", kr_bench_child_shared},
	{"shared-crowd", kr_bench_child_shared_crowd},
	{"shared-kills", kr_bench_child_shared_kills},
	{"shared-source", kr_bench_child_shared_source},
	{"waits", kr_bench_child_waits},
};

static void
usage(FILE *to)
{
	fprintf(to,
		"usage: krafla-bench [--quick] [--repeat N] [--other LIBVULKAN] [--loader LIBVULKAN] [--prefix DIR] [--json FILE] [BENCHMARK...]\n\n");
	for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++)
		fprintf(to, "  %-10s %s\n", benchmarks[i].name, benchmarks[i].help);
	fprintf(to,
		"\n  --quick        a tenth of the work\n"
		"  --repeat N     runs of which the median counts (default 5)\n"
		"  --other FILE   the loader to compare with (default: the system's libvulkan.so.1)\n"
		"  --loader FILE  one more loader to compare with\n"
		"  --prefix DIR   measure the Krafla that is installed there (default: this one)\n"
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
loader_wanted(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++) {
		if (!benchmarks[i].alone && wanted(argc, argv, benchmarks[i].name))
			return true;
	}
	return false;
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
		{"loader", required_argument, NULL, 'l'},
		{"prefix", required_argument, NULL, 'p'},
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
			bench->loaders[KR_BENCH_OTHER] = optarg;
		else if (c == 'l')
			bench->loaders[KR_BENCH_GIVEN] = optarg;
		else if (c == 'p')
			bench->prefix = optarg;
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
	if (bench->repeat < 1 || bench->repeat > KR_BENCH_MAX_REPEAT) {
		fprintf(stderr, "krafla-bench: --repeat takes a number from 1 to %d\n",
			KR_BENCH_MAX_REPEAT);
		return 2;
	}
	for (unsigned i = 0; i < KR_BENCH_LOADERS; i++) {
		if (bench->loaders[i] && access(bench->loaders[i], R_OK)) {
			fprintf(stderr, "krafla-bench: %s: %s\n", bench->loaders[i],
				strerror(errno));
			return 2;
		}
	}
	return -1;
}

int
main(int argc, char **argv)
{
	static char self[PATH_MAX], krafla[PATH_MAX + 32], manifest[PATH_MAX + 32];
	struct kr_bench bench = {.rows = json_array(),
		.repeat = 5,
		.drivers = getenv("VK_DRIVER_FILES"),
		.loaders = {[KR_BENCH_OTHER] = system_loader()}};
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
	if (!bench.prefix)
		bench.prefix = dirname(dirname(self));
	snprintf(krafla, sizeof(krafla), "%s/lib/libvulkan.so.1", bench.prefix);
	snprintf(manifest, sizeof(manifest), "%s/share/krafla/null_icd.json", bench.prefix);
	bench.loaders[KR_BENCH_KRAFLA] = krafla;
	bench.null_manifest = manifest;
	if (loader_wanted(argc, argv) && (access(krafla, R_OK) || access(manifest, R_OK))) {
		fprintf(stderr, "krafla-bench: %s: run it from the installed prefix\n",
			access(krafla, R_OK) ? krafla : manifest);
		return 1;
	}
	for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++) {
		if (wanted(argc, argv, benchmarks[i].name))
			benchmarks[i].run(&bench);
	}
	if (bench.goals)
		fprintf(stderr, "%u of %u goals missed\n", bench.missed, bench.goals);
	report = json_pack("{s:s, s:s?, s:s?, s:i, s:i, s:O}", "krafla", krafla, "other",
		bench.loaders[KR_BENCH_OTHER], "given", bench.loaders[KR_BENCH_GIVEN], "goals",
		(int)bench.goals, "missed", (int)bench.missed, "rows", bench.rows);
	ret = json ? json_dump_file(report, json, JSON_INDENT(1))
		   : json_dumpf(report, stdout, JSON_INDENT(1));
	ret |= fflush(stdout);
	if (ret)
		fprintf(stderr, "krafla-bench: %s can't be written\n", json ? json : "stdout");
	json_decref(report);
	json_decref(bench.rows);
	return ret ? 1 : 0;
}
