/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cold start: a process from its start, through vkCreateInstance and the first
 * vkEnumeratePhysicalDevices, to its end. Each loader searches a folder of manifests that holds one
 * driver, thirty, thirty layers beside one driver, or the drivers that the system has.
 */
#include "bench/bench.h"

#include <dlfcn.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/manifests.h"
#include "bench/vulkan_child.h"

#define MAX_SPAWNS 400
#define MANY       30
/* Whose share of a process it is; the last columns of what is measured in turns. */
#define EMPTY   KR_BENCH_LOADERS
#define BARE    (KR_BENCH_LOADERS + 1)
#define COLUMNS (KR_BENCH_LOADERS + 2)

/* `cold empty` ends at once, `cold dlopen LIBRARY` when it is open, `cold LOADER` with a device. */
int
kr_bench_child_cold(int argc, char **argv)
{
	PFN_vkEnumeratePhysicalDevices list;
	struct vulkan_child vk;
	uint32_t count = 0;

	if (argc < 1)
		return 2;
	if (!strcmp(argv[0], "empty"))
		return 0;
	if (!strcmp(argv[0], "dlopen"))
		return argc > 1 && dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) ? 0 : 1;
	if (vulkan_child_open(&vk, argv[0]))
		return 1;
	list = (PFN_vkEnumeratePhysicalDevices)vk.gipa(vk.instance, "vkEnumeratePhysicalDevices");
	return list(vk.instance, &count, NULL) == VK_SUCCESS && count ? 0 : 1;
}

/* One process in microseconds; NAN when it failed. */
static double
spawn_us(struct kr_bench *bench, const char *const *arguments, const char *env)
{
	const char *environment[] = {env, NULL};
	int64_t start = kr_bench_now();
	char out[64];

	if (kr_bench_child(bench, arguments, environment, out, sizeof(out)))
		return NAN;
	return (double)(kr_bench_now() - start) / 1000;
}

/*
 * Medians, measured in turns so that a noisy machine disturbs all alike. `bare`: a
 * library, or NULL.
 */
static void
measure(struct kr_bench *bench, const struct manifests *manifests, const char *bare,
	unsigned spawns, double medians[COLUMNS])
{
	static double runs[COLUMNS][MAX_SPAWNS];

	for (unsigned c = 0; c < COLUMNS; c++)
		medians[c] = NAN;
	for (unsigned run = 0; run < spawns; run++) {
		for (unsigned c = 0; c < COLUMNS; c++) {
			const char *arguments[4] = {"cold"};

			if (c == EMPTY)
				arguments[1] = "empty";
			else if (c == BARE)
				arguments[1] = bare ? "dlopen" : NULL;
			else
				arguments[1] = bench->loaders[c];
			if (c == BARE)
				arguments[2] = bare;
			runs[c][run] = !arguments[1] || (run && isnan(runs[c][run - 1]))
				? NAN
				: spawn_us(bench, arguments, manifests->env);
		}
	}
	for (unsigned c = 0; c < COLUMNS; c++) {
		if (!isnan(runs[c][spawns - 1]))
			medians[c] = kr_bench_median(runs[c], spawns);
	}
}

static unsigned
spawns_of(const struct kr_bench *bench, unsigned full)
{
	return bench->quick ? full / 10 : full;
}

/* What a loader and its drivers add to an empty process. */
static void
compare_share(struct kr_bench *bench, const char *name, const struct manifests *manifests,
	unsigned spawns)
{
	static const double goals[KR_BENCH_LOADERS] = {0, 0.8, 0.8};
	double medians[COLUMNS], shares[KR_BENCH_LOADERS];

	measure(bench, manifests, NULL, spawns_of(bench, spawns), medians);
	for (unsigned i = 0; i < KR_BENCH_LOADERS; i++)
		shares[i] = medians[i] - medians[EMPTY];
	kr_bench_compare(bench, name, "us", shares, goals);
}

static void
with_null_drivers(struct kr_bench *bench, const char *name, unsigned drivers, unsigned layers,
	unsigned spawns)
{
	struct manifests manifests;

	if (manifests_create(&manifests) ||
		manifests_add_drivers(&manifests, bench->null_manifest, drivers) ||
		manifests_add_layers(&manifests, layers))
		kr_bench_skip(bench, name, "its folder of manifests can't be made");
	else
		compare_share(bench, name, &manifests, spawns);
	manifests_remove(&manifests);
}

/* The whole process, since most of it is one driver that is opened in any case. */
static void
compare_installed(struct kr_bench *bench, const struct manifests *manifests, unsigned drivers,
	const char *bare)
{
	double medians[COLUMNS];
	char name[96];

	snprintf(name, sizeof(name), "cold process, the system's %u drivers", drivers);
	measure(bench, manifests, bare, spawns_of(bench, 200), medians);
	kr_bench_compare(bench, name, "us", medians, NULL);
	if (!isnan(medians[KR_BENCH_KRAFLA]) && !isnan(medians[BARE]))
		kr_bench_row(bench, name, "us", medians[KR_BENCH_KRAFLA], "bare dlopen of lavapipe",
			medians[BARE], 1.06);
}

static void
with_installed_drivers(struct kr_bench *bench)
{
	static const char folder[] = "/usr/share/vulkan/icd.d";
	struct manifests manifests = {0};
	char lavapipe[4096];
	unsigned drivers = 0;
	glob_t found = {0};

	if (glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found) ||
		vulkan_child_driver_path(found.gl_pathv[0], lavapipe, sizeof(lavapipe)))
		kr_bench_skip(bench, "cold process, the system's drivers",
			"lavapipe's manifest isn't installed");
	else if (manifests_create(&manifests) ||
		manifests_link_drivers(&manifests, folder, &drivers))
		kr_bench_skip(bench, "cold process, the system's drivers",
			"its folder of manifests can't be made");
	else
		compare_installed(bench, &manifests, drivers, lavapipe);
	manifests_remove(&manifests);
	globfree(&found);
}

void
kr_bench_cold(struct kr_bench *bench)
{
	struct manifests none = {.env = "XDG_DATA_DIRS=/nonexistent"};
	const char *arguments[] = {"cold", "empty", NULL};
	double empty[MAX_SPAWNS];
	unsigned spawns = spawns_of(bench, MAX_SPAWNS);

	for (unsigned i = 0; i < spawns; i++)
		empty[i] = spawn_us(bench, arguments, none.env);
	kr_bench_row(bench, "cold start, empty process", "us", kr_bench_median(empty, spawns), NULL,
		0, 0);
	with_null_drivers(bench, "cold start share, one manifest", 1, 0, MAX_SPAWNS);
	with_null_drivers(bench, "cold start share, thirty drivers", MANY, 0, 100);
	with_null_drivers(
		bench, "cold start share, one driver and thirty layers", 1, MANY, MAX_SPAWNS);
	with_installed_drivers(bench);
}
