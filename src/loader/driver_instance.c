/* SPDX-License-Identifier: Apache-2.0 */
/* An instance in one driver. */
#include "loader/driver_instance.h"

#include "adapter/adapter.h"
#include "gen/missing.h"
#include "loader/driver_messages.h"
#include "loader/drivers.h"
#include "loader/extensions.h"
#include "loader/properties2.h"
#include "util/log.h"

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
create(struct kr_driver_instance *driver, const VkInstanceCreateInfo *info,
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
	struct kr_adapter_options options = {.keep_driver_wsi = driver->driver_wsi};

	if (!driver->adapter) {
		driver->get_instance_proc_addr = d->get_instance_proc_addr;
		return d->create_instance(info, allocator, &driver->handle);
	}
	driver->get_instance_proc_addr = kr_adapter_get_instance_proc_addr;
	return kr_adapter_create_instance(&icd, &options, info, allocator, &driver->handle);
}

/* What no driver of Vulkan 1.0 can be without. */
static bool
is_usable(const struct kr_driver_instance *driver)
{
	const struct kr_instance_table *table = &driver->table;

	return table->DestroyInstance && table->EnumeratePhysicalDevices &&
		(driver->driver->driver->source == KR_DRIVER_STUB ||
			(table->GetPhysicalDeviceProperties && table->CreateDevice &&
				table->EnumerateDeviceExtensionProperties &&
				driver->get_device_proc_addr));
}

static VkResult
load_functions(struct kr_driver_instance *driver, const VkAllocationCallbacks *allocator)
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
	kr_properties2_prepare(driver);
	kr_instance_table_fill_missing(&driver->table);
	return VK_SUCCESS;
}

VkResult
kr_driver_instance_create(struct kr_driver_instance *driver, const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator)
{
	const char *names[KR_EXTENSION_COUNT];
	VkInstanceCreateInfo chosen = *info;
	struct kr_driver_messages messages;
	VkApplicationInfo application;
	VkResult result;
	uint32_t count = 0;

	for (int e = 0; e < KR_EXTENSION_COUNT; e++) {
		if (kr_extension_set_has(&driver->enabled, e))
			names[count++] = kr_extensions[e].name;
	}
	chosen.flags &= ~(VkInstanceCreateFlags)VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
	chosen.enabledLayerCount = 0;
	chosen.ppEnabledLayerNames = NULL;
	chosen.enabledExtensionCount = count;
	chosen.ppEnabledExtensionNames = count ? names : NULL;
	/* A driver of 1.0 may refuse any other version (abi.md 9, interface 5). */
	if (info->pApplicationInfo && driver->driver->api_version < VK_API_VERSION_1_1 &&
		info->pApplicationInfo->apiVersion >= VK_API_VERSION_1_1) {
		application = *info->pApplicationInfo;
		application.apiVersion = VK_API_VERSION_1_0;
		chosen.pApplicationInfo = &application;
	}
	result = kr_driver_messages_init(
		&messages, driver->instance, skip_loader_infos(info->pNext), allocator);
	if (result != VK_SUCCESS)
		return result;
	chosen.pNext = messages.head;
	result = create(driver, &chosen, allocator);
	kr_driver_messages_finish(&messages);
	if (result == VK_SUCCESS)
		return load_functions(driver, allocator);
	driver->handle = VK_NULL_HANDLE;
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
		"%s: vkCreateInstance failed (VkResult %d), it is not used",
		driver->driver->driver->name, result);
	return result;
}

void
kr_driver_instance_destroy(
	struct kr_driver_instance *driver, const VkAllocationCallbacks *allocator)
{
	if (!driver->handle)
		return;
	driver->table.DestroyInstance(driver->handle, allocator);
	driver->handle = VK_NULL_HANDLE;
}
