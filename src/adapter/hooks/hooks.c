/* SPDX-License-Identifier: Apache-2.0 */
/* The table of hooks, and the ProcAddr functions that read it. */
#include "adapter/hooks/hooks.h"

#include <string.h>

#include "adapter/device.h"
#include "adapter/extensions.h"
#include "adapter/hardware_buffer/external_format.h"
#include "adapter/hardware_buffer/hardware_buffer.h"
#include "adapter/hidden_features.h"
#include "adapter/image.h"
#include "adapter/native.h"
#include "adapter/queue.h"
#include "gen/commands.h"
#include "util/native_acquire.h"
#include "util/native_memory.h"
#include "util/native_release.h"

/* Of which devices a function is hooked. */
enum hook_when {
	HOOK_NEVER, /* there is no hook */
	HOOK_ALWAYS,
	HOOK_ENGAGED,    /* devices that can have native buffers */
	HOOK_HELPER,     /* ... and a queue that we submit to */
	HOOK_HELPER_WSI, /* ... and can have swapchains of the driver */
	HOOK_SHARED,     /* ... a queue of the application's */
	HOOK_BUFFERS,    /* devices that can have AHardwareBuffers */
	HOOK_OWN,        /* likewise: the ICD isn't even asked for it */
};

struct hook {
	enum hook_when when;
	PFN_vkVoidFunction function;
};

#define HOOK(name, when, fn) [KR_CMD_##name] = {when, (PFN_vkVoidFunction)kr_adapter_##fn}

#define BUFFER_HOOK(name, when) [KR_CMD_##name] = {when, (PFN_vkVoidFunction)kr_ahb_##name}

static const struct hook hooks[KR_COMMAND_COUNT] = {
	HOOK(DestroyInstance, HOOK_ALWAYS, DestroyInstance),
	HOOK(EnumeratePhysicalDevices, HOOK_ALWAYS, EnumeratePhysicalDevices),
	HOOK(EnumeratePhysicalDeviceGroups, HOOK_ALWAYS, EnumeratePhysicalDeviceGroups),
	HOOK(EnumeratePhysicalDeviceGroupsKHR, HOOK_ALWAYS, EnumeratePhysicalDeviceGroups),
	HOOK(GetInstanceProcAddr, HOOK_ALWAYS, get_instance_proc_addr),

	HOOK(EnumerateDeviceExtensionProperties, HOOK_ALWAYS, EnumerateDeviceExtensionProperties),
	HOOK(GetPhysicalDeviceProperties2, HOOK_ALWAYS, GetPhysicalDeviceProperties2),
	HOOK(GetPhysicalDeviceProperties2KHR, HOOK_ALWAYS, GetPhysicalDeviceProperties2),
	HOOK(GetPhysicalDeviceFeatures2, HOOK_ALWAYS, GetPhysicalDeviceFeatures2),
	HOOK(GetPhysicalDeviceFeatures2KHR, HOOK_ALWAYS, GetPhysicalDeviceFeatures2),
	HOOK(GetPhysicalDeviceImageFormatProperties2, HOOK_ALWAYS,
		GetPhysicalDeviceImageFormatProperties2),
	HOOK(GetPhysicalDeviceImageFormatProperties2KHR, HOOK_ALWAYS,
		GetPhysicalDeviceImageFormatProperties2),
	HOOK(GetPhysicalDeviceExternalBufferProperties, HOOK_ALWAYS,
		GetPhysicalDeviceExternalBufferProperties),
	HOOK(GetPhysicalDeviceExternalBufferPropertiesKHR, HOOK_ALWAYS,
		GetPhysicalDeviceExternalBufferProperties),
	HOOK(CreateDevice, HOOK_ALWAYS, CreateDevice),

	HOOK(GetDeviceProcAddr, HOOK_ALWAYS, GetDeviceProcAddr),
	BUFFER_HOOK(DestroyDevice, HOOK_ALWAYS),
	BUFFER_HOOK(CreateImage, HOOK_ENGAGED),
	BUFFER_HOOK(DestroyImage, HOOK_ENGAGED),
	BUFFER_HOOK(CreateBuffer, HOOK_BUFFERS),
	BUFFER_HOOK(DestroyBuffer, HOOK_BUFFERS),
	BUFFER_HOOK(AllocateMemory, HOOK_BUFFERS),
	BUFFER_HOOK(FreeMemory, HOOK_BUFFERS),
	BUFFER_HOOK(CreateImageView, HOOK_BUFFERS),
	BUFFER_HOOK(CreateSampler, HOOK_BUFFERS),
	BUFFER_HOOK(CreateSamplerYcbcrConversion, HOOK_BUFFERS),
	[KR_CMD_CreateSamplerYcbcrConversionKHR] = {HOOK_BUFFERS,
		(PFN_vkVoidFunction)kr_ahb_CreateSamplerYcbcrConversion},
	BUFFER_HOOK(DestroySamplerYcbcrConversion, HOOK_BUFFERS),
	[KR_CMD_DestroySamplerYcbcrConversionKHR] = {HOOK_BUFFERS,
		(PFN_vkVoidFunction)kr_ahb_DestroySamplerYcbcrConversion},
	BUFFER_HOOK(GetAndroidHardwareBufferPropertiesANDROID, HOOK_OWN),
	BUFFER_HOOK(GetMemoryAndroidHardwareBufferANDROID, HOOK_OWN),
	HOOK(BindImageMemory2, HOOK_ENGAGED, BindImageMemory2),
	HOOK(BindImageMemory2KHR, HOOK_ENGAGED, BindImageMemory2),
	HOOK(DeviceWaitIdle, HOOK_HELPER, DeviceWaitIdle),
	HOOK(QueueSubmit, HOOK_HELPER, QueueSubmit),
	HOOK(QueueSubmit2, HOOK_HELPER, QueueSubmit2),
	HOOK(QueueSubmit2KHR, HOOK_HELPER, QueueSubmit2KHR),
	HOOK(QueueBindSparse, HOOK_HELPER, QueueBindSparse),
	HOOK(CreateSemaphore, HOOK_HELPER, CreateSemaphore),
	HOOK(ImportSemaphoreFdKHR, HOOK_HELPER, ImportSemaphoreFdKHR),
	HOOK(GetSemaphoreFdKHR, HOOK_HELPER, GetSemaphoreFdKHR),
	HOOK(DestroySemaphore, HOOK_HELPER, DestroySemaphore),
	HOOK(QueueWaitIdle, HOOK_SHARED, QueueWaitIdle),
	HOOK(QueuePresentKHR, HOOK_HELPER_WSI, QueuePresentKHR),
};

