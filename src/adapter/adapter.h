/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_ANDROID_native_buffer over a Linux ICD (DESIGN 5.2). Handles stay the ICD's own; the adapter
 * answers ProcAddr queries with its hooks for a short generated list and with the ICD's own
 * pointers for everything else.
 *
 * It is engaged per instance: whoever has no Krafla surface calls the ICD and never comes here.
 * Linked into the loader for manifest drivers, and built as vulkan.adapter.so.
 */
#ifndef KR_ADAPTER_ADAPTER_H
#define KR_ADAPTER_ADAPTER_H

#include <stdbool.h>
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_adapter_icd {
	const char *name; /* for messages; borrowed, must live as long as instances do */
	PFN_vkGetInstanceProcAddr get_instance_proc_addr;
	PFN_vkVoidFunction(VKAPI_PTR *get_physical_device_proc_addr)(
		VkInstance, const char *); /* or NULL */
	PFN_vkCreateInstance create_instance;
	PFN_vkEnumerateInstanceExtensionProperties enumerate_instance_extension_properties;
};

struct kr_adapter_options {
	/*
	 * The driver's own surfaces remain possible beside ours: VK_KHR_swapchain stays on the ICD
	 * when the application asks for it, and only chains that carry our handles are stripped.
	 */
	bool keep_driver_wsi;
	/* It is engaged for AHardwareBuffers alone: VK_ANDROID_native_buffer isn't offered. */
	bool no_windows;
};

/*
 * Creates an instance of the ICD and engages the adapter on it. `info` is what the driver
 * shall see (no layers, no platform surface extensions unless the ICD has them); the adapter
 * adds what it needs. The handle is the ICD's. Destroyed through the vkDestroyInstance that
 * the function below answers.
 */
VkResult kr_adapter_create_instance(const struct kr_adapter_icd *icd,
	const struct kr_adapter_options *options, const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkInstance *instance) KR_MUST_CHECK;

/*
 * ProcAddr of an engaged instance (also device functions that only need an instance to be found).
 */
PFN_vkVoidFunction VKAPI_CALL kr_adapter_get_instance_proc_addr(
	VkInstance instance, const char *name);
PFN_vkVoidFunction VKAPI_CALL kr_adapter_get_physical_device_proc_addr(
	VkInstance instance, const char *name);

/*
 * What an engaged adapter would offer for this physical device of the ICD, for `krafla info`:
 * how buffers are imported and fences travel.
 */
enum kr_adapter_import {
	KR_ADAPTER_IMPORT_NONE,
	KR_ADAPTER_IMPORT_HOST,     /* zero-copy host import of the buffer's memory */
	KR_ADAPTER_IMPORT_COPY,     /* the GPU copies at present */
	KR_ADAPTER_IMPORT_CPU_COPY, /* ... and the CPU from there, before its fence signals */
};
struct kr_adapter_report {
	enum kr_adapter_import import;
	bool sync_fd_semaphore; /* SYNC_FD import and export, from the feature bits */
	bool sync_fd_fence;
	bool dma_buf;       /* VK_EXT_external_memory_dma_buf */
	bool private_queue; /* a family has a queue to spare */
	/* Why it has no AHardwareBuffers in Vulkan; NULL: it has. Lives for ever. */
	const char *no_hardware_buffers;
};
VkResult kr_adapter_inspect(VkInstance instance, VkPhysicalDevice physical_device,
	struct kr_adapter_report *report) KR_MUST_CHECK;
/*
 * The first command of Vulkan 1.0 that the ICD of this instance doesn't have, or NULL. Such an ICD
 * is broken, and to inspect its devices would be to call what isn't there.
 */
const char *kr_adapter_missing_command(VkInstance instance);

#endif
