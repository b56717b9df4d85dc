/* SPDX-License-Identifier: Apache-2.0 */
/* An instance in one driver. */
#include "loader/instances/driver.h"

#include <string.h>

#include "adapter/adapter.h"
#include "gen/missing.h"
#include "loader/messages/driver.h"
#include "loader/drivers/drivers.h"
#include "loader/drivers/extensions.h"
#include "loader/emulation/properties2.h"
#include "util/alloc.h"
#include "util/log.h"

/* Since this version drivers may make surfaces themselves. */
#define INTERFACE_SURFACES 3

/* Layers have read what the loader chained for them; drivers know nothing of it. */
static const void *
skip_loader_infos(const void *chain)
{
	const VkBaseInStructure *s = chain;

	while (s && s->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO)
		s = s->pNext;
	return s;
}

static VkResult
create(struct kr_instance_driver *driver, const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator)
{
	const struct kr_driver *d = driver->driver->driver;
	struct kr_adapter_icd icd = {
		.name = d->name,
		.get_instance_proc_addr = d->get_instance_proc_addr,
		.get_physical_device_proc_addr = d->get_physical_device_proc_addr,
		.create_instance = d->create_instance,
		.enumerate_instance_extension_properties =
			d->enumerate_instance_extension_properties,
	};
	struct kr_adapter_options options = {
		.keep_driver_wsi = driver->driver_wsi || !driver->native_buffer,
		.no_windows = !driver->native_buffer,
	};
	VkResult result;

	if (!driver->adapter) {
		driver->get_instance_proc_addr = d->get_instance_proc_addr;
		result = d->create_instance(info, allocator, &driver->handle);
	} else {
		driver->get_instance_proc_addr = kr_adapter_get_instance_proc_addr;
		result = kr_adapter_create_instance(
			&icd, &options, info, allocator, &driver->handle);
	}
	if (result < VK_SUCCESS || driver->handle)
		return result;
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
		"%s: vkCreateInstance answered VkResult %d and gave no instance", d->name, result);
	return VK_ERROR_INITIALIZATION_FAILED;
}

/* What no driver of Vulkan 1.0 can be without. */
static bool
is_usable(const struct kr_instance_driver *driver)
{
	const struct kr_instance_table *table = &driver->table;

	return table->DestroyInstance && table->EnumeratePhysicalDevices &&
		(driver->driver->driver->source == KR_DRIVER_STUB ||
			(table->GetPhysicalDeviceProperties && table->CreateDevice &&
				table->EnumerateDeviceExtensionProperties &&
				driver->get_device_proc_addr));
}

static void
warn_about_surfaces(const struct kr_instance_driver *driver)
{
	uint32_t version = driver->driver->driver->interface_version;

	if (version >= INTERFACE_SURFACES || !driver->table.DestroySurfaceKHR || driver->adapter ||
		driver->driver->driver->source != KR_DRIVER_MANIFEST)
		return;
	kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
		"%s makes surfaces itself, but its interface version %u leaves them to the loader: %d or newer is required (Policy #LDP_DRIVER_8)",
		driver->driver->driver->library_path, version, INTERFACE_SURFACES);
}

static VkResult
load_functions(struct kr_instance_driver *driver, const VkAllocationCallbacks *allocator)
{
	PFN_vkDestroyInstance destroy;

	kr_instance_table_load(&driver->table, driver->get_instance_proc_addr, driver->handle);
	driver->get_device_proc_addr = (PFN_vkGetDeviceProcAddr)driver->get_instance_proc_addr(
		driver->handle, "vkGetDeviceProcAddr");
	if (!is_usable(driver)) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"%s: a function that every driver has is missing, it is not used",
			driver->driver->driver->name);
		destroy = driver->table.DestroyInstance;
		if (destroy)
			destroy(driver->handle, allocator);
		driver->handle = VK_NULL_HANDLE;
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	}
	warn_about_surfaces(driver);
	kr_properties2_prepare(driver);
	kr_instance_table_fill_missing(&driver->table);
	return VK_SUCCESS;
}

