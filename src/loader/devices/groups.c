/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the drivers' groups and brings them into the order of the devices. */
#include "loader/devices/groups.h"

#include <string.h>

#include "loader/drivers/drivers.h"
#include "loader/drivers/commands.h"
#include "loader/handles/physical_device.h"
#include "util/alloc.h"
#include "util/enumerate.h"
#include "util/log.h"

struct group {
	struct kr_instance_driver *driver;
	uint32_t number; /* among the driver's own; UINT32_MAX: made by us */
	uint32_t rank;   /* of its first device */
	VkPhysicalDeviceGroupProperties properties;
};

struct groups {
	const struct kr_device_list *list;
	const VkAllocationCallbacks *allocator;
	struct group *items;
	uint32_t count;
};

/* What the driver gives to callers of this instance; NULL: it has no groups. */
static PFN_vkEnumeratePhysicalDeviceGroups
find_function(const struct kr_instance_driver *driver)
{
	const struct kr_instance_table *table = &driver->table;

	if (kr_extension_set_has(&driver->enabled, KR_EXT_VK_KHR_device_group_creation) &&
		kr_instance_table_has(table, KR_CMD_EnumeratePhysicalDeviceGroupsKHR))
		return table->EnumeratePhysicalDeviceGroupsKHR;
	if (driver->driver->api_version >= VK_API_VERSION_1_1 &&
		driver->instance->api_version_below >= VK_API_VERSION_1_1 &&
		kr_instance_table_has(table, KR_CMD_EnumeratePhysicalDeviceGroups))
		return table->EnumeratePhysicalDeviceGroups;
	return NULL;
}

struct groups_question {
	const struct kr_instance_driver *driver;
	PFN_vkEnumeratePhysicalDeviceGroups ask;
};

static VkResult
ask_groups(const void *context, uint32_t *count, void *items)
{
	const struct groups_question *question = context;

	return question->ask(question->driver->handle, count, items);
}

/* All of a driver's groups in a new array. */
static VkResult
groups_of(const struct kr_instance_driver *driver, PFN_vkEnumeratePhysicalDeviceGroups ask,
	uint32_t *count, VkPhysicalDeviceGroupProperties **groups)
{
	const struct groups_question context = {driver, ask};
	const struct kr_enumeration question = {
		.ask = ask_groups,
		.context = &context,
		.item_size = sizeof(**groups),
		.type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES,
		.most = KR_MOST_DEVICES,
		.who = driver->driver->driver->name,
		.function = "vkEnumeratePhysicalDeviceGroups",
		.log = KR_LOG_DRIVER,
	};

	return kr_enumerate(&question, driver->instance->allocator, count, (void **)groups);
}

static struct group *
append(struct groups *groups, struct kr_instance_driver *driver, uint32_t number)
{
	struct group *group = &groups->items[groups->count++];

	*group = (struct group){.driver = driver, .number = number, .rank = UINT32_MAX};
	return group;
}

static uint32_t
rank_of(const struct kr_device_list *list, const struct kr_instance_driver *driver,
	VkPhysicalDevice device)
{
	return list->items[kr_device_list_find(list, driver, device)].rank;
}

/* Puts a listed device into a group, at its place among the others. */
static void
insert(struct groups *groups, struct group *group, uint32_t place)
{
	const struct kr_device_list *list = groups->list;
	VkPhysicalDeviceGroupProperties *properties = &group->properties;
	uint32_t at = properties->physicalDeviceCount++, rank = list->items[place].rank;

	for (; list->ordered && at; at--) {
		VkPhysicalDevice before = properties->physicalDevices[at - 1];

		if (rank_of(list, group->driver, before) <= rank)
			break;
		properties->physicalDevices[at] = before;
	}
	properties->physicalDevices[at] = list->items[place].handle;
	group->rank = KR_MIN(group->rank, rank);
}

static bool
is_in(const struct group *group, VkPhysicalDevice device)
{
	for (uint32_t i = 0; i < group->properties.physicalDeviceCount; i++) {
		if (group->properties.physicalDevices[i] == device)
			return true;
	}
	return false;
}

/*
 * A driver may name more devices than a group has room for, one twice, and what it hasn't listed.
 */
static void
add_group(struct groups *groups, struct kr_instance_driver *driver, uint32_t number,
	const VkPhysicalDeviceGroupProperties *properties)
{
	struct group *group = append(groups, driver, number);
	uint32_t count = KR_MIN(properties->physicalDeviceCount, VK_MAX_DEVICE_GROUP_SIZE);

	group->properties.subsetAllocation = properties->subsetAllocation;
	for (uint32_t i = 0; i < count; i++) {
		VkPhysicalDevice device = properties->physicalDevices[i];
		uint32_t place = kr_device_list_find(groups->list, driver, device);

		if (place < groups->list->count && !is_in(group, device))
			insert(groups, group, place);
	}
	/* None of its devices is listed. */
	if (!group->properties.physicalDeviceCount)
		groups->count--;
}

static void
add_single_devices(struct groups *groups, struct kr_instance_driver *driver)
{
	const struct kr_device_list *list = groups->list;

	for (uint32_t i = 0; i < list->count; i++) {
		if (list->items[i].driver == driver)
			insert(groups, append(groups, driver, UINT32_MAX), i);
	}
}

