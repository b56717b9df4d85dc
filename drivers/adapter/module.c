/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vulkan.adapter.so: the adapter as a HAL module (D-02, D-03). Its ICD is what the property
 * ro.krafla.adapter.icd names: a manifest (.json) or a library. The ICD stays opened until the
 * device is closed; there is one of it, as there is one device of the platform.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_icd.h>
#include <krafla/hal.h>

#include "adapter/adapter.h"
#include "adapter/extensions.h"
#include "manifest/driver_manifest.h"
#include "manifest/profile.h"
#include "util/library.h"
#include "util/log.h"
#include "util/properties.h"
#include "util/text.h"

#define ICD_PROPERTY "ro.krafla.adapter.icd"

struct adapter_device {
	hwvulkan_device_t hal; /* first */
	void *library;
	char *name;
	struct kr_adapter_icd icd;
};

/* The functions of the HAL have no argument that says which device they are of. */
static struct adapter_device *opened;

static bool
is_window_system_extension(const char *name)
{
	return strstr(name, "surface") || strstr(name, "display") || strstr(name, "swapchain");
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_instance_extensions(
	const char *pLayerName, uint32_t *pPropertyCount, VkExtensionProperties *pProperties)
{
	struct kr_offered offered;
	uint32_t count = 0;
	VkResult result;

	if (pLayerName)
		return VK_ERROR_LAYER_NOT_PRESENT;
	result = kr_offered_instance(&opened->icd, NULL, &offered);
	if (result != VK_SUCCESS)
		return result;
	for (uint32_t i = 0; i < offered.count; i++) {
		if (is_window_system_extension(offered.items[i].extensionName))
			continue;
		if (pProperties && count == *pPropertyCount) {
			result = VK_INCOMPLETE;
			break;
		}
		if (pProperties)
			pProperties[count] = offered.items[i];
		count++;
	}
	*pPropertyCount = count;
	kr_offered_finish(&offered);
	return result;
}

/* Loaders ask an ICD for nothing that it doesn't list; some of them crash when somebody does. */
static VkResult
check_extensions(const VkInstanceCreateInfo *info)
{
	struct kr_offered offered;
	VkResult result;

	if (!info->enabledExtensionCount)
		return VK_SUCCESS;
	result = kr_offered_instance(&opened->icd, NULL, &offered);
	if (result != VK_SUCCESS)
		return result;
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		const char *name = info->ppEnabledExtensionNames[i];
		uint32_t j = 0;

		while (j < offered.count && strcmp(offered.items[j].extensionName, name) != 0)
			j++;
		if (j == offered.count || is_window_system_extension(name))
			result = VK_ERROR_EXTENSION_NOT_PRESENT;
	}
	kr_offered_finish(&offered);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(const VkInstanceCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkInstance *pInstance)
{
	const struct kr_adapter_options options = {.keep_driver_wsi = false};
	VkResult result = check_extensions(pCreateInfo);

	if (result != VK_SUCCESS)
		return result;
	return kr_adapter_create_instance(
		&opened->icd, &options, pCreateInfo, pAllocator, pInstance);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_instance_proc_addr(VkInstance instance, const char *pName)
{
	if (instance)
		return kr_adapter_get_instance_proc_addr(instance, pName);
	if (!strcmp(pName, "vkCreateInstance"))
		return (PFN_vkVoidFunction)create_instance;
	if (!strcmp(pName, "vkEnumerateInstanceExtensionProperties"))
		return (PFN_vkVoidFunction)enumerate_instance_extensions;
	if (!strcmp(pName, "vkEnumerateInstanceVersion"))
		return opened->icd.get_instance_proc_addr(NULL, pName);
	return NULL;
}

/* Which library the property means; freed by the caller. */
static int
find_library(char **library)
{
	char value[KR_PROPERTY_VALUE_MAX];
	struct kr_manifest_driver manifest;
	char *reason;
	int err;

	/* The property names code: the profile may forbid that to the environment. */
	(void)kr_profile_get();
	if (!kr_property_get(ICD_PROPERTY, value, sizeof(value))) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vulkan.adapter: the property " ICD_PROPERTY " names no driver to adapt");
		return -ENODEV;
	}
	if (!kr_has_suffix(value, ".json")) {
		*library = strdup(value);
		return *library ? 0 : -ENOMEM;
	}
	err = kr_manifest_driver_read(value, &manifest, &reason);
	if (err) {
		free(reason);
		return err;
	}
	*library = manifest.library_path;
	manifest.library_path = NULL;
	kr_manifest_driver_finish(&manifest);
	return 0;
}

/* The interface of Linux ICDs, versions 2 to 5: the loader's part is no more than this. */
static int
negotiate(struct adapter_device *device)
{
	PFN_vkNegotiateLoaderICDInterfaceVersion negotiate_version =
		(PFN_vkNegotiateLoaderICDInterfaceVersion)dlsym(
			device->library, "vk_icdNegotiateLoaderICDInterfaceVersion");
	struct kr_adapter_icd *icd = &device->icd;
	uint32_t version = 5;

	icd->get_instance_proc_addr =
		(PFN_vkGetInstanceProcAddr)dlsym(device->library, "vk_icdGetInstanceProcAddr");
	if (!icd->get_instance_proc_addr)
		return -ELIBBAD;
	if (negotiate_version && negotiate_version(&version) != VK_SUCCESS)
		return -ELIBBAD;
	icd->get_physical_device_proc_addr = (PFN_GetPhysicalDeviceProcAddr)dlsym(
		device->library, "vk_icdGetPhysicalDeviceProcAddr");
	icd->create_instance =
		(PFN_vkCreateInstance)icd->get_instance_proc_addr(NULL, "vkCreateInstance");
	icd->enumerate_instance_extension_properties =
		(PFN_vkEnumerateInstanceExtensionProperties)icd->get_instance_proc_addr(
			NULL, "vkEnumerateInstanceExtensionProperties");
	icd->name = device->name;
	return icd->create_instance && icd->enumerate_instance_extension_properties ? 0 : -ELIBBAD;
}

static int
close_device(struct hw_device_t *base)
{
	struct adapter_device *device = (struct adapter_device *)base;

	opened = NULL;
	dlclose(device->library);
	free(device->name);
	free(device);
	return 0;
}

static int
open_icd(struct adapter_device *device)
{
	const char *error;
	int err = find_library(&device->name);

	if (err)
		return err;
	device->library = kr_library_load(device->name, RTLD_NOW | RTLD_LOCAL, &error);
	if (!device->library) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "vulkan.adapter: %s", error);
		err = -ENOENT;
		goto err_name;
	}
	err = negotiate(device);
	if (err) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vulkan.adapter: %s isn't a Vulkan driver of interface version 2 or later",
			device->name);
		goto err_close;
	}
	return 0;

err_close:
	dlclose(device->library);
err_name:
	free(device->name);
	return err;
}

static int
open_device(const struct hw_module_t *module, const char *id, struct hw_device_t **out)
{
	struct adapter_device *device;
	int err;

	if (strcmp(id, HWVULKAN_DEVICE_0) != 0)
		return -ENOENT;
	if (opened)
		return -EBUSY;
	device = calloc(1, sizeof(*device));
	if (!device)
		return -ENOMEM;
	err = open_icd(device);
	if (err) {
		free(device);
		return err;
	}
	device->hal.common.tag = HARDWARE_DEVICE_TAG;
	device->hal.common.version = HWVULKAN_DEVICE_API_VERSION_0_1;
	device->hal.common.module = (struct hw_module_t *)module;
	device->hal.common.close = close_device;
	device->hal.EnumerateInstanceExtensionProperties = enumerate_instance_extensions;
	device->hal.CreateInstance = create_instance;
	device->hal.GetInstanceProcAddr = get_instance_proc_addr;
	opened = device;
	*out = &device->hal.common;
	return 0;
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
			.name = "Krafla adapter",
			.author = "Krafla",
			.methods = &methods,
		},
};