static bool
has_extension(const struct kr_loaded_driver *driver, const char *name)
{
	for (uint32_t i = 0; i < driver->extension_count; i++) {
		if (!strcmp(driver->extensions[i].extensionName, name))
			return true;
	}
	return false;
}

/* Those that were chosen for it, and of names that no registry of ours has those that it knows. */
static uint32_t
name_extensions(const struct kr_instance_driver *driver, const VkInstanceCreateInfo *info,
	const char **names)
{
	uint32_t count = 0;

	for (int e = 0; e < KR_EXTENSION_COUNT; e++) {
		if (kr_extension_set_has(&driver->enabled, e))
			names[count++] = kr_extensions[e].name;
	}
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		const char *name = info->ppEnabledExtensionNames[i];

		if (kr_extension_find(name) == KR_EXTENSION_NONE &&
			has_extension(driver->driver, name))
			names[count++] = name;
	}
	return count;
}

/*
 * The application's version as this driver may hear it: one of 1.0 may refuse any other (vk_icd.h:
 * up to interface 4 drivers do, from 5 on they take what they can run). The settings file's device
 * configurations need queries of 1.1, also below an application of 1.0.
 */
static uint32_t
version_for(const struct kr_instance_driver *driver, const VkInstanceCreateInfo *info)
{
	uint32_t version = info->pApplicationInfo ? info->pApplicationInfo->apiVersion : 0;

	if (driver->driver->api_version < VK_API_VERSION_1_1)
		return version >= VK_API_VERSION_1_1 ? VK_API_VERSION_1_0 : version;
	if (driver->instance->settings.device_count && version < VK_API_VERSION_1_1)
		return VK_API_VERSION_1_1;
	return version;
}

/* What the loader did with this flag, a driver without the extension needn't know. */
static VkInstanceCreateFlags
flags_for(const struct kr_instance_driver *driver, const VkInstanceCreateInfo *info)
{
	if (kr_extension_set_has(&driver->enabled, KR_EXT_VK_KHR_portability_enumeration))
		return info->flags;
	return info->flags &
		~(VkInstanceCreateFlags)VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
}

/* With the names in place. */
static VkResult
create_with(struct kr_instance_driver *driver, const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, const char **names)
{
	VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
	VkInstanceCreateInfo chosen = *info;
	struct kr_message_chain messages;
	VkResult result;

	chosen.flags = flags_for(driver, info);
	chosen.enabledLayerCount = 0;
	chosen.ppEnabledLayerNames = NULL;
	chosen.enabledExtensionCount = name_extensions(driver, info, names);
	chosen.ppEnabledExtensionNames = chosen.enabledExtensionCount ? names : NULL;
	if (info->pApplicationInfo)
		application = *info->pApplicationInfo;
	application.apiVersion = version_for(driver, info);
	if (info->pApplicationInfo || application.apiVersion)
		chosen.pApplicationInfo = &application;
	result = kr_message_chain_init(
		&messages, driver->instance, skip_loader_infos(info->pNext), allocator);
	if (result != VK_SUCCESS)
		return result;
	chosen.pNext = messages.head;
	result = create(driver, &chosen, allocator);
	kr_message_chain_finish(&messages);
	return result;
}

VkResult
kr_instance_driver_create(struct kr_instance_driver *driver, const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator)
{
	const char **names =
		kr_zalloc_array(allocator, (size_t)KR_EXTENSION_COUNT + info->enabledExtensionCount,
			sizeof(*names), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	VkResult result;

	if (!names)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	driver->allocator = NULL;
	if (allocator) {
		driver->allocator_copy = *allocator;
		driver->allocator = &driver->allocator_copy;
	}
	result = create_with(driver, info, allocator, names);
	kr_free(allocator, names);
	if (result == VK_SUCCESS)
		return load_functions(driver, allocator);
	driver->handle = VK_NULL_HANDLE;
	kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
		"%s: vkCreateInstance failed (VkResult %d), it is not used",
		driver->driver->driver->name, result);
	return result;
}

void
kr_instance_driver_destroy(struct kr_instance_driver *driver)
{
	if (!driver->handle)
		return;
	driver->table.DestroyInstance(driver->handle, driver->allocator);
	driver->handle = VK_NULL_HANDLE;
}