/* No registry lists these as commands. */
static const struct {
	const char *name;
	PFN_vkVoidFunction function;
} native_functions[] = {
	{"vkGetSwapchainGrallocUsageANDROID",
		(PFN_vkVoidFunction)kr_adapter_GetSwapchainGrallocUsageANDROID},
	{"vkGetSwapchainGrallocUsage2ANDROID",
		(PFN_vkVoidFunction)kr_adapter_GetSwapchainGrallocUsage2ANDROID},
	{"vkGetSwapchainGrallocUsage3ANDROID",
		(PFN_vkVoidFunction)kr_adapter_GetSwapchainGrallocUsage3ANDROID},
	{"vkGetSwapchainGrallocUsage4ANDROID",
		(PFN_vkVoidFunction)kr_adapter_GetSwapchainGrallocUsage4ANDROID},
	{"vkAcquireImageANDROID", (PFN_vkVoidFunction)kr_adapter_AcquireImageANDROID},
	{KR_ACQUIRE_IMPORTS_FUNCTION, (PFN_vkVoidFunction)kr_adapter_GetAcquireImportsKRAFLA},
	{"vkQueueSignalReleaseImageANDROID",
		(PFN_vkVoidFunction)kr_adapter_QueueSignalReleaseImageANDROID},
	{KR_RELEASE_WANTED_FUNCTION, (PFN_vkVoidFunction)kr_adapter_QueueSignalReleaseImageKRAFLA},
	{KR_NATIVE_MEMORY_FUNCTION, (PFN_vkVoidFunction)kr_adapter_GetNativeBufferMemoryKRAFLA},
};

static PFN_vkVoidFunction
find_native(const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(native_functions); i++) {
		if (!strcmp(native_functions[i].name, name))
			return native_functions[i].function;
	}
	return NULL;
}

static bool
applies(const struct kr_adapter_device *device, enum hook_when when)
{
	bool shared = device->helper && device->helper_shared;

	switch (when) {
	case HOOK_ALWAYS:
		return true;
	case HOOK_ENGAGED:
		return device->engaged;
	case HOOK_HELPER:
		return device->helper;
	case HOOK_SHARED:
		return shared;
	case HOOK_HELPER_WSI:
		return device->helper && device->gpu->instance->options.keep_driver_wsi;
	case HOOK_BUFFERS:
	case HOOK_OWN:
		return device->hardware_buffers.enabled;
	case HOOK_NEVER:
		break;
	}
	return false;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
kr_adapter_GetDeviceProcAddr(VkDevice device, const char *pName)
{
	const struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	const struct kr_command *command = kr_command_find(pName);
	PFN_vkVoidFunction function;

	if (!state)
		return NULL;
	if (!command && state->engaged) {
		function = find_native(pName);
		if (function)
			return function;
	}
	if (command && hooks[command - kr_commands].when == HOOK_OWN)
		return applies(state, HOOK_OWN) ? hooks[command - kr_commands].function : NULL;
	function = state->vk.GetDeviceProcAddr(device, pName);
	if (!function || !command || command->level != KR_LEVEL_DEVICE)
		return function;
	if (applies(state, hooks[command - kr_commands].when))
		return hooks[command - kr_commands].function;
	return function;
}

PFN_vkVoidFunction VKAPI_CALL
kr_adapter_get_instance_proc_addr(VkInstance instance, const char *name)
{
	const struct kr_adapter_instance *state = kr_adapter_instance_from_handle(instance);
	const struct kr_command *command = kr_command_find(name);
	PFN_vkVoidFunction function;

	if (!state)
		return NULL;
	if (!command && (function = find_native(name)))
		return function;
	if (command && hooks[command - kr_commands].when == HOOK_OWN)
		return hooks[command - kr_commands].function;
	function = state->icd.get_instance_proc_addr(instance, name);
	/* Whatever device it will be called with, the hooks know what to do. */
	if (function && command && hooks[command - kr_commands].when != HOOK_NEVER)
		return hooks[command - kr_commands].function;
	return function;
}

PFN_vkVoidFunction VKAPI_CALL
kr_adapter_get_physical_device_proc_addr(VkInstance instance, const char *name)
{
	const struct kr_adapter_instance *state = kr_adapter_instance_from_handle(instance);
	const struct kr_command *command = kr_command_find(name);

	if (!state)
		return NULL;
	if (command && command->level != KR_LEVEL_PHYSICAL_DEVICE)
		return NULL;
	if (command && hooks[command - kr_commands].when != HOOK_NEVER)
		return kr_adapter_get_instance_proc_addr(instance, name);
	if (state->icd.get_physical_device_proc_addr)
		return state->icd.get_physical_device_proc_addr(instance, name);
	return command ? state->icd.get_instance_proc_addr(instance, name) : NULL;
}
