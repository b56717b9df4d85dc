/* SPDX-License-Identifier: Apache-2.0 */
/* vkCreateDevice + vkDestroyDevice, with the null driver as an ICD. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/vulkan_child.h"

/* `devices LOADER COUNT`: microseconds a device. */
int
kr_bench_child_devices(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
	};
	PFN_vkDestroyDevice destroy;
	PFN_vkCreateDevice create;
	struct vulkan_child vk;
	int64_t start;

	if (!count || vulkan_child_open(&vk, argv[0]) || vulkan_child_device(&vk, NULL))
		return 1;
	create = (PFN_vkCreateDevice)vk.gipa(vk.instance, "vkCreateDevice");
	destroy = (PFN_vkDestroyDevice)vk.gipa(vk.instance, "vkDestroyDevice");
	start = kr_bench_now();
	for (unsigned i = 0; i < count; i++) {
		VkDevice device;

		if (create(vk.gpu, &info, NULL, &device) != VK_SUCCESS)
			return 1;
		destroy(device, NULL);
	}
	printf("%.4f", (double)(kr_bench_now() - start) / count / 1000);
	vulkan_child_close(&vk);
	return 0;
}

void
kr_bench_devices(struct kr_bench *bench)
{
	double r[KR_BENCH_LOADERS][KR_BENCH_NUMBERS], values[KR_BENCH_LOADERS];
	char env[4096], count[16];
	const char *more[] = {count, NULL}, *environment[] = {env, NULL};

	kr_bench_null_driver(bench, env, sizeof(env));
	snprintf(count, sizeof(count), "%u", bench->quick ? 400 : 4000);
	kr_bench_measure(bench, "devices", more, environment, r);
	for (unsigned i = 0; i < KR_BENCH_LOADERS; i++)
		values[i] = r[i][0];
	kr_bench_compare(bench, "device create+destroy", "us", values, NULL);
}
