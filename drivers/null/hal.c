/* SPDX-License-Identifier: Apache-2.0 */
/* The two ways in: the HAL module HMI, and the interface of Linux drivers (ICD, version 7). */
#include <krafla/hal.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "null/commands.h"
#include "null/mutants.h"
#include "null/null.h"

#define ICD_INTERFACE_VERSION 7u

static PFN_vkVoidFunction
get_instance_proc_addr(VkInstance handle, const char *name, bool hal)
{
	PFN_vkVoidFunction fn = null_find_function(name);

	if (null_has_fault(version_is_unknown) && !strcmp(name, "vkEnumerateInstanceVersion"))
		return NULL;
	if (null_has_fault(instance_lacks_core) &&
		!strcmp(name, "vkGetPhysicalDeviceExternalFenceProperties"))
		return NULL;
	if (fn &&
		(handle || null_is_global_function(name) ||
			!strcmp(name, "vkGetInstanceProcAddr") ||
			null_has_fault(everything_is_global)))
		return fn;
	if (null_has_fault(instance_knows_all_names) && !fn && !strncmp(name, "vk", 2))
		return null_find_function("vkDestroyInstance");
	if (!handle || !hal)
		return NULL;
	return null_find_native_buffer_function(&((struct null_instance *)handle)->settings, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
null_GetInstanceProcAddr(VkInstance handle, const char *name)
{
	return get_instance_proc_addr(handle, name, false);
}

static VKAPI_ATTR VkResult VKAPI_CALL
hal_create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	return null_create_instance(info, allocator, true, out);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
hal_get_instance_proc_addr(VkInstance handle, const char *name)
{
	if (!strcmp(name, "vkCreateInstance"))
		return (PFN_vkVoidFunction)hal_create_instance;
	if (!strcmp(name, "vkGetInstanceProcAddr"))
		return (PFN_vkVoidFunction)hal_get_instance_proc_addr;
	return get_instance_proc_addr(handle, name, true);
}

static int
close_device(struct hw_device_t *device)
{
	if (null_has_fault(close_fails))
		return -EBUSY;
	free(device);
	return 0;
}

/* What is wrong with the device, in the mutants that are so. */
static void
break_device(struct hwvulkan_device_t *device)
{
	if (null_has_fault(device_without_tag))
		device->common.tag = 0;
	if (null_has_fault(device_of_version_0))
		device->common.version = 0;
	if (null_has_fault(device_of_no_module))
		device->common.module = NULL;
	if (null_has_fault(device_without_enumeration))
		device->EnumerateInstanceExtensionProperties = NULL;
	if (null_has_fault(open_leaks))
		(void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* What open() gives in the mutants whose open() is wrong. */
static int
opening_error(void)
{
	static unsigned opened;

	if (null_has_fault(open_always_fails))
		return -ENODEV;
	return null_has_fault(second_open_says_both) && opened++ ? -EBUSY : 0;
}

static int
open_device(const struct hw_module_t *module, const char *id, struct hw_device_t **out)
{
	struct hwvulkan_device_t *device;

	if (strcmp(id, HWVULKAN_DEVICE_0) && !null_has_fault(open_reads_no_name))
		return -ENOENT;
	device = calloc(1, sizeof(*device));
	if (!device)
		return -ENOMEM;
	device->common.tag = HARDWARE_DEVICE_TAG;
	device->common.version = HWVULKAN_DEVICE_API_VERSION_0_1;
	device->common.module = (struct hw_module_t *)module;
	device->common.close = close_device;
	device->EnumerateInstanceExtensionProperties = null_EnumerateInstanceExtensionProperties;
	device->CreateInstance = hal_create_instance;
	device->GetInstanceProcAddr = hal_get_instance_proc_addr;
	break_device(device);
	*out = &device->common;
	return opening_error();
}

static struct hw_module_methods_t methods = {.open = open_device};

extern struct hwvulkan_module_t HAL_MODULE_INFO_SYM;
KR_EXPORT struct hwvulkan_module_t HAL_MODULE_INFO_SYM = {
	.common =
		{
			.tag = HARDWARE_MODULE_TAG,
			.module_api_version = HWVULKAN_MODULE_API_VERSION_0_1,
			.hal_api_version = HARDWARE_HAL_API_VERSION,
			.id = HWVULKAN_HARDWARE_MODULE_ID,
			.name = NULL_NAME,
			.author = "Krafla",
			.methods = &methods,
		},
};

/* Behind control.c, which knows by then which mutant this is. */
__attribute__((constructor(102))) static void
break_module(void)
{
	hw_module_t *module = &HAL_MODULE_INFO_SYM.common;

	if (null_has_fault(module_without_tag))
		module->tag = 0;
	if (null_has_fault(module_of_another_kind))
		module->id = "gralloc";
	if (null_has_fault(module_of_version_0))
		module->module_api_version = 0;
	if (null_has_fault(module_of_no_hal))
		module->hal_api_version = 0;
	if (null_has_fault(module_without_open))
		methods.open = NULL;
	if (null_has_fault(module_without_names))
		module->name = module->author = NULL;
}

__attribute__((destructor)) static void
break_exit(void)
{
	if (null_has_fault(exit_aborts))
		abort();
}

KR_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(
	uint32_t *version);
KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(
	VkInstance instance, const char *name);
KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(
	VkInstance instance, const char *name);

VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	/* Below 5 a loader would expect a driver of Vulkan 1.0. */
	if (*version < 5)
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	*version = KR_MIN(*version, ICD_INTERFACE_VERSION);
	return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
	return null_is_physical_device_function(name) ? null_find_function(name) : NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	if (!strcmp(name, "vk_icdNegotiateLoaderICDInterfaceVersion"))
		return (PFN_vkVoidFunction)vk_icdNegotiateLoaderICDInterfaceVersion;
	if (!strcmp(name, "vk_icdGetPhysicalDeviceProcAddr"))
		return (PFN_vkVoidFunction)vk_icdGetPhysicalDeviceProcAddr;
	return null_GetInstanceProcAddr(instance, name);
}
