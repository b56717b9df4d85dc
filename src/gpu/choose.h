/* SPDX-License-Identifier: Apache-2.0 */
/* Which device does Krafla's own work: allocates buffers, paints. */
#ifndef KR_GPU_CHOOSE_H
#define KR_GPU_CHOOSE_H

#include <stdbool.h>
#include "gralloc/gpu_memory.h"
#include "util/vulkan.h"

/*
 * The better, the higher; 0: not this one, since KRAFLA_GPU names another: by its place in the list
 * of devices, a part of its name (case ignored), or its UUID in hexadecimal.
 */
int kr_gpu_rank(const VkPhysicalDeviceProperties *properties,
	const uint8_t device_uuid[KR_GPU_UUID_SIZE], uint32_t index);
/* Whether `word` names that device. */
bool kr_gpu_is_named(const char *word, const char *name,
	const uint8_t device_uuid[KR_GPU_UUID_SIZE], uint32_t index);

#endif
