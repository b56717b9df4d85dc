/* SPDX-License-Identifier: Apache-2.0 */
/* What layers are given from below, and call back. */
#include "loader/bottom.h"

#include <string.h>

#include "loader/device_functions.h"
#include "loader/handles/handles.h"
#include "loader/instance_functions.h"

static VkResult VKAPI_CALL
set_instance_data(VkInstance instance, void *object)
{
	memcpy(object, instance, sizeof(void *));
	return VK_SUCCESS;
}

static VkResult VKAPI_CALL
set_device_data(VkDevice device, void *object)
{
	memcpy(object, device, sizeof(void *));
	return VK_SUCCESS;
}

/* What layers may call to create devices of their own (vk_layer.h). */
static VkResult VKAPI_CALL
create_device(VkInstance handle, VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *device, PFN_vkGetInstanceProcAddr layer,
	PFN_vkGetDeviceProcAddr *next)
{
	const struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	VkResult result = kr_layer_chain_create_device(instance->chain, &kr_bottom, layer, handle,
		physical_device, info, allocator, device, next);

	if (result == VK_SUCCESS)
		kr_device_from_dispatchable(*device)->of_layer = true;
	return result;
}

static void VKAPI_CALL
destroy_device(VkDevice device, const VkAllocationCallbacks *allocator, PFN_vkDestroyDevice destroy)
{
	destroy(device, allocator);
}

const struct kr_layer_bottom kr_bottom = {
	.get_instance_proc_addr = kr_terminator_GetInstanceProcAddr,
	.get_physical_device_proc_addr = kr_terminator_GetPhysicalDeviceProcAddr,
	.get_device_proc_addr = kr_terminator_GetDeviceProcAddr,
	.set_instance_data = set_instance_data,
	.set_device_data = set_device_data,
	.layer_create_device = create_device,
	.layer_destroy_device = destroy_device,
};
