/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and destroying engaged instances. */
#include "adapter/instance.h"

#include <string.h>

#include "adapter/extensions.h"
#include "adapter/handle_map.h"
#include "util/alloc.h"
#include "util/log.h"

static struct kr_adapter_handle_map instances = KR_HANDLE_MAP_INITIALIZER;
static struct kr_adapter_handle_map gpus = KR_HANDLE_MAP_INITIALIZER;

/* How a Vulkan 1.0 instance learns what memory, semaphores and fences can be shared. */
static const char *const wanted_extensions[] = {
	VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME,
	VK_KHR_EXTERNAL_MEMORY_CAPABILITIES_EXTENSION_NAME,
	VK_KHR_EXTERNAL_SEMAPHORE_CAPABILITIES_EXTENSION_NAME,
	VK_KHR_EXTERNAL_FENCE_CAPABILITIES_EXTENSION_NAME,
	NULL,
};

struct kr_adapter_instance *
kr_adapter_instance_from_handle(VkInstance instance)
{
	return kr_adapter_handle_map_get(&instances, instance);
}

struct kr_adapter_gpu *
kr_adapter_gpu_from_handle(VkPhysicalDevice physical_device)
{
	return kr_adapter_handle_map_get(&gpus, physical_device);
}

/*
 * The version that the ICD and the application have in common; an application that
 * says nothing is 1.0.
 */
static uint32_t
common_version(const struct kr_adapter_icd *icd, const VkInstanceCreateInfo *info)
{
	PFN_vkEnumerateInstanceVersion enumerate =
		(PFN_vkEnumerateInstanceVersion)icd->get_instance_proc_addr(
			NULL, "vkEnumerateInstanceVersion");
	uint32_t driver = VK_API_VERSION_1_0, application = 0;

	if (enumerate && enumerate(&driver) != VK_SUCCESS)
		driver = VK_API_VERSION_1_0;
	if (info->pApplicationInfo)
		application = info->pApplicationInfo->apiVersion;
	if (!application)
		application = VK_API_VERSION_1_0;
	return KR_MIN(driver, application);
}

/*
 * A driver of 1.1 and later takes any version (VK_ERROR_INCOMPATIBLE_DRIVER in the specification);
 * SwiftShader takes none above its own, and is asked for that.
 */
static VkResult
create_modern_instance(const struct kr_adapter_icd *icd, const VkInstanceCreateInfo *info,
	uint32_t version, const VkAllocationCallbacks *allocator, VkInstance *handle)
{
	VkResult result = icd->create_instance(info, allocator, handle);
	VkInstanceCreateInfo copy = *info;
	VkApplicationInfo application;

	if (result != VK_ERROR_INCOMPATIBLE_DRIVER || info->pApplicationInfo->apiVersion <= version)
		return result;
	application = *info->pApplicationInfo;
	application.apiVersion = version;
	copy.pApplicationInfo = &application;
	return icd->create_instance(&copy, allocator, handle);
}

/* The ICD's instance, with the extensions that the adapter needs. */
static VkResult
create_driver_instance(const struct kr_adapter_icd *icd, const VkInstanceCreateInfo *info,
	uint32_t version, const VkAllocationCallbacks *allocator, VkInstance *handle)
{
	VkInstanceCreateInfo copy = *info;
	struct kr_enabled enabled;
	struct kr_offered offered;
	VkResult result;

	if (version >= VK_API_VERSION_1_1)
		return create_modern_instance(icd, info, version, allocator, handle);
	result = kr_offered_instance(icd, allocator, &offered);
	if (result != VK_SUCCESS)
		return result;
	result = kr_enabled_init(&enabled,
		info->enabledExtensionCount + (uint32_t)KR_ARRAY_LEN(wanted_extensions), allocator);
	if (result != VK_SUCCESS)
		goto out_offered;
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		kr_enabled_add(&enabled, info->ppEnabledExtensionNames[i]);
	kr_enabled_add_offered(&enabled, &offered, wanted_extensions);
	copy.enabledExtensionCount = enabled.count;
	copy.ppEnabledExtensionNames = enabled.names;
	result = icd->create_instance(&copy, allocator, handle);
	kr_enabled_finish(&enabled);
out_offered:
	kr_offered_finish(&offered);
	return result;
}

