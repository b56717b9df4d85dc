/* SPDX-License-Identifier: Apache-2.0 */
/* What a device is, and what it can do with Krafla's buffers (DESIGN 6). */
#include "info_device.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <krafla/native_buffer.h>

#include "adapter/adapter.h"
#include "json_values.h"

static const char *
type_name(VkPhysicalDeviceType type)
{
	switch (type) {
	case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
		return "integrated GPU";
	case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
		return "discrete GPU";
	case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
		return "virtual GPU";
	case VK_PHYSICAL_DEVICE_TYPE_CPU:
		return "CPU";
	default:
		return "other";
	}
}

static const char *
import_name(enum kr_adapter_import import)
{
	switch (import) {
	case KR_ADAPTER_IMPORT_HOST:
		return "host import, no copy";
	case KR_ADAPTER_IMPORT_COPY:
		return "copy at present";
	default:
		return "none";
	}
}

/*
 * DESIGN 6. Krafla's own allocator makes memfd buffers alone, so no device can be above T0 yet, whatever
 * it offers; that is told first.
 */
static void
add_tier(json_t *device, const struct kr_adapter_report *report)
{
	json_t *missing = json_array();

	json_array_append_new(missing,
		json_string("Krafla can't allocate dma-buf or driver-exported buffers yet"));
	if (!report->dma_buf)
		json_array_append_new(
			missing, json_string("the driver has no VK_EXT_external_memory_dma_buf"));
	if (!report->sync_fd_semaphore || !report->sync_fd_fence)
		json_array_append_new(missing,
			json_sprintf("the driver can't share %s as sync fds",
				report->sync_fd_fence               ? "semaphores"
					: report->sync_fd_semaphore ? "fences"
								    : "semaphores and fences"));
	json_object_set_new(device, "import", json_string(import_name(report->import)));
	json_object_set_new(device, "private_queue", json_boolean(report->private_queue));
	json_object_set_new(device, "tier",
		report->import == KR_ADAPTER_IMPORT_NONE ? json_null() : json_string("T0"));
	json_object_set_new(device, "missing_for_next_tier", missing);
}

static void
add_driver_properties(const struct kr_info_source *source, VkPhysicalDevice physical,
	uint32_t version, json_t *device)
{
	VkPhysicalDeviceDriverProperties driver = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
	PFN_vkGetPhysicalDeviceProperties2 get =
		(PFN_vkGetPhysicalDeviceProperties2)source->get_proc_addr(
			source->instance, "vkGetPhysicalDeviceProperties2");

	/* The structure is core in 1.2; a driver that doesn't know it leaves it alone. */
	if (!get || version < VK_API_VERSION_1_2)
		return;
	get(physical, &properties);
	json_object_set_new(device, "driver_name", kr_json_text(driver.driverName));
	json_object_set_new(device, "driver_info", kr_json_text(driver.driverInfo));
}

static bool
has_native_buffer(const struct kr_info_source *source, VkPhysicalDevice physical)
{
	PFN_vkEnumerateDeviceExtensionProperties enumerate =
		(PFN_vkEnumerateDeviceExtensionProperties)source->get_proc_addr(
			source->instance, "vkEnumerateDeviceExtensionProperties");
	VkExtensionProperties *list = NULL;
	uint32_t count = 0;
	bool found = false;

	if (enumerate && enumerate(physical, NULL, &count, NULL) == VK_SUCCESS)
		list = calloc(count, sizeof(*list));
	if (list && enumerate(physical, NULL, &count, list) >= VK_SUCCESS) {
		for (uint32_t i = 0; i < count; i++)
			found |= !strcmp(
				list[i].extensionName, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME);
	}
	free(list);
	return found;
}

/* A HAL driver takes Krafla's buffers itself, or not at all. */
static void
add_hal_tier(const struct kr_info_source *source, VkPhysicalDevice physical, json_t *device)
{
	bool able = has_native_buffer(source, physical);

	json_object_set_new(
		device, "import", json_string(able ? "by the HAL driver itself" : "none"));
	json_object_set_new(device, "tier", able ? json_string("T0") : json_null());
	json_object_set_new(device, "missing_for_next_tier",
		json_pack("[s]",
			able ? "Krafla can't allocate dma-buf or driver-exported buffers yet"
			     : "the driver has no VK_ANDROID_native_buffer"));
}

json_t *
kr_info_device(const struct kr_info_source *source, VkPhysicalDevice physical)
{
	PFN_vkGetPhysicalDeviceProperties get_properties =
		(PFN_vkGetPhysicalDeviceProperties)source->get_proc_addr(
			source->instance, "vkGetPhysicalDeviceProperties");
	VkPhysicalDeviceProperties properties;
	struct kr_adapter_report report;
	json_t *device = json_object();

	if (!get_properties)
		return device;
	get_properties(physical, &properties);
	json_object_set_new(device, "name", kr_json_text(properties.deviceName));
	json_object_set_new(device, "type", json_string(type_name(properties.deviceType)));
	json_object_set_new(device, "api_version", kr_json_version(properties.apiVersion));
	json_object_set_new(device, "vendor_id", json_integer(properties.vendorID));
	json_object_set_new(device, "device_id", json_integer(properties.deviceID));
	json_object_set_new(device, "library", kr_json_text(source->driver->library_path));
	add_driver_properties(source, physical, properties.apiVersion, device);
	if (source->driver->source == KR_DRIVER_HAL) {
		add_hal_tier(source, physical, device);
	} else if (kr_adapter_inspect(source->instance, physical, &report) == VK_SUCCESS) {
		add_tier(device, &report);
	} else {
		json_object_set_new(device, "tier", json_null());
		json_object_set_new(device, "missing_for_next_tier",
			json_pack("[s]", "the device could not be opened to see"));
	}
	return device;
}
