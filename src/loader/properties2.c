/* SPDX-License-Identifier: Apache-2.0 */
/* Physical device queries in their second form, from the first where there is no other. */
#include "loader/properties2.h"

#include <string.h>

#include "adapter/chain.h"
#include "adapter/hidden_features.h"
#include "gen/struct_sizes.h"
#include "util/alloc.h"
#include "util/log.h"

#define SHARE(table, name)                                                                         \
	do {                                                                                       \
		if (!(table)->name)                                                                \
			(table)->name = (table)->name##KHR;                                        \
		if (!(table)->name##KHR)                                                           \
			(table)->name##KHR = (table)->name;                                        \
	} while (0)

void
kr_properties2_prepare(struct kr_driver_instance *driver)
{
	struct kr_instance_table *table = &driver->table;

	SHARE(table, GetPhysicalDeviceFeatures2);
	SHARE(table, GetPhysicalDeviceProperties2);
	SHARE(table, GetPhysicalDeviceFormatProperties2);
	SHARE(table, GetPhysicalDeviceImageFormatProperties2);
	SHARE(table, GetPhysicalDeviceQueueFamilyProperties2);
	SHARE(table, GetPhysicalDeviceMemoryProperties2);
	SHARE(table, GetPhysicalDeviceSparseImageFormatProperties2);
	driver->properties2 = table->GetPhysicalDeviceProperties2 != NULL;
}

/* Features of hidden extensions: the driver isn't asked, nobody has them. */
static void
deny(const struct kr_unlinked *hidden)
{
	for (size_t i = 0; i < hidden->count; i++) {
		VkBaseOutStructure *node = hidden->items[i].node;
		size_t size = kr_struct_size(node->sType);

		/* One of a newer registry: they begin with a VkBool32, most have no other. */
		if (size <= sizeof(*node))
			size = sizeof(*node) + sizeof(VkBool32);
		memset(node + 1, 0, size - sizeof(*node));
	}
}

VKAPI_ATTR void VKAPI_CALL
kr_bottom_GetPhysicalDeviceFeatures2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2 *features)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	const struct kr_driver_instance *owner = device->owner;
	struct kr_unlinked hidden = {.count = 0};

	if (!owner->properties2) {
		device->driver->GetPhysicalDeviceFeatures(device->handle, &features->features);
		return;
	}
	/* The adapter sees to it itself. */
	if (owner->native_buffer && !owner->adapter)
		kr_chain_unlink(features, kr_adapter_is_hidden_feature, &hidden);
	device->driver->GetPhysicalDeviceFeatures2(device->handle, features);
	deny(&hidden);
	kr_chain_relink(&hidden);
}

VKAPI_ATTR void VKAPI_CALL
kr_bottom_GetPhysicalDeviceProperties2(
	VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (device->owner->properties2)
		device->driver->GetPhysicalDeviceProperties2(device->handle, properties);
	else
		device->driver->GetPhysicalDeviceProperties(
			device->handle, &properties->properties);
}

VKAPI_ATTR void VKAPI_CALL
kr_bottom_GetPhysicalDeviceFormatProperties2(
	VkPhysicalDevice handle, VkFormat format, VkFormatProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (device->owner->properties2)
		device->driver->GetPhysicalDeviceFormatProperties2(
			device->handle, format, properties);
	else
		device->driver->GetPhysicalDeviceFormatProperties(
			device->handle, format, &properties->formatProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice handle,
	const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (device->owner->properties2)
		return device->driver->GetPhysicalDeviceImageFormatProperties2(
			device->handle, info, properties);
	return device->driver->GetPhysicalDeviceImageFormatProperties(device->handle, info->format,
		info->type, info->tiling, info->usage, info->flags,
		&properties->imageFormatProperties);
}

VKAPI_ATTR void VKAPI_CALL
kr_bottom_GetPhysicalDeviceQueueFamilyProperties2(
	VkPhysicalDevice handle, uint32_t *count, VkQueueFamilyProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	VkQueueFamilyProperties *found;

	if (device->owner->properties2) {
		device->driver->GetPhysicalDeviceQueueFamilyProperties2(
			device->handle, count, properties);
		return;
	}
	if (!properties) {
		device->driver->GetPhysicalDeviceQueueFamilyProperties(device->handle, count, NULL);
		return;
	}
	found = kr_zalloc_array(
		allocator, KR_MAX(*count, 1u), sizeof(*found), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!found) {
		kr_error("vkGetPhysicalDeviceQueueFamilyProperties2: no memory");
		*count = 0;
		return;
	}
	device->driver->GetPhysicalDeviceQueueFamilyProperties(device->handle, count, found);
	for (uint32_t i = 0; i < *count; i++)
		properties[i].queueFamilyProperties = found[i];
	kr_free(allocator, found);
}

VKAPI_ATTR void VKAPI_CALL
kr_bottom_GetPhysicalDeviceMemoryProperties2(
	VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (device->owner->properties2)
		device->driver->GetPhysicalDeviceMemoryProperties2(device->handle, properties);
	else
		device->driver->GetPhysicalDeviceMemoryProperties(
			device->handle, &properties->memoryProperties);
}

VKAPI_ATTR void VKAPI_CALL
kr_bottom_GetPhysicalDeviceSparseImageFormatProperties2(VkPhysicalDevice handle,
	const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
	VkSparseImageFormatProperties2 *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	PFN_vkGetPhysicalDeviceSparseImageFormatProperties ask =
		device->driver->GetPhysicalDeviceSparseImageFormatProperties;
	VkSparseImageFormatProperties *found = NULL;

	if (device->owner->properties2) {
		device->driver->GetPhysicalDeviceSparseImageFormatProperties2(
			device->handle, info, count, properties);
		return;
	}
	if (properties) {
		found = kr_zalloc_array(allocator, KR_MAX(*count, 1u), sizeof(*found),
			VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
		if (!found) {
			kr_error("vkGetPhysicalDeviceSparseImageFormatProperties2: no memory");
			*count = 0;
			return;
		}
	}
	ask(device->handle, info->format, info->type, info->samples, info->usage, info->tiling,
		count, found);
	for (uint32_t i = 0; properties && i < *count; i++)
		properties[i].properties = found[i];
	kr_free(allocator, found);
}
