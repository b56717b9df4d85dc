/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call and a lookup cost, with the null driver as an ICD. Each loader is measured in a child of
 * its own (two loaders in one process would share nothing but confusion); within a child, exported and
 * direct calls go through one shared call site, so that code placement is the same for both.
 */
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan_child.h"

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

/* The driver's own physical-device call, which no loader stands before: straight from its library. */
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

/* Median of bench->repeat children; false when the loader can't be measured. */
static bool
measure(struct kr_bench *bench, const char *loader, double r[RESULTS])
{
	double runs[RESULTS][100];
	char driver[4096], count[16], env[4096], out[512];
	const char *arguments[] = {"calls", loader, driver, count, NULL};
	const char *environment[] = {env, NULL};

	snprintf(count, sizeof(count), "%u", bench->quick ? 2000000 : 20000000);
	snprintf(env, sizeof(env), "VK_DRIVER_FILES=%s", bench->null_manifest);
	if (vulkan_child_driver_path(bench->null_manifest, driver, sizeof(driver)))
		return false;
	for (unsigned run = 0; run < bench->repeat; run++) {
		char *at = out;

		if (kr_bench_child(bench, arguments, environment, out, sizeof(out)))
			return false;
		for (unsigned i = 0; i < RESULTS; i++)
			runs[i][run] = strtod(at, &at);
	}
	for (unsigned i = 0; i < RESULTS; i++)
		r[i] = kr_bench_median(runs[i], bench->repeat);
	return true;
}

void
kr_bench_calls(struct kr_bench *bench)
{
	double ours[RESULTS], other[RESULTS];

	if (!measure(bench, bench->krafla, ours)) {
		kr_bench_skip(bench, "calls", "Krafla's loader gave no device of the null driver");
		return;
	}
	kr_bench_row(bench, "call exported (vkCmdDraw)", "ns", ours[EXPORTED_DRAW], "direct call",
		ours[DIRECT_DRAW], 1.7);
	kr_bench_row(bench, "call physical device, exported", "ns", ours[EXPORTED_PROPS],
		"direct call", ours[DIRECT_PROPS], 1.85);
	if (!bench->other || !measure(bench, bench->other, other)) {
		kr_bench_skip(bench, "calls, other loader", "there is no other loader that runs");
		return;
	}
	kr_bench_row(bench, "call exported, other loader", "ns", other[EXPORTED_DRAW],
		"direct call", other[DIRECT_DRAW], 0);
	kr_bench_row(bench, "call physical device, other loader", "ns", other[EXPORTED_PROPS],
		"direct call", other[DIRECT_PROPS], 0);
	kr_bench_row(bench, "call through vkGetDeviceProcAddr", "ns", ours[DIRECT_DRAW],
		"other loader", other[DIRECT_DRAW], 1.0);
	kr_bench_row(bench, "lookup vkGetDeviceProcAddr", "ns", ours[LOOKUP_DEVICE], "other loader",
		other[LOOKUP_DEVICE], 20.8 / 178);
	kr_bench_row(bench, "lookup vkGetInstanceProcAddr", "ns", ours[LOOKUP_INSTANCE],
		"other loader", other[LOOKUP_INSTANCE], 28.9 / 213);
	kr_bench_row(bench, "lookup of an unknown name", "ns", ours[LOOKUP_UNKNOWN], "other loader",
		other[LOOKUP_UNKNOWN], 75.8 / 1034);
}