VkResult
kr_adapter_create_instance(const struct kr_adapter_icd *icd,
	const struct kr_adapter_options *options, const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkInstance *instance)
{
	struct kr_adapter_instance *state;
	VkInstance handle = VK_NULL_HANDLE;
	VkResult result;

	state = kr_object_alloc(allocator, sizeof(*state), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (!state)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	state->icd = *icd;
	state->options = *options;
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		state->has_surfaces |=
			!strcmp(info->ppEnabledExtensionNames[i], VK_KHR_SURFACE_EXTENSION_NAME);
	state->api_version = common_version(icd, info);
	state->allocator = kr_object_allocator(state);
	result = create_driver_instance(icd, info, state->api_version, allocator, &handle);
	if (result == VK_SUCCESS && !handle) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"%s: vkCreateInstance answered VK_SUCCESS and gave no instance", icd->name);
		result = VK_ERROR_INITIALIZATION_FAILED;
	}
	if (result != VK_SUCCESS)
		goto err_free;
	kr_mutex_init(&state->lock);
	state->handle = handle;
	kr_instance_table_load(&state->vk, icd->get_instance_proc_addr, handle);
	if (kr_adapter_handle_map_put(&instances, handle, state)) {
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
		goto err_destroy;
	}
	*instance = handle;
	return VK_SUCCESS;

err_destroy:
	if (state->vk.DestroyInstance)
		state->vk.DestroyInstance(handle, allocator);
	kr_mutex_finish(&state->lock);
err_free:
	kr_object_free(state);
	return result;
}

static void
free_gpus(struct kr_adapter_instance *state) KR_NO_THREAD_SAFETY
{
	while (state->gpus) {
		struct kr_adapter_gpu *gpu = state->gpus;

		state->gpus = gpu->next;
		kr_adapter_handle_map_remove(&gpus, gpu->handle);
		kr_free(state->allocator, gpu);
	}
}

VKAPI_ATTR void VKAPI_CALL
kr_adapter_DestroyInstance(VkInstance instance, const VkAllocationCallbacks *pAllocator)
{
	struct kr_adapter_instance *state = kr_adapter_instance_from_handle(instance);

	if (!state)
		return;
	free_gpus(state);
	kr_adapter_handle_map_remove(&instances, instance);
	state->vk.DestroyInstance(instance, state->allocator);
	kr_mutex_finish(&state->lock);
	kr_object_free(state);
}

VkResult
kr_adapter_gpu_add(struct kr_adapter_instance *instance, VkPhysicalDevice handle)
{
	VkPhysicalDeviceProperties properties;
	struct kr_adapter_gpu *gpu;
	VkResult result = VK_SUCCESS;

	kr_mutex_lock(&instance->lock);
	if (kr_adapter_gpu_from_handle(handle))
		goto out;
	result = VK_ERROR_OUT_OF_HOST_MEMORY;
	gpu = kr_zalloc(instance->allocator, sizeof(*gpu), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (!gpu)
		goto out;
	instance->vk.GetPhysicalDeviceProperties(handle, &properties);
	gpu->instance = instance;
	gpu->handle = handle;
	gpu->api_version = KR_MIN(instance->api_version, properties.apiVersion);
	gpu->cpu = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
	gpu->discrete = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
	if (kr_adapter_handle_map_put(&gpus, handle, gpu)) {
		kr_free(instance->allocator, gpu);
		goto out;
	}
	gpu->next = instance->gpus;
	instance->gpus = gpu;
	result = VK_SUCCESS;
out:
	kr_mutex_unlock(&instance->lock);
	return result;
}
