/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the adapter keeps of an engaged instance and of its physical devices. For this room alone.
 */
#ifndef KR_ADAPTER_INSTANCE_H
#define KR_ADAPTER_INSTANCE_H

#include <stdatomic.h>
#include "adapter/adapter.h"
#include "gen/tables.h"
#include "util/macros.h"
#include "util/mutex.h"
#include "util/vulkan.h"

/* Whether memory of a buffer can be imported: asked of the ICD by doing it, once. */
enum kr_host_import {
	KR_HOST_IMPORT_UNKNOWN,
	KR_HOST_IMPORT_WORKS,
	KR_HOST_IMPORT_REFUSED,
};

/* A physical device; one allocation each, from its first enumeration to vkDestroyInstance. */
struct kr_adapter_gpu {
	struct kr_adapter_gpu *next;
	struct kr_adapter_instance *instance;
	VkPhysicalDevice handle;
	uint32_t api_version; /* what device, ICD and application all speak */
	bool discrete;        /* a card: it draws by memory of its own */
	bool cpu;             /* it draws by the CPU */
	/* enum kr_host_import, any order will do: */
	_Atomic(int) host_buffer; /* host_trial.c */
	_Atomic(int) host_image;
	_Atomic(int) shared; /* shared.c */
	/* foreign.c: why there are none in Vulkan; empty: there are; NULL: not known yet. */
	_Atomic(const char *) no_hardware_buffers;
};

struct kr_adapter_instance {
	VkInstance handle;
	struct kr_adapter_icd icd;
	struct kr_adapter_options options;
	bool has_surfaces;                      /* VK_KHR_surface was enabled */
	uint32_t api_version;                   /* what ICD and application both speak */
	const VkAllocationCallbacks *allocator; /* kr_object_allocator; of the ICD's instance too */
	struct kr_instance_table vk;            /* the ICD's own functions */
	struct kr_mutex lock;
	struct kr_adapter_gpu *gpus KR_GUARDED_BY(lock);
};

/* NULL for a handle of an instance that isn't engaged. */
struct kr_adapter_instance *kr_adapter_instance_from_handle(VkInstance instance);
struct kr_adapter_gpu *kr_adapter_gpu_from_handle(VkPhysicalDevice physical_device);
/* Makes the physical device known. */
VkResult kr_adapter_gpu_add(struct kr_adapter_instance *instance, VkPhysicalDevice handle)
	KR_MUST_CHECK;

VKAPI_ATTR void VKAPI_CALL kr_adapter_DestroyInstance(
	VkInstance instance, const VkAllocationCallbacks *pAllocator);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_EnumeratePhysicalDevices(
	VkInstance instance, uint32_t *pPhysicalDeviceCount, VkPhysicalDevice *pPhysicalDevices);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_EnumeratePhysicalDeviceGroups(VkInstance instance,
	uint32_t *pPhysicalDeviceGroupCount,
	VkPhysicalDeviceGroupProperties *pPhysicalDeviceGroupProperties);
VKAPI_ATTR void VKAPI_CALL kr_adapter_GetPhysicalDeviceProperties2(
	VkPhysicalDevice physicalDevice, VkPhysicalDeviceProperties2 *pProperties);
/* hardware_buffer.c: how the usage of an AHardwareBuffer is asked for since version 11. */
VKAPI_ATTR void VKAPI_CALL kr_adapter_GetPhysicalDeviceExternalBufferProperties(
	VkPhysicalDevice physicalDevice,
	const VkPhysicalDeviceExternalBufferInfo *pExternalBufferInfo,
	VkExternalBufferProperties *pExternalBufferProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_GetPhysicalDeviceImageFormatProperties2(
	VkPhysicalDevice physicalDevice, const VkPhysicalDeviceImageFormatInfo2 *pImageFormatInfo,
	VkImageFormatProperties2 *pImageFormatProperties);
/* The device extensions that an application of an engaged instance gets to see. */
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_EnumerateDeviceExtensionProperties(
	VkPhysicalDevice physicalDevice, const char *pLayerName, uint32_t *pPropertyCount,
	VkExtensionProperties *pProperties);

#endif
