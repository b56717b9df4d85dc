/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers, and through each driver itself its devices: without layers or loader between, so that a
 * device is told with its driver, and with what the adapter would make of it.
 */
#include "tools/info/facts.h"

#include <stdlib.h>

#include "adapter/adapter.h"
#include "client/client.h"
#include "discover/discover.h"
#include "tools/command/json_values.h"
#include "tools/info/device.h"
#include "util/enumerate.h"
#include "util/log.h"

static VkResult
open_source(const struct kr_driver *driver, struct kr_info_source *source)
{
	const struct kr_adapter_icd icd = {
		.name = driver->name,
		.get_instance_proc_addr = driver->get_instance_proc_addr,
		.get_physical_device_proc_addr = driver->get_physical_device_proc_addr,
		.create_instance = driver->create_instance,
		.enumerate_instance_extension_properties =
			driver->enumerate_instance_extension_properties,
	};
	const struct kr_adapter_options options = {.keep_driver_wsi = false};
	VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = "krafla info",
		.apiVersion = VK_API_VERSION_1_0,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
	};
	uint32_t version = VK_API_VERSION_1_0;
	VkResult result;

	/* A driver of 1.0 refuses more than that. */
	if (driver->enumerate_instance_version &&
		driver->enumerate_instance_version(&version) == VK_SUCCESS)
		application.apiVersion = version;
	source->driver = driver;
	if (driver->source == KR_DRIVER_HAL) {
		source->get_proc_addr = driver->get_instance_proc_addr;
		source->instance = VK_NULL_HANDLE;
		result = driver->create_instance(&info, NULL, &source->instance);
		return result == VK_SUCCESS && !source->instance ? VK_ERROR_INITIALIZATION_FAILED
								 : result;
	}
	source->get_proc_addr = kr_adapter_get_instance_proc_addr;
	return kr_adapter_create_instance(&icd, &options, &info, NULL, &source->instance);
}

struct devices_question {
	PFN_vkEnumeratePhysicalDevices enumerate;
	VkInstance instance;
};

static VkResult
ask_devices(const void *context, uint32_t *count, void *items)
{
	const struct devices_question *question = context;

	return question->enumerate(question->instance, count, items);
}

/* How many, or the VkResult. */
static int
list_devices(const struct kr_info_source *source, json_t *devices)
{
	const struct devices_question context = {
		.enumerate = (PFN_vkEnumeratePhysicalDevices)source->get_proc_addr(
			source->instance, "vkEnumeratePhysicalDevices"),
		.instance = source->instance,
	};
	const struct kr_enumeration question = {
		.ask = ask_devices,
		.context = &context,
		.item_size = sizeof(VkPhysicalDevice),
		.most = KR_MOST_DEVICES,
		.who = source->driver->name,
		.function = "vkEnumeratePhysicalDevices",
		.log = KR_LOG_DRIVER,
	};
	VkPhysicalDevice *list = NULL;
	uint32_t count = 0;
	int listed = 0;
	VkResult result = context.enumerate ? kr_enumerate(&question, NULL, &count, (void **)&list)
					    : VK_ERROR_INITIALIZATION_FAILED;

	if (result < 0)
		return result;
	for (uint32_t i = 0; i < count; i++) {
		if (!list[i])
			continue;
		json_array_append_new(devices, kr_info_device(source, list[i]));
		listed++;
	}
	free(list);
	return listed;
}

/* The same; *failed says what gave the VkResult. */
static int
add_devices(const struct kr_driver *driver, json_t *devices, const char **failed)
{
	struct kr_info_source source;
	PFN_vkDestroyInstance destroy;
	int result;

	if (driver->source == KR_DRIVER_STUB)
		return 0;
	*failed = "vkCreateInstance";
	result = open_source(driver, &source);
	if (result != VK_SUCCESS)
		return result;
	*failed = "vkEnumeratePhysicalDevices";
	result = list_devices(&source, devices);
	destroy = (PFN_vkDestroyInstance)source.get_proc_addr(source.instance, "vkDestroyInstance");
	if (destroy)
		destroy(source.instance, NULL);
	return result;
}

/* Notes with a driver what came of asking it. */
static void
note_devices(json_t *drivers, const struct kr_driver *driver, int result, const char *failed)
{
	json_t *path = kr_tool_json_text(
		driver->manifest_path ? driver->manifest_path : driver->library_path);
	json_t *entry;
	size_t i;

	json_array_foreach(drivers, i, entry)
	{
		if (!json_equal(json_object_get(entry, "path"), path))
			continue;
		if (result < 0)
			json_object_set_new(entry, "error",
				json_sprintf("%s failed (VkResult %d)", failed, result));
		else
			json_object_set_new(entry, "devices", json_integer(result));
	}
	json_decref(path);
}

static json_t *
describe_candidate(const struct kr_driver_candidate *candidate)
{
	return json_pack("{s:s, s:o, s:o, s:b, s:o, s:n, s:n}", "source",
		kr_driver_source_name(candidate->source), "path",
		kr_tool_json_text(candidate->path), "library",
		kr_tool_json_text(candidate->library_path), "used", (int)candidate->used, "reason",
		kr_tool_json_text(candidate->reason), "devices", "error");
}

void
kr_info_drivers(json_t **drivers, json_t **devices)
{
	const struct kr_driver_candidate *candidate;
	const struct kr_driver *driver;
	const struct kr_discover_options options = {.service = kr_client_service()};
	struct kr_driver_list list;

	*drivers = json_array();
	*devices = json_array();
	if (kr_discover_drivers(&options, &list) < 0)
		return;
	kr_list_for_each (candidate, &list.candidates, link)
		json_array_append_new(*drivers, describe_candidate(candidate));
	kr_list_for_each (driver, &list.drivers, link) {
		const char *failed = NULL;
		int result = add_devices(driver, *devices, &failed);

		note_devices(*drivers, driver, result, failed);
	}
	kr_driver_list_finish(&list);
	kr_discover_end();
}