/* Room for the groups of one more driver: no more than there are of its own, or devices listed. */
static VkResult
reserve(struct groups *groups, uint32_t more)
{
	struct group *items = kr_zalloc_array(groups->allocator, (size_t)groups->count + more + 1,
		sizeof(*items), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);

	if (!items)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	if (groups->count)
		memcpy(items, groups->items, groups->count * sizeof(*items));
	kr_free(groups->allocator, groups->items);
	groups->items = items;
	return VK_SUCCESS;
}

static VkResult
add_driver(struct groups *groups, struct kr_instance_driver *driver)
{
	PFN_vkEnumeratePhysicalDeviceGroups ask = find_function(driver);
	VkPhysicalDeviceGroupProperties *own = NULL;
	uint32_t count = 0;
	VkResult result = VK_SUCCESS;

	if (ask)
		result = groups_of(driver, ask, &count, &own);
	if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
		return result;
	if (result != VK_SUCCESS)
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"%s: vkEnumeratePhysicalDeviceGroups failed (VkResult %d), each of its devices becomes a group",
			driver->driver->driver->name, result);
	if (!ask || result != VK_SUCCESS) {
		result = reserve(groups, groups->list->count);
		if (result == VK_SUCCESS)
			add_single_devices(groups, driver);
		return result;
	}
	result = reserve(groups, count);
	for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++)
		add_group(groups, driver, i, &own[i]);
	kr_free(groups->allocator, own);
	return result;
}

static void
sort(struct groups *groups)
{
	for (uint32_t i = 1; groups->list->ordered && i < groups->count; i++) {
		struct group group = groups->items[i];
		uint32_t at = i;

		for (; at && groups->items[at - 1].rank > group.rank; at--)
			groups->items[at] = groups->items[at - 1];
		groups->items[at] = group;
	}
}

/* Asks a driver once more, now with what the application has chained to the groups that are its. */
static VkResult
fill_chains_of(const struct groups *groups, const struct kr_instance_driver *driver, uint32_t room,
	const VkPhysicalDeviceGroupProperties *out)
{
	PFN_vkEnumeratePhysicalDeviceGroups ask = find_function(driver);
	VkPhysicalDeviceGroupProperties *own;
	uint32_t count = 0;
	VkResult result;

	for (uint32_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->items[i];

		if (group->driver == driver && group->number != UINT32_MAX)
			count = KR_MAX(count, group->number + 1);
	}
	if (!ask || !count)
		return VK_SUCCESS;
	own = kr_zalloc_array(
		groups->allocator, count, sizeof(*own), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!own)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		own[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
	for (uint32_t i = 0; i < KR_MIN(groups->count, room); i++) {
		const struct group *group = &groups->items[i];

		if (group->driver == driver && group->number != UINT32_MAX)
			own[group->number].pNext = out[i].pNext;
	}
	result = ask(driver->handle, &count, own);
	kr_free(groups->allocator, own);
	return result == VK_ERROR_OUT_OF_HOST_MEMORY ? result : VK_SUCCESS;
}

static VkResult
fill_chains(const struct groups *groups, uint32_t room, const VkPhysicalDeviceGroupProperties *out)
{
	const struct kr_device_list *list = groups->list;
	bool chained = false;
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < room; i++)
		chained |= out[i].pNext != NULL;
	for (uint32_t i = 0; chained && result == VK_SUCCESS && i < list->driver_count; i++)
		result = fill_chains_of(groups, list->instance->drivers[i], room, out);
	return result;
}

/* The driver's group as the application's, whose sType and pNext stay. */
static VkResult
copy_group(const struct group *group, VkPhysicalDeviceGroupProperties *out)
{
	out->physicalDeviceCount = group->properties.physicalDeviceCount;
	out->subsetAllocation = group->properties.subsetAllocation;
	for (uint32_t i = 0; i < out->physicalDeviceCount; i++) {
		out->physicalDevices[i] = kr_physical_device_wrap(
			group->driver, group->properties.physicalDevices[i]);
		if (!out->physicalDevices[i])
			return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	return VK_SUCCESS;
}

static VkResult
answer(const struct groups *groups, uint32_t *count, VkPhysicalDeviceGroupProperties *out)
{
	uint32_t room = out ? KR_MIN(*count, groups->count) : 0;
	VkResult result = VK_SUCCESS;

	if (out)
		result = fill_chains(groups, room, out);
	for (uint32_t i = 0; result == VK_SUCCESS && i < room; i++)
		result = copy_group(&groups->items[i], &out[i]);
	if (result != VK_SUCCESS)
		return result;
	*count = out ? room : groups->count;
	return out && room < groups->count ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult
kr_device_groups_list(
	const struct kr_device_list *list, uint32_t *count, VkPhysicalDeviceGroupProperties *out)
{
	struct groups groups = {.list = list, .allocator = list->instance->allocator};
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; result == VK_SUCCESS && i < list->driver_count; i++) {
		struct kr_instance_driver *driver = kr_device_list_driver(list, i);

		if (kr_device_list_is_asked(driver))
			result = add_driver(&groups, driver);
	}
	sort(&groups);
	if (result == VK_SUCCESS)
		result = answer(&groups, count, out);
	kr_free(groups.allocator, groups.items);
	return result;
}
