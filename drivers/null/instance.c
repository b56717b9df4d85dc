/* SPDX-License-Identifier: Apache-2.0 */
/* Instances, their one physical device, and the lists of layers and extensions. */
#include "null/null.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "null/commands.h"
#include "null/faults.h"
#include "null/mutants.h"

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

/* For mutants. */
static VkResult
list_one(const char *name, uint32_t *count, VkExtensionProperties *properties)
{
	VkResult result = null_enumerate(1, properties, count);

	if (properties && result == VK_SUCCESS) {
		properties[0] = (VkExtensionProperties){.specVersion = 1};
		strcpy(properties[0].extensionName, name);
	}
	return result;
}

/* There are none: window systems are the platform's. */
VKAPI_ATTR VkResult VKAPI_CALL
null_EnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	if (layer)
		return VK_ERROR_LAYER_NOT_PRESENT;
	if (null_has_fault(instance_lists_native_buffer))
		return list_one(VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME, count, properties);
	if (null_has_fault(instance_lists_surfaces))
		return list_one(VK_KHR_SURFACE_EXTENSION_NAME, count, properties);
	return null_enumerate(0, properties, count);
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

	if (info->enabledExtensionCount && !null_has_fault(instance_takes_any_extension))
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	if (null_has_fault(newer_versions_are_refused) && info->pApplicationInfo &&
		info->pApplicationInfo->apiVersion > NULL_API_VERSION)
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	if (null_has_fault(instances_leak))
		(void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null_has_fault(instance_races) && null_is_beside_another())
		return VK_ERROR_INITIALIZATION_FAILED;
	instance =
		kr_object_alloc(allocator, sizeof(*instance), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (!instance && null_has_fault(instance_needs_memory))
		abort();
	if (!instance)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	instance->dispatch.magic =
		null_has_fault(instance_without_magic) ? 0 : HWVULKAN_DISPATCH_MAGIC;
	for (size_t i = 0; i < NULL_DEVICES_MAX; i++) {
		instance->physical_devices[i].dispatch.magic =
			null_has_fault(physical_device_without_magic) ? 0 : HWVULKAN_DISPATCH_MAGIC;
		instance->physical_devices[i].instance = instance;
	}
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

/* In one mutant. */
static atomic_bool devices_are_gone;

VKAPI_ATTR void VKAPI_CALL
null_DestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	if (null_has_fault(last_destroy_ends_all))
		atomic_store(&devices_are_gone, true);
	kr_object_free(instance);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_EnumeratePhysicalDevices(VkInstance handle, uint32_t *count, VkPhysicalDevice *devices)
{
	static unsigned asked;
	struct null_instance *instance = (struct null_instance *)handle;
	uint32_t available =
		atomic_load(&devices_are_gone) ? 0 : instance->settings.abilities.devices;
	VkResult result = null_enumerate(available, devices, count);
	uint32_t first = 0, written = *count;

	if (null_has_fault(devices_wander) && devices)
		first = asked++ % 2;
	if (null_has_fault(devices_overflow))
		written = available;
	for (uint32_t i = 0; devices && i < written; i++)
		devices[i] = (VkPhysicalDevice)&instance
				     ->physical_devices[(i + first) % NULL_DEVICES_MAX];
	return result;
}

/* Each is a group of its own. */
VKAPI_ATTR VkResult VKAPI_CALL
null_EnumeratePhysicalDeviceGroups(
	VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *groups)
{
	struct null_instance *instance = (struct null_instance *)handle;
	uint32_t available =
		instance->settings.abilities.devices - null_has_fault(group_leaves_device_out);
	VkResult result = null_enumerate(available, groups, count);

	if (null_has_fault(group_is_never_incomplete))
		result = VK_SUCCESS;
	for (uint32_t i = 0; groups && i < *count; i++) {
		memset(groups[i].physicalDevices, 0, sizeof(groups[i].physicalDevices));
		groups[i].physicalDeviceCount = 1;
		groups[i].physicalDevices[0] = (VkPhysicalDevice)&instance->physical_devices[i];
		groups[i].subsetAllocation = VK_FALSE;
	}
	return result;
}

static uint32_t
list_own(const struct null_instance *instance, VkExtensionProperties *extensions)
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
	if (instance->settings.hardware_buffers) {
		extensions[count++] = (VkExtensionProperties){
			VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME,
			VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_SPEC_VERSION};
		if (!null_has_fault(hardware_without_foreign))
			extensions[count++] =
				(VkExtensionProperties){VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME,
					VK_EXT_QUEUE_FAMILY_FOREIGN_SPEC_VERSION};
	}
	if (null_has_fault(lists_an_old_version))
		extensions[0].specVersion = 4;
	if (null_has_fault(native_buffer_of_version_0))
		extensions[0].specVersion = 0;
	if (null_has_fault(extension_is_listed_twice))
		extensions[count++] = extensions[0];
	if (null_has_fault(device_lists_swapchains))
		extensions[count++] = (VkExtensionProperties){
			VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_SWAPCHAIN_SPEC_VERSION};
	return count;
}

static uint32_t
find_extension(const VkExtensionProperties *extensions, uint32_t count, const char *name)
{
	uint32_t i = 0;

	while (i < count && strcmp(extensions[i].extensionName, name))
		i++;
	return i;
}

/* What there is with these settings: the driver's own, and what was added or taken away. */
static uint32_t
list_extensions(const struct null_instance *instance,
	VkExtensionProperties extensions[NULL_EXTENSION_COUNT])
{
	const struct null_abilities *abilities = &instance->settings.abilities;
	uint32_t count = list_own(instance, extensions);

	for (uint32_t i = 0; i < abilities->extension_count; i++) {
		const struct null_extension *set = &abilities->extensions[i];
		uint32_t at = find_extension(extensions, count, set->name);

		if (!set->version && at < count)
			extensions[at] = extensions[--count];
		if (!set->version)
			continue;
		count += at == count;
		extensions[at] = (VkExtensionProperties){.specVersion = set->version};
		memcpy(extensions[at].extensionName, set->name, sizeof(set->name));
	}
	return count;
}

bool
null_has_extension(const struct null_instance *instance, const char *name)
{
	VkExtensionProperties extensions[NULL_EXTENSION_COUNT];
	uint32_t count = list_extensions(instance, extensions);

	return find_extension(extensions, count, name) < count;
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
	return null_has_fault(extensions_are_cut_short) ? VK_SUCCESS : result;
}
