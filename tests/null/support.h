/* SPDX-License-Identifier: Apache-2.0 */
/* The null driver, opened as a platform would: no loader between. */
#ifndef KR_TESTS_NULL_SUPPORT_H
#define KR_TESTS_NULL_SUPPORT_H

#include "harness.h"

#include <vulkan/vk_icd.h>
#include <krafla/hal.h>
#include <krafla/native_buffer.h>
#include "util/macros.h"
#include "util/vulkan.h"

struct null_driver {
	void *dso;
	struct hwvulkan_device_t *hal;
	PFN_vkGetInstanceProcAddr gipa;
	VkInstance instance;
	VkPhysicalDevice physical_device;
	PFN_vkGetDeviceProcAddr gdpa;
	VkDevice device;
	VkQueue queue;
};

/* Through the HAL, with VK_ANDROID_native_buffer enabled on the device; or as an ICD, without. */
void open_hal(struct null_driver *driver);
void open_icd(struct null_driver *driver);
void close_driver(struct null_driver *driver);
VkDevice create_device(struct null_driver *driver, const VkAllocationCallbacks *allocator,
	bool native_buffer, VkResult *result);
/* A timeline; initial UINT64_MAX: a binary one. */
VkSemaphore create_semaphore(struct null_driver *driver, uint64_t initial);
void signal_host(struct null_driver *driver, VkSemaphore semaphore, uint64_t value);

/* A function of the driver by its name. */
#define INSTANCE_FN(driver, name) ((PFN_##name)(driver)->gipa((driver)->instance, #name))
#define DEVICE_FN(driver, name)   ((PFN_##name)(driver)->gdpa((driver)->device, #name))
#define CONTROL_FN(driver, name)  ((PFN_##name)find_symbol((driver)->dso, #name))
void *find_symbol(void *dso, const char *name);

#endif
