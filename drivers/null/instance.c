/* SPDX-License-Identifier: Apache-2.0 */
/* Instances, their one physical device, and the lists of layers and extensions. */
#include "null/null.h"

#include <string.h>

#include "null/commands.h"

VkResult
null_enumerate(uint32_t available, const void *out, uint32_t *count)
{
	if (!out) {
		*count = available;
		return VK_SUCCESS;
	}
	if (*count < available)
		return VK_INCOMPLETE;
	*count = available;
	return VK_SUCCESS;
}

/* There are none: window systems are the platform's. */
VKAPI_ATTR VkResult VKAPI_CALL
null_EnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	return layer ? VK_ERROR_LAYER_NOT_PRESENT : null_enumerate(0, properties, count);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_EnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties)
{
	return null_enumerate(0, properties, count);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_EnumerateDeviceLayerProperties(
	VkPhysicalDevice physical_device, uint32_t *count, VkLayerProperties *properties)
{
	return null_enumerate(0, properties, count);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_EnumerateInstanceVersion(uint32_t *version)
{
	*version = NULL_API_VERSION;
	return VK_SUCCESS;
}

VkResult
null_create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	bool hal, VkInstance *out)
{
	struct null_instance *instance;

	if (info->enabledExtensionCount)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	instance =
		kr_object_alloc(allocator, sizeof(*instance), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (!instance)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	instance->dispatch.magic = HWVULKAN_DISPATCH_MAGIC;
	instance->physical_device.dispatch.magic = HWVULKAN_DISPATCH_MAGIC;
	instance->physical_device.instance = instance;
	instance->hal = hal;
	null_settings_get(&instance->settings);
	null_fault_set(instance->settings.fault);
	*out = (VkInstance)instance;
	return VK_SUCCESS;
}

/* As an ICD. The HAL's is in hal.c. */
VKAPI_ATTR VkResult VKAPI_CALL
null_CreateInstance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	return null_create_instance(info, allocator, false, out);
}

VKAPI_ATTR void VKAPI_CALL
null_DestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	kr_object_free(instance);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_EnumeratePhysicalDevices(VkInstance handle, uint32_t *count, VkPhysicalDevice *devices)
{
	struct null_instance *instance = (struct null_instance *)handle;
	VkResult result = null_enumerate(1, devices, count);

	if (devices && *count)
		devices[0] = (VkPhysicalDevice)&instance->physical_device;
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_EnumeratePhysicalDeviceGroups(
	VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *groups)
{
	struct null_instance *instance = (struct null_instance *)handle;
	VkResult result = null_enumerate(1, groups, count);

	if (groups && *count) {
		memset(groups[0].physicalDevices, 0, sizeof(groups[0].physicalDevices));
		groups[0].physicalDeviceCount = 1;
		groups[0].physicalDevices[0] = (VkPhysicalDevice)&instance->physical_device;
		groups[0].subsetAllocation = VK_FALSE;
	}
	return result;
}

/* What there is with these settings, of at most `extensions`. */
static uint32_t
list_extensions(const struct null_instance *instance,
	VkExtensionProperties extensions[NULL_EXTENSION_COUNT])
{
	uint32_t count = 0;

	if (instance->hal)
		extensions[count++] = (VkExtensionProperties){
			VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME, instance->settings.version};
	if (instance->settings.compression_control)
		extensions[count++] =
			(VkExtensionProperties){VK_EXT_IMAGE_COMPRESSION_CONTROL_EXTENSION_NAME,
				VK_EXT_IMAGE_COMPRESSION_CONTROL_SPEC_VERSION};
	if (instance->settings.multisampled_resolve)
		extensions[count++] = (VkExtensionProperties){
			VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXTENSION_NAME,
			VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_SPEC_VERSION};
	return count;
}

bool
null_has_extension(const struct null_instance *instance, const char *name)
{
	VkExtensionProperties extensions[NULL_EXTENSION_COUNT];
	uint32_t count = list_extensions(instance, extensions);

	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(extensions[i].extensionName, name))
			return true;
	}
	return false;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_EnumerateDeviceExtensionProperties(VkPhysicalDevice handle, const char *layer, uint32_t *count,
	VkExtensionProperties *properties)
{
	const struct null_physical_device *device = (struct null_physical_device *)handle;
	VkExtensionProperties extensions[NULL_EXTENSION_COUNT];
	uint32_t available;
	VkResult result;

	if (layer)
		return VK_ERROR_LAYER_NOT_PRESENT;
	available = list_extensions(device->instance, extensions);
	result = null_enumerate(available, properties, count);
	if (properties)
		memcpy(properties, extensions, KR_MIN(*count, available) * sizeof(*properties));
	return result;
}
