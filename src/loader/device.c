/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and destroying devices: the whole chain, from the application's call down. */
#include "loader/device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/missing.h"
#include "layers/layers.h"
#include "loader/bottom.h"
#include "loader/create_device.h"
#include "loader/device_functions.h"
#include "loader/devices/device.h"
#include "loader/drivers/device_extensions.h"
#include "loader/devices/foreign.h"
#include "loader/messages/messages.h"
#include "util/alloc.h"
#include "util/log.h"

/* The functions of the first layer, which knows what is below it. */
static void
load_top(struct kr_device *device, VkDevice handle, PFN_vkGetDeviceProcAddr top)
{
	struct kr_device_table table;

	kr_device_table_load(&table, top, handle);
	table.magic = KR_DEVICE_MAGIC;
	table.GetDeviceProcAddr = top;
	device->table = table;
	kr_foreign_intercept_names(device);
}

/*
 * What layers find in *device before there is a device. None has to touch it; as with an instance,
 * one that does is found out.
 */
/* What layers know from the Khronos loader. */
#define NO_DEVICE_MAGIC UINT64_C(0x10aded040410aded)

struct no_device {
	uint64_t magic;
	uint64_t room[15];
};

static void
check_intact(const struct no_device *none)
{
	if (none->magic == NO_DEVICE_MAGIC)
		return;
	kr_log(KR_LOG_ERROR | KR_LOG_FATAL | KR_LOG_LAYER,
		"terminator_CreateDevice: Device pointer (%p) has invalid MAGIC value 0x%08x. The expected value is 0x%" PRIX64
		". Device value possibly corrupted by active layer (Policy #LLP_LAYER_22)",
		(const void *)none, (unsigned)none->magic, NO_DEVICE_MAGIC);
	abort();
}

static VkResult
create_through_layers(struct kr_instance *instance, VkPhysicalDevice physical_device,
	const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *handle,
	PFN_vkGetDeviceProcAddr *top)
{
	struct no_device none = {.magic = NO_DEVICE_MAGIC};
	VkDeviceCreateInfo chosen = *info;
	struct kr_foreign_group group;
	VkResult result = kr_foreign_group_init(&group, instance, info->pNext, allocator);

	if (result != VK_SUCCESS)
		return result;
	chosen.pNext = group.head;
	*handle = (VkDevice)&none;
	result = kr_layer_chain_create_device(instance->chain, &kr_bottom, NULL, instance->handle,
		physical_device, &chosen, allocator, handle, top);
	kr_foreign_group_finish(&group, allocator);
	check_intact(&none);
	if (result == VK_SUCCESS && (!*handle || *handle == (VkDevice)&none)) {
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER,
			"vkCreateDevice: a layer reported success without giving a device");
		result = VK_ERROR_INITIALIZATION_FAILED;
	}
	if (result != VK_SUCCESS)
		kr_device_destroy_orphans(instance);
	return result;
}

static VkResult
create(struct kr_instance *instance, VkPhysicalDevice physical_device,
	const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out)
{
	PFN_vkGetDeviceProcAddr top = kr_terminator_GetDeviceProcAddr;
	struct kr_device *device;
	VkDevice handle;
	VkResult result;

	if (!instance->chain)
		result = kr_terminator_CreateDevice(physical_device, info, allocator, &handle);
	else
		result = create_through_layers(
			instance, physical_device, info, allocator, &handle, &top);
	if (result != VK_SUCCESS)
		return result;
	device = kr_device_from_dispatchable(handle);
	if (top != kr_terminator_GetDeviceProcAddr)
		load_top(device, handle, top);
	/* Entry points can be called whether the device has the command or not. */
	kr_device_table_fill_missing(&device->table);
	device->top = handle;
	device->published = true;
	*out = handle;
	return VK_SUCCESS;
}

/* Each extension must be somebody's: the driver's as its layers show it, or a layer's own. */
static VkResult
check_extensions(const struct kr_instance *instance, VkPhysicalDevice physical_device,
	const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator)
{
	struct kr_device_extensions offered = {0};
	VkResult result;

	if (!info->enabledExtensionCount)
		return VK_SUCCESS;
	result = kr_device_extensions_ask(&instance->table, physical_device, allocator, &offered);
	for (uint32_t i = 0; result == VK_SUCCESS && i < info->enabledExtensionCount; i++) {
		const char *name = info->ppEnabledExtensionNames[i];

		if (kr_device_extensions_have(&offered, name) ||
			kr_layer_chain_has_device_extension(instance->chain, name))
			continue;
		kr_error(
			"vkCreateDevice: device extension %s is not available: neither the driver nor an enabled layer has it",
			name);
		result = VK_ERROR_EXTENSION_NOT_PRESENT;
	}
	kr_free(allocator, offered.items);
	return result;
}

/* Whether these are the layers that the application gave vkCreateInstance, in the same order. */
static bool
are_the_instances(const struct kr_layer_chain *chain, uint32_t count, const char *const *names)
{
	uint32_t at = 0;

	for (uint32_t i = 0; chain && i < chain->enabled.count; i++) {
		const struct kr_layer_choice *choice = &chain->enabled.items[i];

		if (!choice->requested)
			continue;
		if (at == count || strcmp(names[at++], choice->manifest->name) != 0)
			return false;
	}
	return at == count;
}

/* Devices have no layers of their own any more: theirs are the instance's. */
static void
check_layers(const struct kr_instance *instance, const VkDeviceCreateInfo *info)
{
	if (!info->enabledLayerCount || !info->ppEnabledLayerNames)
		return;
	if (are_the_instances(instance->chain, info->enabledLayerCount, info->ppEnabledLayerNames))
		return;
	kr_log(KR_LOG_WARN | KR_LOG_LAYER,
		"loader_create_device_chain: Using deprecated and ignored 'ppEnabledLayerNames' member of 'VkDeviceCreateInfo' when creating a Vulkan device. (The device uses the layers of its instance.)");
}

VkResult
kr_device_create(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *out)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(physical_device);
	struct kr_message_scope scope;
	VkResult result;

	kr_message_scope_begin(&scope, instance, NULL);
	physical_device = kr_foreign_unwrap(instance, physical_device);
	check_layers(instance, info);
	result = check_extensions(instance, physical_device, info, allocator);
	if (result == VK_SUCCESS)
		result = create(instance, physical_device, info, allocator, out);
	kr_message_scope_end(&scope);
	return result;
}

void
kr_device_destroy(VkDevice handle, const VkAllocationCallbacks *allocator)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	struct kr_message_scope scope;

	kr_message_scope_begin(&scope, device->instance, NULL);
	device->table.DestroyDevice(handle, allocator);
	kr_message_scope_end(&scope);
	kr_object_free(device);
}
