/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of an application's VkDeviceCreateInfo a driver gets: no layers, VK_ANDROID_native_buffer
 * for VK_KHR_swapchain, its own physical devices, no feature of an extension that is hidden.
 */
#include "loader/devices/create_info.h"

#include <string.h>

#include "chain/chain.h"
#include "gen/handle_reach.h"
#include "gen/struct_sizes.h"
#include <krafla/native_buffer.h>
#include "loader/devices/features.h"
#include "loader/devices/offers.h"
#include "loader/devices/window.h"
#include "loader/drivers/device_extensions.h"
#include "loader/drivers/drivers.h"
#include "loader/handles/physical_device.h"
#include "util/alloc.h"
#include "util/log.h"

#define COMPRESSION_CONTROL_FEATURES                                                               \
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_FEATURES_EXT
#define MAINTENANCE_5                "VK_KHR_maintenance5"
#define STRUCTURE_TYPE_MAINTENANCE_5 1000470000

static VkResult
refuse(const char *name)
{
	kr_error("vkCreateDevice: device extension %s is not available", name);
	return VK_ERROR_EXTENSION_NOT_PRESENT;
}

/* What VK_KHR_swapchain becomes: ours, the driver's, or both. */
static void
add_swapchain(struct kr_device_create_info *out, const struct kr_device_window *window)
{
	if (window->native_buffer)
		out->names[out->info.enabledExtensionCount++] =
			VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME;
	if (!window->native_buffer || window->own)
		out->names[out->info.enabledExtensionCount++] = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
}

static bool
is_named(const VkDeviceCreateInfo *info, const char *name)
{
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		if (!strcmp(info->ppEnabledExtensionNames[i], name))
			return true;
	}
	return false;
}

/* VK_KHR_calibrated_timestamps of ours asks a driver that has the older extension by that. */
static void
add_older_timestamps(struct kr_device_create_info *out, const VkDeviceCreateInfo *info,
	const struct kr_device_window *window, const struct kr_device_extensions *offered)
{
	const char *newer = VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
	const char *older = VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
	size_t offer = kr_vk_offer_find(newer);

	if (window->native_buffer && is_named(info, newer) && !is_named(info, older) &&
		!(window->passed & 1u << offer) && kr_device_extensions_have(offered, older))
		out->names[out->info.enabledExtensionCount++] = older;
}

/* One of the application's or of a layer's extensions, for the driver if it is the driver's. */
static VkResult
choose_extension(struct kr_device_create_info *out, struct kr_device *device, const char *name,
	const struct kr_device_window *window, const struct kr_device_extensions *offered)
{
	enum kr_extension extension = kr_extension_find(name);
	size_t offer = window->native_buffer ? kr_vk_offer_find(name) : KR_OFFER_NONE;

	if (!strcmp(name, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME) ||
		(window->native_buffer && kr_device_extension_is_hidden(name)) ||
		(offer != KR_OFFER_NONE && !(window->offered & 1u << offer)))
		return refuse(name);
	if (offer != KR_OFFER_NONE) {
		if (window->passed & 1u << offer)
			out->names[out->info.enabledExtensionCount++] = name;
	} else if (extension == KR_EXT_VK_KHR_swapchain) {
		if (!kr_extension_set_has(&device->enabled, extension))
			add_swapchain(out, window);
	} else if (!kr_device_extensions_have(offered, name)) {
		kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER,
			"vkCreateDevice: %s doesn't get the extension %s, which it hasn't",
			device->physical_device->owner->driver->driver->name, name);
	} else {
		out->names[out->info.enabledExtensionCount++] = name;
	}
	kr_extension_set_add(&device->enabled, extension);
	device->maintenance5 |= !strcmp(name, MAINTENANCE_5);
	return VK_SUCCESS;
}

static VkResult
choose_extensions(struct kr_device_create_info *out, struct kr_device *device,
	const VkDeviceCreateInfo *info, const struct kr_device_window *window)
{
	struct kr_device_extensions offered = {0};
	VkResult result = VK_SUCCESS;

	out->info.enabledExtensionCount = 0;
	/* Two more, since VK_KHR_swapchain and calibrated timestamps may become two each. */
	out->names = kr_zalloc_array(out->allocator, (size_t)info->enabledExtensionCount + 2,
		sizeof(*out->names), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!out->names)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	out->info.ppEnabledExtensionNames = out->names;
	if (info->enabledExtensionCount)
		result = kr_device_extensions_of_driver(device->physical_device->owner,
			device->physical_device->handle, out->allocator, &offered);
	for (uint32_t i = 0; result == VK_SUCCESS && i < info->enabledExtensionCount; i++)
		result = choose_extension(
			out, device, info->ppEnabledExtensionNames[i], window, &offered);
	if (result == VK_SUCCESS)
		add_older_timestamps(out, info, window, &offered);
	kr_free(out->allocator, offered.items);
	return result;
}

/* VkPhysicalDeviceMaintenance5FeaturesKHR, which not every header has. */
struct maintenance5 {
	VkStructureType type;
	const void *next;
	VkBool32 enabled;
};

static bool
enables_maintenance5(const void *chain)
{
	const struct maintenance5 *features =
		kr_chain_find(chain, (VkStructureType)STRUCTURE_TYPE_MAINTENANCE_5);

	return features && features->enabled;
}

static bool
is_group(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO;
}

static bool
is_plain_group(const struct kr_chain_filter *filter, VkStructureType type)
{
	return is_group(type);
}

/* The group, and the features that aren't for the driver. */
static bool
is_group_or_ours(const struct kr_chain_filter *filter, VkStructureType type)
{
	const struct kr_chain_filter *features = filter->data;

	return is_group(type) || features->drops(features, type);
}

