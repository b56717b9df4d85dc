/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which devices are left out: by the ids that the environment wants to see, because an earlier
 * driver has the same device, or because the settings file doesn't list them.
 *
 * Twins are devices of two drivers with the same UUID of device and of driver, the same driver
 * name, version and ids: two copies of one driver. Two drivers for one GPU differ in the UUID of
 * the driver, and both are listed. Devices of one driver are never taken for twins: some drivers
 * give all theirs the same UUID.
 */
#include "loader/devices/list.h"

#include <stddef.h>
#include <string.h>

#include "loader/drivers/drivers.h"
#include "manifest/filters.h"
#include "manifest/settings.h"
#include "util/env.h"
#include "util/log.h"

static const struct {
	const char *variable;
	size_t offset; /* of the id in struct kr_device_facts */
} id_filters[] = {
	{"VK_LOADER_DEVICE_ID_FILTER", offsetof(struct kr_device_facts, device_id)},
	{"VK_LOADER_VENDOR_ID_FILTER", offsetof(struct kr_device_facts, vendor_id)},
	{"VK_LOADER_DRIVER_ID_FILTER", offsetof(struct kr_device_facts, driver_id)},
};

bool
kr_device_list_is_filtered(const struct kr_instance *instance)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(id_filters); i++) {
		if (kr_env_get(id_filters[i].variable))
			return true;
	}
	return instance->settings.device_count > 0;
}

void
kr_device_list_filter_ids(struct kr_device_list *list)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(id_filters); i++) {
		struct kr_id_filter filter;

		if (!kr_env_get(id_filters[i].variable))
			continue;
		kr_id_filter_read(&filter, id_filters[i].variable, NULL);
		for (uint32_t j = 0; j < list->count; j++) {
			struct kr_device_entry *entry = &list->items[j];
			uint32_t id;

			memcpy(&id, (const char *)&entry->facts + id_filters[i].offset, sizeof(id));
			if (entry->hidden || kr_id_filter_passes(&filter, id))
				continue;
			entry->hidden = true;
			list->empty_is_fine = true;
			kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
				"device \"%s\" is not listed: %s leaves out its id 0x%x",
				entry->facts.name, id_filters[i].variable, id);
		}
	}
}

static bool
are_twins(const struct kr_device_facts *a, const struct kr_device_facts *b)
{
	return a->has_uuids && b->has_uuids &&
		!memcmp(a->device_uuid, b->device_uuid, VK_UUID_SIZE) &&
		!memcmp(a->driver_uuid, b->driver_uuid, VK_UUID_SIZE) &&
		a->driver_version == b->driver_version && a->vendor_id == b->vendor_id &&
		a->device_id == b->device_id && a->driver_id == b->driver_id &&
		!strcmp(a->driver_name, b->driver_name) && !strcmp(a->name, b->name);
}

/* A device of an earlier driver has at most one twin in each later driver. */
static struct kr_device_entry *
find_twin(struct kr_device_list *list, uint32_t later)
{
	const struct kr_device_entry *entry = &list->items[later];

	for (uint32_t i = 0; i < later; i++) {
		struct kr_device_entry *candidate = &list->items[i];

		if (!candidate->hidden && candidate->driver != entry->driver &&
			candidate->twin != entry->driver &&
			are_twins(&candidate->facts, &entry->facts))
			return candidate;
	}
	return NULL;
}

void
kr_device_list_hide_twins(struct kr_device_list *list)
{
	for (uint32_t i = 1; i < list->count; i++) {
		struct kr_device_entry *entry = &list->items[i];
		struct kr_device_entry *twin = find_twin(list, i);

		if (!twin)
			continue;
		twin->twin = entry->driver;
		entry->hidden = true;
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"device \"%s\" of %s is listed once: %s is the same driver and has it too",
			entry->facts.name, twin->driver->driver->driver->library_path,
			entry->driver->driver->driver->library_path);
	}
}

/* UUIDs decide; names stand in for them in entries that give none. */
static bool
is_meant(const struct kr_settings_device *rule, const struct kr_device_facts *facts)
{
	if (rule->has_device_uuid && memcmp(rule->device_uuid, facts->device_uuid, VK_UUID_SIZE))
		return false;
	if (rule->has_driver_uuid && memcmp(rule->driver_uuid, facts->driver_uuid, VK_UUID_SIZE))
		return false;
	if (rule->has_driver_version && rule->driver_version != facts->driver_version)
		return false;
	if (!rule->has_device_uuid && *rule->device_name && strcmp(rule->device_name, facts->name))
		return false;
	return rule->has_driver_uuid || !*rule->driver_name ||
		!strcmp(rule->driver_name, facts->driver_name);
}

/* The first device from `at` on that a rule means, or list->count. */
static uint32_t
find_meant(const struct kr_device_list *list, uint32_t at, const struct kr_settings_device *rule)
{
	while (at < list->count && !is_meant(rule, &list->items[at].facts))
		at++;
	return at;
}

static void
move(struct kr_device_list *list, uint32_t from, uint32_t to)
{
	struct kr_device_entry entry = list->items[from];

	memmove(&list->items[to + 1], &list->items[to], (from - to) * sizeof(entry));
	list->items[to] = entry;
}

void
kr_device_list_configure(struct kr_device_list *list)
{
	const struct kr_instance *instance = list->instance;
	uint32_t placed = 0;

	if (!instance->settings.device_count || !list->count)
		return;
	for (size_t i = 0; i < instance->settings.device_count; i++) {
		const struct kr_settings_device *rule = &instance->settings.devices[i];
		uint32_t found = find_meant(list, placed, rule);

		if (found < list->count) {
			move(list, found, placed);
			list->items[placed].rank = placed;
			placed++;
		} else
			kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
				"settings file: device_configurations[%zu] (\"%s\") is none of the devices here",
				i, rule->device_name);
	}
	for (uint32_t i = placed; i < list->count; i++)
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"device \"%s\" is not listed: the settings file's device_configurations leave it out",
			list->items[i].facts.name);
	list->count = placed;
	list->ordered = true;
}
