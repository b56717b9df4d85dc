/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layer, VK_LAYER_KR_wrapping, that gives applications a VkInstance of its own, as recorders do,
 * and that many threads may use at once. What stands below it never sees its handle, nor what
 * stands above it the one below.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "layer_link.h"
#include "util/macros.h"
#include "util/mutex.h"

struct wrapper {
	void *dispatch; /* of the handle below: the loader looks for it here */
	VkInstance below;
	PFN_vkGetInstanceProcAddr next;
	struct wrapper *following;
};

/* A device, which is the driver's own object: what is below is found by its first word. */
struct device {
	void *dispatch;
	PFN_vkGetDeviceProcAddr next;
	struct device *following;
};

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct wrapper *wrappers; /* all there are, newest first */
static struct device *all_devices;

#define BELOW(wrapper, name) ((PFN_##name)(wrapper)->next((wrapper)->below, #name))

/* Physical devices aren't wrapped: they share their first word with their instance. */
static struct wrapper *
wrapper_of(VkPhysicalDevice physical_device)
{
	struct wrapper *wrapper;

	kr_mutex_lock(&lock);
	wrapper = wrappers;
	while (wrapper && wrapper->dispatch != *(void **)physical_device)
		wrapper = wrapper->following;
	kr_mutex_unlock(&lock);
	return wrapper;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	VkLayerInstanceCreateInfo *link = instance_link(info);
	struct wrapper *wrapper = calloc(1, sizeof(*wrapper));
	VkResult result;

	if (!link || !wrapper) {
		free(wrapper);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	wrapper->next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	result = ((PFN_vkCreateInstance)wrapper->next(VK_NULL_HANDLE, "vkCreateInstance"))(
		info, allocator, out);
	if (result != VK_SUCCESS) {
		free(wrapper);
		return result;
	}
	wrapper->below = *out;
	memcpy(&wrapper->dispatch, *out, sizeof(wrapper->dispatch));
	kr_mutex_lock(&lock);
	wrapper->following = wrappers;
	wrappers = wrapper;
	kr_mutex_unlock(&lock);
	*out = (VkInstance)wrapper;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	struct wrapper *wrapper = (struct wrapper *)instance, **at = &wrappers;

	BELOW(wrapper, vkDestroyInstance)(wrapper->below, allocator);
	kr_mutex_lock(&lock);
	while (*at != wrapper)
		at = &(*at)->following;
	*at = wrapper->following;
	kr_mutex_unlock(&lock);
	free(wrapper);
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
	struct wrapper *wrapper = (struct wrapper *)instance;

	return BELOW(wrapper, vkEnumeratePhysicalDevices)(wrapper->below, count, devices);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_messenger(VkInstance instance, const VkDebugUtilsMessengerCreateInfoEXT *info,
	const VkAllocationCallbacks *allocator, VkDebugUtilsMessengerEXT *messenger)
{
	struct wrapper *wrapper = (struct wrapper *)instance;

	return BELOW(wrapper, vkCreateDebugUtilsMessengerEXT)(
		wrapper->below, info, allocator, messenger);
}

static VKAPI_ATTR void VKAPI_CALL
destroy_messenger(VkInstance instance, VkDebugUtilsMessengerEXT messenger,
	const VkAllocationCallbacks *allocator)
{
	struct wrapper *wrapper = (struct wrapper *)instance;

	BELOW(wrapper, vkDestroyDebugUtilsMessengerEXT)(wrapper->below, messenger, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *out)
{
	VkLayerDeviceCreateInfo *link = device_link(info);
	struct wrapper *wrapper = wrapper_of(physical_device);
	struct device *device = calloc(1, sizeof(*device));
	PFN_vkGetInstanceProcAddr next;
	VkResult result = VK_ERROR_INITIALIZATION_FAILED;

	if (!link || !wrapper || !device)
		goto err_free;
	next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	device->next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	result = ((PFN_vkCreateDevice)next(wrapper->below, "vkCreateDevice"))(
		physical_device, info, allocator, out);
	if (result != VK_SUCCESS)
		goto err_free;
	memcpy(&device->dispatch, *out, sizeof(device->dispatch));
	kr_mutex_lock(&lock);
	device->following = all_devices;
	all_devices = device;
	kr_mutex_unlock(&lock);
	return VK_SUCCESS;

err_free:
	free(device);
	return result;
}

static PFN_vkGetDeviceProcAddr
next_of(VkDevice handle)
{
	PFN_vkGetDeviceProcAddr next = NULL;

	kr_mutex_lock(&lock);
	for (const struct device *device = all_devices; device && !next;
		device = device->following) {
		if (device->dispatch == *(void **)handle)
			next = device->next;
	}
	kr_mutex_unlock(&lock);
	return next;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_device(VkDevice handle, const VkAllocationCallbacks *allocator)
{
	struct device **at = &all_devices, *device;

	kr_mutex_lock(&lock);
	while ((*at)->dispatch != *(void **)handle)
		at = &(*at)->following;
	device = *at;
	*at = device->following;
	kr_mutex_unlock(&lock);
	((PFN_vkDestroyDevice)device->next(handle, "vkDestroyDevice"))(handle, allocator);
	free(device);
}

static PFN_vkVoidFunction VKAPI_CALL
get_device_proc_addr(VkDevice device, const char *name)
{
	if (!strcmp(name, "vkDestroyDevice"))
		return (PFN_vkVoidFunction)destroy_device;
	if (!strcmp(name, "vkGetDeviceProcAddr"))
		return (PFN_vkVoidFunction)get_device_proc_addr;
	return next_of(device)(device, name);
}

/* Only its own handles have a way down; whoever asks with another gets nothing. */
static bool
is_known(const struct wrapper *wanted)
{
	const struct wrapper *wrapper;

	kr_mutex_lock(&lock);
	wrapper = wrappers;
	while (wrapper && wrapper != wanted)
		wrapper = wrapper->following;
	kr_mutex_unlock(&lock);
	return wrapper != NULL;
}

/* What it doesn't stand before is asked of the one below, with the handle of the one below. */
static PFN_vkVoidFunction VKAPI_CALL
get_instance_proc_addr(VkInstance instance, const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} functions[] = {
		{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_instance_proc_addr},
		{"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
		{"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
		{"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate_devices},
		{"vkCreateDebugUtilsMessengerEXT", (PFN_vkVoidFunction)create_messenger},
		{"vkDestroyDebugUtilsMessengerEXT", (PFN_vkVoidFunction)destroy_messenger},
		{"vkCreateDevice", (PFN_vkVoidFunction)create_device},
		{"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
		{"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device_proc_addr},
	};
	struct wrapper *wrapper = (struct wrapper *)instance;

	if (wrapper && !is_known(wrapper))
		return NULL;
	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	}
	return wrapper ? wrapper->next(wrapper->below, name) : NULL;
}

KR_EXPORT VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(
	VkNegotiateLayerInterface *interface);
VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
	interface->loaderLayerInterfaceVersion = 2;
	interface->pfnGetInstanceProcAddr = get_instance_proc_addr;
	interface->pfnGetDeviceProcAddr = get_device_proc_addr;
	interface->pfnGetPhysicalDeviceProcAddr = NULL;
	return VK_SUCCESS;
}