/* The group's devices as the driver knows them. */
static VkResult
translate_devices(struct kr_device_create_info *out, const VkDeviceGroupDeviceCreateInfo *group,
	const struct kr_instance_driver *owner)
{
	out->group_devices = kr_zalloc_array(out->allocator,
		group->physicalDeviceCount ? group->physicalDeviceCount : 1,
		sizeof(*out->group_devices), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!out->group_devices)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < group->physicalDeviceCount; i++) {
		const struct kr_physical_device *device =
			kr_physical_device_look_up(owner->instance, group->pPhysicalDevices[i]);

		if (!device || device->owner != owner) {
			kr_error("vkCreateDevice: a device group with %s",
				device ? "devices of several drivers"
				       : "a physical device that no driver has");
			return VK_ERROR_INITIALIZATION_FAILED;
		}
		out->group_devices[i] = device->handle;
	}
	return VK_SUCCESS;
}

/* The group with the driver's handles, put before the rest of the chain. */
static VkResult
translate_group(struct kr_device_create_info *out, const VkDeviceGroupDeviceCreateInfo *group,
	const struct kr_instance_driver *owner)
{
	VkResult result = translate_devices(out, group, owner);

	if (result != VK_SUCCESS)
		return result;
	out->group = *group;
	out->group.pPhysicalDevices = out->group_devices;
	out->group.pNext = out->info.pNext;
	out->info.pNext = &out->group;
	return VK_SUCCESS;
}

/* Whether a structure that nobody here can copy stands before the last one to leave out. */
static bool
has_unknown_before(const void *chain, const struct kr_chain_filter *filter)
{
	bool unknown = false, found = false;

	for (const VkBaseInStructure *s = chain; s; s = s->pNext) {
		if (filter->drops(filter, s->sType))
			found |= unknown;
		else if (!kr_struct_size(s->sType))
			unknown = true;
	}
	return found;
}

/*
 * The application's own structure gets the driver's handles for the time of the call: no other way.
 */
static VkResult
borrow_group(struct kr_device_create_info *out, const VkDeviceGroupDeviceCreateInfo *group,
	const struct kr_instance_driver *owner)
{
	VkResult result = translate_devices(out, group, owner);

	if (result != VK_SUCCESS)
		return result;
	out->borrowed_group = (VkDeviceGroupDeviceCreateInfo *)(uintptr_t)group;
	out->borrowed_devices = group->pPhysicalDevices;
	out->borrowed_group->pPhysicalDevices = out->group_devices;
	return VK_SUCCESS;
}

/* Layers have read what the loader chained for them. */
static const void *
skip_loader_infos(const void *chain)
{
	const VkBaseInStructure *s = chain;

	while (s && s->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
		s = s->pNext;
	return s;
}

/* The features that aren't the driver's leave the application's chain for the time of the call. */
static VkResult
borrow(struct kr_device_create_info *out, const VkDeviceGroupDeviceCreateInfo *group,
	const struct kr_chain_filter *features, const struct kr_instance_driver *owner)
{
	if (features)
		kr_chain_unlink_by(&out->info, features, &out->borrowed_features);
	return group ? borrow_group(out, group, owner) : VK_SUCCESS;
}

static VkResult
choose_chain(struct kr_device_create_info *out, const struct kr_instance_driver *owner,
	const struct kr_device_window *window)
{
	const struct kr_chain_filter features = kr_features_filter(window);
	const struct kr_chain_filter all = {is_group_or_ours, &features}, plain = {is_plain_group};
	const struct kr_chain_filter *filter = window->native_buffer ? &all : &plain;
	const void *group;
	VkResult result;

	out->info.pNext = skip_loader_infos(out->info.pNext);
	if (window->native_buffer) {
		result = kr_features_check(window, out->info.pNext);
		if (result != VK_SUCCESS)
			return result;
	}
	group = kr_chain_find(out->info.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
	if (has_unknown_before(out->info.pNext, filter))
		return borrow(out, group, window->native_buffer ? &features : NULL, owner);
	result = kr_chain_strip_by(
		&out->arena, out->info.pNext, filter, "vkCreateDevice", &out->info.pNext);
	if (result != VK_SUCCESS)
		return result;
	return group ? translate_group(out, group, owner) : VK_SUCCESS;
}

VkResult
kr_device_create_info_init(struct kr_device_create_info *out, struct kr_device *device,
	const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator)
{
	const struct kr_device_window *window;
	VkResult result = kr_physical_device_get_window(device->physical_device, &window);

	if (result != VK_SUCCESS)
		return result;
	*out = (struct kr_device_create_info){.info = *info, .allocator = allocator};
	kr_arena_init(&out->arena, allocator);
	device->native_buffer = window->native_buffer;
	device->compression_control = window->native_buffer &&
		kr_features_enable(info->pNext, COMPRESSION_CONTROL_FEATURES);
	device->maintenance5 = false;
	out->info.enabledLayerCount = 0;
	out->info.ppEnabledLayerNames = NULL;
	result = choose_extensions(out, device, info, window);
	device->maintenance5 = device->maintenance5 && enables_maintenance5(info->pNext);
	if (result == VK_SUCCESS)
		result = choose_chain(out, device->physical_device->owner, window);
	if (result != VK_SUCCESS)
		kr_device_create_info_finish(out);
	return result;
}

void
kr_device_create_info_finish(struct kr_device_create_info *info)
{
	if (info->borrowed_group)
		info->borrowed_group->pPhysicalDevices = info->borrowed_devices;
	kr_chain_relink(&info->borrowed_features);
	kr_free(info->allocator, info->names);
	kr_free(info->allocator, info->group_devices);
	kr_arena_finish(&info->arena);
}
