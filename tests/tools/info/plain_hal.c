/* SPDX-License-Identifier: Apache-2.0 */
/* A HAL module with one device, which has no VK_ANDROID_native_buffer nor any other extension. */
#include "hal_face.h"

#include <stdio.h>
#include <string.h>

static struct {
	hwvulkan_dispatch_t dispatch;
} instance_object, device_object;

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_instance_extensions(const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	*count = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	instance_object.dispatch.magic = HWVULKAN_DISPATCH_MAGIC;
	*out = (VkInstance)&instance_object;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
	device_object.dispatch.magic = HWVULKAN_DISPATCH_MAGIC;
	if (devices && *count)
		devices[0] = (VkPhysicalDevice)&device_object;
	*count = 1;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties)
{
	memset(properties, 0, sizeof(*properties));
	properties->apiVersion = VK_API_VERSION_1_0;
	snprintf(properties->deviceName, sizeof(properties->deviceName), "plain");
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_device_extensions(VkPhysicalDevice device, const char *layer, uint32_t *count,
	VkExtensionProperties *properties)
{
	*count = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_instance_proc_addr(VkInstance instance, const char *name)
{
	if (!strcmp(name, "vkDestroyInstance"))
		return (PFN_vkVoidFunction)destroy_instance;
	if (!strcmp(name, "vkEnumeratePhysicalDevices"))
		return (PFN_vkVoidFunction)enumerate_devices;
	if (!strcmp(name, "vkGetPhysicalDeviceProperties"))
		return (PFN_vkVoidFunction)get_properties;
	if (!strcmp(name, "vkEnumerateDeviceExtensionProperties"))
		return (PFN_vkVoidFunction)enumerate_device_extensions;
	return NULL;
}

int
hal_face_open(struct hwvulkan_device_t *device)
{
	device->EnumerateInstanceExtensionProperties = enumerate_instance_extensions;
	device->CreateInstance = create_instance;
	device->GetInstanceProcAddr = get_instance_proc_addr;
	return 0;
}
