/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the drivers for their devices and brings them into order. */
#include "loader/devices/list.h"

#include <string.h>

#include "loader/drivers/drivers.h"
#include "util/alloc.h"
#include "util/enumerate.h"
#include "util/log.h"

static VkResult
ask_devices(const void *context, uint32_t *count, void *items)
{
	const struct kr_instance_driver *driver = context;

	return driver->table.EnumeratePhysicalDevices(driver->handle, count, items);
}

/* One driver's failure doesn't take the others' devices away, unless there is no memory. */
static VkResult
devices_of(const struct kr_instance_driver *driver, uint32_t *count, VkPhysicalDevice **devices)
{
	const struct kr_enumeration question = {
		.ask = ask_devices,
		.context = driver,
		.item_size = sizeof(**devices),
		.most = KR_MOST_DEVICES,
		.who = driver->driver->driver->name,
		.function = "vkEnumeratePhysicalDevices",
		.log = KR_LOG_DRIVER,
	};
	VkResult result;

	*count = 0;
	*devices = NULL;
	result = kr_enumerate(&question, driver->instance->allocator, count, (void **)devices);
	if (result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY)
		return result;
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
		"%s: vkEnumeratePhysicalDevices failed (VkResult %d), its devices are not listed",
		driver->driver->driver->name, result);
	return VK_SUCCESS;
}

/* Whether this is a device, and none that the same driver has listed since `first`. */
static bool
is_new_device(const struct kr_device_list *list, uint32_t first, VkPhysicalDevice handle)
{
	for (uint32_t i = first; handle && i < list->count; i++) {
		if (list->items[i].handle == handle)
			return false;
	}
	return handle != VK_NULL_HANDLE;
}

static VkResult
append(struct kr_device_list *list, struct kr_instance_driver *driver, uint32_t count,
	const VkPhysicalDevice *handles)
{
	const VkAllocationCallbacks *allocator = list->instance->allocator;
	struct kr_device_entry *items = kr_zalloc_array(allocator, (size_t)list->count + count,
		sizeof(*items), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	uint32_t first = list->count;

	if (!items)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	if (list->count)
		memcpy(items, list->items, list->count * sizeof(*items));
	kr_free(allocator, list->items);
	list->items = items;
	for (uint32_t i = 0; i < count; i++) {
		if (is_new_device(list, first, handles[i]))
			items[list->count++] =
				(struct kr_device_entry){.driver = driver, .handle = handles[i]};
		else
			kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
				"%s: vkEnumeratePhysicalDevices gave %s as its device %u; passed over",
				driver->driver->driver->name,
				handles[i] ? "a device a second time" : "NULL", i);
	}
	return VK_SUCCESS;
}

struct kr_instance_driver *
kr_device_list_driver(const struct kr_device_list *list, uint32_t number)
{
	return list->instance->drivers[list->sorted ? number : list->driver_count - 1 - number];
}

bool
kr_device_list_is_asked(const struct kr_instance_driver *driver)
{
	return driver->handle && !atomic_load_explicit(&driver->gone, memory_order_relaxed);
}

static VkResult
collect(struct kr_device_list *list)
{
	struct kr_instance *instance = list->instance;

	for (uint32_t i = 0; i < list->driver_count; i++) {
		struct kr_instance_driver *driver = kr_device_list_driver(list, i);
		VkPhysicalDevice *handles;
		uint32_t count;
		VkResult result;

		if (!kr_device_list_is_asked(driver))
			continue;
		list->empty_is_fine |= driver->driver->driver->source == KR_DRIVER_STUB;
		result = devices_of(driver, &count, &handles);
		if (result == VK_SUCCESS && count)
			result = append(list, driver, count, handles);
		kr_free(instance->allocator, handles);
		if (result != VK_SUCCESS)
			return result;
	}
	return VK_SUCCESS;
}

static void
drop_hidden(struct kr_device_list *list)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		if (!list->items[i].hidden)
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

/* A device alone needs no order: it isn't even asked what it is. */
static VkResult
arrange(struct kr_device_list *list)
{
	VkResult result;

	if (!list->count || (list->count == 1 && !kr_device_list_is_filtered(list->instance)))
		return VK_SUCCESS;
	for (uint32_t i = 0; i < list->count; i++) {
		struct kr_device_entry *entry = &list->items[i];

		result = kr_device_facts_read(entry->driver, entry->handle, &entry->facts);
		if (result != VK_SUCCESS)
			return result;
	}
	kr_device_list_filter_ids(list);
	drop_hidden(list);
	kr_device_list_hide_twins(list);
	drop_hidden(list);
	if (list->sorted)
		kr_device_list_sort(list);
	kr_device_list_configure(list);
	return VK_SUCCESS;
}

VkResult
kr_device_list_init(struct kr_instance *instance, struct kr_device_list *list)
{
	VkResult result;

	*list = (struct kr_device_list){
		.instance = instance,
		.driver_count = kr_instance_driver_count(instance),
	};
	list->sorted = kr_device_list_wants_sorting(list);
	result = collect(list);
	if (result == VK_SUCCESS)
		result = arrange(list);
	if (result != VK_SUCCESS)
		kr_device_list_finish(list);
	return result;
}

void
kr_device_list_finish(struct kr_device_list *list)
{
	kr_free(list->instance->allocator, list->items);
	list->items = NULL;
	list->count = 0;
}

uint32_t
kr_device_list_find(const struct kr_device_list *list, const struct kr_instance_driver *driver,
	VkPhysicalDevice handle)
{
	uint32_t i = 0;

	while (i < list->count &&
		(list->items[i].driver != driver || list->items[i].handle != handle))
		i++;
	return i;
}
