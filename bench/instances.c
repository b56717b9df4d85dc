/* SPDX-License-Identifier: Apache-2.0 */
/* vkCreateInstance + vkDestroyInstance with a driver that is loaded already, and cold start. */
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan_child.h"

int
kr_bench_child_instances(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	struct vulkan_child vk;
	PFN_vkCreateInstance create;
	int64_t start;

	if (argc < 2 || vulkan_child_open(&vk, argv[0]))
		return 1;
	create = (PFN_vkCreateInstance)vk.gipa(NULL, "vkCreateInstance");
	start = kr_bench_now();
	for (unsigned i = 0; i < count; i++) {
		PFN_vkDestroyInstance destroy;
		VkInstance instance;

		if (create(&info, NULL, &instance) != VK_SUCCESS)
			return 1;
		destroy = (PFN_vkDestroyInstance)vk.gipa(instance, "vkDestroyInstance");
		destroy(instance, NULL);
	}
	printf("%.4f", (double)(kr_bench_now() - start) / count / 1000);
	vulkan_child_close(&vk);
	return 0;
}

/* `cold empty` ends at once; `cold LOADER` after the first vkEnumeratePhysicalDevices. */
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
	if (vulkan_child_open(&vk, argv[0]))
		return 1;
	list = (PFN_vkEnumeratePhysicalDevices)vk.gipa(vk.instance, "vkEnumeratePhysicalDevices");
	return list(vk.instance, &count, NULL) == VK_SUCCESS && count ? 0 : 1;
}

/* Keeps the machine's own manifests and implicit layers out of the comparison. */
static void
isolate(struct kr_bench *bench, char *driver_env, size_t size, const char *environment[6])
{
	snprintf(driver_env, size, "VK_DRIVER_FILES=%s", bench->null_manifest);
	environment[0] = driver_env;
	environment[1] = "XDG_DATA_DIRS=/nonexistent";
	environment[2] = "XDG_CONFIG_DIRS=/nonexistent";
	environment[3] = "HOME=/nonexistent";
	environment[4] = "XDG_DATA_HOME=/nonexistent";
	environment[5] = NULL;
}

static double
create_destroy_us(struct kr_bench *bench, const char *loader)
{
	char env[4096], out[64], count[16];
	const char *arguments[] = {"instances", loader, count, NULL}, *environment[6];
	double runs[100];

	isolate(bench, env, sizeof(env), environment);
	snprintf(count, sizeof(count), "%u", bench->quick ? 200 : 2000);
	for (unsigned run = 0; run < bench->repeat; run++) {
		if (kr_bench_child(bench, arguments, environment, out, sizeof(out)))
			return -1;
		runs[run] = strtod(out, NULL);
	}
	return kr_bench_median(runs, bench->repeat);
}

void
kr_bench_instances(struct kr_bench *bench)
{
	double ours = create_destroy_us(bench, bench->krafla);
	double other = bench->other ? create_destroy_us(bench, bench->other) : -1;

	if (ours < 0)
		kr_bench_skip(bench, "instance create+destroy", "Krafla's loader failed");
	else if (other < 0)
		kr_bench_row(bench, "instance create+destroy", "us", ours, NULL, 0, 0);
	else
		kr_bench_row(bench, "instance create+destroy", "us", ours, "other loader", other,
			33.0 / 129);
}

#define MAX_SPAWNS 400

/* One process from its start to its end, in microseconds; negative when it found no device. */
static double
spawn_us(struct kr_bench *bench, const char *what)
{
	char env[4096], out[64];
	const char *arguments[] = {"cold", what, NULL}, *environment[6];
	int64_t start;

	isolate(bench, env, sizeof(env), environment);
	start = kr_bench_now();
	if (kr_bench_child(bench, arguments, environment, out, sizeof(out)))
		return -1;
	return (double)(kr_bench_now() - start) / 1000;
}

/* In turns, so that a noisy machine disturbs all alike. */
void
kr_bench_cold(struct kr_bench *bench)
{
	double empty[MAX_SPAWNS], ours[MAX_SPAWNS], other[MAX_SPAWNS], base, share, reference;
	unsigned spawns = bench->quick ? 40 : MAX_SPAWNS;
	bool has_other = bench->other && spawn_us(bench, bench->other) >= 0;

	for (unsigned i = 0; i < spawns; i++) {
		empty[i] = spawn_us(bench, "empty");
		ours[i] = spawn_us(bench, bench->krafla);
		other[i] = has_other ? spawn_us(bench, bench->other) : 0;
		if (empty[i] < 0 || ours[i] < 0) {
			kr_bench_skip(bench, "cold start", "the child found no device");
			return;
		}
	}
	base = kr_bench_median(empty, spawns);
	share = kr_bench_median(ours, spawns) - base;
	reference = kr_bench_median(other, spawns) - base;
	kr_bench_row(bench, "cold start, empty process", "us", base, NULL, 0, 0);
	kr_bench_row(bench, "cold start, share over empty", "us", share,
		has_other ? "other loader" : NULL, reference, has_other ? 0.8 : 0);
}
