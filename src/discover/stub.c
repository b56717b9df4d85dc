/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver of a system without drivers (D-04): instances work and have no physical devices. Like
 * Android's it has no vkEnumerateInstanceVersion, so it counts as Vulkan 1.0.
 */
#include "discover/sources.h"

#include <errno.h>
#include <string.h>

#include "util/alloc.h"
#include "util/log.h"
#include "util/text.h"

struct stub_instance {
	hwvulkan_dispatch_t dispatch;
};

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions(const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	if (layer)
		return VK_ERROR_LAYER_NOT_PRESENT;
	*count = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	struct stub_instance *instance;

	if (info->enabledExtensionCount)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	instance = kr_zalloc(allocator, sizeof(*instance), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (!instance)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	instance->dispatch.magic = HWVULKAN_DISPATCH_MAGIC;
	*out = (VkInstance)instance;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	kr_free(allocator, instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
	*count = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_groups(VkInstance instance, uint32_t *count, VkPhysicalDeviceGroupProperties *groups)
{
	*count = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_instance_proc_addr(VkInstance instance, const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction fn;
	} functions[] = {
		{"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
		{"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
		{"vkEnumerateInstanceExtensionProperties",
			(PFN_vkVoidFunction)enumerate_extensions},
		{"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate_devices},
		{"vkEnumeratePhysicalDeviceGroups", (PFN_vkVoidFunction)enumerate_groups},
		{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_instance_proc_addr},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(name, functions[i].name))
			return functions[i].fn;
	}
	return NULL;
}

int
kr_discover_stub(struct kr_driver_list *list)
{
	struct kr_driver *driver = kr_driver_create(KR_DRIVER_STUB, NULL, NULL);

	if (!driver)
		return -ENOMEM;
	driver->get_instance_proc_addr = get_instance_proc_addr;
	driver->enumerate_instance_extension_properties = enumerate_extensions;
	driver->create_instance = create_instance;
	kr_list_append(&list->drivers, &driver->link);
	kr_log(KR_LOG_WARN | KR_LOG_DRIVER, "no driver was found: there will be no devices");
	return kr_candidate_add(list, &(struct kr_driver_candidate){.source = KR_DRIVER_STUB},
		KR_CANDIDATE_USED, kr_asprintf("no driver was found: there will be no devices"));
}
