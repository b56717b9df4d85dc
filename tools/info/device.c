/* SPDX-License-Identifier: Apache-2.0 */
/* What a device is, and what it can do with Krafla's buffers (DESIGN 6). */
#include "tools/info/device.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <krafla/native_buffer.h>

#include "adapter/adapter.h"
#include "tools/command/device_type.h"
#include "tools/command/json_values.h"
#include "tools/info/tier.h"
#include "util/enumerate.h"
#include "util/log.h"

static const char *
import_name(enum kr_adapter_import import)
{
	switch (import) {
	case KR_ADAPTER_IMPORT_HOST:
		return "host import, no copy";
	case KR_ADAPTER_IMPORT_COPY:
		return "copy at present";
	case KR_ADAPTER_IMPORT_CPU_COPY:
		return "copy at present by the CPU";
	default:
		return "none";
	}
}

/*
 * T1 needs dma-bufs, and frames that travel before they are drawn (DESIGN 6): with the driver's own
 * sync fds, or with fences that the adapter signals when the GPU has ended. A CPU that copies each
 * frame first is neither. T2 needs the kernel's.
 */
static void
add_tier(json_t *device, const struct kr_adapter_report *report)
{
	bool kernel = report->sync_fd_semaphore && report->sync_fd_fence;
	json_t *missing = json_array(), *beyond = json_array();

	kr_tier_add_buffers(missing);
	if (!report->sync_fd_semaphore || !report->sync_fd_fence)
		json_array_append_new(beyond,
			json_sprintf("the driver can't share %s as sync fds",
				report->sync_fd_fence               ? "semaphores"
					: report->sync_fd_semaphore ? "fences"
								    : "semaphores and fences"));
	if (report->import == KR_ADAPTER_IMPORT_CPU_COPY)
		json_array_append_new(missing, json_string("the CPU copies each frame"));
	json_object_set_new(device, "import", json_string(import_name(report->import)));
	json_object_set_new(device, "private_queue", json_boolean(report->private_queue));
	json_object_set_new(device, "hardware_buffers",
		json_string(report->no_hardware_buffers ? report->no_hardware_buffers : "yes"));
	json_object_set_new(device, "fences",
		json_string(kernel ? "the kernel's, from the driver"
				   : "of user space, signalled when the GPU has ended"));
	kr_tier_set(device, report->import != KR_ADAPTER_IMPORT_NONE, missing, beyond);
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
	/* What a driver writes may lack its end. */
	driver.driverName[sizeof(driver.driverName) - 1] = '\0';
	driver.driverInfo[sizeof(driver.driverInfo) - 1] = '\0';
	json_object_set_new(device, "driver_name", kr_tool_json_text(driver.driverName));
	json_object_set_new(device, "driver_info", kr_tool_json_text(driver.driverInfo));
}

static bool
has_native_buffer(const struct kr_info_source *source, VkPhysicalDevice physical)
{
	PFN_vkEnumerateDeviceExtensionProperties enumerate =
		(PFN_vkEnumerateDeviceExtensionProperties)source->get_proc_addr(
			source->instance, "vkEnumerateDeviceExtensionProperties");
	const struct kr_enumerate_question question = {
		.of_device = enumerate,
		.device = physical,
		.who = source->driver->name,
		.log = KR_LOG_DRIVER,
	};
	VkExtensionProperties *list = NULL;
	uint32_t count = 0;
	bool found = false;

	if (!enumerate || kr_enumerate_extensions(&question, NULL, &count, &list) != VK_SUCCESS)
		return false;
	for (uint32_t i = 0; i < count; i++)
		found |= !strcmp(list[i].extensionName, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME);
	free(list);
	return found;
}

/* A HAL driver takes Krafla's buffers itself, or not at all. */
static void
add_hal_tier(const struct kr_info_source *source, VkPhysicalDevice physical, json_t *device)
{
	bool able = has_native_buffer(source, physical);
	json_t *missing = json_array();

	if (able)
		kr_tier_add_buffers(missing);
	json_array_append_new(missing,
		json_string(
			able ? "whether a HAL driver gives fences can't be asked: krafla run tells it of a program"
			     : "the driver has no VK_ANDROID_native_buffer"));
	json_object_set_new(
		device, "import", json_string(able ? "by the HAL driver itself" : "none"));
	kr_tier_set(device, able, missing, json_array());
}

/* As the adapter would have it, whose part is done here by trying. */
static void
add_adapter_tier(const struct kr_info_source *source, VkPhysicalDevice physical, json_t *device)
{
	const char *missing = kr_adapter_missing_command(source->instance);
	struct kr_adapter_report report;

	if (!missing && kr_adapter_inspect(source->instance, physical, &report) == VK_SUCCESS) {
		add_tier(device, &report);
		return;
	}
	json_object_set_new(device, "import", json_string("none"));
	kr_tier_set(device, false,
		missing ? json_pack("[s++]", "the driver has no ", missing,
				  ", which Vulkan 1.0 requires")
			: json_pack("[s]", "the device could not be opened to see"),
		json_array());
}

json_t *
kr_info_device(const struct kr_info_source *source, VkPhysicalDevice physical)
{
	PFN_vkGetPhysicalDeviceProperties get_properties =
		(PFN_vkGetPhysicalDeviceProperties)source->get_proc_addr(
			source->instance, "vkGetPhysicalDeviceProperties");
	VkPhysicalDeviceProperties properties;
	json_t *device = json_object();

	if (!get_properties)
		return device;
	get_properties(physical, &properties);
	properties.deviceName[sizeof(properties.deviceName) - 1] = '\0';
	json_object_set_new(device, "name", kr_tool_json_text(properties.deviceName));
	json_object_set_new(
		device, "type", json_string(kr_tool_device_type(properties.deviceType)));
	json_object_set_new(device, "api_version", kr_tool_json_version(properties.apiVersion));
	json_object_set_new(device, "vendor_id", json_integer(properties.vendorID));
	json_object_set_new(device, "device_id", json_integer(properties.deviceID));
	json_object_set_new(device, "library", kr_tool_json_text(source->driver->library_path));
	add_driver_properties(source, physical, properties.apiVersion, device);
	if (!kr_tier_has_buffers()) {
		kr_tier_set(device, false, kr_tier_add_buffers(json_array()), json_array());
	} else if (source->driver->source == KR_DRIVER_HAL) {
		add_hal_tier(source, physical, device);
	} else {
		add_adapter_tier(source, physical, device);
	}
	return device;
}
