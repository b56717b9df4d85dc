/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is a hardware buffer's, and what is asked of buffers. */
#include "adapter/hardware_buffer/asked.h"
#include "adapter/hardware_buffer/external_format.h"
#include "adapter/hardware_buffer/hardware_buffer.h"

#include <krafla/hardware_buffer.h>

#include "adapter/external.h"
#include "chain/chain.h"
#include "util/alloc.h"

#define HARDWARE_BUFFER VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID

static bool
exports_buffer(const VkMemoryAllocateInfo *info)
{
	const VkExportMemoryAllocateInfo *export =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);

	return export && (export->handleTypes & HARDWARE_BUFFER);
}

static bool
imports_buffer(const VkMemoryAllocateInfo *info)
{
	const VkImportAndroidHardwareBufferInfoANDROID *import = kr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID);

	return import && import->buffer;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_ahb_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *pAllocateInfo,
	const VkAllocationCallbacks *pAllocator, VkDeviceMemory *pMemory)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	bool import = imports_buffer(pAllocateInfo);
	struct kr_ahb_memory *record;
	VkResult result;

	if (!import && !exports_buffer(pAllocateInfo))
		return state->vk.AllocateMemory(device, pAllocateInfo, pAllocator, pMemory);
	record = kr_object_alloc(
		state->allocator, sizeof(*record), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!record)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = import ? kr_ahb_import(state, pAllocateInfo, pAllocator, pMemory, record)
			: kr_ahb_export(state, pAllocateInfo, pAllocator, pMemory, record);
	if (result != VK_SUCCESS) {
		kr_object_free(record);
		return result;
	}
	record->handle = *pMemory;
	kr_ahb_memory_add(state, record);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
kr_ahb_FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *pAllocator)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	struct kr_ahb_memory *record = kr_ahb_memory_take(state, memory);

	/* The driver may look at the mapping until it has freed what it made of it. */
	state->vk.FreeMemory(device, memory, pAllocator);
	if (!record)
		return;
	kr_gpu_memory_unmap(&record->imported);
	kr_ahb_memory_free(record);
}

VKAPI_ATTR void VKAPI_CALL
kr_ahb_DestroyDevice(VkDevice device, const VkAllocationCallbacks *pAllocator)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);

	if (state) {
		kr_ahb_conversions_finish(state);
		kr_ahb_finish(state);
	}
	kr_adapter_DestroyDevice(device, pAllocator);
}

/* Size and types of the memory that an import of the buffer is. */
static VkResult
describe_memory(struct kr_adapter_device *device, struct kr_buffer *buffer,
	VkAndroidHardwareBufferPropertiesANDROID *properties)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	const struct kr_gpu *gpu = kr_adapter_external(device);
	const char *reason = "this driver imports no memory of CPUs";
	struct kr_gpu_memory found;
	uint32_t types = 0;

	if (kr_buffer_is_of_cpus_alone(info))
		return kr_ahb_refuse(
			"vkGetAndroidHardwareBufferPropertiesANDROID", KR_AHB_OF_CPUS_ALONE);
	if (info->backend != KR_BUFFER_GPU)
		types = kr_ahb_host_types(device, buffer);
	if (types) {
		properties->allocationSize = info->size;
		properties->memoryTypeBits = types;
		return VK_SUCCESS;
	}
	if (info->gpu && !gpu)
		reason = "the driver imports no memory by descriptors";
	if (!info->gpu || !gpu || kr_gpu_memory_look(gpu, info->gpu, info->gpu_fd, &found, &reason))
		return kr_ahb_refuse("vkGetAndroidHardwareBufferPropertiesANDROID", reason);
	properties->allocationSize = found.allocation_size;
	properties->memoryTypeBits = 1u << found.memory_type;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_ahb_GetAndroidHardwareBufferPropertiesANDROID(VkDevice device,
	const struct AHardwareBuffer *buffer, VkAndroidHardwareBufferPropertiesANDROID *pProperties)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	const struct kr_buffer_info *info;
	struct kr_buffer *own;
	VkResult result;

	if (kr_buffer_from_any((void *)(uintptr_t)buffer, &own))
		return kr_ahb_refuse("vkGetAndroidHardwareBufferPropertiesANDROID",
			"this is no AHardwareBuffer of Krafla's");
	info = kr_buffer_get_info(own);
	result = describe_memory(state, own, pProperties);
	if (result == VK_SUCCESS)
		result = kr_ahb_describe_format(state, info, pProperties);
	if (result == VK_SUCCESS)
		kr_ahb_asked_remember(state, info);
	kr_buffer_unref(own);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_ahb_GetMemoryAndroidHardwareBufferANDROID(VkDevice device,
	const VkMemoryGetAndroidHardwareBufferInfoANDROID *pInfo, struct AHardwareBuffer **pBuffer)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	struct kr_ahb_memory *record = kr_ahb_memory_find(state, pInfo->memory);

	if (!record)
		return kr_ahb_refuse("vkGetMemoryAndroidHardwareBufferANDROID",
			"this memory is no AHardwareBuffer's");
	record->buffer->common.incRef(&record->buffer->common);
	*pBuffer = (struct AHardwareBuffer *)(void *)record->buffer;
	return VK_SUCCESS;
}
