/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake driver of tests/loader as a HAL module, with the instance extensions that
 * aliases belong to.
 */
#include "hal_face.h"

#include "../loader/fakes/icd.h"

extern struct fake_control fake_control;
PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);

int
hal_face_open(struct hwvulkan_device_t *device)
{
	fake_control.instance_extensions[0] = "VK_KHR_device_group_creation";
	fake_control.instance_extensions[1] = "VK_KHR_get_physical_device_properties2";
	device->EnumerateInstanceExtensionProperties =
		(PFN_vkEnumerateInstanceExtensionProperties)vk_icdGetInstanceProcAddr(
			NULL, "vkEnumerateInstanceExtensionProperties");
	device->CreateInstance =
		(PFN_vkCreateInstance)vk_icdGetInstanceProcAddr(NULL, "vkCreateInstance");
	device->GetInstanceProcAddr = vk_icdGetInstanceProcAddr;
	return 0;
}
