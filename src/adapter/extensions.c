/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of extensions. */
#include "adapter/extensions.h"

#include <string.h>

#include <krafla/native_buffer.h>

#include "adapter/instance.h"
#include "gen/handle_reach.h"
#include "util/alloc.h"
#include "util/enumerate.h"
#include "util/log.h"

/* The version whose rules the adapter follows: usage2, shared-image query, deferred binding. */
#define NATIVE_BUFFER_VERSION 8

VkResult
kr_offered_instance(const struct kr_adapter_icd *icd, const VkAllocationCallbacks *allocator,
	struct kr_offered *offered)
{
	const struct kr_enumerate_question question = {
		.of_instance = icd->enumerate_instance_extension_properties,
		.who = icd->name,
		.log = KR_LOG_DRIVER,
	};

	*offered = (struct kr_offered){.allocator = allocator};
	return kr_enumerate_extensions(&question, allocator, &offered->count, &offered->items);
}

VkResult
kr_offered_device(const struct kr_adapter_instance *instance, VkPhysicalDevice device,
	const VkAllocationCallbacks *allocator, struct kr_offered *offered)
{
	const struct kr_enumerate_question question = {
		.of_device = instance->vk.EnumerateDeviceExtensionProperties,
		.device = device,
		.who = instance->icd.name,
		.log = KR_LOG_DRIVER,
	};

	*offered = (struct kr_offered){.allocator = allocator};
	return kr_enumerate_extensions(&question, allocator, &offered->count, &offered->items);
}

bool
kr_offered_has(const struct kr_offered *offered, const char *name)
{
	for (uint32_t i = 0; i < offered->count; i++) {
		if (!strcmp(offered->items[i].extensionName, name))
			return true;
	}
	return false;
}

void
kr_offered_finish(struct kr_offered *offered)
{
	kr_free(offered->allocator, offered->items);
	*offered = (struct kr_offered){0};
}

VkResult
kr_enabled_init(
	struct kr_enabled *enabled, uint32_t capacity, const VkAllocationCallbacks *allocator)
{
	*enabled = (struct kr_enabled){.capacity = capacity, .allocator = allocator};
	enabled->names = kr_zalloc_array(
		allocator, capacity, sizeof(*enabled->names), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	return enabled->names ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

bool
kr_enabled_has(const struct kr_enabled *enabled, const char *name)
{
	for (uint32_t i = 0; i < enabled->count; i++) {
		if (!strcmp(enabled->names[i], name))
			return true;
	}
	return false;
}

void
kr_enabled_add(struct kr_enabled *enabled, const char *name)
{
	if (!kr_enabled_has(enabled, name) && enabled->count < enabled->capacity)
		enabled->names[enabled->count++] = name;
}

void
kr_enabled_add_offered(
	struct kr_enabled *enabled, const struct kr_offered *offered, const char *const *names)
{
	for (; *names; names++) {
		if (kr_offered_has(offered, *names))
			kr_enabled_add(enabled, *names);
	}
}

void
kr_enabled_finish(struct kr_enabled *enabled)
{
	kr_free(enabled->allocator, enabled->names);
	*enabled = (struct kr_enabled){0};
}

static bool
visible(const struct kr_adapter_instance *instance, const char *name)
{
	if (kr_device_extension_is_hidden(name))
		return false;
	if (!strcmp(name, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME) ||
		!strcmp(name, VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME))
		return false;
	return instance->options.keep_driver_wsi || !kr_adapter_is_swapchain_extension(name);
}

/* Filters in place and puts ours behind; the list has room for one more. */
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

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_EnumerateDeviceExtensionProperties(VkPhysicalDevice physicalDevice,
	const char *pLayerName, uint32_t *pPropertyCount, VkExtensionProperties *pProperties)
{
	struct kr_adapter_gpu *gpu = kr_adapter_gpu_from_handle(physicalDevice);
	struct kr_adapter_instance *instance = gpu->instance;
	const VkExtensionProperties ours = {
		VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME, NATIVE_BUFFER_VERSION};
	struct kr_offered list;
	uint32_t total, copied;
	VkResult result;

	if (pLayerName)
		return instance->vk.EnumerateDeviceExtensionProperties(
			physicalDevice, pLayerName, pPropertyCount, pProperties);
	result = kr_offered_device(instance, physicalDevice, instance->allocator, &list);
	if (result != VK_SUCCESS)
		return result;
	make_visible(instance, &list);
	total = list.count + 1;
	if (pProperties) {
		copied = KR_MIN(*pPropertyCount, total);
		for (uint32_t i = 0; i < copied && i < list.count; i++)
			pProperties[i] = list.items[i];
		if (copied == total)
			pProperties[copied - 1] = ours;
		result = copied < total ? VK_INCOMPLETE : VK_SUCCESS;
		*pPropertyCount = copied;
	} else {
		*pPropertyCount = total;
	}
	kr_offered_finish(&list);
	return result;
}
