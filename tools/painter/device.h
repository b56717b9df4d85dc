/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The painter's device, by Krafla's own loader: without layers, window system or adapter.
 * Thread-safety: one thread.
 */
#ifndef KR_TOOLS_PAINTER_DEVICE_H
#define KR_TOOLS_PAINTER_DEVICE_H

#include <stdbool.h>
#include "gen/tables.h"
#include "gpu/gpu.h"
#include "util/macros.h"

struct kr_paint_device {
	struct kr_instance_table i;
	struct kr_device_table d;
	VkInstance instance;
	VkPhysicalDevice physical_device;
	VkDevice device;
	VkQueue queue;
	uint32_t family;
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceMemoryProperties memory;
	uint8_t device_uuid[VK_UUID_SIZE];
	uint8_t driver_uuid[VK_UUID_SIZE];
	bool cpu;
	bool timestamps;
	bool direct; /* shaders read memory of processes itself: there is no nearer one */
	VkDeviceSize host_alignment; /* 0: memory of processes isn't imported */
	struct kr_gpu gpu;
};

/*
 * Finds and opens it: of these UUIDs unless they are zero, else of KRAFLA_GPU, else the best. 0;
 * -ENODEV, with a sentence in `reason`. It is never closed: the process's end does that.
 */
int kr_paint_device_open(struct kr_paint_device *device, const uint8_t device_uuid[VK_UUID_SIZE],
	const uint8_t driver_uuid[VK_UUID_SIZE], char reason[128]) KR_MUST_CHECK;

#endif
