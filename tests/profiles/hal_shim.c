/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake driver of tests/loader as a HAL module, with the instance extensions that
 * aliases belong to.
 */
#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <krafla/hal.h>

#include "../loader/fakes/icd.h"
#include "util/macros.h"

extern struct fake_control fake_control;
PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);

static struct hwvulkan_device_t device = {
	.common = {.tag = HARDWARE_DEVICE_TAG, .version = HWVULKAN_DEVICE_API_VERSION_0_1},
};

static int
open_device(const struct hw_module_t *module, const char *id, struct hw_device_t **out)
{
	fake_control.instance_extensions[0] = "VK_KHR_device_group_creation";
	fake_control.instance_extensions[1] = "VK_KHR_get_physical_device_properties2";
	device.EnumerateInstanceExtensionProperties =
		(PFN_vkEnumerateInstanceExtensionProperties)vk_icdGetInstanceProcAddr(
			NULL, "vkEnumerateInstanceExtensionProperties");
	device.CreateInstance =
		(PFN_vkCreateInstance)vk_icdGetInstanceProcAddr(NULL, "vkCreateInstance");
	device.GetInstanceProcAddr = vk_icdGetInstanceProcAddr;
	*out = &device.common;
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
			.methods = &methods,
		},
};
