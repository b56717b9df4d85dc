/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerating physical devices, which is where the adapter gets to know them, and their properties. */
#include <string.h>

#include <krafla/native_buffer.h>

#include "adapter/chain.h"
#include "adapter/instance.h"

bool
kr_adapter_is_swapchain_extension(const char *name)
{
	return !strcmp(name, VK_KHR_SWAPCHAIN_EXTENSION_NAME) ||
		!strcmp(name, VK_KHR_DISPLAY_SWAPCHAIN_EXTENSION_NAME) ||
		!strcmp(name, VK_KHR_INCREMENTAL_PRESENT_EXTENSION_NAME);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_EnumeratePhysicalDevices(
	VkInstance instance, uint32_t *pPhysicalDeviceCount, VkPhysicalDevice *pPhysicalDevices)
{
	struct kr_adapter_instance *state = kr_adapter_instance_from_handle(instance);
	VkResult result = state->vk.EnumeratePhysicalDevices(
		instance, pPhysicalDeviceCount, pPhysicalDevices);

	if (result < 0 || !pPhysicalDevices)
		return result;
	for (uint32_t i = 0; i < *pPhysicalDeviceCount; i++) {
		VkResult added = kr_adapter_gpu_add(state, pPhysicalDevices[i]);

		if (added != VK_SUCCESS)
			return added;
	}
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_EnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t *pPhysicalDeviceGroupCount,
	VkPhysicalDeviceGroupProperties *pPhysicalDeviceGroupProperties)
{
	struct kr_adapter_instance *state = kr_adapter_instance_from_handle(instance);
	PFN_vkEnumeratePhysicalDeviceGroups enumerate = state->vk.EnumeratePhysicalDeviceGroups;
	VkResult result;

	if (!enumerate)
		enumerate = state->vk.EnumeratePhysicalDeviceGroupsKHR;
	result = enumerate(instance, pPhysicalDeviceGroupCount, pPhysicalDeviceGroupProperties);
	if (result < 0 || !pPhysicalDeviceGroupProperties)
		return result;
	for (uint32_t i = 0; i < *pPhysicalDeviceGroupCount; i++) {
		const VkPhysicalDeviceGroupProperties *group = &pPhysicalDeviceGroupProperties[i];

		for (uint32_t j = 0; j < group->physicalDeviceCount; j++) {
			VkResult added = kr_adapter_gpu_add(state, group->physicalDevices[j]);

			if (added != VK_SUCCESS)
				return added;
		}
	}
	return result;
}

static bool
is_presentation_properties(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID;
}

/* sharedImage is false: the ICD's images can't be read while they are drawn to (W-10). */
VKAPI_ATTR void VKAPI_CALL
kr_adapter_GetPhysicalDeviceProperties2(
	VkPhysicalDevice physicalDevice, VkPhysicalDeviceProperties2 *pProperties)
{
	struct kr_adapter_gpu *gpu = kr_adapter_gpu_from_handle(physicalDevice);
	const struct kr_instance_table *vk = &gpu->instance->vk;
	struct kr_unlinked ours;

	kr_chain_unlink(pProperties, is_presentation_properties, &ours);
	if (vk->GetPhysicalDeviceProperties2)
		vk->GetPhysicalDeviceProperties2(physicalDevice, pProperties);
	else
		vk->GetPhysicalDeviceProperties2KHR(physicalDevice, pProperties);
	for (size_t i = 0; i < ours.count; i++) {
		VkPhysicalDevicePresentationPropertiesANDROID *properties =
			(void *)ours.items[i].node;

		properties->sharedImage = VK_FALSE;
	}
	kr_chain_relink(&ours);
}
