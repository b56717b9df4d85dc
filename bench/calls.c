/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call and a lookup cost, with the null driver as an ICD. Each loader is measured in
 * a child of its own (two loaders in one process would share nothing but confusion); within
 * a child, exported and direct calls go through one shared call site, so that code
 * placement is the same for both.
 */
#include "bench/bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/vulkan_child.h"

enum {
	EXPORTED_DRAW,
	DIRECT_DRAW,
	EXPORTED_PROPS,
	DIRECT_PROPS,
	LOOKUP_DEVICE,
	LOOKUP_INSTANCE,
	LOOKUP_UNKNOWN,
	RESULTS
};

_Static_assert((int)RESULTS <= KR_BENCH_NUMBERS, "a child prints no more numbers than are read");

static double __attribute__((noinline))
time_draw(PFN_vkCmdDraw draw, VkCommandBuffer cb, unsigned count)
{
	int64_t start = kr_bench_now();

	for (unsigned i = 0; i < count; i++)
		draw(cb, 3, 1, 0, 0);
	return (double)(kr_bench_now() - start) / count;
}

static double __attribute__((noinline))
time_props(PFN_vkGetPhysicalDeviceQueueFamilyProperties get, VkPhysicalDevice gpu, unsigned count)
{
	uint32_t families;
	int64_t start = kr_bench_now();

	for (unsigned i = 0; i < count; i++)
		get(gpu, &families, NULL);
	return (double)(kr_bench_now() - start) / count;
}

static double
time_lookup(PFN_vkGetDeviceProcAddr get, VkDevice device, const char *name, unsigned count)
{
	int64_t start = kr_bench_now();

	for (unsigned i = 0; i < count; i++)
		get(device, name);
	return (double)(kr_bench_now() - start) / count;
}

/*
 * The driver's own physical-device call, which no loader stands before: straight from its library.
 */
static bool
direct_physical_device(struct vulkan_child *vk, const char *driver,
	PFN_vkGetPhysicalDeviceQueueFamilyProperties *get, VkPhysicalDevice *gpu)
{
	void *so = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
	PFN_vkGetInstanceProcAddr gipa = so ? dlsym(so, "vk_icdGetInstanceProcAddr") : NULL;
	PFN_vkCreateInstance create;
	PFN_vkEnumeratePhysicalDevices list;
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	VkInstance instance;
	uint32_t count = 1;

	(void)vk;
	create = gipa ? (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance") : NULL;
	if (!create || create(&info, NULL, &instance) != VK_SUCCESS)
		return false;
	list = (PFN_vkEnumeratePhysicalDevices)gipa(instance, "vkEnumeratePhysicalDevices");
	*get = (PFN_vkGetPhysicalDeviceQueueFamilyProperties)gipa(
		instance, "vkGetPhysicalDeviceQueueFamilyProperties");
	return list && *get && list(instance, &count, gpu) >= 0 && count == 1;
}

/* `calls LOADER DRIVER COUNT`: nanoseconds, in the order of the enum. */
int
kr_bench_child_calls(int argc, char **argv)
{
	unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : 1000000;
	PFN_vkGetPhysicalDeviceQueueFamilyProperties direct_get;
	VkPhysicalDevice direct_gpu;
	struct vulkan_child vk;
	double r[RESULTS];

	if (argc < 3 || vulkan_child_open(&vk, argv[0]) || vulkan_child_device(&vk, NULL))
		return 1;
	if (!direct_physical_device(&vk, argv[1], &direct_get, &direct_gpu))
		return 1;
	for (unsigned warm = 0; warm < 2; warm++) {
		r[EXPORTED_DRAW] = time_draw(dlsym(vk.so, "vkCmdDraw"), vk.commands, count);
		r[DIRECT_DRAW] = time_draw(
			(PFN_vkCmdDraw)vk.gdpa(vk.device, "vkCmdDraw"), vk.commands, count);
		r[EXPORTED_PROPS] = time_props(
			dlsym(vk.so, "vkGetPhysicalDeviceQueueFamilyProperties"), vk.gpu, count);
		r[DIRECT_PROPS] = time_props(direct_get, direct_gpu, count);
		r[LOOKUP_DEVICE] = time_lookup(vk.gdpa, vk.device, "vkCmdDraw", count / 10);
		r[LOOKUP_INSTANCE] = time_lookup((PFN_vkGetDeviceProcAddr)(void *)vk.gipa,
			(VkDevice)(void *)vk.instance, "vkCmdDraw", count / 10);
		r[LOOKUP_UNKNOWN] =
			time_lookup(vk.gdpa, vk.device, "vkNoSuchFunctionKRAFLA", count / 50);
	}
	for (unsigned i = 0; i < RESULTS; i++)
		printf("%.4f ", r[i]);
	vulkan_child_close(&vk);
	return 0;
}

/* Goals of DESIGN 7: the newest loader's figures beside those of Debian's. */
static void
compare_lookups(struct kr_bench *bench, double r[KR_BENCH_LOADERS][KR_BENCH_NUMBERS])
{
	static const struct {
		unsigned number;
		const char *name;
		double goals[KR_BENCH_LOADERS];
	} rows[] = {
		{DIRECT_DRAW, "call through vkGetDeviceProcAddr", {0, 1.0, 1.0}},
		{LOOKUP_DEVICE, "lookup vkGetDeviceProcAddr", {0, 20.8 / 178, 1.0}},
		{LOOKUP_INSTANCE, "lookup vkGetInstanceProcAddr", {0, 28.9 / 213, 1.0}},
		{LOOKUP_UNKNOWN, "lookup of an unknown name", {0, 75.8 / 1034, 1.0}},
	};

	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		double values[KR_BENCH_LOADERS];

		for (unsigned i = 0; i < KR_BENCH_LOADERS; i++)
			values[i] = r[i][rows[row].number];
		kr_bench_compare(bench, rows[row].name, "ns", values, rows[row].goals);
	}
}

void
kr_bench_calls(struct kr_bench *bench)
{
	double r[KR_BENCH_LOADERS][KR_BENCH_NUMBERS];
	char driver[4096], count[16], env[4096], name[96];
	const char *more[] = {driver, count, NULL}, *environment[] = {env, NULL};

	snprintf(count, sizeof(count), "%u", bench->quick ? 2000000 : 20000000);
	kr_bench_null_driver(bench, env, sizeof(env));
	if (vulkan_child_driver_path(bench->null_manifest, driver, sizeof(driver)))
		return;
	kr_bench_measure(bench, "calls", more, environment, r);
	for (unsigned i = 0; i < KR_BENCH_LOADERS; i++) {
		if (!bench->loaders[i])
			continue;
		snprintf(name, sizeof(name), "call exported (vkCmdDraw), %s",
			kr_bench_loader_name(i));
		if (isnan(r[i][0])) {
			kr_bench_skip(bench, name, "it gave no device of the null driver");
			continue;
		}
		kr_bench_row(bench, name, "ns", r[i][EXPORTED_DRAW], "direct call",
			r[i][DIRECT_DRAW], i == KR_BENCH_KRAFLA ? 1.7 : 0);
		snprintf(name, sizeof(name), "call physical device, exported, %s",
			kr_bench_loader_name(i));
		kr_bench_row(bench, name, "ns", r[i][EXPORTED_PROPS], "direct call",
			r[i][DIRECT_PROPS], i == KR_BENCH_KRAFLA ? 1.85 : 0);
	}
	compare_lookups(bench, r);
}
