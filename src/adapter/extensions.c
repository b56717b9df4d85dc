/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of extensions. */
#include "adapter/extensions.h"

#include <string.h>

#include "adapter/instance.h"
#include "util/alloc.h"
#include "util/enumerate.h"
#include "util/log.h"

bool
kr_adapter_is_swapchain_extension(const char *name)
{
	/* Newer ones than the headers' are here, too. */
	static const char *const names[] = {
		VK_KHR_SWAPCHAIN_EXTENSION_NAME,
		VK_KHR_DISPLAY_SWAPCHAIN_EXTENSION_NAME,
		VK_KHR_INCREMENTAL_PRESENT_EXTENSION_NAME,
		VK_KHR_SHARED_PRESENTABLE_IMAGE_EXTENSION_NAME,
		VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME,
		VK_KHR_PRESENT_ID_EXTENSION_NAME,
		VK_KHR_PRESENT_WAIT_EXTENSION_NAME,
		"VK_KHR_present_id2",
		"VK_KHR_present_wait2",
		"VK_EXT_present_timing",
		VK_GOOGLE_DISPLAY_TIMING_EXTENSION_NAME,
		"VK_KHR_present_mode_fifo_latest_ready",
		"VK_EXT_present_mode_fifo_latest_ready",
		"VK_KHR_swapchain_maintenance1",
		"VK_EXT_swapchain_maintenance1",
		VK_EXT_DISPLAY_CONTROL_EXTENSION_NAME,
		VK_EXT_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_EXTENSION_NAME,
		"VK_EXT_multisampled_render_to_swapchain",
		VK_EXT_HDR_METADATA_EXTENSION_NAME,
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

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

/* The layout comes with the extension, which needs the two others. */
bool
kr_offered_shared_layout(
	const struct kr_offered *offered, const struct kr_adapter_instance *instance)
{
	return instance->has_surfaces && kr_offered_has(offered, VK_KHR_SWAPCHAIN_EXTENSION_NAME) &&
		kr_offered_has(offered, VK_KHR_SHARED_PRESENTABLE_IMAGE_EXTENSION_NAME);
}

bool
kr_adapter_knows_shared_layout(const struct kr_adapter_gpu *gpu)
{
	struct kr_offered offered;
	bool knows;

	if (kr_offered_device(gpu->instance, gpu->handle, gpu->instance->allocator, &offered) !=
		VK_SUCCESS)
		return false;
	knows = kr_offered_shared_layout(&offered, gpu->instance);
	kr_offered_finish(&offered);
	return knows;
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
