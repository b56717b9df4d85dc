/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Enumerating physical devices, which is where the adapter gets to know them, their properties, and
 * the extensions that an application sees of them.
 */
#include <string.h>

#include <krafla/native_buffer.h>

#include "adapter/extensions.h"
#include "adapter/foreign.h"
#include "adapter/instance.h"
#include "adapter/shared.h"
#include "chain/chain.h"
#include "gen/handle_reach.h"
#include "util/enumerate.h"

/*
 * The version whose rules the adapter follows: usage in each of its ways, the shared-image query,
 * deferred binding, compression control in chains. `ahb` is taken and not needed: the handle says
 * the same.
 */
#define NATIVE_BUFFER_VERSION 11

/* Gets to know devices; NULL is none. */
static VkResult
add_gpus(struct kr_adapter_instance *state, uint32_t count, const VkPhysicalDevice *devices)
{
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
		if (devices[i])
			result = kr_adapter_gpu_add(state, devices[i]);
	}
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_EnumeratePhysicalDevices(
	VkInstance instance, uint32_t *pPhysicalDeviceCount, VkPhysicalDevice *pPhysicalDevices)
{
	struct kr_adapter_instance *state = kr_adapter_instance_from_handle(instance);
	uint32_t room = kr_enumeration_room(pPhysicalDevices, pPhysicalDeviceCount);
	VkResult result = state->vk.EnumeratePhysicalDevices(
		instance, pPhysicalDeviceCount, pPhysicalDevices);
	VkResult added;

	if (result < 0 || !pPhysicalDevices)
		return result;
	kr_enumeration_fit(pPhysicalDevices, room, pPhysicalDeviceCount);
	added = add_gpus(state, *pPhysicalDeviceCount, pPhysicalDevices);
	return added == VK_SUCCESS ? result : added;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_EnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t *pPhysicalDeviceGroupCount,
	VkPhysicalDeviceGroupProperties *pPhysicalDeviceGroupProperties)
{
	struct kr_adapter_instance *state = kr_adapter_instance_from_handle(instance);
	uint32_t room =
		kr_enumeration_room(pPhysicalDeviceGroupProperties, pPhysicalDeviceGroupCount);
	PFN_vkEnumeratePhysicalDeviceGroups enumerate = state->vk.EnumeratePhysicalDeviceGroups;
	VkResult result, added = VK_SUCCESS;

	if (!enumerate)
		enumerate = state->vk.EnumeratePhysicalDeviceGroupsKHR;
	result = enumerate(instance, pPhysicalDeviceGroupCount, pPhysicalDeviceGroupProperties);
	if (result < 0 || !pPhysicalDeviceGroupProperties)
		return result;
	kr_enumeration_fit(pPhysicalDeviceGroupProperties, room, pPhysicalDeviceGroupCount);
	for (uint32_t i = 0; i < *pPhysicalDeviceGroupCount && added == VK_SUCCESS; i++) {
		VkPhysicalDeviceGroupProperties *group = &pPhysicalDeviceGroupProperties[i];

		kr_enumeration_fit(group, VK_MAX_DEVICE_GROUP_SIZE, &group->physicalDeviceCount);
		added = add_gpus(state, group->physicalDeviceCount, group->physicalDevices);
	}
	return added == VK_SUCCESS ? result : added;
}

static bool
is_presentation_properties(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID;
}

/* W-10 */
VKAPI_ATTR void VKAPI_CALL
kr_adapter_GetPhysicalDeviceProperties2(
	VkPhysicalDevice physicalDevice, VkPhysicalDeviceProperties2 *pProperties)
{
	struct kr_adapter_gpu *gpu = kr_adapter_gpu_from_handle(physicalDevice);
	const struct kr_instance_table *vk = &gpu->instance->vk;
	struct kr_chain_unlinked ours;

	kr_chain_unlink(pProperties, is_presentation_properties, &ours);
	if (vk->GetPhysicalDeviceProperties2)
		vk->GetPhysicalDeviceProperties2(physicalDevice, pProperties);
	else
		vk->GetPhysicalDeviceProperties2KHR(physicalDevice, pProperties);
	for (size_t i = 0; i < ours.count; i++) {
		VkPhysicalDevicePresentationPropertiesANDROID *properties =
			(void *)ours.items[i].node;

		properties->sharedImage = kr_adapter_shares_images(gpu);
	}
	kr_chain_relink(&ours);
}

static bool
visible(const struct kr_adapter_instance *instance, const char *name)
{
	if (kr_device_extension_is_hidden(name))
		return false;
	if (!strcmp(name, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME) ||
		!strcmp(name, VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME) ||
		!strcmp(name, "VK_ANDROID_external_format_resolve"))
		return false;
	return instance->options.keep_driver_wsi || !kr_device_extension_is_handled(name);
}

/* Filters in place. */
static void
make_visible(const struct kr_adapter_instance *instance, struct kr_offered *list)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		if (visible(instance, list->items[i].extensionName))
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

#define MOST_OF_OURS 3

/* What the adapter has in the ICD's place. */
static uint32_t
list_ours(struct kr_adapter_gpu *gpu, const struct kr_offered *offered, VkExtensionProperties *ours)
{
	uint32_t count = 0;

	if (!gpu->instance->options.no_windows)
		ours[count++] = (VkExtensionProperties){
			VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME, NATIVE_BUFFER_VERSION};
	if (!kr_adapter_offers_hardware_buffers(gpu))
		return count;
	ours[count++] = (VkExtensionProperties){
		VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME,
		VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_SPEC_VERSION};
	if (!kr_offered_has(offered, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME))
		ours[count++] = (VkExtensionProperties){VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME,
			VK_EXT_QUEUE_FAMILY_FOREIGN_SPEC_VERSION};
	return count;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_EnumerateDeviceExtensionProperties(VkPhysicalDevice physicalDevice,
	const char *pLayerName, uint32_t *pPropertyCount, VkExtensionProperties *pProperties)
{
	struct kr_adapter_gpu *gpu = kr_adapter_gpu_from_handle(physicalDevice);
	struct kr_adapter_instance *instance = gpu->instance;
	VkExtensionProperties ours[MOST_OF_OURS];
	struct kr_offered list;
	uint32_t own;
	uint32_t total, copied;
	VkResult result;

	if (pLayerName)
		return instance->vk.EnumerateDeviceExtensionProperties(
			physicalDevice, pLayerName, pPropertyCount, pProperties);
	result = kr_offered_device(instance, physicalDevice, instance->allocator, &list);
	if (result != VK_SUCCESS)
		return result;
	own = list_ours(gpu, &list, ours);
	make_visible(instance, &list);
	total = list.count + own;
	if (pProperties) {
		copied = KR_MIN(*pPropertyCount, total);
		for (uint32_t i = 0; i < copied; i++)
			pProperties[i] = i < list.count ? list.items[i] : ours[i - list.count];
		result = copied < total ? VK_INCOMPLETE : VK_SUCCESS;
		*pPropertyCount = copied;
	} else {
		*pPropertyCount = total;
	}
	kr_offered_finish(&list);
	return result;
}
