/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for lists of device extensions, and looks into them. */
#include "loader/drivers/device_extensions.h"

#include <string.h>

#include "loader/drivers/drivers.h"
#include "util/alloc.h"
#include "util/enumerate.h"
#include "util/log.h"

VkResult
kr_device_extensions_ask(const struct kr_instance_table *chain, VkPhysicalDevice device,
	const VkAllocationCallbacks *allocator, struct kr_device_extensions *extensions)
{
	const struct kr_enumerate_question question = {
		.of_device = chain->EnumerateDeviceExtensionProperties,
		.device = device,
		.who = "the layers and drivers of the instance",
		.log = KR_LOG_LAYER,
	};

	return kr_enumerate_extensions(
		&question, allocator, &extensions->count, &extensions->items);
}

/*
 * AHardwareBuffers are the platform's: a HAL driver knows them, an ICD by the adapter alone. What a
 * Linux driver means by that extension, where it was built in by accident, are no buffers of ours.
 * Nobody resolves external formats.
 */
static bool
is_of_the_platform(const struct kr_instance_driver *driver, const char *name)
{
	if (!strcmp(name, "VK_ANDROID_external_format_resolve"))
		return true;
	return !driver->adapter && driver->driver->driver->source != KR_DRIVER_HAL &&
		!strcmp(name, VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME);
}

VkResult
kr_device_extensions_of_driver(const struct kr_instance_driver *driver, VkPhysicalDevice device,
	const VkAllocationCallbacks *allocator, struct kr_device_extensions *extensions)
{
	const struct kr_enumerate_question question = {
		.of_device = driver->table.EnumerateDeviceExtensionProperties,
		.device = device,
		.who = driver->driver->driver->name,
		.log = KR_LOG_DRIVER,
	};
	VkResult result = kr_enumerate_extensions(
		&question, allocator, &extensions->count, &extensions->items);
	uint32_t kept = 0;

	for (uint32_t i = 0; result == VK_SUCCESS && i < extensions->count; i++) {
		if (!is_of_the_platform(driver, extensions->items[i].extensionName))
			extensions->items[kept++] = extensions->items[i];
	}
	if (result == VK_SUCCESS)
		extensions->count = kept;
	return result;
}

bool
kr_device_extensions_have(const struct kr_device_extensions *extensions, const char *name)
{
	for (uint32_t i = 0; i < extensions->count; i++) {
		if (!strcmp(extensions->items[i].extensionName, name))
			return true;
	}
	return false;
}

bool
kr_physical_device_has_extension(const struct kr_physical_device *device, const char *name)
{
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	struct kr_device_extensions extensions = {0};
	bool has;

	if (kr_device_extensions_of_driver(device->owner, device->handle, allocator, &extensions) !=
		VK_SUCCESS)
		return false;
	has = kr_device_extensions_have(&extensions, name);
	kr_free(allocator, extensions.items);
	return has;
}
